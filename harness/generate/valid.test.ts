import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { definedRevisions } from '../../spec/revisions.js';
import { vocabularyOf } from '../../spec/vocabulary.js';
import type { Document } from './document.js';
import type { Schema } from './keywords.js';
import { message, targetOf } from './message.js';
import { validatorsOf } from './schema-table.js';
import { isWellFormed } from './text.js';

/** Expected features of the samples of a definition, and the features found. */
class Reach {
  readonly wanted = new Set<string>();
  readonly seen = new Set<string>();

  constructor(readonly document: Document) {}

  /** Every optional member, present and absent; every branch, type and listed value of a union. */
  expect(schema: Schema, at: string): void {
    if (!isObject(schema)) return;
    for (const [name, member] of Object.entries((schema.properties ?? {}) as JsonObject)) {
      if (!(schema.required as string[] | undefined)?.includes(name))
        for (const state of ['present', 'absent']) this.wanted.add(`${at}.${name} ${state}`);
      this.expect(member as Schema, `${at}.${name}`);
    }
    for (const keyword of ['anyOf', 'allOf'] as const)
      for (const [index, branch] of ((schema[keyword] ?? []) as Schema[]).entries()) {
        if (keyword === 'anyOf') this.wanted.add(`${at} branch ${index}`);
        this.expect(branch, `${at}/${keyword}/${index}`);
      }
    if (Array.isArray(schema.type))
      for (const type of schema.type) this.wanted.add(`${at} is ${String(type)}`);
    for (const value of (schema.enum ?? []) as Json[]) this.wanted.add(`${at} = ${JSON.stringify(value)}`);
    // An unknown member for one part of an `allOf` can be a known member of another part.
    if (schema.type === 'object' && schema.additionalProperties !== false && !at.includes('/allOf/'))
      for (const state of ['with others', 'without others']) this.wanted.add(`${at} ${state}`);
    if (isObject(schema.additionalProperties)) this.expect(schema.additionalProperties, `${at}.*`);
    if (isObject(schema.items)) {
      for (const state of ['empty', 'filled']) this.wanted.add(`${at} ${state}`);
      this.expect(schema.items, `${at}[]`);
    }
  }

  record(schema: Schema, value: Json, at: string): void {
    if (!isObject(schema)) return;
    const properties = (schema.properties ?? {}) as JsonObject;
    if (isObject(value)) {
      for (const [name, member] of Object.entries(properties)) {
        const there = Object.hasOwn(value, name);
        this.seen.add(`${at}.${name} ${there ? 'present' : 'absent'}`);
        if (there) this.record(member as Schema, value[name]!, `${at}.${name}`);
      }
      const others = Object.keys(value).filter(name => !Object.hasOwn(properties, name));
      this.seen.add(`${at} ${others.length > 0 ? 'with' : 'without'} others`);
      if (isObject(schema.additionalProperties))
        for (const name of others) this.record(schema.additionalProperties, value[name]!, `${at}.*`);
    }
    for (const keyword of ['anyOf', 'allOf'] as const)
      for (const [index, branch] of ((schema[keyword] ?? []) as Schema[]).entries())
        if (this.document.accepts(branch, value)) {
          this.seen.add(`${at} branch ${index}`);
          this.record(branch, value, `${at}/${keyword}/${index}`);
        }
    if (schema.enum) this.seen.add(`${at} = ${JSON.stringify(value)}`);
    const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    this.seen.add(`${at} is ${type}`);
    if (Number.isInteger(value)) this.seen.add(`${at} is integer`);
    if (Array.isArray(value)) {
      this.seen.add(`${at} ${value.length > 0 ? 'filled' : 'empty'}`);
      for (const item of value) this.record((schema.items ?? true) as Schema, item, `${at}[]`);
    }
  }

  get missed(): string[] {
    return [...this.wanted].filter(point => !this.seen.has(point));
  }
}

const samplesEach = 240;

