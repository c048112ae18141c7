/**
 * Groups failures by requirement, and within a group those that probably have one cause; the worst come
 * first.
 */

import type { FindingReport, Report, RequirementReport, RunReport } from '../harness/report/summary.js';
import type { RequirementId } from '../spec/requirement.js';

/** Findings of one requirement and one grade. */
export interface Cluster {
  readonly grade: FindingReport['grade'];
  readonly row: RequirementReport;
  /** The run with the first finding. */
  readonly run: RunReport;
  /** At least one variant. */
  readonly variants: readonly Variant[];
}

/**
 * Findings whose expected and actual values differ at most in numbers and ids; findings for generated values
 * belong to the first variant if the requirement also fails without generated values.
 */
export interface Variant {
  /** The finding shown in full. */
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

export function clusterFindings(report: Report): Cluster[] {
  const groups = new Map<string, Omit<Cluster, 'variants'> & { found: FindingReport[] }>();
  const repeats = new Set<FindingReport>();
  for (const run of report.runs) {
    const rows = new Map(run.requirements.map(row => [row.id, row]));
    for (const finding of repeatsIn(run)) repeats.add(finding);
    for (const finding of judgedIn(run)) {
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

/**
 * The findings without the inconclusive ones about a requirement that fails in the same case: the case was run again, and the
 * first attempt was inconclusive.
 */
function judgedIn({ findings }: RunReport): FindingReport[] {
  const placeOf = (f: FindingReport) => `${f.requirement} ${f.case}`;
  const failed = new Set(findings.filter(f => f.grade === 'violation' || f.grade === 'warning').map(placeOf));
  return findings.filter(f => f.grade !== 'inconclusive' || !failed.has(placeOf(f)));
}

/** Failures for generated values that also occur without generated values: they repeat earlier findings. */
function repeatsIn({ findings }: RunReport): FindingReport[] {
  const plain = new Set(findings.flatMap(f => (f.counterexample ? [] : [`${f.grade} ${f.requirement}`])));
  return findings.filter(f => f.counterexample && plain.has(`${f.grade} ${f.requirement}`));
}

const isProbe = (finding: FindingReport): boolean => finding.case.endsWith('/probe');

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
  const all = [...variants.values()].map(variant => {
    // the probe cannot be selected: the command for another case is shorter and quicker
    const other = isProbe(variant.first) ? variant.others.find(f => !isProbe(f)) : undefined;
    if (!other) return variant;
    return { first: other, others: [variant.first, ...variant.others.filter(f => f !== other)] };
  });
  all[0]?.others.push(...repeated!);
  return all;
}

/** A text without its variable parts: ids, numbers, and text quoted from the subject. */
const shape = (text: string | null): string | null =>
  text
    ?.replace(/^(error -?\d+ |)".*"$/s, '$1')
    .replace(/[\w-]{16,}/g, word => (isRandom(word) ? '#' : word))
    .replace(/[0-9a-f]{8,}|\d+/gi, '#') ?? null;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Whether a long word is an id made at random, such as the id of a session: capital letters, small letters
 * and digits follow each other without order. The words of a name are longer.
 */
function isRandom(word: string): boolean {
  const kinds = [...word].map(c =>
    /[a-z]/.test(c) ? 'a' : /[A-Z]/.test(c) ? 'A' : /\d/.test(c) ? '0' : '-',
  );
  const changes = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length;
  return uuid.test(word) || changes >= word.length * 0.45;
}

/** Full names of the cases with one of these findings, without repetition. */
export const casesOf = (variants: readonly Variant[]): string[] => [
  ...new Set(variants.flatMap(({ first, others }) => [first, ...others].map(f => f.case))),
];

/** A group, with the groups that have no cause of their own: they are about the same events. */
interface ClusterLine {
  readonly group: Cluster;
  readonly also: readonly Cluster[];
}

/** Groups to report, each with the groups that it covers: a cause is told once, with all that it breaks. */
export function clusterLines(groups: readonly Cluster[]): ClusterLine[] {
  const said = new Map(groups.map(group => [group, statementsOf(group)]));
  const repeated = (group: Cluster) => {
    const own = said.get(group)!;
    return groups.find((other, at) => {
      if (other === group || other.grade !== group.grade) return false;
      const all = said.get(other)!;
      const first = at < groups.indexOf(group);
      return [...own].every(one => all.has(one)) && (first || own.size < all.size);
    });
  };
  const told = new Map(groups.map(group => [group, tellerOf(group, groups) ?? repeated(group)]));
  /** A group that is covered covers no other one. */
  const hostOf = (group: Cluster): Cluster | undefined => {
    const seen = new Set([group]);
    let host = told.get(group);
    for (let next = host && told.get(host); next && !seen.has(next); next = told.get(next)) {
      seen.add(host!);
      host = next;
    }
    return host;
  };
  const hosts = new Map(groups.map(group => [group, hostOf(group)]));
  return groups
    .filter(group => !hosts.get(group))
    .map(group => ({ group, also: groups.filter(other => hosts.get(other) === group) }));
}

/** The requirement whose findings tell the cause of all findings of a group, if it is one. */
export function causeOf(group: Cluster): RequirementId | undefined {
  const tellers = new Set(findingsIn(group).map(({ causedBy }) => causedBy?.requirement));
  const [teller] = tellers;
  return tellers.size === 1 && teller !== group.row.id ? teller : undefined;
}

/** The number of different things that the subject did wrong, as far as the events show it. */
export const causesOf = (groups: readonly Cluster[]): number => clusterLines(groups).length;

function tellerOf(group: Cluster, groups: readonly Cluster[]): Cluster | undefined {
  const teller = causeOf(group);
  return groups.find(other => other.row.id === teller && other.row.id !== group.row.id);
}

const findingsIn = ({ variants }: Cluster): FindingReport[] =>
  variants.flatMap(({ first, others }) => [first, ...others]);

/** The statements of a group and their events. A statement without events is not shared with other groups. */
const statementsOf = (group: Cluster): ReadonlySet<string> =>
  new Set(
    findingsIn(group).map(({ case: name, expected, actual, events }) =>
      JSON.stringify([name, expected, actual, events, events.length === 0 && group.row.id]),
    ),
  );
