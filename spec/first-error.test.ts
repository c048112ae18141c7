import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { firstErrorOf } from './first-error.js';
import { formats } from './formats.js';
import type { Json, JsonObject } from './json-rpc.js';
import { definedRevisions } from './revisions.js';
import { mutants, validSamples } from './samples.js';
import { vocabularyOf } from './vocabulary.js';

const options = { strict: false, validateSchema: false, allErrors: true, formats };

describe('the first error', () => {
  it.each(definedRevisions)('exists for every invalid value, and is one that ajv finds: $id', revision => {
    const { schema, misfit } = vocabularyOf(revision);
    const theirs = new Ajv(options).addSchema(schema, 'mcp');
    const wrong: string[] = [];
    let plain = 0;
    for (const name of Object.keys(schema.definitions)) {
      const judge = theirs.getSchema(`mcp#/definitions/${name}`)!;
      for (const sample of validSamples(schema, name, 3))
        for (const value of [sample, ...mutants(sample, 4, name)]) {
          const problem = misfit(name, value);
          const errors = judge(value) ? [] : judge.errors!;
          if (errors.some(e => ['anyOf', 'additionalProperties', 'format'].includes(e.keyword))) continue;
          plain += errors.length > 0 ? 1 : 0;
          const found = errors.some(e => e.instancePath === problem?.path && e.message === problem.message);
          if (errors.length === 0 ? problem : !found)
            wrong.push(`${name}: ${JSON.stringify([problem, value])}`);
        }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(plain).toBeGreaterThan(200);
  });

  it('of a union is the error of the variant with the longest valid path', () => {
    const definitions = { a: { type: 'object', properties: { b: { type: 'string' } } } };
    const misfit = firstErrorOf({ definitions });
    const schema = { anyOf: [{ type: 'null' }, { $ref: '#/definitions/a' }] };
    expect(misfit(schema, { b: 1 })).toEqual({ path: '/b', message: 'must be string' });
    expect(misfit(schema, { b: '' })).toBeUndefined();
  });

  it('exists for members that are not allowed', () => {
    const schema = { additionalProperties: false, properties: { a: {} } };
    expect(firstErrorOf({})(schema, { a: 1, 'b/c': 2 })).toEqual({
      path: '/b~1c',
      message: 'must not be there',
    });
  });

  it.each<[JsonObject, Json, string, string]>([
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    [{ if: { type: 'string' }, then: { minLength: 2 } }, 'a', '', 'must NOT have fewer than 2 characters'],
    [{ if: { type: 'string' }, else: { required: ['a'] } }, {}, '', "must have required property 'a'"],
    [{ oneOf: [{ type: 'string' }, { minLength: 1 }] }, 'a', '', 'must match exactly one schema in oneOf'],
    [{ not: { type: 'string' } }, 'a', '', 'must NOT be valid'],
    [{ $ref: '#/$defs/a', minimum: 3 }, 2, '', 'must be >= 3'],
    [{ items: { $ref: '#/$defs/a' } }, [2, 0], '/1', 'must be >= 1'],
    [{ prefixItems: [true], items: { $ref: '#/$defs/a' } }, [0, 0], '/1', 'must be >= 1'],
    [{ prefixItems: [{ $ref: '#/$defs/a' }] }, [0, 0], '/0', 'must be >= 1'],
    [{ allOf: [{ anyOf: [{ required: ['a'] }] }] }, {}, '', "must have required property 'a'"],
    [{ items: false }, [1], '/0', 'must not be there'],
  ])('of %j is the error that ajv finds', (schema, value, path, message) => {
    const $defs = { a: { minimum: 1 } };
    expect(new Ajv2020({ strict: false }).compile({ ...schema, $defs })(value)).toBe(false);
    expect(firstErrorOf({ $defs })(schema, value)).toEqual({ path, message });
  });
});
