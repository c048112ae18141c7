/** The fewest arguments of a tool that its input schema accepts. */

import fc from 'fast-check';
import { validatorOf } from '../../spec/is-valid.js';
import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import { keptByText } from '../grouped.js';
import { generated } from './cannot-generate.js';
import { minimalObject } from './minimal.js';
import { arbitraryOf } from './schema.js';

/** Keywords that may ask for more members than `required` names. */
const conditions = [
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', '$ref', 'minProperties'],
  ...['dependentRequired', 'dependentSchemas', 'dependencies'],
];

/** Generated values of which the shortest is taken. */
const samples = 10;

/**
 * The required members of an input schema; for a schema with conditions, or where the smallest values are
 * invalid (`pattern`, `$ref`), the shortest of a few generated values.
 */
export function minimalArguments(schema: JsonObject): JsonObject {
  const plain = minimalObject(schema, 'required');
  const isPlain = !conditions.some(keyword => schema[keyword] !== undefined);
  if (isPlain && !isInvalid(schema, plain)) return plain;
  return structuredClone(shortestValue(JSON.stringify(schema))) ?? plain;
}

/** The given arguments, or minimal ones for a schema that certainly rejects the given ones. */
export const fittingArguments = (schema: JsonObject, given: JsonObject): JsonObject =>
  isInvalid(schema, given) ? minimalArguments(schema) : given;

/** Whether a value is certainly invalid: the validator does not support each keyword and pattern. */
function isInvalid(schema: JsonObject, value: JsonObject): boolean {
  try {
    return !validatorOf(schema, { formats: false }).of(schema)(value);
  } catch {
    return false;
  }
}

/** The shortest of a few generated objects; undefined where none can be generated. */
const shortestValue = keptByText((text: string): JsonObject | undefined => {
  const schema = JSON.parse(text) as JsonObject;
  const values = generated(() =>
    fc.sample(arbitraryOf({ type: 'object', ...schema }).arbitrary, { numRuns: samples, seed: 0 }),
  ).flat();
  const [shortest] = values
    .filter(isObject)
    .sort((a, b) => JSON.stringify(a).length - JSON.stringify(b).length);
  return shortest;
}, 100);
