/** Comparison of two reports: improvements and regressions. */

import type { Grade } from '../harness/judge/verdict.js';
import type { FindingReport, Report, RunReport } from '../harness/report/summary.js';
import { locationOf } from './location.js';

/** The result of a requirement in one report; `absent` when that report has no such row. */
export type State = Grade | 'notApplicable' | 'absent';

export interface Change {
  readonly id: string;
  readonly level: string;
  readonly url: string;
  /** Revision and transport. */
  readonly place: string;
  readonly before: State;
  readonly after: State;
  /** Finding of the report in which the requirement failed; the newer report takes precedence. */
  readonly finding?: FindingReport;
}

export interface Diff {
  /** Fails now and did not fail before, or failed less severely. */
  readonly worse: readonly Change[];
  /** Failed before and does not fail now, or fails less severely. */
  readonly better: readonly Change[];
  /** A failure that was added to the list of known failures. */
  readonly listed: readonly Change[];
  /** Was not judged before, and conforms now. */
  readonly appeared: readonly Change[];
  /** Was judged before, and is not judged now: neither better nor worse. */
  readonly disappeared: readonly Change[];
  readonly same: number;
  /** Revisions and transports that only one report contains; their rows are not compared. */
  readonly onlyBefore: readonly string[];
  readonly onlyAfter: readonly string[];
}

/** Severity of the failure of a judged requirement. A known failure is still a failure. */
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

/**
 * Compares requirement by requirement where both reports contain the same revision over the same transport.
 */
export function diffReports(before: Report, after: Report): Diff {
  const lists: Record<Kind, Change[]> = {
    worse: [],
    better: [],
    listed: [],
    appeared: [],
    disappeared: [],
  };
  let same = 0;
  const earlier = new Map(before.runs.map(run => [locationOf(run), run]));
  const later = new Map(after.runs.map(run => [locationOf(run), run]));
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
  // An unjudged requirement has an unknown state: a later failure is new, a later pass only adds information.
  if (a === undefined) return b > 0 ? 'worse' : 'appeared';
  if (after === 'knownFailing' && a >= 2) return 'listed';
  if (before === 'knownFailing' && after !== 'error') return b >= 2 ? 'worse' : 'better';
  return b > a ? 'worse' : 'better';
}

/** A note is never a failure, so an additional note does not count. */
export const gotWorse = ({ worse }: Diff): boolean => worse.some(change => change.after !== 'note');
