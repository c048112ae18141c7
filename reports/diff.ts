/** Two reports side by side: what got better and worse between them. */

import type { Grade } from '../harness/judge/verdict.js';
import type { FindingReport, Report, RunReport } from '../harness/report/summary.js';
import { placeOf } from './location.js';

/** What a requirement came to in one report; `absent` when that report has no such row. */
export type State = Grade | 'notApplicable' | 'absent';

export interface Change {
  readonly id: string;
  readonly level: string;
  readonly url: string;
  /** Revision and transport. */
  readonly place: string;
  readonly before: State;
  readonly after: State;
  /** Of the report in which it failed, the newer one first. */
  readonly finding?: FindingReport;
}

export interface Diff {
  /** Fails where it did not fail, or not so badly. */
  readonly worse: readonly Change[];
  /** Failed, and no longer does, or not so badly. */
  readonly better: readonly Change[];
  /** A failure was put on the list of known ones. */
  readonly listed: readonly Change[];
  /** Was not judged, and now holds. */
  readonly appeared: readonly Change[];
  /** Was judged, and is not any longer: neither better nor worse is known. */
  readonly disappeared: readonly Change[];
  readonly same: number;
  /** Revisions and transports of which only one report speaks; their rows are not compared. */
  readonly onlyBefore: readonly string[];
  readonly onlyAfter: readonly string[];
}

/** How badly a judged requirement failed. What the user has listed is a failure all the same. */
const weights: Partial<Record<State, number>> = {
  pass: 0,
  note: 1,
  warning: 2,
  knownFailing: 3,
  violation: 3,
  error: 4,
};

interface Row {
  readonly state: State;
  readonly level: string;
  readonly url: string;
}

function rowsOf(run: RunReport): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const { id } of run.notApplicable) rows.set(id, { state: 'notApplicable', level: '', url: '' });
  for (const { id, grade, level, url } of run.requirements) rows.set(id, { state: grade, level, url });
  return rows;
}

/** Compares requirement by requirement where both reports judged the same revision over the same transport. */
export function diffReports(before: Report, after: Report): Diff {
  const lists: Record<Kind, Change[]> = {
    worse: [],
    better: [],
    listed: [],
    appeared: [],
    disappeared: [],
  };
  let same = 0;
  const earlier = new Map(before.runs.map(run => [placeOf(run), run]));
  const later = new Map(after.runs.map(run => [placeOf(run), run]));
  for (const [place, now] of later) {
    const then = earlier.get(place);
    if (!then) continue;
    const [old, fresh] = [rowsOf(then), rowsOf(now)];
    for (const id of new Set([...fresh.keys(), ...old.keys()])) {
      const [a, b] = [old.get(id), fresh.get(id)];
      const states = { before: a?.state ?? 'absent', after: b?.state ?? 'absent' } as const;
      const kind = kindOf(states.before, states.after);
      if (!kind) {
        same++;
        continue;
      }
      const find = (run: RunReport, grade: State) =>
        run.findings.find(f => f.requirement === id && f.grade === grade);
      const finding = find(now, states.after) ?? find(then, states.before);
      const { level, url } = b?.url ? b : (a ?? b)!;
      lists[kind].push({ id, level, url, place, ...states, ...(finding && { finding }) });
    }
  }
  return {
    ...lists,
    same,
    onlyBefore: [...earlier.keys()].filter(place => !later.has(place)),
    onlyAfter: [...later.keys()].filter(place => !earlier.has(place)),
  };
}

type Kind = 'worse' | 'better' | 'listed' | 'appeared' | 'disappeared';

function kindOf(before: State, after: State): Kind | undefined {
  if (before === after) return undefined;
  const [a, b] = [weights[before], weights[after]];
  if (b === undefined) return a === undefined ? undefined : 'disappeared';
  // Nobody knows what an unjudged one was: a failure there is news, a pass is only more that is known.
  if (a === undefined) return b > 0 ? 'worse' : 'appeared';
  if (after === 'knownFailing' && a >= 2) return 'listed';
  if (before === 'knownFailing' && after !== 'error') return b >= 2 ? 'worse' : 'better';
  return b > a ? 'worse' : 'better';
}

/** A note is never a failure, so one more of them does not count. */
export const gotWorse = ({ worse }: Diff): boolean => worse.some(change => change.after !== 'note');
