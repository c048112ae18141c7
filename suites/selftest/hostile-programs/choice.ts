/** Choices that a seed repeats. */

import { createHash } from 'node:crypto';

/** Numbers from 0 to 1, the same for the same text. */
export function randomNumbers(seed: string): () => number {
  let at = 0;
  return () => createHash('sha256').update(`${seed} ${at++}`).digest().readUInt32BE(0) / 2 ** 32;
}

/** The items in a random order. */
export function shuffled<T>(items: readonly T[], seed: string): T[] {
  const random = randomNumbers(`choice ${seed}`);
  return items
    .map(item => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

/** Some of the items, in their order. */
export function chosen<T>(items: readonly T[], count: number, seed: string): T[] {
  const kept = new Set(shuffled([...items.keys()], seed).slice(0, count));
  return items.filter((_, at) => kept.has(at));
}
