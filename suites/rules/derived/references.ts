/** References of a JSON Schema to parts of itself. */

import { atPointer } from '../../../spec/json-pointer.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import type { Revision } from '../../../spec/revisions.js';
import { dialectsOf } from './schemas.js';

/** Keywords whose value is a schema, or a list of schemas. */
const schemaKeywords =
  `items additionalItems prefixItems contains additionalProperties propertyNames unevaluatedItems
  unevaluatedProperties not if then else allOf anyOf oneOf contentSchema`.split(/\s+/);

/** Keywords whose value has a schema for each name. */
const mapKeywords = [
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
];

const subschemasOf = (schema: JsonObject): JsonObject[] =>
  [
    ...schemaKeywords.flatMap(keyword => schema[keyword] ?? []),
    ...mapKeywords.flatMap(keyword => {
      const map = schema[keyword];
      return isObject(map) ? Object.values(map) : [];
    }),
  ].filter((item): item is JsonObject => isObject(item));

/** A schema and all its subschemas. */
function allIn(schema: JsonObject): JsonObject[] {
  const all = [schema];
  for (const each of all) for (const subschema of subschemasOf(each)) all.push(subschema);
  return all;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const isSchema = (value: Json | undefined): boolean => isObject(value) || typeof value === 'boolean';

/**
 * The first reference to the same schema that leads to no schema in it; undefined where there is none, the dialect is unknown, or an
 * `$id` inside changes what references mean.
 */
export function lostReference(schema: JsonObject, revision: Revision): string | undefined {
  if (dialectsOf(schema, revision).length === 0) return undefined;
  const all = allIn(schema);
  if (all.some(each => each !== schema && (each.$id ?? each.id) !== undefined)) return undefined;
  const anchors = new Set(all.flatMap(each => [each.$anchor ?? [], each.$dynamicAnchor ?? []].flat()));
  return all
    .flatMap(({ $ref }) => (typeof $ref === 'string' && $ref.startsWith('#') ? $ref : []))
    .find(reference => {
      const fragment = decoded(reference.slice(1));
      if (fragment === '') return false;
      return fragment.startsWith('/') ? !isSchema(atPointer(schema, fragment)) : !anchors.has(fragment);
    });
}
