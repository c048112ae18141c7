/** A command that serves a URL: start, wait, monitoring and termination. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Summary } from '../../report/summary.js';
import type { Suite } from '../../run/plan.js';
import { run } from '../../run/server/run.js';
import { scenario } from '../../scenario/scenario.js';
import { alive } from '../../subject/alive.test.util.js';
import { spawn, url } from '../../subject/subject.js';
import type { Timing } from '../../time/timing.js';
import { rawServer } from './links.test.util.js';

const timing: Timing = { answer: 2_000, exit: 400, quiet: 20 };
const fixture = fileURLToPath(new URL('./fixtures/server.mjs', import.meta.url));

/** A port that was free a moment before. */
const freePort = (): Promise<number> =>
  new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const pinging = (isolation: 'shared' | 'fresh' | 'uninitialized' = 'shared'): Suite => ({
  rules: [],
  scenarios: [
    scenario('server/ping/twice', {
      title: 'the server responds to pings',
      verifies: ['ping.answered-empty'],
      isolation,
      async run({ peer, expect, newConversation }) {
        if (isolation === 'uninitialized') await peer.open();
        const other = await newConversation();
        await other.open();
        expect('ping.answered-empty', await peer.request('ping')).result();
        expect('ping.answered-empty', await other.request('ping')).result();
      },
    }),
  ],
});

async function runWith(mode: string, suite: Suite = pinging()) {
  const port = await freePort();
  const process_ = spawn(process.execPath, [fixture, String(port), mode]);
  const subject = url(`http://127.0.0.1:${port}/mcp`, { process: process_ });
  const summary = new Summary();
  const pids: number[] = [];
  const kinds = new Set<string>();
  for await (const event of run({ subject, suite, timing })) {
    summary.add(event);
    if (event.kind !== 'wire') continue;
    kinds.add(event.event.kind);
    if (event.event.kind === 'open' && event.event.pid) pids.push(event.event.pid);
  }
  return { report: summary.report(), pids, kinds };
}

test.each(['shared', 'fresh', 'uninitialized'] as const)(
  '%s conversations use one process',
  async isolation => {
    const { report, pids } = await runWith('late', pinging(isolation));
    expect(report.exitCode).toBe(0);
    expect(report.summary).toMatchObject({ pass: 1, processesStarted: 1 });
    expect(report.subject).toMatchObject({
      url: expect.stringContaining('/mcp'),
      command: [process.execPath, fixture, expect.any(String), 'late'],
    });
    expect(pids).toHaveLength(1);
    expect(pids.filter(alive)).toEqual([]);
  },
);

test('a command that exits immediately is reported with its last output', async () => {
  const { report } = await runWith('exits');
  expect(report.exitCode).toBe(3);
  expect(report.unjudged?.reason).toMatch(/exited with code 3 before it accepted connections/);
  expect(report.unjudged?.details.join()).toContain('TOKEN is not set');
});

test('a command that does not start is reported', async () => {
  const subject = url('http://127.0.0.1:9/mcp', { process: spawn('mcp-conform-no-such-program') });
  const summary = new Summary();
  for await (const event of run({ subject, suite: pinging(), timing })) summary.add(event);
  expect(summary.report().unjudged).toMatchObject({
    reason:
      'The command could not be started: "mcp-conform-no-such-program" is not in PATH, or the working directory does not exist.',
    details: [],
  });
});

test('an exit during the run is recorded, and the command is restarted', async () => {
  const { report, kinds, pids } = await runWith('dies');
  expect(kinds).toContain('exit');
  expect(pids.length).toBeGreaterThan(1);
  expect(report.summary.processesStarted).toBe(pids.length);
  expect(report.summary.inconclusive).toBe(1);
  expect(pids.filter(alive)).toEqual([]);
});

test('a command that ignores SIGTERM is killed', async () => {
  const { report, pids } = await runWith('stubborn');
  expect(report.summary.pass).toBe(1);
  expect(pids.filter(alive)).toEqual([]);
});

test('a server that already uses the URL is not taken for the command', async () => {
  const other = await rawServer(() => {});
  const subject = url(other.address, { process: spawn(process.execPath, [fixture, '0', 'late']) });
  const summary = new Summary();
  for await (const event of run({ subject, suite: pinging(), timing })) summary.add(event);
  expect(summary.report().unjudged?.reason).toMatch(/another server is running there/);
  expect(summary.report().summary.processesStarted).toBe(0);
  await other.close();
});
