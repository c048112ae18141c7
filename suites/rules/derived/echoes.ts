/** Texts of a request that a response repeats with replacement characters, as from pieces decoded one by one. */

import type { Message } from '../../../harness/record/message.js';
import { isObject, type Json } from '../../../spec/json-rpc.js';
import { bodyOf } from './conversation.js';

interface Damage {
  readonly sent: string;
  readonly came: string;
}

/**
 * A text of a request that comes back with several U+FFFD in place of a character; undefined when there is none. Each piece of a
 * character yields at least one of them; a single one may also be a program's choice for characters that it does not show.
 */
export function damagedEcho(request: Message, reply: Message): Damage | undefined {
  if (!reply.frame.text.includes('\uFFFD') || request.frame.text.includes('\uFFFD')) return undefined;
  const texts = [...textsIn(bodyOf(reply))].filter(text => text.includes('\uFFFD'));
  for (const sent of textsIn(bodyOf(request)))
    for (const { index, 0: character } of sent.matchAll(/[^\0-\x7f]/gu))
      for (const came of texts)
        if (holds(came, sent.slice(0, index), sent.slice(index + character.length))) return { sent, came };
  return undefined;
}

/** Most UTF-16 units of a text in which further characters are compared with replacement characters. */
const mostUnits = 1_000;

/** Whether a text has the parts of another one around its first replacement characters. */
function holds(text: string, before: string, after: string): boolean {
  const damaged = text.indexOf('\uFFFD');
  if (!text.slice(0, damaged).endsWith(before)) return false;
  return endsOf(text, damaged).some(end => text.startsWith(after, end) || continues(text, end, after));
}

/** The ends of what may stand for one damaged character. @param start where it begins in the text */
const endsOf = (text: string, start: number): number[] =>
  [2, 3, 4].filter(count => text.startsWith('\uFFFD'.repeat(count), start)).map(count => start + count);

/** Whether a text goes on like another one in which further characters may be damaged. */
function continues(text: string, start: number, after: string): boolean {
  if (after.length > mostUnits) return false;
  let ends = new Set([start]);
  for (const character of after) {
    const next = [...ends].flatMap(end => [
      ...(text.startsWith(character, end) ? [end + character.length] : []),
      ...(/[^\0-\x7f]/.test(character) ? endsOf(text, end) : []),
    ]);
    ends = new Set(next);
  }
  return ends.size > 0;
}

function* textsIn(json: Json | undefined): Generator<string> {
  if (typeof json === 'string') yield json;
  else if (Array.isArray(json)) for (const item of json) yield* textsIn(item);
  else if (isObject(json)) for (const value of Object.values(json)) yield* textsIn(value);
}
