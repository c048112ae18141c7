import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { formats } from './formats.js';
import { validatorOf } from './is-valid.js';
import type { Json, JsonObject } from './json-rpc.js';
import { definedRevisions } from './revisions.js';
import { mutants, validSamples } from './samples.js';
import { vocabularyOf } from './vocabulary.js';

const ajv = () => new Ajv({ strict: false, validateSchema: false, formats });
const hostile: readonly Json[] = [
  null,
  0.5,
  2 ** 53,
  JSON.parse('1e999') as Json,
  '',
  [],
  [[]],
  {},
  JSON.parse('{"__proto__":1}') as Json,
];

describe('the check without ajv agrees with ajv', () => {
  it.each(definedRevisions)('on every definition of $id', revision => {
    const { schema } = vocabularyOf(revision);
    const theirs = ajv().addSchema(schema, 'mcp');
    const { named: fits } = validatorOf(schema);
    const wrong: string[] = [];
    const counts = { true: 0, false: 0 };
    for (const name of Object.keys(schema.definitions)) {
      const [ours, judge] = [fits(name), theirs.getSchema(`mcp#/definitions/${name}`)!];
      const samples = validSamples(schema, name, 10);
      const values = samples.flatMap((sample, n) => [sample, ...mutants(sample, 8, `${name} ${n}`)]);
      for (const value of [...values, ...hostile]) {
        const verdict = judge(value) as boolean;
        counts[`${verdict}`]++;
        if (ours(value) !== verdict) wrong.push(`${name}: ajv ${verdict}: ${JSON.stringify(value)}`);
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(Math.min(counts.true, counts.false)).toBeGreaterThan(1_500);
  });

  it.each<[JsonObject, Json[]]>([
    [{ type: 'integer', minimum: 1, maximum: 2 }, [0, 1, 1.5, 2, 3, '1', null]],
    [{ type: ['string', 'null'] }, ['', null, 0]],
    [{ minimum: 1 }, ['', 0, 1, {}]],
    [{ items: { type: 'string' }, maxItems: 1 }, [[], ['a'], ['a', 'b'], [1], {}, 'a']],
    [{ additionalProperties: false, properties: { a: {} } }, [{}, { a: 1 }, { b: 1 }, [], 1]],
    [
      { additionalProperties: { type: 'string' }, properties: { a: true, b: false } },
      [{ a: 1, c: 1 }, { c: '' }, { b: 1 }],
    ],
    [{ required: ['a', 'b'] }, [{ a: 1 }, { a: null, b: 0 }, [], 'ab']],
    [{ allOf: [{ required: ['a'] }, { required: ['b'] }] }, [{ a: 1 }, { a: 1, b: 1 }]],
    [{ anyOf: [{ const: 1 }, { enum: ['a', null] }] }, [1, 'a', null, 2, {}]],
    [{ $ref: '#/definitions/a', minimum: 2, definitions: { a: { type: 'integer' } } }, [1, 2, 2.5]],
  ])('on %j', (schema, values) => {
    const theirs = ajv().compile(schema);
    const ours = validatorOf(schema).of(schema);
    expect(values.map(ours)).toEqual(values.map(value => theirs(value)));
  });

  it.each<[JsonObject, Json[]]>([
    [{ exclusiveMinimum: 1, exclusiveMaximum: 3 }, [1, 1.5, 3, '', null]],
    [{ minItems: 1 }, [[], [1], '']],
    [{ minLength: 2, maxLength: 3 }, ['', 'ab', '\u{1f600}', '\u{1f600}a', 'abcd', 1]],
    [{ pattern: '^\\p{L}$' }, ['a', '1', 'ab', 1]],
    [{ oneOf: [{ type: 'integer' }, { minimum: 2 }] }, [1, 2, 2.5, '']],
    [{ not: { type: 'string' } }, ['', 1]],
    [{ prefixItems: [{ type: 'null' }], items: { minimum: 1 } }, [[], [1], [null], [null, 1], [null, 0], 1]],
    [{ prefixItems: [{ type: 'null' }, false], minItems: 1 }, [[], [null], [null, 1]]],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    [{ if: { type: 'string' }, then: { minLength: 1 }, else: { minimum: 1 } }, ['', 'a', 0, 1]],
    [{ if: { type: 'string' }, else: { minimum: 1 } }, ['', 0, 1]],
    [
      { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ type: 'null' }, { items: { $ref: '#/$defs/a' } }] } } },
      [null, [null], [[1]], [[null]], 1],
    ],
    [
      { required: ['constructor'], properties: { toString: { type: 'string' } } },
      [{}, { constructor: 1 }, { constructor: 1, toString: 1 }],
    ],
  ])('on %j, in the style of tools', (schema, values) => {
    const theirs = new Ajv2020({ strict: false, ownProperties: true }).compile(schema);
    const ours = validatorOf(schema).of(schema);
    expect(values.map(ours)).toEqual(values.map(value => theirs(value)));
  });

  it('a schema with an unsupported keyword is refused', () => {
    for (const schema of [
      { patternProperties: {} },
      { pattern: '[' },
      { constructor: 1 },
      { type: 'file' },
      { format: 'email' },
      { items: [{}] },
      { const: {} },
      { $ref: '#/$defs/a' },
      { $ref: '#' },
      { $ref: 1 },
      { items: { $ref: '#/definitions/nobody' } },
      { $ref: '#/definitions/' },
    ])
      expect(() => validatorOf({}).of(schema)).toThrow(/does not support|Invalid regular expression/);
  });
});
