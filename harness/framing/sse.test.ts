/** Every valid form of an event stream is read, with any chunks, and no byte is lost. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatSse, retryMs, type SseFields, type SseRead, SseReader } from './sse.js';

function read(chunks: readonly (string | Buffer)[]): SseRead[] {
  const blocks: SseRead[] = [];
  const reader = new SseReader(block => blocks.push(block));
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.end();
  return blocks;
}

const fields = ({ raw: _, invalidUtf8: __, unfinished, ...rest }: SseRead) => ({
  ...rest,
  ...(unfinished && { unfinished }),
});

/** Splits bytes at the given indexes. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map(p => p % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length));
}

describe('the reader', () => {
  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('accepts %s as line end', (_, eol) => {
    expect(read([formatSse({ event: 'message', id: '7', data: 'a\nb' }, eol)]).map(fields)).toEqual([
      { event: 'message', id: '7', data: 'a\nb' },
    ]);
  });

  test('accepts all three line ends in one stream', () => {
    expect(read(['data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\r']).map(fields)).toEqual([
      { data: 'a\nb\nc' },
      { data: 'd' },
    ]);
  });

  test.each([
    ['a byte order mark at the beginning', '\uFEFFdata: x\n\n', [{ data: 'x' }]],
    ['none later', 'data: x\n\n\uFEFFdata: y\n\n', [{ data: 'x' }, {}]],
    ['one space after the colon only', 'data:  x\ndata:y\n\n', [{ data: ' x\ny' }]],
    ['a field without colon', 'data\n\n', [{ data: '' }]],
    ['comments alone', ': ping\n:pong\n\n', [{ comments: ['ping', 'pong'] }]],
    ['unknown fields', 'colour: red\ndata: x\n\n', [{ data: 'x' }]],
    ['an id without data', 'id: 1\n\n', [{ id: '1' }]],
    ['an empty id', 'id\ndata: x\n\n', [{ id: '', data: 'x' }]],
    ['no id with NUL', 'id: a\0b\ndata: x\n\n', [{ data: 'x' }]],
    ['empty lines between events', '\n\n\ndata: x\n\n\n\n', [{ data: 'x' }]],
    [
      'Unicode separators that are not line ends',
      'data: a\u2028b\u2029c\u0085d\vd\n\n',
      [{ data: 'a\u2028b\u2029c\u0085d\vd' }],
    ],
    ['an incomplete block', 'data: x\n\ndata: y\n', [{ data: 'x' }, { data: 'y', unfinished: true }]],
    ['an incomplete line', 'data: x', [{ data: 'x', unfinished: true }]],
    ['nothing', '', []],
  ])('takes %s', (_, text, expected) => {
    expect(read([text]).map(fields)).toEqual(expected);
  });

  test('handles a CR at the end of a chunk immediately, and joins a following LF to it', () => {
    const blocks: SseRead[] = [];
    const reader = new SseReader(block => blocks.push(block));
    reader.push(Buffer.from('data: x\r\r'));
    expect(blocks.map(fields)).toEqual([{ data: 'x' }]);
    reader.push(Buffer.from('\ndata: y\r'));
    reader.push(Buffer.from('\n\r\n'));
    expect(blocks.map(fields)).toEqual([{ data: 'x' }, { data: 'y' }]);
  });

  test('reports invalid UTF-8', () => {
    const [bad, good] = read([
      Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0x0a, 0x0a]),
      'data: \uFFFD\n\n',
    ]);
    expect([bad!.invalidUtf8, good!.invalidUtf8]).toEqual([true, false]);
  });

  test('accepts a retry of digits only', () => {
    expect(['100', '', '-1', '1.5', '1e3'].map(retry => retryMs({ retry }))).toEqual([100, ...Array(4)]);
  });

  const text = fc.string({ unit: 'grapheme' }).map(s => s.replace(/[\r\n\0]/g, ''));
  const block: fc.Arbitrary<SseFields> = fc
    .record(
      {
        comments: fc.array(text, { minLength: 1, maxLength: 2 }),
        event: text,
        id: text,
        retry: fc.nat().map(String),
        data: fc.array(text, { minLength: 1, maxLength: 3 }).map(lines => lines.join('\n')),
      },
      { requiredKeys: [] },
    )
    .filter(fields => Object.keys(fields).length > 0);

  test('reads the output of the writer with any line ends and chunks; no byte is lost', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(block, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 5 }),
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 8 }),
        (blocks, bom, places) => {
          const bytes = Buffer.from(
            (bom ? '\uFEFF' : '') + blocks.map(([fields, eol]) => formatSse(fields, eol)).join(''),
          );
          const found = read(cut(bytes, places));
          expect(found.map(fields)).toEqual(blocks.map(([fields]) => fields));
          // a single LF after the last CR belongs to no block
          const raw = found.map(f => f.raw).join('');
          if (blocks.length > 0) expect([raw, `${raw}\n`]).toContain(bytes.toString());
        },
      ),
    );
  });

  test('reads any text identically in one chunk and in many', () => {
    const line = fc.oneof(text, fc.constantFrom('data: x', ':', 'id: 1', 'data', 'event: e', ''));
    const stream = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 12 })
      .map(lines => Buffer.from(lines.flat().join('')));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 8 }), (bytes, places) => {
        expect(read(cut(bytes, places)).map(fields)).toEqual(read([bytes]).map(fields));
      }),
    );
  });
});
