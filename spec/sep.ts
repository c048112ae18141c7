/** SEPs (specification enhancement proposals), each with the requirements that came with it. */

import { readFileSync } from 'node:fs';
import type { RequirementId } from './requirement.js';
import type { RevisionId } from './revisions.js';

export interface Sep {
  readonly title: string;
  /** The revision that contains the text of the SEP. */
  readonly revision: RevisionId;
  /** In the order of the ids. */
  readonly rows: readonly RequirementId[];
}

let loaded: Map<number, Sep> | undefined;

/** Every SEP by its number, read once from `seps.json`. */
export function seps(): ReadonlyMap<number, Sep> {
  if (!loaded) {
    const all = JSON.parse(readFileSync(new URL('./seps.json', import.meta.url), 'utf8')) as Record<
      string,
      Sep
    >;
    loaded = new Map(Object.entries(all).map(([number, sep]) => [Number(number), sep]));
  }
  return loaded;
}

/** The numbers of the SEPs that a requirement came with; most requirements have none. */
export const sepsOf = (id: RequirementId): number[] =>
  [...seps()].flatMap(([number, { rows }]) => (rows.includes(id) ? [number] : []));

/** The page of the proposal. */
export const sepUrl = (number: number): string =>
  `https://github.com/modelcontextprotocol/modelcontextprotocol/issues/${number}`;
