/**
 * A sample of the live mutants (`npm run mutants -- --live` tries them all): each is reported, or live-survivors.yaml has
 * the reason why not.
 */

import { expect, test } from 'vitest';
import { mix } from '../../../harness/generate/hash.js';
import { allLiveMutants, tryLive } from './live-run.js';
import { liveReasonFor, readLiveSurvivors } from './live-survivors.js';

/** One mutant of this many is in the sample. */
const oneOf = 40;

test('each live mutant of a sample is reported or has a reason', async () => {
  const all = await allLiveMutants();
  expect(all.length).toBeGreaterThan(700);
  const sample = all.filter((_, at) => mix(at) % oneOf === 0);
  const survivors = readLiveSurvivors();
  const tried = await Promise.all(
    sample.map(async mutant => ({ name: mutant.name, rows: await tryLive(mutant) })),
  );
  const acting = tried.filter(({ rows }) => rows !== undefined);
  expect(acting.length).toBeGreaterThan(10);
  const silent = acting.filter(({ rows }) => rows!.length === 0).map(({ name }) => name);
  expect(silent.filter(name => !liveReasonFor(name, survivors))).toEqual([]);
  expect(silent.length / acting.length).toBeLessThan(0.6);
});
