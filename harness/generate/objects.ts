/** Objects that meet the constraints of a schema. */

import fc from 'fast-check';
import type { Json } from '../../spec/json-rpc.js';
import { bounded, hasDifferent } from './bounded.js';
import { CannotGenerate, impossible } from './cannot-generate.js';
import type { Demands } from './constraints.js';
import type { Schema } from './keywords.js';
import { type Member, members, type Pairs } from './members.js';
import { attempts, regExp } from './patterns.js';

interface ObjectContext {
  readonly path: string;
  /** Names for members without a description. */
  readonly names: fc.Arbitrary<string>;
  /** Whether a value fits a part of the schema. */
  accepts(schema: Schema, value: Json): boolean;
  /** Values that fit all these schemas, as the member with a given name. */
  build(parts: readonly Schema[], name: string): fc.Arbitrary<Json>;
  note(keyword: string, what: string): void;
}

export function objects(demands: Demands, context: ObjectContext): fc.Arbitrary<Json> {
  const { minProperties, maxProperties, required } = demands;
  if (minProperties > maxProperties || required.length > maxProperties)
    throw impossible(context.path, 'maxProperties', `${maxProperties} is too small`);
  const known: Member[] = [];
  const described = [...new Set([...required, ...demands.members.flatMap(m => Object.keys(m.properties))])];
  for (const name of described) {
    const value = memberValue(name, required.includes(name), demands, context);
    if (value) known.push({ name, required: required.includes(name), value });
  }
  const others = undescribed(demands, new Set(described), minProperties - known.length, context);
  if (known.length < minProperties && !others)
    throw impossible(context.path, 'minProperties', `at most ${known.length} members are possible`);
  return members(known, others, { minProperties, maxProperties });
}

/** The values of a member; undefined when the member is impossible. */
function memberValue(
  name: string,
  required: boolean,
  demands: Demands,
  context: ObjectContext,
): fc.Arbitrary<Json> | undefined {
  const parts = partsFor(name, demands);
  const why = demands.names.every(schema => context.accepts(schema, name))
    ? parts.includes(false)
      ? 'nothing fits'
      : undefined
    : 'the name is not allowed';
  try {
    if (why !== undefined) throw impossible(context.path, 'properties', `${name}: ${why}`);
    return context.build(parts, name);
  } catch (error) {
    if (!(error instanceof CannotGenerate) || required) throw error;
    if (error.reason === 'unsupported')
      context.note('properties', `"${name}" is never present: ${error.message}`);
    return undefined;
  }
}

/** All rules for a member with a given name. */
function partsFor(name: string, demands: Demands): Schema[] {
  const found: Schema[] = [];
  let evaluated = false;
  for (const { properties, patterns, additional } of demands.members) {
    const own = Object.hasOwn(properties, name) ? [properties[name]!] : [];
    for (const [pattern, schema] of Object.entries(patterns))
      if (regExp(pattern).test(name)) own.push(schema);
    if (own.length === 0 && additional !== undefined) own.push(additional);
    if (own.length > 0) evaluated = true;
    found.push(...own);
  }
  if (!evaluated && demands.unevaluated !== undefined) found.push(demands.unevaluated);
  return found.filter(schema => schema !== true);
}

interface Kind {
  readonly names: fc.Arbitrary<string>;
  readonly values: fc.Arbitrary<Json>;
}

/** Members with other names than the described ones; undefined when none are possible. */
function undescribed(
  demands: Demands,
  described: ReadonlySet<string>,
  needed: number,
  context: ObjectContext,
): fc.Arbitrary<Pairs> | undefined {
  const patterns = [...new Set(demands.members.flatMap(m => Object.keys(m.patterns)))];
  /** The rules for a name: names with the same rules have the same values. */
  const signature = (name: string) => patterns.filter(pattern => regExp(pattern).test(name)).join('\n');
  const sources: fc.Arbitrary<string>[] = [
    context.names,
    ...patterns.flatMap(pattern => attempts(pattern, { minLength: 0, maxLength: Infinity }).slice(0, 1)),
    ...namesOf(demands, context),
  ];
  const allowed = (name: string) =>
    !described.has(name) && demands.names.every(schema => context.accepts(schema, name));
  const kinds: Kind[] = [];
  const seen = new Set<string>();
  for (const source of sources)
    for (const example of fc.sample(source, { numRuns: 40, seed: 1 })) {
      const rules = signature(example);
      if (seen.has(rules) || !allowed(example)) continue;
      seen.add(rules);
      const parts = partsFor(example, demands);
      if (parts.includes(false)) continue;
      const kind = kindOf(source, name => allowed(name) && signature(name) === rules, parts, context);
      if (kind) kinds.push(kind);
    }
  for (const pattern of patterns)
    if (![...seen].some(rules => rules.split('\n').includes(pattern)))
      context.note('patternProperties', `no name is generated for "${pattern}"`);
  if (kinds.length === 0) return undefined;
  if (!hasDifferent(fc.oneof(...kinds.map(({ names }) => names)), name => name, needed))
    throw new CannotGenerate(
      context.path,
      'minProperties',
      `fewer than ${needed} different names were found`,
    );
  const pair = kinds.map(({ names, values }) => fc.tuple(names, values));
  return fc.uniqueArray(fc.oneof(...pair), {
    selector: ([name]) => name,
    minLength: Math.max(0, needed),
    maxLength: Math.max(3, needed),
    size: 'max',
  });
}

function kindOf(
  source: fc.Arbitrary<string>,
  fits: (name: string) => boolean,
  parts: readonly Schema[],
  context: ObjectContext,
): Kind | undefined {
  try {
    const values = context.build(parts, '');
    const failure = () => new CannotGenerate(context.path, 'propertyNames', 'no valid name was found');
    return { names: bounded(source, fits, failure), values };
  } catch (error) {
    if (!(error instanceof CannotGenerate)) throw error;
    if (error.reason === 'unsupported') context.note('additionalProperties', error.message);
    return undefined;
  }
}

/** Names generated from the rules for names in the schema. */
function namesOf({ names }: Demands, context: ObjectContext): fc.Arbitrary<string>[] {
  if (names.length === 0) return [];
  try {
    return [context.build([{ type: 'string' }, ...names], '') as fc.Arbitrary<string>];
  } catch (error) {
    if (!(error instanceof CannotGenerate)) throw error;
    if (error.reason === 'unsupported') context.note('propertyNames', error.message);
    return [];
  }
}
