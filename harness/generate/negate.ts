/** A schema for (most) values that another schema refuses; the generated values are always checked. */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { types } from './constraints.js';
import type { Document } from './document.js';
import type { Schema } from './keywords.js';
import { isSchema } from './keywords.js';

/** @returns undefined when values outside the schema are found only by chance */
export function negate(schema: Schema, document: Document, depth = 6): Schema | undefined {
  if (typeof schema === 'boolean') return !schema;
  if (depth === 0) return undefined;
  const inner = (json: Json | undefined) => (isSchema(json) ? negate(json, document, depth - 1) : undefined);
  const ways: Schema[] = [];
  for (const [keyword, json] of Object.entries(schema)) {
    const way = Object.hasOwn(missing, keyword) ? missing[keyword]!(json, inner) : undefined;
    if (way) ways.push(...way);
  }
  if (typeof schema.$ref === 'string') {
    const way = negate(document.resolve(schema.$ref, schema), document, depth - 1);
    if (way !== undefined) ways.push(way);
  }
  return ways.length > 0 ? { anyOf: ways as Json[] } : undefined;
}

type Way = (json: Json, inner: (json: Json | undefined) => Schema | undefined) => Schema[] | undefined;

const bound =
  (type: string, opposite: string, shift = 0): Way =>
  json =>
    typeof json === 'number' && json + shift >= (type === 'number' ? -Infinity : 0)
      ? [{ type, [opposite]: json + shift }]
      : undefined;

const has = (name: string, schema: Schema): JsonObject => ({
  type: 'object',
  required: [name],
  properties: { [name]: schema },
});

/** For each keyword, schemas that violate it. */
const missing: Readonly<Record<string, Way>> = {
  type(json) {
    const named = [json].flat();
    const others = types.filter(t => !named.includes(t) && !(t === 'number' && named.includes('integer')));
    return others.length > 0 ? [{ type: others }] : undefined;
  },
  const: json => [{ not: { const: json } }],
  enum: json => [{ not: { enum: json } }],
  required: json => (json as string[]).map(name => ({ type: 'object', properties: { [name]: false } })),
  properties: (json, inner) =>
    Object.entries(json as JsonObject).flatMap(([name, member]) => {
      const other = inner(member);
      return other === undefined || other === false ? [] : [has(name, other)];
    }),
  minimum: bound('number', 'exclusiveMaximum'),
  maximum: bound('number', 'exclusiveMinimum'),
  exclusiveMinimum: bound('number', 'maximum'),
  exclusiveMaximum: bound('number', 'minimum'),
  minLength: bound('string', 'maxLength', -1),
  maxLength: bound('string', 'minLength', 1),
  minItems: bound('array', 'maxItems', -1),
  maxItems: bound('array', 'minItems', 1),
  minProperties: bound('object', 'maxProperties', -1),
  maxProperties: bound('object', 'minProperties', 1),
  pattern: json => [{ type: 'string', not: { pattern: json } }],
  format: json => [{ type: 'string', not: { format: json } }],
  multipleOf: json => [{ type: 'number', not: { multipleOf: json } }],
  items: (json, inner) => {
    const other = inner(json);
    return other === undefined || other === false ? undefined : [{ type: 'array', contains: other }];
  },
  contains: (json, inner) => {
    const other = inner(json);
    return other === undefined ? undefined : [{ type: 'array', items: other }];
  },
  additionalProperties: json =>
    json === false ? [{ type: 'object', minProperties: 1, not: { additionalProperties: false } }] : undefined,
  anyOf: (json, inner) => {
    const others = (json as Schema[]).map(inner);
    return others.includes(undefined) ? undefined : [{ allOf: others as Json[] }];
  },
  allOf: (json, inner) => (json as Schema[]).map(inner).filter(other => other !== undefined),
  not: json => (isSchema(json) ? [json] : undefined),
};

/** Whether a schema has only a keyword without a simple negation, such as a list of values. */
export const listsValues = (schema: Schema): boolean =>
  isObject(schema) &&
  ['const', 'enum', 'pattern', 'format', 'multipleOf', 'additionalProperties'].some(k => k in schema) &&
  Object.keys(schema).length === 1;