describe('valid values of every definition', () => {
  it.each(definedRevisions)('$id: all fit, and every part of the schema is covered', ({ id }) => {
    const vocabulary = vocabularyOf(definedRevisions.find(r => r.id === id)!);
    const fitsIn = validatorsOf(vocabulary.schema);
    const wrong: string[] = [];
    const missed: string[] = [];
    let [samples, points] = [0, 0];
    for (const definition of vocabulary.definitions) {
      const { document, parts } = targetOf(id, definition);
      const fits = fitsIn(definition);
      const reach = new Reach(document);
      reach.expect(parts[0]!, definition);
      for (const value of fc.sample(message(id, definition), { numRuns: samplesEach, seed: 20 })) {
        samples++;
        if (!fits(value)) wrong.push(`${definition}: ${JSON.stringify(value)}`);
        reach.record(parts[0]!, value, definition);
      }
      points += reach.wanted.size;
      missed.push(...reach.missed);
    }
    console.log(
      `${id}: ${samples} valid values of ${vocabulary.definitions.size} definitions, ${wrong.length} refused; ` +
        `${points - missed.length} of ${points} members, branches and values reached`,
    );
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(missed).toEqual([]);
  });
});

describe('messages', () => {
  const { id } = definedRevisions.find(({ era }) => era === 'legacy')!;
  const sample = (name: string, count = 400) => fc.sample(message(id, name), { numRuns: count, seed: 1 });

  it('of a method are whole JSON-RPC messages in every revision', () => {
    for (const revision of definedRevisions) {
      const vocabulary = vocabularyOf(revision);
      for (const [method, envelope] of [
        ['tools/call', 'JSONRPCRequest'],
        ['notifications/cancelled', 'JSONRPCNotification'],
      ] as const)
        for (const value of fc.sample(message(revision, method), { numRuns: 50, seed: 1 })) {
          expect(vocabulary.validate(envelope, value)).toEqual([]);
          expect(value).toMatchObject({ jsonrpc: '2.0', method });
        }
    }
  });

  it('have ids of every valid kind and limit', () => {
    const ids = sample('RequestId', 2_000);
    expect(ids).toEqual(
      expect.arrayContaining(['', 0, -1, '0', 9007199254740991, -9007199254740991, 'null']),
    );
    const planes = new Set(
      ids.flatMap(value => (typeof value === 'string' ? [...value] : [])).map(c => c.codePointAt(0)! >> 16),
    );
    expect([...planes].sort((a, b) => a - b)).toEqual(Array.from({ length: 17 }, (_, plane) => plane));
  });

  it('are plain JSON in well-formed Unicode, unchanged by serialization', () => {
    for (const value of sample('tools/call', 1_000)) {
      const text = JSON.stringify(value);
      expect(isWellFormed(text)).toBe(true);
      expect(JSON.parse(text)).toEqual(value);
    }
  });

  it('are rarely huge, deep or minimal', () => {
    const requests = sample('tools/call', 3_000);
    const sizes = requests.map(value => JSON.stringify(value).length);
    expect(Math.max(...sizes)).toBeGreaterThan(65_537);
    const depth = (json: Json): number =>
      typeof json === 'object' && json !== null ? 1 + Math.max(0, ...Object.values(json).map(depth)) : 0;
    expect(Math.max(...requests.map(depth))).toBeGreaterThan(15);
    expect(requests.some(value => Object.keys((value as JsonObject).params as JsonObject).length === 1)).toBe(
      true,
    );
    expect(sizes.sort((a, b) => a - b)[1_500]).toBeLessThan(1_000);
  });

  it('shrink to the smallest message', () => {
    const run = fc.check(
      fc.property(message(id, 'tools/call'), value => JSON.stringify(value).length < 40),
      { seed: 5 },
    );
    expect(run.counterexample).toEqual([
      { jsonrpc: '2.0', id: expect.anything(), method: 'tools/call', params: { name: '' } },
    ]);
    const meta = fc.check(
      fc.property(message(id, 'tools/call'), value => !JSON.stringify(value).includes('"_meta":')),
      { seed: 5 },
    );
    expect(meta.counterexample).toEqual([
      { jsonrpc: '2.0', id: expect.anything(), method: 'tools/call', params: { name: '', _meta: {} } },
    ]);
  });

  it('fit an additional schema', () => {
    const and = { properties: { params: { properties: { name: { const: 'echo' } } } } };
    const names = fc
      .sample(message(id, 'tools/call', { and }), { numRuns: 50, seed: 1 })
      .map(value => ((value as JsonObject).params as JsonObject).name);
    expect(new Set(names)).toEqual(new Set(['echo']));
  });

  it('of unknown names throw an error', () => {
    expect(() => message(id, 'tools/fry')).toThrow('neither a definition nor a method "tools/fry"');
  });
});
