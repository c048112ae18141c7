/**
 * The reason why a value is invalid, in the wording of ajv but without ajv, for callers that need it at once.
 */

import { type Definitions, type Reading, validatorOf } from './is-valid.js';
import { pointerStep } from './json-pointer.js';
import { isObject, type Json, type JsonObject } from './json-rpc.js';
import type { Problem } from './problems.js';

/** A subschema with its value, and the step of the path to the value. */
type Part = readonly [schema: Json, value: Json, step: string];

/**
 * The first error of a value against a schema; undefined for a valid value. For a union, the error of the
 * variant that is valid up to the longest path.
 * @throws {Error} for keywords that `fitsOf` does not support
 */
export function firstErrorOf(
  document: Definitions,
  reading?: Reading,
): (schema: Json, value: Json) => Problem | undefined {
  const { of: fits, target } = validatorOf(document, reading);

  const within = (parts: readonly Part[]): Problem | undefined => {
    for (const [schema, value, step] of parts) {
      const problem = firstError(schema, value);
      if (problem) return { ...problem, path: step + problem.path };
    }
    return undefined;
  };

  const firstError = (schema: Json, value: Json): Problem | undefined => {
    if (fits(schema)(value)) return undefined;
    if (!isObject(schema)) return { path: '', message: 'must not be there' };
    const { $ref, anyOf, allOf, if: condition, then: so, else: otherwise, ...plain } = schema;
    const referred = $ref === undefined ? undefined : firstError(target($ref)!, value);
    if (referred) return referred;
    const [first] = Object.entries(plain).filter(
      ([key, asked]) => !deep.has(key) && !fits({ [key]: asked })(value),
    );
    if (first) return { path: '', message: words(first, value) };
    const all = ((allOf ?? []) as Json[]).map((part): Part => [part, value, '']);
    const variants = ((anyOf ?? []) as Json[]).flatMap(variant => firstError(variant, value) ?? []);
    const [furthest] = variants.sort((a, b) => b.path.length - a.path.length);
    const branch = condition === undefined ? true : fits(condition)(value) ? so : otherwise;
    const conditional = branch === undefined ? undefined : firstError(branch, value);
    return within([...partsOf(schema, value), ...all]) ?? conditional ?? furthest ?? otherwiseWrong;
  };

  return firstError;
}

/** The message for errors without a wording of their own. */
const otherwiseWrong: Problem = { path: '', message: 'must fit the schema' };

/** Keywords about the members of a value. */
const deep: ReadonlySet<string> = new Set(['properties', 'items', 'prefixItems', 'additionalProperties']);

function partsOf({ properties, additionalProperties, items, prefixItems }: JsonObject, value: Json): Part[] {
  const first = Array.isArray(prefixItems) ? prefixItems : [];
  if (Array.isArray(value)) return value.map((item, n) => [first[n] ?? items ?? true, item, `/${n}`]);
  if (!isObject(value)) return [];
  const named = isObject(properties) ? properties : {};
  return Object.entries(value).flatMap(([name, member]): Part[] => {
    const schema = Object.hasOwn(named, name) ? named[name] : additionalProperties;
    return schema === undefined ? [] : [[schema, member, pointerStep(name)]];
  });
}

/** The constraint of one keyword, in the wording of ajv. */
function words([keyword, asked]: [string, Json], value: Json): string {
  switch (keyword) {
    case 'type':
      return `must be ${[asked].flat().join(',')}`;
    case 'required':
      return `must have required property '${(asked as string[]).find(n => !Object.hasOwn(value as JsonObject, n))}'`;
    case 'const':
      return 'must be equal to constant';
    case 'enum':
      return 'must be equal to one of the allowed values';
    case 'minimum':
      return `must be >= ${asked}`;
    case 'maximum':
      return `must be <= ${asked}`;
    case 'minItems':
      return `must NOT have fewer than ${asked} items`;
    case 'maxItems':
      return `must NOT have more than ${asked} items`;
    case 'minLength':
      return `must NOT have fewer than ${asked} characters`;
    case 'maxLength':
      return `must NOT have more than ${asked} characters`;
    case 'oneOf':
      return 'must match exactly one schema in oneOf';
    case 'not':
      return 'must NOT be valid';
    default:
      return `must match ${keyword} ${JSON.stringify(asked)}`;
  }
}
