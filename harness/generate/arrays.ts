/** Arrays that meet the constraints of a schema. */

import fc from 'fast-check';
import { identityOf } from '../../spec/ajv-checks.mjs';
import type { Json } from '../../spec/json-rpc.js';
import { hasDifferent } from './bounded.js';
import { CannotGenerate, impossible } from './cannot-generate.js';
import type { Demands } from './constraints.js';
import type { Schema } from './keywords.js';
import { type Occasions, occasionally } from './rarely.js';

interface ArrayContext {
  readonly path: string;
  readonly occasions: Occasions;
  readonly limits: { readonly items: number; readonly manyItems: number };
  build(parts: readonly Schema[]): fc.Arbitrary<Json>;
  note(keyword: string, what: string): void;
}

export function arrays(demands: Demands, context: ArrayContext): fc.Arbitrary<Json> {
  const { minItems, maxItems } = demands;
  if (minItems > maxItems) throw impossible(context.path, 'minItems', `${minItems} is larger than maxItems`);
  const first = Math.max(0, ...demands.elements.map(rules => rules.first.length));
  const contained = demands.contains.map(({ schema, least }) => ({
    least,
    value: least > 0 ? context.build([...partsAt(first, demands), schema]) : undefined,
  }));
  const needed = contained.reduce((sum, { least }) => sum + least, 0);
  const prefix = prefixOf(first, demands, context);
  const whole = prefix.length === first;
  const rest = whole ? restOf(partsAt(first, demands), minItems - first - needed, context) : undefined;
  if (!whole || !rest) {
    const longest = prefix.length + (whole ? needed : 0);
    if (longest < minItems || (!whole && needed > 0))
      throw impossible(context.path, 'minItems', `at most ${longest} elements are possible`);
  }
  const ways: fc.Arbitrary<Json[]>[] = [];
  const specials = contained.flatMap(({ least, value }) =>
    value ? [list(value, least, least, demands.unique, context.path)] : [],
  );
  // A prefix may be shortened, if the array remains valid.
  if (needed === 0)
    for (let length = minItems; length < Math.min(prefix.length + 1, maxItems + 1); length++)
      if (prefix.length > 0) ways.push(fc.tuple(...prefix.slice(0, length)));
  if (whole && first + needed <= maxItems) {
    const least = Math.max(0, minItems - first - needed);
    const most = Math.min(maxItems - first - needed, Math.max(context.limits.items, least));
    const tail = rest
      ? many(rest, least, most, maxItems - first - needed, demands.unique, context)
      : fc.constant([]);
    ways.push(
      fc
        .tuple(fc.tuple(...prefix), tail, fc.boolean(), ...specials)
        .map(([head, others, before, ...special]) =>
          before ? [...head, ...special.flat(), ...others] : [...head, ...others, ...special.flat()],
        ),
    );
  }
  if (ways.length === 0) throw impossible(context.path, 'maxItems', `${maxItems} is too small`);
  return ways.length === 1 ? ways[0]! : fc.oneof(...ways);
}

/** The first elements, as many as possible. */
function prefixOf(count: number, demands: Demands, context: ArrayContext): fc.Arbitrary<Json>[] {
  const result: fc.Arbitrary<Json>[] = [];
  for (let index = 0; index < Math.min(count, demands.maxItems); index++) {
    try {
      const parts = partsAt(index, demands);
      if (parts.includes(false)) break;
      result.push(context.build(parts));
    } catch (error) {
      if (!(error instanceof CannotGenerate) || index < demands.minItems) throw error;
      if (error.reason === 'unsupported') context.note('prefixItems', error.message);
      break;
    }
  }
  return result;
}

/** The other elements; undefined when none are possible. */
function restOf(
  parts: readonly Schema[],
  needed: number,
  context: ArrayContext,
): fc.Arbitrary<Json> | undefined {
  if (parts.includes(false)) return undefined;
  try {
    return context.build(parts);
  } catch (error) {
    if (!(error instanceof CannotGenerate) || needed > 0) throw error;
    if (error.reason === 'unsupported') context.note('items', `only short arrays: ${error.message}`);
    return undefined;
  }
}

/** All rules for the element at an index. */
function partsAt(index: number, demands: Demands): Schema[] {
  const found = demands.elements.map(({ first, rest }): Schema => first[index] ?? rest ?? true);
  const evaluated = demands.elements.some(({ first, rest }) => rest !== undefined || index < first.length);
  if (!evaluated && demands.unevaluatedItems !== undefined && demands.contains.length === 0)
    found.push(demands.unevaluatedItems);
  return found.filter(schema => schema !== true);
}

function many(
  value: fc.Arbitrary<Json>,
  least: number,
  most: number,
  limit: number,
  unique: boolean,
  { limits, occasions, path }: ArrayContext,
): fc.Arbitrary<Json[]> {
  const usual = list(value, least, most, unique, path);
  const huge = Math.min(limit, limits.manyItems);
  if (huge <= most || unique) return usual;
  return occasionally(occasions, usual, list(value, Math.ceil(huge / 2), huge, unique, path), 100);
}

function list(
  value: fc.Arbitrary<Json>,
  minLength: number,
  maxLength: number,
  unique: boolean,
  path: string,
): fc.Arbitrary<Json[]> {
  if (!unique) return fc.array(value, { minLength, maxLength, size: 'max' });
  if (!hasDifferent(value, identityOf, minLength))
    throw new CannotGenerate(path, 'uniqueItems', `fewer than ${minLength} different elements were found`);
  return fc.uniqueArray(value, { minLength, maxLength, size: 'max', selector: identityOf });
}
