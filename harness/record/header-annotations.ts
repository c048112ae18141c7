/** `x-mcp-header` in the input schema of a tool: which parameters a header repeats (server/tools#x-mcp-header). */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';

export interface HeaderAnnotation {
  /** The name of the annotated property. */
  readonly property: string;
  readonly value: Json;
  readonly schema: JsonObject;
  /** Reached from the root through `properties` only. */
  readonly isReachable: boolean;
  /** All values in the same input schema. */
  readonly among: readonly Json[];
}

/** Keywords that hold one schema, several, or several by name. */
const single: ReadonlySet<string> = new Set([
  ...['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
]);
const several: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const named: ReadonlySet<string> = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties']);

const objects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** All annotations in an input schema, valid or not. */
export function headerAnnotations(inputSchema: Json | undefined): HeaderAnnotation[] {
  const found: HeaderAnnotation[] = [];
  const among: Json[] = [];
  const visit = (schema: Json | undefined, property: string, isReachable: boolean): void => {
    if (!isObject(schema)) return;
    const value = schema['x-mcp-header'];
    if (value !== undefined && property !== '') {
      among.push(value);
      found.push({ property, value, schema, isReachable, among });
    }
    for (const [name, at] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
      visit(at, name, isReachable);
    for (const [key, held] of Object.entries(schema)) {
      if (single.has(key)) visit(held, property || key, false);
      else if (several.has(key)) for (const at of objects(held)) visit(at, property || key, false);
      else if (named.has(key) && isObject(held))
        for (const [name, at] of Object.entries(held)) visit(at, name, false);
    }
  };
  visit(inputSchema, '', true);
  return found;
}

export const isToken = (value: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(value);

const primitives: readonly unknown[] = ['integer', 'string', 'boolean'];

/** How often each name occurs in a list of values, whatever its case. */
const counts = new WeakMap<readonly Json[], Map<string, number>>();

function countsIn(among: readonly Json[]): ReadonlyMap<string, number> {
  const known = counts.get(among);
  if (known) return known;
  const found = new Map<string, number>();
  for (const value of among)
    if (typeof value === 'string') found.set(value.toLowerCase(), (found.get(value.toLowerCase()) ?? 0) + 1);
  counts.set(among, found);
  return found;
}

/** Whether the value occurs once in its schema, whatever its case. @param among is complete */
export const isUnique = (value: string, among: readonly Json[]): boolean =>
  (countsIn(among).get(value.toLowerCase()) ?? 0) <= 1;

/** Whether a type can be repeated in a header; true where the schema names no single type. */
export const isPrimitive = ({ type }: JsonObject): boolean =>
  typeof type !== 'string' || primitives.includes(type);

/** Whether a client over HTTP may use the tool of the annotation (basic/transports/streamable-http#schema-extension). */
export const isValidAnnotation = ({ value, schema, isReachable, among }: HeaderAnnotation): boolean =>
  typeof value === 'string' && isToken(value) && isReachable && isUnique(value, among) && isPrimitive(schema);
