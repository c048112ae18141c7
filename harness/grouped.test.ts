import { expect, test } from 'vitest';
import { keptByText } from './grouped.js';

/** A function that is kept, and the texts for which it was computed. */
function counted() {
  const computed: string[] = [];
  const keep = keptByText((text: string): string | undefined => {
    computed.push(text);
    return text === 'none' ? undefined : `of ${text}`;
  }, 2);
  return { computed, keep };
}

test('a value is computed once for each text, also where there is none', () => {
  const { computed, keep } = counted();
  expect(['a', 'none', 'a', 'none'].map(keep)).toEqual(['of a', undefined, 'of a', undefined]);
  expect(computed).toEqual(['a', 'none']);
});

test('more values than permitted are dropped, and long texts are not kept', () => {
  const { computed, keep } = counted();
  for (const text of ['a', 'b', 'c', 'a']) keep(text);
  expect(computed).toEqual(['a', 'b', 'c', 'a']);
  const long = 'x'.repeat(20_000);
  for (const text of [long, long]) expect(keep(text)).toBe(`of ${long}`);
  expect(computed).toHaveLength(6);
});
