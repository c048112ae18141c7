/**
 * Severity of judgements: the lattice of verdicts, the table of grades, the exit codes. No other file decides
 * on severity.
 */

import { basisIn, clauseIn, type Level, type Requirement } from '../../spec/requirement.js';
import type { RevisionId } from '../../spec/revisions.js';

/** The order of TTCN-3: merging two judgements keeps the worse one. */
const verdicts = ['none', 'pass', 'inconclusive', 'fail', 'error'] as const;
export type Verdict = (typeof verdicts)[number];

export const worst = (...all: Verdict[]): Verdict =>
  all.reduce((a, b) => (verdicts.indexOf(a) >= verdicts.indexOf(b) ? a : b), 'none');

/** The grade in reports. `knownFailing` is a failure that the user has listed, with a reason. */
export type Grade =
  | 'pass'
  | 'violation'
  | 'warning'
  | 'note'
  | 'inconclusive'
  | 'notObserved'
  | 'error'
  | 'knownFailing';

/** From best to worst: the lattice of verdicts, with failures by severity. */
const gradesByWeight: readonly Grade[] = [
  'notObserved',
  'pass',
  'inconclusive',
  'knownFailing',
  'note',
  'warning',
  'violation',
  'error',
];

export const worstGrade = (a: Grade, b: Grade): Grade =>
  gradesByWeight.indexOf(a) >= gradesByWeight.indexOf(b) ? a : b;

const failGrades: Record<Level, Grade> = {
  MUST: 'violation',
  'MUST NOT': 'violation',
  SHOULD: 'warning',
  'SHOULD NOT': 'warning',
  MAY: 'note',
};

/** The grade of a verdict on a requirement in a revision: the table in DESIGN §9. */
export function gradeOf(row: Requirement, revision: RevisionId, verdict: Verdict): Grade {
  if (verdict === 'pass' || verdict === 'inconclusive' || verdict === 'error') return verdict;
  if (verdict === 'none') return 'notObserved';
  const clause = clauseIn(row, revision);
  if (!clause || row.contested) return 'note';
  const grade = failGrades[clause.level];
  return grade === 'violation' && basisIn(row, revision) === 'prose' ? 'warning' : grade;
}

/** Exit codes of the process; names as in the contract. */
export const exitCodes = { conforms: 0, violation: 1, usage: 2, couldNotJudge: 3, defect: 4 } as const;
