/**
 * Live mutants that nothing reports, with the reason for each kind: `live-survivors.yaml` for servers,
 * `live-client-survivors.yaml` for clients.
 */

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { matches, writeCounts } from './survivors.js';

interface LiveSurvivors {
  readonly because: string;
  /** Names of mutants without their revision; `**` stands for any text, `*` for text without a slash. */
  readonly of: readonly string[];
  /** The number of mutants that survive; it may only shrink. */
  readonly kinds: number;
}

const files = {
  server: new URL('./live-survivors.yaml', import.meta.url),
  client: new URL('./live-client-survivors.yaml', import.meta.url),
};

/** @throws {Error} for an entry without a reason */
export function readLiveSurvivors(party: keyof typeof files): LiveSurvivors[] {
  const all = parse(readFileSync(files[party], 'utf8')) as LiveSurvivors[];
  if (all.some(({ because }) => typeof because !== 'string'))
    throw new Error(`Live survivors of the ${party}: each entry needs "because".`);
  return all;
}

/** The entry that explains why nothing reports a mutant; undefined for a hole. */
export function liveReasonFor(name: string, all: readonly LiveSurvivors[]): LiveSurvivors | undefined {
  const what = name.slice(name.indexOf(': ') + 2);
  return all.find(({ of }) => of.some(glob => matches(glob, what)));
}

/** Writes the numbers of mutants, in the order of the entries. */
export const writeLiveCounts = (party: keyof typeof files, counts: readonly number[]): void =>
  writeCounts(counts, files[party]);
