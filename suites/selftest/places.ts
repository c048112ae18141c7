/** The files that hold the rules, the scenarios and the examples of each row. */

import { pathToFileURL } from 'node:url';
import type { Rule, RunRule } from '../../harness/judge/rule.js';
import type { Party } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import { suite } from '../index.js';
import { filesBelow, root } from './source-files.js';

export interface Place {
  readonly row: RequirementId;
  readonly file: string;
}

const load = (file: string): Promise<Record<string, unknown>> => import(pathToFileURL(`${root}${file}`).href);

/** Entries of each file below a folder, as a function reads them from its exports. */
export async function placesIn<P>(
  folder: string,
  isOne: (file: string) => boolean,
  read: (exported: unknown, name: string, file: string) => readonly P[],
): Promise<P[]> {
  const files = filesBelow(folder, /\.ts$/).filter(isOne);
  const loaded = await Promise.all(files.map(async file => ({ file, module: await load(file) })));
  return loaded.flatMap(({ file, module }) =>
    Object.entries(module).flatMap(([name, exported]) => read(exported, name, file)),
  );
}

const isRuleFile = (file: string): boolean =>
  /^suites\/rules\/[^/]+\/[^/]+\.ts$/.test(file) && !/\.(test|examples|test\.util)\.ts$/.test(file);

/** The file of each rule. */
export const rulePlaces: readonly Place[] = await placesIn(
  'suites/rules',
  isRuleFile,
  (exported, name, file) =>
    name === 'rules'
      ? (exported as readonly (Rule | RunRule)[]).map(r => ({ row: r.requirement, file }))
      : [],
);

/** The file of each row that a scenario verifies; the name of a scenario begins with the path of its file. */
export const scenarioPlaces: readonly (Place & { readonly name: string; readonly role: Party })[] =
  suite.scenarios.flatMap(({ name, role, verifies }) =>
    verifies.map(row => ({ row, name, role, file: `suites/${name.slice(0, name.lastIndexOf('/'))}.ts` })),
  );

/** The file of the examples of each row. */
export const examplePlaces: readonly Place[] = await placesIn(
  'suites/rules',
  file => file.endsWith('.examples.ts'),
  (exported, name, file) =>
    /examples$/i.test(name)
      ? Object.keys(exported as object).map(row => ({ row: row as RequirementId, file }))
      : [],
);

/** The area of a row: the part of its id before the point. */
export const areaOf = (row: string): string => row.split('.')[0]!;
