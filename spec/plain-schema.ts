/**
 * JSON Schemas that are certainly valid, in every dialect. Nearly all schemas are, and this check needs no
 * ajv.
 */

import { isObject, type Json } from './json-rpc.js';

type Fits = (value: Json) => boolean;

const isText: Fits = value => typeof value === 'string';
const isNumber: Fits = value => typeof value === 'number';
const isCount: Fits = value => Number.isInteger(value) && (value as number) >= 0;
const isFlag: Fits = value => typeof value === 'boolean';
const isPrimitive: Fits = value => typeof value !== 'object' || value === null;
const typeNames = new Set<Json>(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);
const isTypeName: Fits = value => typeNames.has(value);
const isSchema: Fits = value => isPlainSchema(value);

const isListOf =
  (fits: Fits): Fits =>
  value =>
    Array.isArray(value) && value.every(fits);

/** @param fits a check that accepts no objects */
const isSetOf =
  (fits: Fits): Fits =>
  value =>
    isListOf(fits)(value) && new Set(value as Json[]).size === (value as Json[]).length;

const isMapOf =
  (fits: Fits): Fits =>
  value =>
    isObject(value) && Object.values(value).every(fits);

const filled =
  (fits: Fits): Fits =>
  value =>
    fits(value) && (value as Json[]).length > 0;

const all = (names: string, fits: Fits) => names.split(' ').map((name): [string, Fits] => [name, fits]);

/**
 * Keywords with the values that are valid in every dialect that has them; dialects without a keyword accept
 * any value.
 */
const keywords: ReadonlyMap<string, Fits> = new Map([
  ...all('const default', () => true),
  ...all('enum', filled(isSetOf(isPrimitive))),
  ...all('examples', Array.isArray),
  ...all('$anchor', value => isText(value) && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value as string)),
  ...all('$schema $comment $ref title description format pattern', isText),
  ...all('deprecated readOnly writeOnly uniqueItems', isFlag),
  ...all('minimum maximum exclusiveMinimum exclusiveMaximum', isNumber),
  ...all('minLength maxLength minItems maxItems minProperties maxProperties', isCount),
  ...all('items additionalProperties propertyNames contains not if then else', isSchema),
  ...all('anyOf oneOf allOf prefixItems', filled(isListOf(isSchema))),
  ...all('properties dependentSchemas $defs definitions', isMapOf(isSchema)),
  ...all('type', value => isTypeName(value) || filled(isSetOf(isTypeName))(value)),
  ...all('required', isSetOf(isText)),
  ...all('dependentRequired', isMapOf(isSetOf(isText))),
]);

/** Names of options (a form of enumerations in elicitation), and extensions such as `x-mcp-header`: no dialect defines them. */
const isAnnotation = (keyword: string): boolean => keyword === 'enumNames' || keyword.startsWith('x-');

/** Whether a schema is certainly valid; `false` only means that ajv has to check the schema. */
export function isPlainSchema(schema: Json): boolean {
  if (!isObject(schema)) return isFlag(schema);
  for (const keyword of Object.keys(schema))
    if (!isAnnotation(keyword) && !keywords.get(keyword)?.(schema[keyword]!)) return false;
  return true;
}
