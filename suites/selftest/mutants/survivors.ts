/** Mutants that no rule reports, with the reason for each kind: `survivors.yaml`. */

import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { requirements } from '../../../spec/requirement.js';
import type { Mutant } from './mutants.js';
import { nameOf } from './records.js';

/** Kinds of mutants that no rule has to report. Each pattern has `*` for a part of a path, and `**` for any text. */
interface Survivors {
  readonly because: string;
  /** Rows that a scenario judges: such mutants are breaches that only a scenario can see. */
  readonly scenario?: readonly string[];
  /** The names of the records; default: all. */
  readonly on?: readonly string[];
  readonly party?: 'server' | 'client';
  /** The kinds of messages and of their carriers; default: all. */
  readonly of?: readonly string[];
  /** The places in a message; default: all. */
  readonly at?: readonly string[];
  /** The operators; default: all. */
  readonly by?: readonly string[];
  /** The number of kinds that survived when the numbers were written; some more are no failure (`grown`). */
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
    ({ party, on = ['**'], of = ['**'], at = ['**'], by = ['**'] }) =>
      (party ?? unit.form.party) === unit.form.party &&
      on.some(glob => matches(glob, nameOf(unit.form))) &&
      of.some(glob => matches(glob, subject)) &&
      at.some(glob => matches(glob, place)) &&
      by.some(glob => matches(glob, operator)),
  );

/**
 * How an entry compares with its number. Each scenario adds messages to the records, and other messages are chosen: some
 * more kinds of the described mutants are no failure. Many more mean that a rule does not detect its breach any more.
 */
export function grown({ kinds }: Survivors, found: number): 'no' | 'a little' | 'much' {
  if (found <= kinds) return 'no';
  return found <= kinds + Math.max(3, kinds / 10) ? 'a little' : 'much';
}

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
