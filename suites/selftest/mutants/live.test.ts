/**
 * A sample of the live mutants (`npm run mutants -- --live` tries them all, with `--clients` those of clients): each is
 * reported, or the list of survivors has the reason why not.
 */

import { expect, test } from 'vitest';
import { hash } from '../../../harness/generate/hash.js';
import { allLiveClientMutants } from './live-client.js';
import { allLiveMutants, type Live, tryLive } from './live-run.js';
import { liveReasonFor, readLiveSurvivors } from './live-survivors.js';

const parties = [
  { party: 'server', all: allLiveMutants, atLeast: 700, oneOf: 80 },
  // stdio alone: a run over HTTP takes several times as long
  { party: 'client', all: () => allLiveClientMutants(['stdio']), atLeast: 500, oneOf: 80 },
] as const;

test.each(parties)('each live mutant of a sample is reported or has a reason: $party', async one => {
  const all: readonly Live[] = await one.all();
  expect(all.length).toBeGreaterThan(one.atLeast);
  const sample = all.filter(({ name }) => hash(name) % one.oneOf === 0);
  const survivors = readLiveSurvivors(one.party);
  const tried = await Promise.all(
    sample.map(async mutant => ({ name: mutant.name, rows: await tryLive(mutant) })),
  );
  const acting = tried.filter(({ rows }) => rows !== undefined);
  expect(acting.length).toBeGreaterThan(3);
  const silent = acting.filter(({ rows }) => rows!.length === 0).map(({ name }) => name);
  expect(silent.filter(name => !liveReasonFor(name, survivors))).toEqual([]);
});
