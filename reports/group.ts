/** Puts failures that are most likely one fault together, most important first. */

import type { FindingReport, Report, RequirementReport, RunReport } from '../harness/summary.js';

export interface Group {
  /** Shown in full. */
  readonly first: FindingReport;
  readonly others: readonly FindingReport[];
  readonly row: RequirementReport;
  readonly run: RunReport;
}

const order: readonly FindingReport['grade'][] = [
  'violation',
  'error',
  'warning',
  'inconclusive',
  'note',
  'knownFailing',
];

/** Same requirement and grade, same expectation, and what came instead differs at most in numbers and ids. */
export function groupFindings(report: Report): Group[] {
  const groups = new Map<
    string,
    { first: FindingReport; others: FindingReport[]; row: RequirementReport; run: RunReport }
  >();
  for (const run of report.runs) {
    const rows = new Map(run.requirements.map(row => [row.id, row]));
    for (const finding of run.findings) {
      const { requirement, grade, expected, actual, message } = finding;
      const judged = grade !== 'inconclusive' && grade !== 'error';
      const key = JSON.stringify([
        requirement,
        grade,
        expected,
        shape(actual),
        judged ? null : shape(message),
      ]);
      const group = groups.get(key);
      if (group) group.others.push(finding);
      else groups.set(key, { first: finding, others: [], row: rows.get(requirement)!, run });
    }
  }
  return [...groups.values()].sort((a, b) => order.indexOf(a.first.grade) - order.indexOf(b.first.grade));
}

/** A text without what varies from one message to the next. */
const shape = (text: string | null): string | null => text?.replace(/[0-9a-f]{8,}|\d+/gi, '#') ?? null;
