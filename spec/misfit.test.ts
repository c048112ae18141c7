import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { formats } from './formats.js';
import { misfitOf } from './misfit.js';
import { definedRevisions } from './revisions.js';
import { mutants, validSamples } from './samples.js';
import { vocabularyOf } from './vocabulary.js';

const options = { strict: false, validateSchema: false, allErrors: true, formats };

describe('the first misfit', () => {
  it.each(definedRevisions)(
    'is there whenever a value does not fit, and is one that ajv finds: $id',
    revision => {
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
    },
  );

  it('of a union is that of the variant that agrees the furthest', () => {
    const misfit = misfitOf({ a: { type: 'object', properties: { b: { type: 'string' } } } });
    const schema = { anyOf: [{ type: 'null' }, { $ref: '#/definitions/a' }] };
    expect(misfit(schema, { b: 1 })).toEqual({ path: '/b', message: 'must be string' });
    expect(misfit(schema, { b: '' })).toBeUndefined();
  });

  it('is there for members that are not allowed', () => {
    const schema = { additionalProperties: false, properties: { a: {} } };
    expect(misfitOf({})(schema, { a: 1, 'b/c': 2 })).toEqual({ path: '/b~1c', message: 'must not be there' });
  });
});
