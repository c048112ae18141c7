import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { HeapGrowth } from './large-garbage.js';

/** Values of about a megabyte in the heap. */
const megabyte = (): number[][] => Array.from({ length: 8_000 }, (_, at) => [at, at, at, at, at, at, at, at]);

test('garbage is collected after 64 MB, and what is released before is collected with it', async () => {
  // what other tests left would be collected in between, so that the heap grew by less
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const heap = new HeapGrowth();
  let derived: number[][][] = [];
  let released = 0;
  const release = () => {
    released++;
    derived = [];
  };
  heap.collect(release);
  expect(released).toBe(0);
  for (let at = 0; at < 150; at++) derived.push(megabyte());
  const first = new WeakRef(derived[0]!);
  heap.collect(release);
  expect(released).toBe(1);
  // an object is kept until the end of the task in which its reference was made or read
  await new Promise(resolve => setImmediate(resolve));
  for (let at = 0; at < 150; at++) derived.push(megabyte());
  heap.collect(release);
  expect(released).toBe(2);
  expect(first.deref()).toBeUndefined();
});
