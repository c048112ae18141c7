/**
 * `npm run mutants -- --live`: runs the suite against each live mutant of the reference server, with `--clients` of the
 * reference client, and prints the share that is reported. Options: `--only <text>` of the name, `--verbose` prints each
 * mutant that survives, `--write` updates the numbers in the list of survivors. A mutant that makes no difference to any
 * message is left out.
 */

import { latestRevision, latestStateless } from '../../../spec/revisions.js';
import { type Trial, tryMock } from '../run-mock.js';
import { liveMutants, trafficOf } from './live.js';
import { allLiveClientMutants } from './live-client.js';
import { liveReasonFor, readLiveSurvivors, writeLiveCounts } from './live-survivors.js';

interface LiveOptions {
  readonly clients: boolean;
  readonly only: string;
  readonly write: boolean;
  readonly verbose: boolean;
}

/** A reference with one change in its behaviour. */
export interface Live {
  readonly name: string;
  /** Runs the suite against it. */
  readonly attempt: () => Promise<Trial>;
  /** Whether the change has made a difference to a message. */
  readonly hasActed: () => boolean;
}

/** Trials under way at once; most of a trial is waiting. */
const atOnce = 6;

export const allLiveMutants = async (): Promise<Live[]> => {
  const each = [latestRevision, latestStateless].map(async revision =>
    liveMutants(revision, await trafficOf(revision)),
  );
  return (await Promise.all(each)).flat().map(({ fault, revision, ...mutant }) => ({
    ...mutant,
    attempt: () => tryMock(revision, { faults: [fault] }),
  }));
};

/** @returns the rows that fail; undefined when the mutant makes no difference */
export async function tryLive({ name, attempt, hasActed }: Live): Promise<string[] | undefined> {
  const { failed, report } = await attempt();
  if (report.summary.error > 0) throw new Error(`${name}: the suite failed itself`);
  return hasActed() ? [...failed.keys()] : undefined;
}

/** @returns the exit code */
export async function runLive({ clients, only, write, verbose }: LiveOptions): Promise<number> {
  const party = clients ? 'client' : 'server';
  const survivors = readLiveSurvivors(party);
  const kinds = survivors.map(() => new Set<string>());
  const counts = { all: 0, reported: 0, legal: 0 };
  const holes: string[] = [];
  const left = (await (clients ? allLiveClientMutants() : allLiveMutants())).filter(({ name }) =>
    name.includes(only),
  );
  const began = performance.now();
  const lane = async () => {
    for (let mutant = left.shift(); mutant; mutant = left.shift()) {
      const rows = await tryLive(mutant);
      if (!rows) continue;
      counts.all++;
      const reason = rows.length > 0 ? undefined : liveReasonFor(mutant.name, survivors);
      if (rows.length > 0) counts.reported++;
      else if (!reason) holes.push(`not reported: ${mutant.name}`);
      else {
        counts.legal++;
        kinds[survivors.indexOf(reason)]!.add(mutant.name);
        if (verbose) console.log(`  survives: ${mutant.name} (${reason.because})`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(
    `${counts.all} live mutants in ${seconds} s: ${counts.reported} reported, ${counts.legal} legal, ${holes.length} holes`,
  );
  const isWhole = only === '';
  survivors.forEach(({ because, kinds: most }, at) => {
    const found = kinds[at]!.size;
    if (isWhole && !write && found > most) holes.push(`more survivors (${found}, not ${most}): ${because}`);
    if (isWhole && found === 0) holes.push(`no mutant survives any more, remove: ${because}`);
  });
  if (write && isWhole)
    writeLiveCounts(
      party,
      kinds.map(found => found.size),
    );
  for (const hole of holes) console.log(`✗ ${hole}`);
  return holes.length === 0 ? 0 : 1;
}
