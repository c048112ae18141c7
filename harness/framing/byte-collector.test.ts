import { expect, test } from 'vitest';
import { ByteCollector } from './byte-collector.js';

const collect = (...chunks: string[]) => {
  const collector = new ByteCollector();
  for (const chunk of chunks) collector.add(Buffer.from(chunk));
  return collector;
};

test('chunks of all sizes are collected in their order', () => {
  const chunks = ['a', '', 'bc', 'd'.repeat(5_000), 'e'];
  const collector = collect(...chunks);
  expect(collector.length).toBe(5_004);
  expect(collector.peek(3).toString()).toBe('abc');
  expect(collector.take().toString()).toBe(chunks.join(''));
  expect(collector.length).toBe(0);
  expect(collector.take()).toHaveLength(0);
});

test('a single chunk is not copied', () => {
  const chunk = Buffer.from('a whole line');
  const collector = new ByteCollector();
  collector.add(chunk);
  expect(collector.take().buffer).toBe(chunk.buffer);
});

test('bytes that were read or taken do not change with later chunks', () => {
  const collector = collect('ab', 'cd');
  const [seen, taken] = [collector.peek(), collector.take()];
  for (const chunk of ['xxxxxx', 'yyyyyy', 'z'.repeat(3_000)]) collector.add(Buffer.from(chunk));
  expect(`${seen}`).toBe('abcd');
  expect(`${taken}`).toBe('abcd');
});

test('a million bytes in chunks of three need a few megabytes', () => {
  const before = process.memoryUsage();
  const collector = new ByteCollector();
  // each chunk is a part of a read buffer of its own, as a socket passes it on
  for (let at = 0; at < 350_000; at++) collector.add(Buffer.from('<p>'));
  const after = process.memoryUsage();
  expect(collector.length).toBe(1_050_000);
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(32 * 2 ** 20);
});
