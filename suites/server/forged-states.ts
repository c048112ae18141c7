/** States with one changed value, as far as their encoding can be read: JSON, or JSON in Base64, also in parts with dots. */

import { isObject, type Json, parseJson } from '../../spec/json-rpc.js';

/** The values that a forged state contains; no server returns them by chance. */
const forgedText = 'forged-by-mcp-conform';
const forgedNumber = 987_654_321;

/** Whether a text contains a forged value. */
export const showsForgery = (text: string): boolean =>
  text.includes(forgedText) || text.includes(`${forgedNumber}`);

/** Copies of a value with one text or number replaced in each, at most `most` of them. */
function* forgeries(json: Json): Generator<Json> {
  if (typeof json === 'string') yield forgedText;
  else if (typeof json === 'number') yield forgedNumber;
  else if (Array.isArray(json)) {
    for (const [at, item] of json.entries())
      for (const forged of forgeries(item)) yield json.with(at, forged);
  } else if (isObject(json)) {
    for (const [name, value] of Object.entries(json))
      for (const forged of forgeries(value)) yield { ...json, [name]: forged };
  }
}

const most = 12;

/** Forged copies of a state; none when its encoding cannot be read. */
export function forgedStates(state: string): string[] {
  const plain = parseJson(state);
  if (isObject(plain)) return [...forgeries(plain)].slice(0, most).map(json => JSON.stringify(json));
  const parts = state.split('.');
  return parts
    .flatMap((part, at) => {
      const json = parseJson(Buffer.from(part, 'base64').toString());
      const encoding = /[+/=]/.test(part) ? 'base64' : 'base64url';
      if (!isObject(json) && !Array.isArray(json)) return [];
      return [...forgeries(json)].map(forged =>
        parts.with(at, Buffer.from(JSON.stringify(forged)).toString(encoding)).join('.'),
      );
    })
    .slice(0, most);
}
