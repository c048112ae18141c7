/**
 * `npm run new:case -- <row>`: prints the stubs of the parts that a row lacks, with the file of each; `--write` adds them to
 * the files. `--scenario` judges the row by a scenario instead of a rule; `--row` prints the stub of a new row.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { suggest } from '../../harness/report/pattern.js';
import type { Party } from '../../spec/json-rpc.js';
import { type Requirement, requirements } from '../../spec/requirement.js';
import { revisions } from '../../spec/revisions.js';
import { areas, judgedIn, rolesOf, rowFile, rowOf } from './case-files.js';
import {
  camelCase,
  exampleStub,
  faultStub,
  rowStub,
  ruleStub,
  type Stub,
  scenarioStub,
} from './case-stubs.js';
import { commandLine } from './command-line.js';
import { isFreedom, killedFor, whyNotFor } from './coverage.js';
import { faultPlaces } from './fault-places.js';
import { addEntry, addImport } from './insert.js';
import { namesIn, writeNames } from './lists.js';
import { areaOf, examplePlaces, rulePlaces } from './places.js';
import { root, textOf } from './source-files.js';

const lists = ['unproven.txt', 'unproven-client.txt', '../rules/without-examples.txt'] as const;

const usage =
  'usage: npm run new:case -- <row> [--scenario] [--write], or npm run new:case -- <new row> --row';

function leave(code: number, ...lines: readonly string[]): never {
  (code === 0 ? console.log : console.error)(lines.join('\n'));
  process.exit(code);
}

/** Ids with an edit distance that is small, or with the same words. */
function nearIds(id: string): string[] {
  const ids = [...requirements().keys()];
  const slug = id.slice(id.indexOf('.') + 1);
  const close = suggest(id, ids);
  const similar = ids.filter(other => other.slice(other.indexOf('.') + 1) === slug || other.includes(id));
  return [...new Set([...(close ? [close] : []), ...similar])].slice(0, 5);
}

function printRow(id: string): never {
  const area = areaOf(id);
  const file = rowFile(id) ?? `spec/requirements/${area}.yaml (a new file: there is no area "${area}")`;
  leave(
    0,
    `There is no row ${id}. Its place is ${file}, in the order of the page:`,
    '',
    rowStub(id),
    '',
    'Next: spec/README.md#requirements, npm run spec, then this command again.',
  );
}

function unknownRow(id: string, isNew: boolean): never {
  const hasForm = /^[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*$/.test(id);
  const near = nearIds(id);
  if (hasForm && (isNew || (near.length === 0 && areas.includes(areaOf(id))))) printRow(id);
  const guess = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
  leave(
    2,
    `No row has the id "${id}".${guess}`,
    ...(hasForm
      ? [`For the stub of a new row: npm run new:case -- ${id} --row`]
      : ['An id is <area>.<words-with-hyphens>.']),
    ...(near.length === 0 ? [`Areas: ${areas.join(', ')}`] : []),
  );
}

/** The roles for which a row is judged, or will be. */
const judgedRoles = (row: Requirement): Party[] => rolesOf(row).filter(role => !whyNotFor(row, role));

/** What a row has already. */
const existing = (row: Requirement): string[] => [
  ...judgedIn(row.id),
  ...examplePlaces.filter(place => place.row === row.id).map(({ file }) => `examples in ${file}`),
  ...faultPlaces
    .filter(({ breaks }) => breaks.includes(row.id))
    .map(({ id, file }) => `fault ${id} in ${file}`),
];

interface Missing {
  readonly rule: readonly Stub[];
  readonly scenarios: readonly Stub[];
  readonly others: readonly Stub[];
}

function missingParts(row: Requirement): Missing {
  const hasRule = rulePlaces.some(place => place.row === row.id);
  const isJudged = judgedIn(row.id).length > 0;
  const hasExample = examplePlaces.some(place => place.row === row.id);
  const roles = judgedRoles(row);
  return {
    rule: isJudged ? [] : [ruleStub(row), exampleStub(row)],
    scenarios: isJudged ? [] : roles.map(role => scenarioStub(row, role)),
    others: [
      ...(hasRule && !hasExample ? [exampleStub(row)] : []),
      ...roles.filter(role => !killedFor[role].has(row.id)).map(role => faultStub(row, role)),
    ],
  };
}

const describe = ({ part, file, list, text }: Stub): string =>
  `── ${part}: ${file}${existsSync(join(root, file)) ? `, at the end of \`${list}\`` : ' (a new file)'}\n${text}`;

const specifier = (from: string, to: string): string => {
  const path = posix.relative(posix.dirname(from), to).replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
};

/** Adds stubs to the texts of files, by path. */
function withStub(texts: Map<string, string>, stub: Stub, row: Requirement): void {
  const { file, list, text, imports, declaration, index } = stub;
  const read = (path: string): string => texts.get(path) ?? textOf(path);
  const isNew = !texts.has(file) && !existsSync(join(root, file));
  let source = isNew ? newFile(row, declaration) : read(file);
  for (const [module, names] of Object.entries(imports))
    source = addImport(source, specifier(file, module), names);
  texts.set(file, addEntry(source, list, text));
  if (!isNew) return;
  const page = camelCase(posix.basename(file).replace(/\.ts$/, ''));
  const side = camelCase(`-${posix.basename(posix.dirname(file))}`);
  const name = stub.part === 'fault' ? list : stub.part === 'scenario' ? page : `${page}${side}`;
  const imported = name === list ? list : `${list} as ${name}`;
  const before = stub.part === 'scenario' ? 'generated' : undefined;
  const all = addImport(read(index.file), specifier(index.file, file), [imported]);
  texts.set(index.file, addEntry(all, index.list, index.entry(name), before));
}

function newFile(row: Requirement, declaration: string): string {
  const page = Object.values(row.clauses).at(-1)?.place.split('#')[0] ?? areaOf(row.id);
  return `/** ${page}. */\n\n${declaration}\n`;
}

/** @returns the changed files */
function write(stubs: readonly Stub[], row: Requirement): string[] {
  const texts = new Map<string, string>();
  for (const stub of stubs) withStub(texts, stub, row);
  for (const [file, text] of texts) writeFileSync(join(root, file), text);
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  const { status, stderr } = spawnSync(process.execPath, [biome, 'check', '--write', ...texts.keys()], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) console.error(stderr);
  return [...texts.keys()];
}

const listsWith = (id: string) => lists.filter(list => namesIn(list).includes(id));
const pathOf = (list: string): string => posix.join('suites/selftest', list);

function todosIn(file: string): string[] {
  return textOf(file)
    .split('\n')
    .flatMap((line, at) => (line.includes('TODO') ? [`  ${file}:${at + 1}  ${line.trim()}`] : []));
}

const { positionals, values } = commandLine(import.meta.url, {
  allowPositionals: true,
  options: { write: { type: 'boolean' }, scenario: { type: 'boolean' }, row: { type: 'boolean' } },
});
const [id] = positionals;
if (id === undefined || positionals.length > 1) leave(2, usage);
const row = rowOf(id) ?? unknownRow(id, values.row === true);

const reason = typeof row.unjudged === 'string' ? row.unjudged : undefined;
if (reason !== undefined || rolesOf(row).length === 0)
  leave(
    1,
    `${id} is not judged: ${reason ?? `it binds a ${row.binds}`}`,
    `To judge it, replace \`unjudged\` in ${rowFile(id)} by \`judging\` and run npm run spec.`,
  );
