import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointerStep } from '../../spec/json-pointer.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { definedRevisions } from '../../spec/revisions.js';
import { vocabularyOf } from '../../spec/vocabulary.js';
import { CannotGenerate } from './cannot-generate.js';
import { type Invalid, invalidMessage, invalidOf } from './invalid.js';
import { validatorsOf } from './schema-table.js';

const samplesEach = 200;

/** Every required member and every constant named in a definition itself. */
function rulesOf(definition: string, schema: JsonObject, at = ''): string[] {
  const members = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  return [
    ...((schema.required ?? []) as string[]).map(name => `${definition}: ${at}${pointerStep(name)} dropped`),
    ...(schema.const === undefined ? [] : [`${definition}: ${at} altered`]),
    ...members.flatMap(([name, member]) => rulesOf(definition, member, at + pointerStep(name))),
    ...((schema.allOf ?? []) as JsonObject[]).flatMap(part => rulesOf(definition, part, at)),
    ...(isObject(schema.items) ? rulesOf(definition, schema.items, `${at}/*`) : []),
    ...((schema.anyOf ?? []) as JsonObject[]).flatMap(part => rulesOf(definition, part, at)),
  ];
}

const broken = ({ label }: Invalid, names: ReadonlySet<string>): string => {
  const path = label.path
    .split('/')
    .map(part => (/^\d+$/.test(part) && !names.has(part) ? '*' : part))
    .join('/');
  if (label.mutation === 'required member dropped') return `${label.definition}: ${path} dropped`;
  return label.mutation.startsWith('constant altered') ? `${label.definition}: ${path} altered` : '';
};

describe('values invalid by one step, of every definition', () => {
  it.each(definedRevisions)(
    '$id: all are refused, and every required member and constant is covered',
    ({ id }) => {
      const vocabulary = vocabularyOf(definedRevisions.find(r => r.id === id)!);
      const fitsIn = validatorsOf(vocabulary.schema);
      const accepted: string[] = [];
      const never: string[] = [];
      const wanted = new Set<string>();
      const seen = new Set<string>();
      const mutations = new Set<string>();
      let samples = 0;
      for (const definition of vocabulary.definitions) {
        const fits = fitsIn(definition);
        for (const rule of rulesOf(definition, vocabulary.schema.definitions[definition]!)) wanted.add(rule);
        try {
          for (const invalid of fc.sample(invalidMessage(id, definition), {
            numRuns: samplesEach,
            seed: 7,
          })) {
            samples++;
            if (fits(invalid.value)) accepted.push(JSON.stringify(invalid));
            seen.add(broken(invalid, new Set()));
            mutations.add(invalid.label.mutation.replace(/\d.*| to .*|".*"|,.*/g, ''));
          }
        } catch (error) {
          if (!(error instanceof CannotGenerate)) throw error;
          never.push(definition);
        }
      }
      const missed = [...wanted].filter(rule => !seen.has(rule));
      console.log(
        `${id}: ${samples} invalid values, ${accepted.length} accepted; ${wanted.size - missed.length} of ` +
          `${wanted.size} required members and constants broken; ${mutations.size} kinds of mutation; ` +
          `no invalid value exists of: ${never.join(', ') || 'none'}`,
      );
      expect(accepted.slice(0, 5)).toEqual([]);
      expect(missed).toEqual([]);
      // Definitions that accept any JSON.
      expect(never.filter(name => name !== 'JSONValue')).toEqual([]);
    },
  );
});

describe('invalid messages', () => {
  const { id } = definedRevisions.find(({ era }) => era === 'legacy')!;

  it('are invalid at the requested place', () => {
    const labels = fc
      .sample(invalidMessage(id, 'tools/call', { below: '/params' }), { numRuns: 200, seed: 1 })
      .map(({ label }) => label);
    expect(labels.filter(({ path }) => !/^\/params(?:\/|$)/.test(path))).toEqual([]);
    expect(labels).toContainEqual({
      definition: expect.stringMatching('CallToolRequest'),
      path: '/params/name',
      mutation: 'required member dropped',
    });
  });

  it('keep their defect while they shrink', () => {
    const run = fc.check(
      fc.property(
        invalidMessage(id, 'tools/call'),
        ({ label }) => label.path !== '/params/name' || !label.mutation.startsWith('null'),
      ),
      { seed: 3, numRuns: 2_000 },
    );
    expect(run.counterexample).toEqual([
      {
        value: { jsonrpc: '2.0', id: expect.anything(), method: 'tools/call', params: { name: null } },
        label: {
          definition: expect.stringMatching('CallToolRequest'),
          path: '/params/name',
          mutation: 'null, where none is allowed',
        },
      },
    ]);
  });

  it('for an advertised schema break each of its keywords', () => {
    const schema = {
      type: 'object',
      required: ['size'],
      additionalProperties: false,
      minProperties: 1,
      properties: {
        size: { type: 'integer', minimum: 1, exclusiveMaximum: 10 },
        colour: { enum: ['red', 'green'] },
        when: { type: 'string', format: 'date' },
        code: { type: 'string', pattern: '^[A-Z]{2}$', minLength: 2, maxLength: 2 },
        list: { type: 'array', items: { $ref: '#/$defs/item' }, minItems: 1, maxItems: 3, uniqueItems: true },
      },
      $defs: { item: { type: 'number', multipleOf: 5 } },
    };
    const { arbitrary, unsupported } = invalidOf(schema);
    expect(unsupported).toEqual([]);
    const mutations = new Set(
      fc
        .sample(arbitrary, { numRuns: 2_000, seed: 1 })
        .map(({ label }) => label.mutation.replace(/,? which.*/, '').replace(/".*"/, '…')),
    );
    for (const mutation of [
      'required member dropped',
      'member added to a closed object',
      'below the minimum, 1',
      'not below 10',
      'replaced by …',
      'shorter than 2',
      'longer than 2',
      'fewer than 1 elements',
      'more than 3 elements',
      'an element repeated',
      'not a multiple of 5',
      'null, where none is allowed',
      'type changed from integer to boolean',
    ])
      expect([...mutations]).toContain(mutation);
    const item = fc
      .sample(arbitrary, { numRuns: 500, seed: 2 })
      .find(({ label }) => label.definition === 'item');
    expect(item?.label.path).toMatch(/^\/list\/\d$/);
  });

  it('do not exist where every value is valid', () => {
    expect(() => invalidOf({})).toThrow(CannotGenerate);
    const fits = (value: Json) => isObject(value);
    expect(fc.sample(invalidOf({ type: 'object' }).arbitrary, 50).every(({ value }) => !fits(value))).toBe(
      true,
    );
  });

  it('one kind of change is made where possible, and the search elsewhere is bounded', () => {
    const mutation = 'required member dropped';
    const inner: JsonObject = { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] };
    const { arbitrary } = invalidOf({ type: 'object', properties: { a: inner }, required: [] }, { mutation });
    const labels = fc.sample(arbitrary, { numRuns: 100, seed: 1 }).map(({ label }) => label);
    expect(new Set(labels.map(label => label.mutation))).toEqual(new Set([mutation]));
    const none = { type: 'object', properties: { a: { type: 'string' } }, required: [] };
    expect(() => invalidOf(none, { mutation })).toThrow(CannotGenerate);
  });
});
