/** Puts failures of one requirement together, and of those the ones that are most likely one fault; the worst come first. */

import type { FindingReport, Report, RequirementReport, RunReport } from '../harness/summary.js';

/** Findings of one requirement and one grade. */
export interface Group {
  readonly grade: FindingReport['grade'];
  readonly row: RequirementReport;
  /** Where the first was found. */
  readonly run: RunReport;
  /** At least one. */
  readonly variants: readonly Variant[];
}

/** Findings in which what was expected and what came instead differ at most in numbers and ids. */
export interface Variant {
  /** Shown in full. */
  readonly first: FindingReport;
  readonly others: readonly FindingReport[];
}

const order: readonly FindingReport['grade'][] = [
  'violation',
  'error',
  'warning',
  'inconclusive',
  'note',
  'knownFailing',
];

export function groupFindings(report: Report): Group[] {
  const groups = new Map<string, Omit<Group, 'variants'> & { found: FindingReport[] }>();
  for (const run of report.runs) {
    const rows = new Map(run.requirements.map(row => [row.id, row]));
    for (const finding of run.findings) {
      const { requirement, grade } = finding;
      const key = `${grade} ${requirement}`;
      const group = groups.get(key);
      if (group) group.found.push(finding);
      else groups.set(key, { grade, row: rows.get(requirement)!, run, found: [finding] });
    }
  }
  return [...groups.values()]
    .map(({ found, ...group }) => ({ ...group, variants: variantsOf(found) }))
    .sort((a, b) => order.indexOf(a.grade) - order.indexOf(b.grade));
}

function variantsOf(findings: readonly FindingReport[]): Variant[] {
  const variants = new Map<string, { first: FindingReport; others: FindingReport[] }>();
  for (const finding of findings) {
    const { grade, expected, actual, message } = finding;
    const reason = grade === 'inconclusive' || grade === 'error' ? message : null;
    const key = JSON.stringify([expected, actual, reason].flat().map(shape));
    const variant = variants.get(key);
    if (variant) variant.others.push(finding);
    else variants.set(key, { first: finding, others: [] });
  }
  return [...variants.values()];
}

/** A text without what varies from one message to the next. */
const shape = (text: string | null): string | null => text?.replace(/[0-9a-f]{8,}|\d+/gi, '#') ?? null;

/** Full names of the cases in which one of these was found, without repetition. */
export const casesOf = (variants: readonly Variant[]): string[] => [
  ...new Set(variants.flatMap(({ first, others }) => [first, ...others].map(f => f.case))),
];