if (judgedRoles(row).length === 0)
  leave(1, ...rolesOf(row).map(role => `${id} is not judged for a ${role}: ${whyNotFor(row, role)}`));
if (isFreedom(row)) leave(1, `${id} is a MAY in each revision: a freedom, and nothing to judge.`);

const { rule, scenarios, others } = missingParts(row);
const has = existing(row);
const about = [
  `${row.id}, ${row.binds}: ${row.says}`,
  ...(row.judging ? [`Judging: ${row.judging.trim()}`] : []),
  ...(row.contested ? [`Contested, so that a failure is a note: ${row.contested.trim()}`] : []),
  ...has.map(part => `Exists: ${part}`),
  ...(revisions.some(revision => row.clauses[revision.id])
    ? []
    : ['Caution: the row has a clause only in a revision that is not judged yet, so nothing runs its case.']),
];
const shrinking = listsWith(row.id);
if (rule.length + others.length === 0 && shrinking.length === 0)
  leave(0, ...about, '', `The row has all parts. npm run prove -- ${row.id} runs its faults.`);

if (!values.write) {
  const choice = scenarios.length > 0 && !values.scenario;
  leave(
    0,
    ...about,
    ...(rule.length > 0 && !values.scenario
      ? [
          '',
          'Judge it by a rule, if any recorded conversation can show the obligation:',
          ...rule.map(describe),
        ]
      : []),
    ...(scenarios.length > 0
      ? [
          '',
          `${choice ? 'Or judge' : 'Judge'} it by a scenario, if the behaviour has to be provoked:`,
          ...scenarios.map(describe),
        ]
      : []),
    ...(others.length > 0 ? ['', 'The proof, and what else is missing:', ...others.map(describe)] : []),
    ...(shrinking.length > 0
      ? ['', ...shrinking.map(list => `Remove the line ${row.id} from ${pathOf(list)}`)]
      : []),
    '',
    `npm run new:case -- ${row.id} --write adds the rule; with --scenario, the scenario.`,
  );
}

const changed = write([...(values.scenario ? scenarios : rule), ...others], row);
for (const list of shrinking)
  writeNames(
    list,
    namesIn(list).filter(name => name !== row.id),
  );
leave(
  0,
  ...about,
  '',
  ...changed.map(file => `changed ${file}`),
  ...shrinking.map(list => `changed ${pathOf(list)}`),
  '',
  'To do:',
  ...changed.flatMap(todosIn),
  '',
  `Next: npm run check, npm run prove -- ${row.id}, npm run coverage -- --write, npm run test:quick`,
);
