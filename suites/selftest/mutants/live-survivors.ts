/** Live mutants that nothing reports, with the reason for each kind: `live-survivors.yaml`. */

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

const file = new URL('./live-survivors.yaml', import.meta.url);

/** @throws {Error} for an entry without a reason */
export function readLiveSurvivors(): LiveSurvivors[] {
  const all = parse(readFileSync(file, 'utf8')) as LiveSurvivors[];
  if (all.some(({ because }) => typeof because !== 'string'))
    throw new Error('live-survivors.yaml: each entry needs "because".');
  return all;
}

/** The entry that explains why nothing reports a mutant; undefined for a hole. */
export function liveReasonFor(name: string, all: readonly LiveSurvivors[]): LiveSurvivors | undefined {
  const what = name.slice(name.indexOf(': ') + 2);
  return all.find(({ of }) => of.some(glob => matches(glob, what)));
}

/** Writes the numbers of mutants, in the order of the entries. */
export const writeLiveCounts = (counts: readonly number[]): void => writeCounts(counts, file);
