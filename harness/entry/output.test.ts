/** Reports in unusual places, and runs that end early. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, describe, expect, test } from 'vitest';
import { programFile } from '../../suites/selftest/program.test.util.js';
import type { RunEvent } from '../report/run-event.js';
import { Output } from './output.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tiny = join(root, 'suites/selftest/hostile/tiny-server.mjs');
const hangs = join(root, 'suites/selftest/hostile/hangs-after-initialize.mjs');
const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-output-'));
afterAll(() => rmSync(folder, { recursive: true }));

const start = (args: readonly string[], env: Record<string, string> = {}) =>
  execa(process.execPath, [programFile, ...args], {
    reject: false,
    cwd: root,
    env: { NO_COLOR: '1', NODE_NO_WARNINGS: '1', ...env },
  });

const ping = ['server', '--run', 'server/ping/*'];

describe.skipIf(!existsSync('/dev/full'))('a report that cannot be written', () => {
  test.concurrent.each(['json', 'jsonl', 'junit', 'html', 'markdown', 'sarif', 'github', 'console'])(
    '%s on a full disk: exit 2 with one line, and the other report is complete',
    async name => {
      const other = join(folder, `beside-${name}.json`);
      const reporters = ['--reporter', `${name}=/dev/full`, '--reporter', `json=${other}`];
      const { exitCode, stderr } = await start([...ping, ...reporters, '--', process.execPath, tiny]);
      expect(stderr).toMatch(/^mcp-conform: the report "\/dev\/full" could not be written: ENOSPC.*$/m);
      expect(stderr).not.toMatch(/^ +at /m);
      expect(exitCode).toBe(2);
      expect(JSON.parse(readFileSync(other, 'utf8')).exitCode).toBe(0);
    },
  );

  test('the summary of a GitHub step: exit 2 with one line', async () => {
    const { exitCode, stderr } = await start(
      [...ping, '--reporter', 'github', '--', process.execPath, tiny],
      { GITHUB_STEP_SUMMARY: join(folder, 'no such folder', 'file') },
    );
    expect(stderr).toMatch(/GITHUB_STEP_SUMMARY.*could not be written: ENOENT/);
    expect(exitCode).toBe(2);
  });
});

describe('a signal', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ] as const)('%s: the reports have the findings so far', async (signal, code) => {
    const report = join(folder, `${signal}.json`);
    writeFileSync(report, 'the former report');
    const record = join(folder, `${signal}.jsonl`);
    const args = ['--reporter', `json=${report}`, '--reporter', `jsonl=${record}`];
    const run = start(['server', ...args, '--', process.execPath, hangs]);
    // the temporary file shows that the run has begun
    const begun = () =>
      readdirSync(folder).some(
        name =>
          name.startsWith(`${signal}.jsonl.`) &&
          readFileSync(join(folder, name), 'utf8').includes('case-start'),
      );
    await expect.poll(begun, { timeout: 20_000 }).toBe(true);
    expect(readFileSync(report, 'utf8')).toBe('the former report');
    run.kill(signal);
    const { exitCode } = await run;
    expect(exitCode).toBe(code);
    const { stopped, unjudged } = JSON.parse(readFileSync(report, 'utf8'));
    // on a busy machine the conversations do not end in time
    expect(stopped ?? unjudged.reason).toMatch(
      new RegExp(`^the run was interrupted by ${signal} after \\d+ of \\d+ cases\\.?$`, 'i'),
    );
    expect((await start(['report', record, '--quiet'])).stdout).toContain('interrupted');
    expect(readdirSync(folder).filter(name => name.endsWith('.tmp'))).toEqual([]);
  });
});

test('an exception of the harness: exit 4, and the report has the findings so far', async () => {
  const file = join(folder, 'defect.mjs');
  writeFileSync(
    file,
    `import { Output } from '${join(root, 'harness/entry/output.ts')}';
    const start = ${JSON.stringify({ kind: 'run-start', tool: { name: 'mcp-conform', version: '0' }, role: 'server', subject: { command: ['x'], url: null }, startedAt: '2026-01-01T00:00:00.000Z', seed: 0, strict: false, fixtures: false, options: [] } satisfies RunEvent)};
    const output = new Output({ reporter: ['json=${join(folder, 'defect.json')}'], color: false });
    process.exitCode = await output.consume((async function* () {
      yield start;
      setImmediate(() => { throw new TypeError('not expected'); });
      await new Promise(resolve => setTimeout(resolve, 60_000));
    })());`,
  );
  const { exitCode, stderr } = await execa(process.execPath, ['--import', 'tsx', file], {
    reject: false,
    cwd: root,
  });
  expect(stderr).toContain('mcp-conform has a defect: TypeError: not expected');
  expect(exitCode).toBe(4);
  expect(JSON.parse(readFileSync(join(folder, 'defect.json'), 'utf8')).unjudged.reason).toContain('defect');
  expect(Output).toBeDefined();
});
