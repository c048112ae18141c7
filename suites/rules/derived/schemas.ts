/**
 * JSON Schemas that a subject sends: their validity in their dialect, and the validity of values. No function
 * here throws.
 */

import { createRequire } from 'node:module';
import type { Ajv, ValidateFunction } from 'ajv';
import type { Ajv2019 } from 'ajv/dist/2019.js';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { firstErrorOf } from '../../../spec/first-error.js';
import { type IsValid, validatorOf } from '../../../spec/is-valid.js';
import { asText, isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { isPlainSchema } from '../../../spec/plain-schema.js';
import type { Problem } from '../../../spec/problems.js';
import { clauseIn, requirement } from '../../../spec/requirement.js';
import type { Revision } from '../../../spec/revisions.js';
import { textOf } from './results.js';

const options = {
  strict: false,
  allErrors: false,
  validateFormats: false,
  logger: false,
  addUsedSchema: false,
  // `constructor` and `toString` are ordinary members
  ownProperties: true,
} as const;
/** Loads ajv when the first schema needs it. */
const load = createRequire(import.meta.url);
const makers = {
  'draft-07': () => new (load('ajv') as typeof import('ajv')).Ajv(options),
  '2019-09': () => new (load('ajv/dist/2019.js') as typeof import('ajv/dist/2019.js')).Ajv2019(options),
  '2020-12': () => new (load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')).Ajv2020(options),
};
type Dialect = keyof typeof makers;
const made = new Map<Dialect, Ajv | Ajv2019 | Ajv2020>();

function ajvOf(dialect: Dialect): Ajv | Ajv2019 | Ajv2020 {
  if (!made.has(dialect)) made.set(dialect, makers[dialect]());
  return made.get(dialect)!;
}

/**
 * The dialects in which a schema is read: valid in one of them is valid. None when the harness does not
 * support the dialect.
 */
function dialectsOf(schema: JsonObject, revision: Revision): Dialect[] {
  const { $schema } = schema;
  if ($schema !== undefined)
    return (Object.keys(makers) as Dialect[]).filter(d => typeof $schema === 'string' && $schema.includes(d));
  // in revisions without a default dialect, one of the two dialects in use
  const named = clauseIn(requirement('json-schema.default-2020-12'), revision.id);
  return named ? ['2020-12'] : ['draft-07', '2020-12'];
}

const cache = new Map<string, unknown>();
function cached<T>(key: string, make: () => T): T {
  if (cache.size > 5_000) cache.clear();
  if (!cache.has(key)) cache.set(key, make());
  return cache.get(key) as T;
}

/** The flaw of a schema; `undefined` when it has none, or when this is uncertain. */
export function schemaFlaw(schema: JsonObject, revision: Revision): string | undefined {
  if (isPlainSchema(schema)) return undefined;
  const dialects = dialectsOf(schema, revision);
  const flaws = dialects.map(d => cached(`meta ${d} ${textOf(schema)}`, () => metaFlaw(d, schema)));
  return flaws.every(flaw => flaw !== undefined) ? flaws[0] : undefined;
}

function metaFlaw(dialect: Dialect, schema: JsonObject): string | undefined {
  const { $schema, ...rest } = schema;
  const ajv = ajvOf(dialect);
  try {
    if (ajv.validateSchema(rest)) return undefined;
    const [error] = ajv.errors ?? [];
    return `${error?.instancePath || 'the schema'} ${error?.message}`;
  } catch {
    return undefined;
  }
}

/** The flaw of a value; `undefined` when it has none, or when the schema is unusable. */
export function valueFlaw(schema: JsonObject, value: Json, revision: Revision): string | undefined {
  const checked = checkedAtOnce(schema, value);
  if (checked) return checked.problem && inWords(checked.problem.path, checked.problem.message);
  const flaws = dialectsOf(schema, revision).map(dialect => {
    const validate = cached(`compiled ${dialect} ${textOf(schema)}`, () => compile(dialect, schema));
    if (!validate || validate(value)) return undefined;
    const [error] = validate.errors ?? [];
    return inWords(error?.instancePath, error?.message);
  });
  return flaws.every(flaw => flaw !== undefined) ? flaws[0] : undefined;
}

const inWords = (path: string | undefined, message: string | undefined): string =>
  `${path || 'the value'} ${message}`;

/**
 * Whether `fitsOf` may be stricter than the schema: it compares objects by identity, not by content.
 * References and alternatives are left to ajv.
 */
const asksMore = (schema: Json): boolean =>
  isObject(schema) &&
  Object.entries(schema).some(([keyword, value]) =>
    keyword === 'enum' || keyword === 'const'
      ? [value].flat().some(item => typeof item === 'object' && item !== null)
      : ['$ref', 'oneOf', 'not', 'if', 'prefixItems'].includes(keyword) || [value].flat().some(asksMore),
  );

/**
 * The check of a value without ajv, with its problem if the value is invalid; `undefined` where ajv is
 * needed.
 */
function checkedAtOnce(
  schema: JsonObject,
  value: Json,
): { readonly problem: Problem | undefined } | undefined {
  const { $schema, ...rest } = schema;
  const reading = { newest: $schema === undefined || asText($schema).includes('2020-12'), formats: false };
  const fits = cached<IsValid | undefined>(`checked ${textOf(schema)}`, () => {
    try {
      return isPlainSchema(rest) ? validatorOf(rest, reading).of(rest) : undefined;
    } catch {
      return undefined; // unsupported keyword
    }
  });
  if (fits?.(value)) return { problem: undefined };
  return fits && !asksMore(rest) ? { problem: firstErrorOf(rest, reading)(rest, value) } : undefined;
}

function compile(dialect: Dialect, schema: JsonObject): ValidateFunction | undefined {
  const { $schema, ...rest } = schema;
  try {
    const validate = ajvOf(dialect).compile(rest);
    return '$async' in validate ? undefined : validate;
  } catch {
    return undefined; // unresolvable references, invalid patterns
  }
}
