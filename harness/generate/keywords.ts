/** The places of subschemas in a schema. */

import { pointerStep } from '../../spec/json-pointer.js';
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

/** The direct subschemas of a schema, with their relative pointers; `applied` omits definitions. */
export function childrenOf(schema: JsonObject, which: 'all' | 'applied' = 'all'): [string, Schema][] {
  const found: [string, Schema][] = [];
  const add = (where: string, json: Json | undefined) => {
    if (isSchema(json)) found.push([where, json]);
  };
  for (const keyword of single) add(pointerStep(keyword), schema[keyword]);
  for (const keyword of listed) {
    const list = schema[keyword];
    for (const [index, json] of Array.isArray(list) ? list.entries() : [])
      add(pointerStep(keyword) + pointerStep(index), json);
  }
  for (const keyword of which === 'all' ? [...named, ...stored] : named) {
    const map = schema[keyword];
    if (isObject(map))
      for (const [name, json] of Object.entries(map)) add(pointerStep(keyword) + pointerStep(name), json);
  }
  return found;
}

/** A JSON Schema, or a part of one. */
export type Schema = boolean | JsonObject;
