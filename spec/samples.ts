/**
 * Test support: valid values for a definition of a JSON Schema, and variants with one change. Both are
 * derived from a seed.
 */

import fc from 'fast-check';
import { isObject, type Json, type JsonObject, without } from './json-rpc.js';

/** A JSON Schema document with its definitions under either name. */
export interface Schemas {
  readonly definitions?: Record<string, JsonObject>;
  readonly $defs?: Record<string, JsonObject>;
}

export const definitionsOf = (schemas: Schemas): Record<string, JsonObject> =>
  schemas.definitions ?? schemas.$defs ?? {};

/** Valid values of one definition, the same on every run. */
export function validSamples(schemas: Schemas, definition: string, count: number): Json[] {
  const definitions = definitionsOf(schemas);
  return fc.sample(arbitrary(definitions, definitions[definition]!, 3), {
    seed: seedOf(definition),
    numRuns: count,
  });
}

const texts: Record<string, readonly string[]> = {
  uri: ['file:///a', 'test://static-text', 'memo://x', 'urn:isbn:1', 'https://[::1]:80/a?b#c', 'data:,%20'],
  'uri-template': ['test://template/{id}/data', 'db://{+path}{?q*}', 'file:///plain', ''],
  byte: ['', 'QQ==', 'QUI=', 'QUJD', '+/+/'],
};

const anything = fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>;

/** `depth` decreases where JSON contains JSON: only these definitions contain themselves. */
function arbitrary(
  definitions: Record<string, JsonObject>,
  schema: JsonObject,
  depth: number,
): fc.Arbitrary<Json> {
  const of = (json: Json | undefined) => arbitrary(definitions, json as JsonObject, depth);
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1)!;
    if (name !== 'JSONValue') return of(definitions[name]);
    if (depth === 0) return fc.constantFrom('', 1, true);
    return arbitrary(definitions, definitions[name]!, depth - 1);
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.anyOf)) return fc.oneof(...schema.anyOf.map(of));
  if (Array.isArray(schema.allOf)) return fc.tuple(...schema.allOf.map(of)).map(merge);
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map(type => of({ ...schema, type })));
  switch (schema.type) {
    case 'object':
      return objects(schema, of);
    case 'array':
      return fc.array(of(schema.items ?? {}), { maxLength: 3 });
    case 'string':
      return typeof schema.format === 'string'
        ? fc.constantFrom(...texts[schema.format]!)
        : fc.string({ maxLength: 5 });
    case 'integer':
      return typeof schema.minimum === 'number'
        ? fc.oneof(fc.constant(schema.minimum), fc.integer({ min: schema.minimum }))
        : fc.oneof(fc.constantFrom(0, -1), fc.maxSafeInteger());
    case 'number':
      return fc.oneof(fc.constantFrom(0, 1, 0.5), numbers(schema));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return anything;
  }
}

const numbers = (schema: JsonObject): fc.Arbitrary<Json> =>
  fc.double({
    min: typeof schema.minimum === 'number' ? schema.minimum : -1e6,
    max: typeof schema.maximum === 'number' ? schema.maximum : 1e6,
    noNaN: true,
  });

function objects(schema: JsonObject, of: (json: Json) => fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const members = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  const known = fc.record(Object.fromEntries(members.map(([name, member]) => [name, of(member)])), {
    requiredKeys: (schema.required ?? []) as string[],
  });
  const other = isObject(schema.additionalProperties) ? schema.additionalProperties : {};
  const unknown = fc.dictionary(fc.constantFrom('x', 'x-1', 'vendor/y'), of(other), {
    maxKeys: 2,
  });
  // Members with a definition override the other members, as in the schema.
  return fc.tuple(unknown, known).map(merge);
}

const merge = (parts: readonly Json[]): Json => Object.assign({}, ...parts);

/**
 * Values that differ from a sample in one place. Half of `count` differ near the top, where most members are
 * required and where a random choice among all places would seldom fall; the result has fewer values when the
 * sample has fewer places.
 */
export function mutants(sample: Json, count: number, seed: string): Json[] {
  const random = randomFrom(seedOf(seed));
  const steps = stepsOf(sample);
  const near = steps.filter(step => step.depth <= 1);
  const chosen = new Set<Step>();
  for (const [pool, size] of [
    [near, count / 2],
    [steps, count],
  ] as const)
    while (chosen.size < size && pool.length > 0)
      chosen.add(pool.splice(Math.floor(random() * pool.length), 1)[0]!);
  return [...chosen].map(step => step.result());
}

interface Step {
  readonly depth: number;
  result(): Json;
}

/** Every variant of a value with a single change; each is made when it is chosen. */
function stepsOf(value: Json): Step[] {
  const steps: Step[] = [];
  const visit = (at: Json, depth: number, within: (changed: Json) => Json): void => {
    const step = (change: () => Json) => steps.push({ depth, result: () => within(change()) });
    const own = kind(at);
    for (const other of others) if (kind(other) !== own) step(() => other);
    if (typeof at === 'string') for (const text of [`${at}?`, ` {${at}`, '']) step(() => text);
    if (typeof at === 'number')
      for (const number of [at + 0.5, at - 2, at + 2, Math.round(at)]) step(() => number);
    if (Array.isArray(at)) for (const other of others) step(() => [...at, other]);
    if (isObject(at)) {
      step(() => ({ ...at, 'unheard-of': 1 }));
      for (const name of Object.keys(at)) step(() => without(at, name));
    }
    if (typeof at !== 'object' || at === null) return;
    for (const [key, member] of Object.entries(at))
      visit(member, depth + 1, changed => within(put(at, key, changed)));
  };
  visit(value, 0, changed => changed);
  return steps;
}

const put = (value: Json, key: string, member: Json): Json =>
  Array.isArray(value) ? value.with(Number(key), member) : { ...(value as JsonObject), [key]: member };

const others: readonly Json[] = [null, true, 7, 'text', [], {}];

const kind = (json: Json): string => (json === null ? 'null' : Array.isArray(json) ? 'array' : typeof json);

const seedOf = (text: string): number =>
  [...text].reduce((hash, c) => (Math.imul(hash, 31) + c.charCodeAt(0)) | 0, 7);

/** mulberry32: small, sufficient, and identical on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
