/**
 * JSON Schemas that a subject sends: their validity in their dialect, and the validity of values. No function
 * here throws.
 */

import { fail, inconclusive, type Judgement, pass } from '../../../harness/judge/finding.js';
import { compile, dialects, metaFlaw } from '../../../spec/ajv-checks.mjs';
import { firstErrorOf } from '../../../spec/first-error.js';
import { type IsValid, validatorOf } from '../../../spec/is-valid.js';
import { asText, isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { isPlainSchema } from '../../../spec/plain-schema.js';
import type { Problem } from '../../../spec/problems.js';
import { clauseIn, requirement } from '../../../spec/requirement.js';
import type { Revision } from '../../../spec/revisions.js';
import { type Dialect, isQuick } from '../../../spec/schema-cost.js';
import { inWorker, notChecked } from '../../../spec/schema-worker.js';
import { textOf } from './results.js';

type Evidence = Parameters<typeof pass>[0];

/** The check of a schema or a value; without either member there is no flaw, or it is uncertain. */
export interface Checked {
  readonly flaw?: string;
  /** The reason why the check has no result. */
  readonly unknown?: string;
}

const noFlaw: Checked = {};

/**
 * The dialects in which a schema is read: valid in one of them is valid. None when the harness does not
 * support the dialect.
 */
export function dialectsOf(schema: JsonObject, revision: Revision): Dialect[] {
  const { $schema } = schema;
  if ($schema !== undefined) return dialects.filter(d => typeof $schema === 'string' && $schema.includes(d));
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

/** The flaw of a schema. */
export function checkSchema(schema: JsonObject, revision: Revision): Checked {
  if (isQuick(schema) && isPlainSchema(schema)) return noFlaw;
  const quick = isQuick(schema);
  return firstOfAll(
    dialectsOf(schema, revision).map(dialect =>
      quick
        ? cached(`meta ${dialect} ${textOf(schema)}`, () => flawed(metaFlaw(dialect, schema)))
        : metaCheck(dialect, schema),
    ),
  );
}

/** Schemas whose check had no result: it is not tried again with another value. */
const slow = new WeakSet<JsonObject>();

function metaCheck(dialect: Dialect, schema: JsonObject): Checked {
  if (slow.has(schema)) return { unknown: notChecked };
  const { value, late } = inWorker<string | null>({ kind: 'schema', dialect, schema });
  if (late) slow.add(schema);
  return late ? { unknown: notChecked } : flawed(value ?? undefined);
}

const flawed = (flaw: string | undefined): Checked => (flaw === undefined ? noFlaw : { flaw });

/** A schema is read in several dialects: one in which it has no flaw is enough. */
function firstOfAll(all: readonly Checked[]): Checked {
  if (all.length === 0 || all.some(c => c.flaw === undefined && c.unknown === undefined)) return noFlaw;
  return all.find(c => c.unknown !== undefined) ?? all[0]!;
}

/** The flaw of a value; none when the schema is unusable. */
function checkValue(schema: JsonObject, value: Json, revision: Revision): Checked {
  const quick = isQuick(schema, value);
  const checked = quick ? checkedAtOnce(schema, value) : undefined;
  if (checked) return flawed(checked.problem && inWords(checked.problem.path, checked.problem.message));
  return firstOfAll(
    dialectsOf(schema, revision).map(dialect =>
      quick ? byAjv(dialect, schema, value) : byWorker(dialect, schema, value),
    ),
  );
}

function byAjv(dialect: Dialect, schema: JsonObject, value: Json): Checked {
  const check = cached(`compiled ${dialect} ${textOf(schema)}`, () => compile(dialect, schema));
  try {
    const problem = check?.(value);
    return problem ? { flaw: inWords(problem.path, problem.message) } : noFlaw;
  } catch {
    return noFlaw; // a schema that is defined only by itself
  }
}

function byWorker(dialect: Dialect, schema: JsonObject, value: Json): Checked {
  if (slow.has(schema)) return { unknown: notChecked };
  const { value: problem, late } = inWorker<{ path: string; message: string } | null>({
    kind: 'value',
    dialect,
    schema,
    value,
  });
  if (late) slow.add(schema);
  return late
    ? { unknown: notChecked }
    : flawed(problem ? inWords(problem.path, problem.message) : undefined);
}

/** Judges a value by a schema. @param expected what a valid value is */
export function judgeValue(
  schema: JsonObject,
  value: Json | undefined,
  { revision, expected, evidence }: { revision: Revision; expected: string; evidence: Evidence },
): Judgement {
  const { flaw, unknown } = value === undefined ? { flaw: 'none' } : checkValue(schema, value, revision);
  if (unknown !== undefined) return inconclusive(`not judged: ${unknown}`, evidence);
  return flaw === undefined ? pass(evidence) : fail(expected, evidence, flaw);
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
  try {
    if (fits?.(value)) return { problem: undefined };
    return fits && !asksMore(rest) ? { problem: firstErrorOf(rest, reading)(rest, value) } : undefined;
  } catch {
    return undefined; // a schema that is defined only by itself
  }
}
