/** Mutants that no rule reports, with the reason for each kind: `survivors.yaml`. */

import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { requirements } from '../../../spec/requirement.js';
import type { Mutant } from './mutants.js';

/** Kinds of mutants that no rule has to report. Each pattern has `*` for a part of a path, and `**` for any text. */
interface Survivors {
  readonly because: string;
  /** Rows that a scenario judges: such mutants are breaches that only a scenario can see. */
  readonly scenario?: readonly string[];
  /** Nobody has read these mutants yet: they count as missed. */
  readonly unexamined?: true;
  readonly party?: 'server' | 'client';
  /** The kinds of messages and of their carriers; default: all. */
  readonly of?: readonly string[];
  /** The places in a message; default: all. */
  readonly at?: readonly string[];
  /** The operators; default: all. */
  readonly by?: readonly string[];
  /** The number of kinds that survive; it may only shrink. */
  readonly kinds: number;
}

const file = new URL('./survivors.yaml', import.meta.url);
const yaml = (): string => readFileSync(file, 'utf8');

const patternOf = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .split(/(\*\*|\*)/)
      .map(part =>
        part === '**' ? '.*' : part === '*' ? '[^/]*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'),
      )
      .join('')}$`,
  );

const patterns = new Map<string, RegExp>();
export const matches = (glob: string, text: string): boolean => {
  const pattern = patterns.get(glob) ?? patternOf(glob);
  patterns.set(glob, pattern);
  return pattern.test(text);
};

/** @throws {Error} for an entry with a row that does not exist, or without a reason */
export function readSurvivors(): Survivors[] {
  const all = parse(yaml()) as Survivors[];
  for (const { because, scenario = [] } of all) {
    if (typeof because !== 'string') throw new Error('survivors.yaml: each entry needs "because".');
    const unknown = scenario.find(row => !(requirements() as ReadonlyMap<string, unknown>).has(row));
    if (unknown) throw new Error(`survivors.yaml: no row has the id "${unknown}".`);
  }
  return all;
}

/** The entry that explains why no rule reports a mutant; undefined for a hole. */
export const reasonFor = (
  { unit, subject, place, operator }: Mutant,
  all: readonly Survivors[],
): Survivors | undefined =>
  all.find(
    ({ party, of = ['**'], at = ['**'], by = ['**'] }) =>
      (party ?? unit.form.party) === unit.form.party &&
      of.some(glob => matches(glob, subject)) &&
      at.some(glob => matches(glob, place)) &&
      by.some(glob => matches(glob, operator)),
  );

/** Writes the numbers of kinds into a list of survivors, in the order of its entries. */
export function writeCounts(counts: readonly number[], list = file): void {
  let at = 0;
  const text = readFileSync(list, 'utf8');
  writeFileSync(
    list,
    text.replace(/^( {2}kinds: )\d+$/gm, (_, key: string) => `${key}${counts[at++]}`),
  );
}

/** The type definitions want an object where JSON Schema also has `true`: tools.input-schema-valid follows JSON Schema. */
export const isDisputed = ({ place, operator }: Mutant): boolean =>
  operator === 'extended' && /Schema(\/.*)?\/properties$/.test(place);
