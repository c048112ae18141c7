/**
 * The minimal value for a JSON Schema: its default, its first choice, or the smallest value of its type or of
 * its first variant. It is invalid where other keywords ask for more (`minimalArguments`).
 */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { schemaLimits } from '../../spec/schema-cost.js';

const byFormat: ReadonlyMap<Json | undefined, string> = new Map(
  Object.entries({
    email: 'ada@example.com',
    uri: 'https://example.com/',
    date: '2000-01-31',
    'date-time': '2000-01-31T12:00:00Z',
  }),
);

/** What one value may still contain: a schema of a subject may ask for more than fits into memory. */
interface Room {
  characters: number;
}

const newRoom = (): Room => ({ characters: schemaLimits.characters });

/** An object with the properties of a schema; optionally only the required ones. */
export function minimalObject(
  schema: JsonObject,
  only: 'required' | 'all' = 'all',
  room = newRoom(),
): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => only === 'all' || required.has(name))
      .map(([name, property]) => [name, minimalValue(isObject(property) ? property : {}, room)]),
  );
}

export function minimalValue(schema: JsonObject, room = newRoom()): Json {
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  const choices = schema.enum ?? schema.examples ?? constsOf(schema.oneOf) ?? constsOf(schema.anyOf);
  if (Array.isArray(choices) && choices.length > 0) return choices[0]!;
  const variant = schema.type === undefined && [schema.anyOf ?? [], schema.oneOf ?? []].flat().find(isObject);
  if (variant) return minimalValue(variant, room);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'array':
      return isObject(schema.items) ? [minimalValue(schema.items, room)] : [];
    case 'object':
      return minimalObject(schema, 'required', room);
    case 'null':
      return null;
    default:
      return plainText(schema, room);
  }
}

function plainText(schema: JsonObject, room: Room): string {
  const text = byFormat.get(schema.format) ?? 'text';
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0;
  const length = Math.min(least, room.characters);
  room.characters -= Math.max(0, length);
  return text.padEnd(length, 'x');
}

const constsOf = (choices: Json | undefined): Json[] | undefined =>
  Array.isArray(choices)
    ? choices.flatMap(choice => (isObject(choice) && choice.const !== undefined ? [choice.const] : []))
    : undefined;
