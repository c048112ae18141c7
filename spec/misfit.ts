/** What is wrong with a value that does not fit, in the words of ajv but without it: for who is to answer at once. */

import { fitsOf } from './fits.js';
import { isObject, type Json, type JsonObject } from './json-rpc.js';
import type { Problem } from './problems.js';

type Definitions = Readonly<Record<string, JsonObject>>;

/** Where a schema leads to from a value, with the step of the path. */
type Part = readonly [schema: Json, value: Json, step: string];

const prefix = '#/definitions/';

/**
 * The first disagreement of a value with a schema; undefined when there is none. Of a union, that of the variant which
 * agrees the furthest into the value.
 * @throws {Error} for what `fitsOf` does not know
 */
export function misfitOf(definitions: Definitions): (schema: Json, value: Json) => Problem | undefined {
  const { of: fits } = fitsOf(definitions);

  const within = (parts: readonly Part[]): Problem | undefined => {
    for (const [schema, value, step] of parts) {
      const problem = misfit(schema, value);
      if (problem) return { ...problem, path: step + problem.path };
    }
    return undefined;
  };

  const misfit = (schema: Json, value: Json): Problem | undefined => {
    if (fits(schema)(value)) return undefined;
    if (!isObject(schema)) return { path: '', message: 'must not be there' };
    const { $ref, anyOf, allOf, ...plain } = schema;
    if (typeof $ref === 'string') return misfit(definitions[$ref.slice(prefix.length)]!, value);
    const [first] = Object.entries(plain).filter(
      ([key, asked]) => !deep.has(key) && !fits({ [key]: asked })(value),
    );
    if (first) return { path: '', message: words(first, value) };
    const all = ((allOf ?? []) as Json[]).map((part): Part => [part, value, '']);
    const variants = ((anyOf ?? []) as Json[]).flatMap(variant => misfit(variant, value) ?? []);
    const [furthest] = variants.sort((a, b) => b.path.length - a.path.length);
    return within([...partsOf(schema, value), ...all]) ?? furthest;
  };

  return misfit;
}

/** Keywords that speak of the members of a value. */
const deep: ReadonlySet<string> = new Set(['properties', 'items', 'additionalProperties', 'definitions']);

function partsOf({ properties, additionalProperties, items }: JsonObject, value: Json): Part[] {
  if (Array.isArray(value)) return items === undefined ? [] : value.map((item, n) => [items, item, `/${n}`]);
  if (!isObject(value)) return [];
  const named = isObject(properties) ? properties : {};
  return Object.entries(value).flatMap(([name, member]): Part[] => {
    const schema = Object.hasOwn(named, name) ? named[name] : additionalProperties;
    const step = `/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`;
    return schema === undefined ? [] : [[schema, member, step]];
  });
}

/** What one keyword asks, as ajv says it. */
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
    case 'maxItems':
      return `must NOT have more than ${asked} items`;
    default:
      return `must match ${keyword} ${JSON.stringify(asked)}`;
  }
}
