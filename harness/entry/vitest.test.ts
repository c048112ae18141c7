import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';
import { mockServer } from '../../mocks/server/server.js';
import { inProcess } from '../subject/subject.js';
import { conformance } from './vitest.js';

// The example of the documentation: an in-process server, tested among its own tests.
await conformance({
  subject: inProcess(streams => mockServer().serve(streams)),
  revisions: ['latest'],
  run: ['server/tools/**', 'server/ping/**'],
  skip: ['server/tools/call-slow*'],
});

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-vitest-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Assertion {
  title: string;
  status: 'passed' | 'failed' | 'pending' | 'skipped';
  failureMessages: string[];
}

/** Runs one of the examples in a separate vitest process. */
async function vitest(example: string, known?: string) {
  const file = join(folder, `${Math.random()}.json`);
  const knownFailing = join(folder, 'known.txt');
  if (known) writeFileSync(knownFailing, known);
  const flags = [
    '--reporter=json',
    `--outputFile=${file}`,
    '--config',
    'harness/entry/vitest-examples/config.ts',
  ];
  await execa('node', ['node_modules/vitest/vitest.mjs', 'run', ...flags, `${example}.ts`], {
    cwd: root,
    reject: false,
    env: known ? { KNOWN_FAILING: knownFailing } : {},
  });
  const { testResults, success } = JSON.parse(readFileSync(file, 'utf8')) as {
    success: boolean;
    testResults: { message: string; assertionResults: Assertion[] }[];
  };
  const tests = testResults.flatMap(result => result.assertionResults);
  return {
    success,
    message: testResults[0]!.message,
    tests,
    failed: tests.filter(t => t.status === 'failed'),
  };
}

describe('conformance() in a separate vitest process', () => {
  it('fails the test of the case, with the complete finding', async () => {
    const { success, tests, failed } = await vitest('faulty');
    expect(success).toBe(false);
    expect(tests.length).toBeGreaterThan(failed.length);
    expect(failed.map(t => t.title)).toEqual([expect.stringMatching(/server\/base\/[\w-]+$/)]);
    const [message = ''] = failed[0]!.failureMessages;
    expect(message).toMatch(/^ConformanceError: ✗ violation {3}jsonrpc\.notification-not-answered/);
    expect(message).toContain('"method":"notifications/');
    expect(message).not.toContain('vitest.ts:');
  });

  it('accepts known failures, and reports known failures that pass', async () => {
    const known = await vitest('faulty', '**#jsonrpc.notification-not-answered see #12\n');
    expect(known.failed.map(t => t.failureMessages)).toEqual([]);
    const stale = await vitest(
      'faulty',
      '**#jsonrpc.notification-not-answered see #12\nserver/base/**#jsonrpc.response-id-matches no longer true\n',
    );
    expect(stale.failed.map(t => t.title)).toEqual([expect.stringMatching(/known\.txt is up to date$/)]);
    expect(stale.failed[0]!.failureMessages[0]).toContain('delete it');
  });

  it('reports the reason for a server that was not judged', async () => {
    const { success, message } = await vitest('silent');
    expect(success).toBe(false);
    expect(message).toContain('The server could not be judged.');
    expect(message).toContain('MODULE_NOT_FOUND');
  });
});
