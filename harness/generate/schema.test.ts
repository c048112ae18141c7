import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../spec/json-rpc.js';
import { CannotGenerate } from './cannot-generate.js';
import { arbitraryOf } from './schema.js';
import { validatorOf } from './schema-table.js';

const sample = (schema: Json, numRuns = 200, seed = 1): Json[] =>
  fc.sample(arbitraryOf(schema as never).arbitrary, { numRuns, seed });

describe('failures of generation are reported', () => {
  it.each<[name: string, schema: Json, path: string, keyword: string, reason: CannotGenerate['reason']]>([
    ['no value is allowed', false, '#', 'schema', 'impossible'],
    [
      'a required member without a valid value',
      { type: 'object', required: ['a'], properties: { a: false } },
      '#',
      'properties',
      'impossible',
    ],
    [
      'types that exclude each other',
      { allOf: [{ type: 'string' }, { type: 'number' }] },
      '#',
      'schema',
      'impossible',
    ],
    ['bounds that cross', { type: 'integer', minimum: 3, maximum: 2 }, '#', 'minimum', 'impossible'],
    [
      'lengths that cross',
      { type: 'object', required: ['a'], properties: { a: { type: 'string', minLength: 3, maxLength: 2 } } },
      '#/properties/a',
      'minLength',
      'impossible',
    ],
    [
      'an endless value',
      { type: 'object', required: ['next'], properties: { next: { $ref: '#' } } },
      '#',
      '$ref',
      'impossible',
    ],
    ['a schema that refers only to itself', { $ref: '#' }, '#', '$ref', 'unsupported'],
    [
      'a reference to another document',
      { $ref: 'https://example.com/other.json' },
      '#',
      '$ref',
      'unsupported',
    ],
    ['a reference to a missing part', { properties: {}, $ref: '#/$defs/no' }, '#', '$ref', 'unsupported'],
    [
      'an expression without a generator',
      { type: 'string', pattern: '^(\\w{5})-\\1-(?=x)\\1$' },
      '#',
      'pattern',
      'unsupported',
    ],
    [
      'an expression in the syntax of another language',
      { type: 'string', pattern: '(?i)abc(?P<name>x)' },
      '#',
      'pattern',
      'unsupported',
    ],
    [
      'names by an expression in the syntax of another language',
      { type: 'object', patternProperties: { '[': true } },
      '#',
      'pattern',
      'unsupported',
    ],
    [
      'an unknown dialect',
      { $schema: 'http://json-schema.org/draft-03/schema#' },
      '#',
      '$schema',
      'unsupported',
    ],
    ['a value that is not a schema', { type: 'strin' }, '#', 'schema', 'unsupported'],
  ])('%s', (_, schema, path, keyword, reason) => {
    expect(() => arbitraryOf(schema as never)).toThrow(CannotGenerate);
    try {
      arbitraryOf(schema as never);
    } catch (error) {
      expect(error).toMatchObject({ path, keyword, reason });
    }
  });

  it.each<[name: string, schema: Json, unsupported: RegExp]>([
    ['an unknown format', { type: 'string', format: 'isbn' }, /^#: format: "isbn" is unknown/],
    [
      'an optional member without a generator',
      { type: 'object', properties: { a: { type: 'string', pattern: '^(a{3})\\1(?<=b)$' } } },
      /^#: properties: "a" is never present: #\/properties\/a: pattern/,
    ],
    [
      'a branch without a generator',
      { anyOf: [{ type: 'string' }, { $ref: 'other:schema' }] },
      /\$ref: "other:schema" is not in this document/,
    ],
    [
      'elements without a generator',
      { type: 'array', items: { $ref: '#/$defs/no' } },
      /^#: items: only short arrays: #\/items: \$ref/,
    ],
  ])('partly: %s', (_, schema, unsupported) => {
    const generated = arbitraryOf(schema as never);
    expect(generated.unsupported).toHaveLength(1);
    expect(generated.unsupported[0]).toMatch(unsupported);
    const fits = validatorOf(
      JSON.parse(JSON.stringify(schema, (key, v) => (key === '$ref' ? undefined : v))),
    );
    expect(fc.sample(generated.arbitrary, 20).every(fits)).toBe(true);
  });

  it('an impossible optional member is always absent', () => {
    const { arbitrary, unsupported } = arbitraryOf({
      type: 'object',
      properties: { a: false, b: { type: 'null' } },
    });
    expect(unsupported).toEqual([]);
    expect(fc.sample(arbitrary, 100).some(value => 'a' in (value as object))).toBe(false);
  });
});

describe('sizes', () => {
  it('recursive schemas stay shallow, and reach the limit', () => {
    const tree = {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#' } } },
      additionalProperties: false,
    };
    const depth = (json: Json): number =>
      typeof json === 'object' && json !== null ? 1 + Math.max(0, ...Object.values(json).map(depth)) : 0;
    const depths = sample(tree, 400).map(depth);
    expect(Math.max(...depths)).toBeGreaterThanOrEqual(6);
    expect(Math.max(...depths)).toBeLessThanOrEqual(8);
    expect(Math.min(...depths)).toBe(1);
  });

  it('a value that is deeper than the usual limit by definition is generated', () => {
    const chain = (length: number): Json =>
      length === 0 ? { type: 'null' } : { type: 'array', items: chain(length - 1), minItems: 1, maxItems: 1 };
    expect(sample(chain(30), 5)).toHaveLength(5);
    const { arbitrary } = arbitraryOf({
      $ref: '#/$defs/a',
      $defs: Object.fromEntries(
        [...'abcdef'].map((name, index, all) => [
          name,
          index + 1 < all.length
            ? {
                type: 'object',
                required: ['next'],
                properties: { next: { $ref: `#/$defs/${all[index + 1]}` } },
              }
            : { anyOf: [{ type: 'null' }, { $ref: '#/$defs/a' }] },
        ]),
      ),
    });
    expect(fc.sample(arbitrary, 5)).toHaveLength(5);
  });

  it('match the limits', () => {
    const limits = { text: 3, hugeText: 0, items: 1, manyItems: 0 };
    const { arbitrary } = arbitraryOf({ type: 'array', items: { type: 'string' } }, { limits });
    const values = fc.sample(arbitrary, { numRuns: 500, seed: 1 }) as string[][];
    expect(Math.max(...values.map(value => value.length))).toBe(1);
    expect(values.some(([text]) => text !== undefined && [...text].length === 3)).toBe(true);
  });

  it('minimal and maximal lengths count characters, not code units', () => {
    const values = sample({ type: 'string', minLength: 2, maxLength: 2 }, 500) as string[];
    expect(new Set(values.map(value => [...value].length))).toEqual(new Set([2]));
    expect(values.some(value => value.length === 4)).toBe(true);
  });
});
