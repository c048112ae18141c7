/** `--min-judged`: how many requirements a run has to judge. */

import type { RunStart } from './run-event.js';

/** @param asked a number, or a percentage @param all number of requirements that apply */
export const leastJudged = (asked: string | undefined, all: number): number =>
  asked === undefined ? 0 : asked.endsWith('%') ? (all * Number.parseFloat(asked)) / 100 : Number(asked);

/** Whether cases were selected, and none of them applies to the subject. A shard may have none. */
export function ranNone(
  start: Pick<RunStart, 'partial' | 'shard'> | undefined,
  runs: readonly { readonly cases: ReadonlyMap<number, { readonly name: string }> }[],
): boolean {
  if (!start?.partial || start.shard || runs.length === 0) return false;
  return runs.every(({ cases }) => [...cases.values()].every(({ name }) => name.endsWith('/probe')));
}
