import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../spec/json-rpc.js';
import { definedRevisions } from '../../spec/revisions.js';
import { chunkings, headerSpellings, respellings, type SpellingOptions, spelled } from './bytes.js';
import { message } from './message.js';
import { type SseEvent, sseText, sseTexts } from './sse.js';
import { isWellFormed } from './text.js';

const { id } = definedRevisions.find(({ era }) => era === 'legacy')!;
const messages = message(id, 'JSONRPCMessage', { limits: { hugeText: 200, manyItems: 10 } });
const fixed = { seed: 11, numRuns: 400 };

describe('chunks', () => {
  it('are the same bytes, with cuts inside characters too', () => {
    const text = 'a\u00e9\u{1f600}\u{10ffff}z';
    const bytes = new TextEncoder().encode(text);
    const found = fc.sample(chunkings(text), fixed);
    for (const chunks of found) {
      expect(Buffer.concat(chunks).toString()).toBe(text);
      expect(chunks.every(chunk => chunk.length > 0)).toBe(true);
    }
    const cuts = new Set(
      found.flatMap(chunks => {
        let at = 0;
        return chunks.map(chunk => {
          at += chunk.length;
          return at;
        });
      }),
    );
    expect(cuts.size).toBe(bytes.length);
    expect(found.some(chunks => chunks.length === 1)).toBe(true);
    expect(found.some(chunks => chunks.length === bytes.length)).toBe(true);
  });

  it('of no bytes and of one byte', () => {
    expect(fc.sample(chunkings(''), 3).every(chunks => Buffer.concat(chunks).length === 0)).toBe(true);
    expect(fc.sample(chunkings('x'), 3).every(chunks => chunks.length === 1)).toBe(true);
  });
});

describe('JSON in other spellings', () => {
  const all = (options?: SpellingOptions) =>
    messages.chain(json => respellings(json, options).map(text => ({ json, text })));

  it('means the same, in one line of well-formed Unicode', () => {
    fc.assert(
      fc.property(all(), ({ json, text }) => {
        expect(JSON.parse(text)).toEqual(json);
        expect(text).not.toMatch(/[\r\n]/);
        expect(isWellFormed(text)).toBe(true);
      }),
      fixed,
    );
  });

  it('contains line breaks and other number forms only if requested', () => {
    const texts = fc.sample(all({ lines: true, exponents: true }), fixed);
    expect(
      texts.every(
        ({ json, text }) => JSON.stringify(sorted(JSON.parse(text))) === JSON.stringify(sorted(json)),
      ),
    ).toBe(true);
    expect(texts.some(({ text }) => text.includes('\n'))).toBe(true);
    expect(texts.some(({ text }) => /[:[ ]-?\d+e0/.test(text))).toBe(true);
    expect(fc.sample(all(), fixed).some(({ text }) => /[:[ ]-?\d+e0/.test(text))).toBe(false);
  });

  it('each option has its documented effect', () => {
    const json = { b: 'é/😀"\u0001', a: [1, {}, []] };
    expect(spelled(json, {})).toBe(JSON.stringify(json));
    expect(spelled(json, { order: 'sorted' })).toBe('{"a":[1,{},[]],"b":"é/😀\\"\\u0001"}');
    expect(spelled(json, { escape: 'non-ascii', upperCase: true, solidus: true })).toBe(
      '{"b":"\\u00E9\\/\\uD83D\\uDE00\\"\\u0001","a":[1,{},[]]}',
    );
    expect(spelled('a"', { escape: 'all' })).toBe('"\\u0061\\u0022"');
    expect(spelled([1, {}], { space: ' ', exponents: true })).toBe(' [ 1e0 , { } ] ');
  });

  it('escapes both halves of a surrogate pair', () => {
    for (let seed = 0; seed < 200; seed++)
      expect(isWellFormed(spelled('😀😀😀', { escape: 'some', seed }))).toBe(true);
  });
});

describe('event streams in other dialects', () => {
  const line = fc.oneof(
    fc.constantFrom('', ' x', ':', 'a: b', '{"a":1}', 'é😀'),
    fc.string({ maxLength: 8 }),
  );
  const events = fc.array(
    fc.record(
      {
        data: fc.array(line, { minLength: 1, maxLength: 4 }).map(lines => lines.join('\n')),
        event: fc.constantFrom('message', 'endpoint'),
        id: fc.constantFrom('1', 'a b', ' '),
        retry: fc.nat(1000),
      },
      { requiredKeys: ['data'], noNullPrototype: true },
    ),
    { maxLength: 4 },
  );

  it('contain the same events', () => {
    fc.assert(
      fc.property(
        events.chain(list => sseTexts(list).map(text => ({ list, text }))),
        ({ list, text }) => {
          expect(read(text)).toEqual(list);
        },
      ),
      fixed,
    );
  });

  it('each option has its documented effect', () => {
    const events = [{ data: 'a\nb', id: '1' }];
    expect(sseText(events)).toBe('id: 1\ndata: a\ndata: b\n\n');
    expect(sseText(events, { lineEnd: '\r', space: false, bom: true, order: 'data-first' })).toBe(
      '\ufeffdata:a\rdata:b\rid:1\r\r',
    );
    expect(sseText([{ data: ' a' }], { space: false, comments: 'everywhere', emptyLines: 1 })).toBe(
      ':\n: nothing\ndata:  a\n:\n\n\n',
    );
  });
});

it('header names in other letter case and order are the same headers', () => {
  const headers = { 'Mcp-Session-Id': 'aB', Accept: 'text/event-stream, application/json' };
  for (const list of fc.sample(headerSpellings(headers), fixed))
    expect(Object.fromEntries(new Headers(list))).toEqual(Object.fromEntries(new Headers(headers)));
});

const sorted = (json: Json): Json =>
  Array.isArray(json)
    ? json.map(sorted)
    : json !== null && typeof json === 'object'
      ? Object.fromEntries(
          Object.entries(json)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([k, v]) => [k, sorted(v)]),
        )
      : json;

/** Reads a stream as the HTML standard specifies, except for state kept between events. */
function read(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  let fields: { data: string[] } & Partial<Record<'event' | 'id', string>> & { retry?: number } = {
    data: [],
  };
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    if (line === '') {
      if (fields.data.length > 0) events.push({ ...fields, data: fields.data.join('\n') });
      fields = { data: [] };
      continue;
    }
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (name === 'data') fields.data.push(value);
    else if (name === 'event' || name === 'id') fields[name] = value;
    else if (name === 'retry') fields.retry = Number(value);
  }
  return events;
}
