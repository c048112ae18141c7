/** The file that each part of a case belongs to: the one that holds most parts of the same section and area. */

import type { Party } from '../../spec/json-rpc.js';
import { type Requirement, type RequirementId, requirement, requirements } from '../../spec/requirement.js';
import { faultPlaces } from './fault-places.js';
import { areaOf, examplePlaces, type Place, rulePlaces, scenarioPlaces } from './places.js';
import { filesBelow, textOf } from './source-files.js';

/** The YAML file of each area, with the number of its rows. */
const pagesByArea = new Map<string, Map<string, number>>();
const rowFiles = [
  ...filesBelow('spec/requirements', /\.yaml$/),
  ...filesBelow('spec/extensions', /\/requirements\.yaml$/),
];
for (const file of rowFiles)
  for (const [, area = ''] of textOf(file).matchAll(/^- id: ([a-z0-9-]+)\./gm)) {
    const pages = pagesByArea.get(area) ?? new Map<string, number>();
    pagesByArea.set(area, pages.set(file, (pages.get(file) ?? 0) + 1));
  }

export const areas: readonly string[] = [...pagesByArea.keys()].sort();

/** The YAML file that a row belongs to; undefined for an unknown area. */
export function rowFile(id: string): string | undefined {
  const pages = [...(pagesByArea.get(areaOf(id)) ?? [])].sort((a, b) => b[1] - a[1]);
  return pages[0]?.[0];
}

/** Areas whose files have another name. */
const fileNames: Readonly<Record<string, string>> = { auth: 'authorization', jsonrpc: 'json-rpc' };

/** The name of a new file for a row: that of its area. */
const newName = (row: Requirement): string => fileNames[areaOf(row.id)] ?? areaOf(row.id);

const sectionsOf = (row: Requirement): Set<string> =>
  new Set(Object.values(row.clauses).map(clause => clause.place));

/** How much a row has in common with another one: the section of the specification, or the area. */
function nearness(row: Requirement): (other: RequirementId) => number {
  const sections = sectionsOf(row);
  const scores = new Map<RequirementId, number>();
  const score = (id: RequirementId): number => {
    const shared = [...sectionsOf(requirement(id))].some(section => sections.has(section));
    return shared && areaOf(id) === areaOf(row.id) ? 10 : areaOf(id) === areaOf(row.id) ? 1 : 0;
  };
  return id => {
    const known = scores.get(id) ?? score(id);
    scores.set(id, known);
    return known;
  };
}

/** @param otherwise the file when no place has anything in common with the row */
function nearest(row: Requirement, places: readonly Place[], otherwise: string): string {
  const near = nearness(row);
  const total = new Map<string, number>();
  for (const place of places) {
    const score = near(place.row);
    if (score > 0) total.set(place.file, (total.get(place.file) ?? 0) + score);
  }
  if (total.has(otherwise) && otherwise.endsWith(`/${areaOf(row.id)}.ts`)) return otherwise;
  return [...total].sort((a, b) => b[1] - a[1])[0]?.[0] ?? otherwise;
}

/** The tested roles that a row binds; none for a host or an intermediary. */
export const rolesOf = ({ binds }: Requirement): readonly Party[] =>
  binds === 'both' ? ['server', 'client'] : binds === 'host' || binds === 'intermediary' ? [] : [binds];

/** The file of the rule of a row. */
export function ruleFile(row: Requirement): string {
  const known = rulePlaces.find(place => place.row === row.id);
  if (known) return known.file;
  const folder = `suites/rules/${row.binds}/`;
  const here = rulePlaces.filter(({ file }) => file.startsWith(folder));
  return nearest(row, here, `${folder}${newName(row)}.ts`);
}

/** The file of the examples of a row: the one that has the examples of the rules in the same file. */
export function exampleFile(row: Requirement): string {
  const rules = ruleFile(row);
  const beside = new Set(rulePlaces.filter(({ file }) => file === rules).map(place => place.row));
  const here = examplePlaces.filter(place => beside.has(place.row));
  return nearest(row, here, rules.replace(/\.ts$/, '.examples.ts'));
}

/** The file of a scenario for a row. */
export function scenarioFile(row: Requirement, role: Party): string {
  const here = scenarioPlaces.filter(place => place.role === role && !place.file.includes('/generated/'));
  return nearest(row, here, `suites/${role}/${newName(row)}.ts`);
}

/** Files with faults that are not those of one page. */
const general = /\/(generated-only|across-sessions)\.ts$/;

/** The file of a fault that breaks a row. */
export function faultFile(row: Requirement, role: Party): string {
  const here = faultPlaces
    .filter(fault => fault.role === role && !general.test(fault.file))
    .flatMap(({ file, breaks }) => breaks.map(id => ({ row: id, file })));
  return nearest(row, here, `mocks/${role}/faults/${newName(row)}.ts`);
}

/** The files that judge a row, with the names of its scenarios. */
export const judgedIn = (id: string): string[] => [
  ...rulePlaces.filter(({ row }) => row === id).map(({ file }) => `rule in ${file}`),
  ...scenarioPlaces.filter(({ row }) => row === id).map(({ file, name }) => `scenario ${name} in ${file}`),
];

/** The row with an id; undefined for an unknown one. */
export const rowOf = (id: string): Requirement | undefined => requirements().get(id as RequirementId);
