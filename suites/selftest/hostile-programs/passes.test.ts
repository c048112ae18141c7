import { expect, test } from 'vitest';
import { inTwoPasses } from './passes.js';

/** Runs that break their bound while another one is active, and `always` in any case. */
async function passesOf(items: readonly string[], jobs: number) {
  let active = 0;
  const seen: string[] = [];
  const outcomes = await inTwoPasses(items, {
    jobs,
    async run(item) {
      active++;
      await Promise.resolve();
      const isBroken = active > 1 || item === 'always';
      await Promise.resolve();
      active--;
      return isBroken ? 'broken' : 'kept';
    },
    isBroken: outcome => outcome === 'broken',
    onOutcome: (item, outcome, pass) => seen.push(`${item} ${pass} ${outcome}`),
  });
  return { outcomes, seen };
}

test('the repetition of a broken run is alone, and its outcome counts', async () => {
  const { outcomes, seen } = await passesOf(['a', 'always', 'b'], 3);
  expect(outcomes).toEqual(['kept', 'broken', 'kept']);
  expect(seen).toEqual([
    'a beside broken',
    'always beside broken',
    'b beside broken',
    'a alone kept',
    'always alone broken',
    'b alone kept',
  ]);
});

test('a run that keeps its bounds is not repeated', async () => {
  const { seen } = await passesOf(['a', 'b'], 1);
  expect(seen).toEqual(['a beside kept', 'b beside kept']);
});
