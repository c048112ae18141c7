/** Lines are recorded before a reader of the bytes can respond to them. */

import { expect, test } from 'vitest';
import type { NewEvent } from '../../record/event.js';
import { LineWriter } from './line-writer.js';

function writer() {
  const log: string[] = [];
  const tap = (event: NewEvent) => {
    log.push(`recorded ${'text' in event ? event.text : event.kind}`);
    return undefined as never;
  };
  const put = (bytes: Buffer | string) => log.push(`sent ${JSON.stringify(String(bytes))}`);
  return { log, lines: new LineWriter('client', tap, put as never) };
}

test('a line in pieces is recorded when its JSON is whole, before its last byte is sent', () => {
  const { log, lines } = writer();
  for (const piece of ['{"id', '":1', '}', '\n']) lines.write(piece, false);
  expect(log).toEqual(['sent "{\\"id"', 'sent "\\":1"', 'recorded {"id":1}', 'sent "}"', 'sent "\\n"']);
});

test('brackets in strings end no line', () => {
  const { log, lines } = writer();
  for (const piece of ['{"a":"}', '\\"', '}]"', '}', ' ', '\n', '[', ']\n']) lines.write(piece, false);
  expect(log.filter(entry => entry.startsWith('recorded'))).toEqual([
    'recorded {"a":"}\\"}]"}',
    'recorded []',
  ]);
});

test('a line that goes on after whole JSON is recorded as it is in the end', () => {
  const { log, lines } = writer();
  for (const piece of ['{}', ' ', 'x\n', '[]\n']) lines.write(piece, false);
  expect(log.filter(entry => entry.startsWith('recorded'))).toEqual([
    'recorded {}',
    'recorded {} x',
    'recorded []',
  ]);
});

test('a line that is unfinished at the end is recorded as invalid on purpose, and a whole one is recorded once', () => {
  const log: NewEvent[] = [];
  const tap = (event: NewEvent) => {
    log.push(event);
    return [];
  };
  for (const text of ['{"id', '{"id":1}', ' ', '{}\n']) {
    const lines = new LineWriter('client', tap as never, () => {});
    lines.write(text, false);
    lines.end();
  }
  expect(log).toEqual([
    { kind: 'frame', by: 'client', text: '{"id', deliberate: true },
    { kind: 'frame', by: 'client', text: '{"id":1}' },
    { kind: 'frame', by: 'client', text: '{}' },
  ]);
});
