/** Puts failures of one requirement together, and of those the ones that are most likely one fault; the worst come first. */

import type { FindingReport, Report, RequirementReport, RunReport } from '../harness/report/summary.js';

/** Findings of one requirement and one grade. */
export interface Group {
  readonly grade: FindingReport['grade'];
  readonly row: RequirementReport;
  /** Where the first was found. */
  readonly run: RunReport;
  /** At least one. */
  readonly variants: readonly Variant[];
}

/**
 * Findings in which what was expected and what came instead differ at most in numbers and ids; those of generated values
 * are with the first, where the requirement fails without them too.
 */
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
  const repeats = new Set<FindingReport>();
  for (const run of report.runs) {
    const rows = new Map(run.requirements.map(row => [row.id, row]));
    for (const finding of repeatsIn(run)) repeats.add(finding);
    for (const finding of run.findings) {
      const { requirement, grade } = finding;
      const key = `${grade} ${requirement}`;
      const group = groups.get(key);
      if (group) group.found.push(finding);
      else groups.set(key, { grade, row: rows.get(requirement)!, run, found: [finding] });
    }
  }
  return [...groups.values()]
    .map(({ found, ...group }) => ({ ...group, variants: variantsOf(found, repeats) }))
    .sort((a, b) => order.indexOf(a.grade) - order.indexOf(b.grade));
}

/** Failures of generated values that need none of them to show: they say what was said before. */
function repeatsIn({ findings }: RunReport): FindingReport[] {
  const plain = new Set(findings.flatMap(f => (f.counterexample ? [] : [`${f.grade} ${f.requirement}`])));
  return findings.filter(f => f.counterexample && plain.has(`${f.grade} ${f.requirement}`));
}

function variantsOf(findings: readonly FindingReport[], repeats: ReadonlySet<FindingReport>): Variant[] {
  const variants = new Map<string, { first: FindingReport; others: FindingReport[] }>();
  const [plain, repeated] = [false, true].map(is => findings.filter(f => repeats.has(f) === is));
  for (const finding of plain!) {
    const { grade, expected, actual, message } = finding;
    const reason = grade === 'inconclusive' || grade === 'error' ? message : null;
    const key = JSON.stringify([expected, actual, reason].flat().map(shape));
    const variant = variants.get(key);
    if (variant) variant.others.push(finding);
    else variants.set(key, { first: finding, others: [] });
  }
  const all = [...variants.values()];
  all[0]?.others.push(...repeated!);
  return all;
}

/** A text without what varies from one message to the next: ids, numbers, and what the subject said in its own words. */
const shape = (text: string | null): string | null =>
  text?.replace(/^(error -?\d+ |)".*"$/s, '$1').replace(/[0-9a-f]{8,}|\d+/gi, '#') ?? null;

/** Full names of the cases in which one of these was found, without repetition. */
export const casesOf = (variants: readonly Variant[]): string[] => [
  ...new Set(variants.flatMap(({ first, others }) => [first, ...others].map(f => f.case))),
];

/** A group, with those that say word for word what is said in it, of the same events. */
export interface Telling {
  readonly group: Group;
  readonly also: readonly Group[];
}

/** Groups that are to be told, each with those that it tells as well; a requirement is often part of another. */
export function tellings(groups: readonly Group[]): Telling[] {
  const said = new Map(groups.map(group => [group, statementsOf(group)]));
  const host = (group: Group) => {
    const own = said.get(group)!;
    return groups.find((other, at) => {
      if (other === group || other.grade !== group.grade) return false;
      const all = said.get(other)!;
      const first = at < groups.indexOf(group);
      return [...own].every(one => all.has(one)) && (first || own.size < all.size);
    });
  };
  const hosts = new Map(groups.map(group => [group, host(group)]));
  return groups
    .filter(group => !hosts.get(group))
    .map(group => ({ group, also: groups.filter(other => hosts.get(other) === group) }));
}

/** What a group says, and of what. What is said of no event is said of nothing else. */
const statementsOf = ({ row, variants }: Group): ReadonlySet<string> =>
  new Set(
    variants
      .flatMap(({ first, others }) => [first, ...others])
      .map(({ case: name, expected, actual, events }) =>
        JSON.stringify([name, expected, actual, events, events.length === 0 && row.id]),
      ),
  );
