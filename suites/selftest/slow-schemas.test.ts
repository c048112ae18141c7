/** Schemas that would block a run: each check ends within its deadline, and ordinary schemas need no worker. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryOf } from '../../harness/generate/schema.js';
import type { Json, JsonObject } from '../../spec/json-rpc.js';
import { latestRevision } from '../../spec/revisions.js';
import { isQuick, isQuickPattern, schemaExcess } from '../../spec/schema-cost.js';
import { inWorker } from '../../spec/schema-worker.js';
import { checkSchema, judgeValue } from '../rules/derived/schemas.js';

const judge = (schema: JsonObject, value: Json) =>
  judgeValue(schema, value, { revision: latestRevision, expected: 'valid', evidence: [] });

/** Milliseconds in which the worker starts, and does one task. */
const longest = { start: 5_000, task: 1_000 };

const took = (act: () => unknown): number => {
  const began = performance.now();
  act();
  return performance.now() - began;
};

const doubling = (times: number): JsonObject => ({
  type: 'object',
  allOf: [{ $ref: '#/$defs/d0' }],
  $defs: Object.fromEntries([
    ...Array.from({ length: times }, (_, at) => [
      `d${at}`,
      { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]),
    [`d${times}`, { type: 'object' }],
  ]),
});

const nested = (depth: number): JsonObject =>
  Array.from({ length: depth }).reduce<JsonObject>(inner => ({ properties: { a: inner } }), {});

const numbers = (count: number) => Array.from({ length: count }, (_, at) => ({ at }));

const slow: Record<string, [JsonObject, Json]> = {
  'a pattern with exponential backtracking': [{ pattern: '^(a+)+$' }, `${'a'.repeat(40)}!`],
  'nine nested repetitions': [{ pattern: `^${'('.repeat(9)}a${'*)'.repeat(9)}$` }, `${'a'.repeat(40)}!`],
  'a pattern for names of members': [
    { patternProperties: { '^(a|a)*$': {} } },
    { [`${'a'.repeat(40)}!`]: 1 },
  ],
  'uniqueItems over 20,000 objects': [{ items: { type: 'object' }, uniqueItems: true }, numbers(20_000)],
  'definitions that double 18 times': [doubling(18), {}],
};

test.each(Object.entries(slow))('%s does not block the program', (_, [schema, value]) => {
  expect(took(() => judge(schema, value))).toBeLessThan(longest.start + 2 * longest.task + 500);
  expect(judge({ pattern: '^a+$' }, 'b').actual).toMatch(/pattern/);
});

test('a check without a result is unknown, and so is each later one until the program did other work', () => {
  const [schema, value] = slow['nine nested repetitions']!;
  const [one, ...others] = Array.from({ length: 50 }, (_, at) => ({ ...schema, title: `${at}` }));
  const all = [judge(one!, value)];
  const first = took(() => void all.push(judge({ ...one!, title: 'again' }, value)));
  const rest = took(() => void all.push(...others.map(other => judge(other, value))));
  expect(all.every(c => c.verdict !== 'fail')).toBe(true);
  expect(all.at(-1)!.message).toContain('limit of mcp-conform');
  // not a time of its own each
  expect(rest).toBeLessThan(10 * Math.max(first, longest.task / 10));
});

test.each<[string, JsonObject]>([
  ['minItems', { minItems: 1_000_000 }],
  ['minLength', { minLength: 1_000_000_000 }],
  ['minProperties', { properties: { a: { minProperties: 10_000_000 } } }],
  ['minContains', { contains: {}, minContains: 10_000_000 }],
  ['required', { required: Array.from({ length: 100_000 }, (_, at) => `m${at}`) }],
  ['enum', { enum: Array.from({ length: 500_000 }, (_, at) => at) }],
  [
    'number of headers',
    {
      properties: Object.fromEntries(
        Array.from({ length: 101 }, (_, at) => [`a${at}`, { type: 'string', 'x-mcp-header': `A${at}` }]),
      ),
    },
  ],
  ['depth', nested(3_000)],
  ['definitions', doubling(18)],
  ['minItems inside of minItems', { minItems: 900, items: { minItems: 900 } }],
])('no values are generated for a schema with a large %s', (_, schema) => {
  expect(took(() => expect(() => arbitraryOf(schema)).toThrow(/no values are generated/))).toBeLessThan(
    2_000,
  );
  expect(schemaExcess(schema)).toBeTypeOf('string');
  expect(took(() => checkSchema({ type: 'object', ...schema }, latestRevision))).toBeLessThan(
    longest.start + 3 * longest.task,
  );
});

test('a value that runs out of the memory of the worker is unknown', () => {
  const text = 'x'.repeat(1_000_000);
  const pattern = '(?:(x)|(x)|(x))*y';
  const outcome = inWorker({ kind: 'pattern', pattern, flags: 'u', text });
  expect(outcome.value).not.toBe(true);
});

test.each([
  '^[a-z0-9-]+$',
  '^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$',
  '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?)?$',
  '^(?:low|medium|high)$',
  '^https?://[^\\s/$.?#].[^\\s]*$',
])('%s is quick', pattern => {
  expect(isQuickPattern(pattern, 24)).toBe(true);
});

test.each(['(a+)+', '(a|b)*', '((a*)*)*', '(?:a{1000}){1000}', '(a)\\1+', 'a*a*a*a*a*a*a*a*$'])(
  '%s may be slow',
  pattern => {
    expect(isQuickPattern(pattern, 24)).toBe(false);
  },
);

test('an ordinary schema is checked without the worker', () => {
  const schema = {
    type: 'object',
    properties: { email: { type: 'string', pattern: '^\\S+@\\S+$' }, tags: { uniqueItems: true } },
    required: ['email'],
  };
  expect(isQuick(schema, { email: 'ada@example.com', tags: ['a', 'b'] })).toBe(true);
});

test('unique objects are generated whatever the names of their members are', () => {
  const { arbitrary } = arbitraryOf({
    type: 'array',
    uniqueItems: true,
    minItems: 2,
    items: { type: 'object', required: ['toString', 'a'] },
  });
  expect(fc.sample(arbitrary, { numRuns: 20, seed: 1 })).toHaveLength(20);
});

test.each<[string, JsonObject]>([
  ['items', { type: 'array', uniqueItems: true, minItems: 3, items: { type: 'boolean' } }],
  [
    'names',
    {
      type: 'object',
      minProperties: 3,
      patternProperties: { '^[ab]$': { type: 'null' } },
      additionalProperties: false,
    },
  ],
])('no values are generated where too few different %s exist', (_, schema) => {
  expect(() => arbitraryOf(schema)).toThrow(/fewer than 3 different|minProperties/);
});
