/**
 * Extensions: a server that declares none is asked nothing about one; and one more extension costs a folder in `spec/`, a
 * page of rules, a page of faults, and their lines in the lists.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onWorld } from '../../mocks/fault.js';
import { appsExtension, withOpenApp } from '../../mocks/server/extensions/apps.js';
import { extensions, findExtension } from '../../spec/extensions/index.js';
import { without } from '../../spec/json-rpc.js';
import { definedRevisions } from '../../spec/revisions.js';
import type { Outcome } from './judge-newest.js';
import { tryMock } from './run-mock.js';

const newest = definedRevisions.at(-1)!;

test('a server without extensions is asked nothing about one', async () => {
  const plain = {
    id: 'without-extensions',
    role: 'server' as const,
    what: 'The server declares no extension.',
    breaks: [],
    middleware: [
      onWorld(world => {
        world.capabilities = without(world.capabilities, 'extensions');
      }),
    ],
  };
  const { report, wire } = await tryMock(newest, { quirks: [plain] });
  const sent = wire.flatMap(event => (event.kind === 'frame' && event.by === 'client' ? [event.text] : []));
  for (const { identifier } of extensions) expect(sent.filter(text => text.includes(identifier))).toEqual([]);
  expect(report.exitCode).toBe(0);
  const [run] = report.runs;
  expect(run!.requirements.filter(({ id }) => id.startsWith('ext-'))).toEqual([]);
  expect(run!.notApplicable.find(({ id }) => id === 'ext-tasks.get-returns-task')?.reason).toBe(
    'the server does not declare extensions/io.modelcontextprotocol/tasks',
  );
});

test.each(definedRevisions.filter(({ id }) => findExtension(appsExtension, id)))(
  'an app in the lists puts its requirements in force in $id',
  async revision => {
    const isApps = ({ id }: { id: string }) => id.startsWith('ext-apps.');
    const open = {
      id: 'open-app',
      role: 'server' as const,
      what: 'An app.',
      breaks: [],
      middleware: withOpenApp(),
    };
    const [shown] = (await tryMock(revision, { quirks: [open] })).report.runs;
    expect(shown!.requirements.filter(isApps)).toHaveLength(12);
    const [none] = (await tryMock(revision, {})).report.runs;
    expect(none!.requirements.filter(isApps)).toEqual([]);
    expect(none!.notApplicable.find(isApps)?.reason).toBe(
      'the lists of the server show nothing of extensions/io.modelcontextprotocol/ui',
    );
  },
);

const project = fileURLToPath(new URL('../../', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'mcp-conform-extension-'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const edit = (path: string, from: string, to: string): void => {
  const file = join(copy, path);
  const before = readFileSync(file, 'utf8');
  expect(before, path).toContain(from);
  writeFileSync(file, before.replace(from, to));
};

const identifier = 'com.example/dummy';

const files: Readonly<Record<string, string>> = {
  'spec/extensions/dummy/1/extension.ts': `
    import type { Extension } from '../../extension.js';
    export const extension: Extension = {
      id: 'dummy/1', identifier: '${identifier}', status: 'official', revisions: ['${newest.id}'],
      repository: 'example/dummy', commit: '0000000', pages: { dummy: 'dummy.md' }, hasSchema: false,
    };`,
  'spec/extensions/dummy/1/requirements.yaml': `
- id: dummy.hello
  binds: server
  needs: extensions/${identifier}
  says: A server greets in its settings.
  clauses:
    ${newest.id}: MUST dummy#hello L1
  judging: A server/discover result without a greeting is a violation.
`,
  'suites/rules/server/dummy.ts': `
    import { fail, pass } from '../../../harness/judge/finding.js';
    import { rule } from '../../../harness/judge/rule.js';
    export const rules = [
      rule('dummy.hello', function* (conversation) {
        const { extensions } = (conversation.capabilities('server') ?? {}) as { extensions?: any };
        const reply = conversation.opening?.reply;
        const settings = extensions?.['${identifier}'];
        if (reply && settings) yield settings.hello ? pass([reply]) : fail('a greeting', [reply]);
      }),
    ];`,
  'mocks/server/faults/dummy.ts': `
    import { fault, onWorld } from '../../fault.js';
    const declares = (settings: {}) =>
      onWorld(world => { world.capabilities = { ...world.capabilities, extensions: { '${identifier}': settings } }; });
    export const dummyFaults = [
      fault('dummy-silent', { what: 'No greeting.', breaks: ['dummy.hello'] }, declares({})),
      fault('dummy-sound', { what: 'A greeting.', breaks: ['dummy.hello'] }, declares({ hello: 'world' })),
    ];`,
};

beforeAll(() => {
  const parts = ['harness', 'mocks', 'suites', 'spec', 'reports', 'package.json', 'tsconfig.json'];
  for (const part of parts) cpSync(join(project, part), join(copy, part), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(join(copy, 'spec/extensions/dummy/1'), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(copy, path), text);
  edit('spec/extensions/index.ts', 'Extension[] = [', 'Extension[] = [dummy, ');
  edit(
    'spec/extensions/index.ts',
    '\n\n',
    "\n\nimport { extension as dummy } from './dummy/1/extension.js';\n",
  );
  edit('suites/rules/index.ts', 'RunRule)[] = [', 'RunRule)[] = [...dummy, ');
  edit('suites/rules/index.ts', '\n\n', "\n\nimport { rules as dummy } from './server/dummy.js';\n");
  edit('mocks/server/faults/index.ts', 'Fault[] = [', 'Fault[] = [...dummyFaults, ');
  edit('mocks/server/faults/index.ts', '\n\n', "\n\nimport { dummyFaults } from './dummy.js';\n");
  run('spec/generate.ts');
});

/** Runs a program of the copy. @returns its output */
const run = (program: string, ...args: string[]): string =>
  execFileSync(process.execPath, ['--import', 'tsx', program, ...args], {
    cwd: copy,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

test('a dummy extension is judged where a server declares it', () => {
  const faults = ['dummy-silent', 'dummy-sound'];
  const outcomes = JSON.parse(run('suites/selftest/judge-newest.ts', ...faults)) as Record<string, Outcome>;
  expect(outcomes.none!.failures).toEqual([]);
  expect(outcomes['dummy-silent']!.failures).toEqual(['violation dummy.hello']);
  expect(outcomes['dummy-sound']!.failures).toEqual([]);
});
