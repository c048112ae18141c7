/** `mcp-conform network` as a command: its report, its progress, and its record judged again. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, expect, test } from 'vitest';
import type { Report } from '../report/summary.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = ['--import', 'tsx', join(root, 'harness/entry/bin.ts')];
const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-network-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function cli(...args: string[]) {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [...program, ...args], {
    reject: false,
    cwd: root,
    env: { NO_COLOR: '1', NODE_NO_WARNINGS: '1' },
  });
  return { exitCode, stdout, stderr };
}

const failures = (file: string): string[] =>
  (JSON.parse(readFileSync(file, 'utf8')) as Report).runs.flatMap(({ side, findings }) =>
    findings.filter(f => f.grade === 'violation').map(f => `${side} ${f.requirement}`),
  );

test('a server that loses something where the network fails: exit code 1, the fault, and the same from the record', async () => {
  const [record, first, again] = ['run.jsonl', 'first.json', 'again.json'].map(name => join(folder, name));
  const mock = [process.execPath, ...program, 'mock', 'server', '--port', '{port}'];
  const { exitCode, stdout } = await cli(
    ...['network', '--url', 'http://127.0.0.1:{port}/mcp', '--at', 'cut:tools/list.2:900'],
    ...['--reporter', `jsonl=${record}`, '--reporter', `json=${first}`],
    ...['--', ...mock, '--fault', 'nw-executes-again'],
  );
  expect(failures(first!), stdout).toEqual(['server jsonrpc.request-answered-once']);
  expect(stdout).toMatch(/Reproduce {2}.* network .*--at cut:tools\/list\.\d:\d+/s);
  expect(exitCode).toBe(1);
  const judged = await cli('judge', record!, '--reporter', `json=${again}`);
  expect(failures(again!)).toEqual(['server jsonrpc.request-answered-once']);
  expect(judged.exitCode).toBe(1);
});

test('a server that responds to nothing cannot be judged: exit code 3, and the reason', async () => {
  const silent = [process.execPath, '-e', 'setInterval(() => {}, 1e6)'];
  const { exitCode, stdout } = await cli('network', '--timeout', '1', '--trials', '1', '--', ...silent);
  expect(stdout.replace(/\s+/g, ' ')).toContain('the server did not respond to one');
  expect(exitCode).toBe(3);
});
