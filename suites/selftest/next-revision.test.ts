/**
 * One more revision costs a folder and clauses: a copy of the newest one, with three clauses changed, is judged without
 * an edit outside of `spec/`.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { definedRevisions } from '../../spec/revisions.js';
import { everywhere } from './fault-matrix.js';
import type { Outcome } from './judge-newest.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const newest = definedRevisions.at(-1)!.id;
const next = `${Number(newest.slice(0, 4)) + 1}${newest.slice(4)}`;

/** The rows whose clause in the next revision differs: another level, or none. */
const changed: Readonly<Record<string, string | undefined>> = {
  'caching.ttl-not-negative': 'SHOULD',
  'tools.list-deterministic-order': 'MUST',
  'caching.same-scope-on-all-pages': undefined,
};

const copy = mkdtempSync(join(tmpdir(), 'mcp-conform-next-'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const edit = (path: string, change: (text: string) => string): void => {
  const file = join(copy, path);
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  expect(after, `${path} has a place for one more revision`).not.toBe(before);
  writeFileSync(file, after);
};

/** Adds a clause for the next revision to each row that has one for the newest. */
function withNextClauses(yaml: string): string {
  let row = '';
  return yaml
    .split('\n')
    .flatMap(line => {
      row = /^- id: (\S+)/.exec(line)?.[1] ?? row;
      if (!line.startsWith(`    ${newest}: `)) return [line];
      const added = line.replace(newest, next);
      if (!(row in changed)) return [line, added];
      const level = changed[row];
      return level === undefined ? [line] : [line, added.replace(/: (MUST NOT|MUST|SHOULD)/, `: ${level}`)];
    })
    .join('\n');
}

beforeAll(() => {
  const parts = ['harness', 'mocks', 'suites', 'spec', 'reports', 'package.json', 'tsconfig.json'];
  for (const part of parts) cpSync(join(project, part), join(copy, part), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));

  const name = `r${newest.replaceAll('-', '')}`;
  cpSync(join(copy, 'spec', newest), join(copy, 'spec', next), { recursive: true });
  edit(`spec/${next}/revision.ts`, text => text.replace(newest, next));
  edit('spec/revision.ts', text => text.replace(`| '${newest}'`, `| '${newest}' | '${next}'`));
  edit('spec/revisions.ts', text =>
    text
      .replace(/^import type/m, `import { revision as newer } from './${next}/revision.js';\nimport type`)
      .replace(`...revisions, ${name}]`, `...revisions, ${name}, newer]`)
      .replace(`  '${newest}',\n`, `  '${newest}',\n  '${next}',\n`),
  );
  edit('spec/overlay.ts', text => text.replace(`= ['${newest}']`, `= ['${newest}', '${next}']`));
  for (const file of readdirSync(join(copy, 'spec/requirements')))
    if (readFileSync(join(copy, 'spec/requirements', file), 'utf8').includes(`    ${newest}: `))
      edit(`spec/requirements/${file}`, withNextClauses);
  run('spec/generate.ts');
});

/** Runs a program of the copy. @returns its output */
const run = (program: string, ...args: string[]): string =>
  execFileSync(process.execPath, ['--import', 'tsx', program, ...args], {
    cwd: copy,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

test('a server is judged by the clauses of the next revision', () => {
  const faults = ['cache-ttl-negative', 'tools-rotate', 'cache-scope-changes'];
  const outcomes = JSON.parse(run('suites/selftest/judge-newest.ts', ...faults)) as Record<string, Outcome>;
  expect(outcomes.none).toMatchObject({ revision: next, failures: [] });
  expect(outcomes.none!.requirementsJudged).toBeGreaterThan(200);
  expect(faults.map(id => outcomes[id]!.failures)).toEqual([
    ['warning caching.ttl-not-negative'],
    ['violation tools.list-deterministic-order'],
    [],
  ]);
});

// takes half a minute: with all revisions only
test.runIf(everywhere)(
  'no type outside of spec/ depends on the list of revisions',
  () => {
    const tsc = join(copy, 'node_modules/typescript/bin/tsc');
    const checked = () =>
      execFileSync(process.execPath, [tsc, '--noEmit', '-p', 'tsconfig.json'], {
        cwd: copy,
        encoding: 'utf8',
        stdio: 'pipe',
      });
    expect(checked).not.toThrow();
  },
  240_000,
);
