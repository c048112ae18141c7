/** The places of subschemas in a schema. */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';

const single = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const listed = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'];
const named = ['dependencies', 'dependentSchemas', 'patternProperties', 'properties'];
const stored = ['$defs', 'definitions'];

export const isSchema = (json: Json | undefined): json is Schema =>
  typeof json === 'boolean' || (isObject(json) && json !== undefined);

/** The remaining steps of a JSON pointer. */
export const step = (key: string | number): string =>
  `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The direct subschemas of a schema, with their relative pointers; `applied` omits definitions. */
export function childrenOf(schema: JsonObject, which: 'all' | 'applied' = 'all'): [string, Schema][] {
  const found: [string, Schema][] = [];
  const add = (where: string, json: Json | undefined) => {
    if (isSchema(json)) found.push([where, json]);
  };
  for (const keyword of single) add(step(keyword), schema[keyword]);
  for (const keyword of listed) {
    const list = schema[keyword];
    for (const [index, json] of Array.isArray(list) ? list.entries() : [])
      add(step(keyword) + step(index), json);
  }
  for (const keyword of which === 'all' ? [...named, ...stored] : named) {
    const map = schema[keyword];
    if (isObject(map)) for (const [name, json] of Object.entries(map)) add(step(keyword) + step(name), json);
  }
  return found;
}

/** A JSON Schema, or a part of one. */
export type Schema = boolean | JsonObject;
