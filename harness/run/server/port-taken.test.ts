/** A server with a port of its own, of which only one process can run at a time. */

import { expect, test } from 'vitest';
import { mockServer } from '../../../mocks/server/server.js';
import { suite } from '../../../suites/index.js';
import { runsOnlyOnce } from '../../record/port-taken.js';
import { inProcess, type ProcessSubject } from '../../subject/subject.js';
import { defaultTiming } from '../../time/timing.js';
import { run } from './run.js';

/**
 * Each process beside another one writes this text to stderr and exits.
 * @param unaffected number of processes that run all the same
 * @param served number of processes after which another program has the port
 */
function withPort(text: string, { unaffected = 0, served = Number.POSITIVE_INFINITY }): ProcessSubject {
  let isTaken = false;
  let [excepted, running] = [0, 0];
  const serve = mockServer({ revisions: ['2025-11-25'] });
  const subject = inProcess(async streams => {
    if ((isTaken && ++excepted > unaffected) || running >= served) {
      streams.stderr.write(`Error: ${text}\n    at main\n`);
      return 1;
    }
    isTaken = true;
    running++;
    try {
      return await serve.serve(streams);
    } finally {
      isTaken = false;
    }
  });
  return { ...subject, command: ['server'] };
}

/** Cases with a process of their own, and one that opens two conversations. */
const chosen =
  /server\/lifecycle\/(counter-offer|incomplete-initialize|minimal-client)|server\/(ping|stdio)\//;

async function findingsOf(text: string, when: Parameters<typeof withPort>[1] = {}) {
  const timing = { ...defaultTiming, answer: 1_000, exit: 200, quiet: 20 };
  const options = { suite, runs: 0, seed: 1, timing, selected: (name: string) => chosen.test(name) };
  const findings = [];
  const ended: number[] = [];
  for await (const event of run({ subject: withPort(text, when), ...options })) {
    if (event.kind === 'finding') findings.push(event.finding);
    if (event.kind === 'case-end') ended.push(event.case);
  }
  return { findings, ended };
}

test.each([
  'listen EADDRINUSE: address already in use 127.0.0.1:3333',
  'Port 3333 is already in use. Please stop the process using this port.',
  'listen tcp 127.0.0.1:3333: bind: Only one usage of each socket address is permitted.',
])('the cases run one after the other, and the end of a second process is no violation: %s', async text => {
  const { findings, ended } = await findingsOf(text);
  expect(findings.filter(f => f.verdict === 'fail' || f.verdict === 'inconclusive')).toEqual([]);
  expect(new Set(ended).size).toBe(ended.length);
  const passed = new Set(findings.filter(f => f.verdict === 'pass').map(f => f.case));
  expect(passed.size).toBeGreaterThan(4);
  expect(findings.filter(f => f.message === runsOnlyOnce).map(f => f.requirement)).toContain(
    'lifecycle.version-counter-offer',
  );
});

test('the end of a process for another reason is judged', async () => {
  const { findings } = await findingsOf('out of memory', { unaffected: 1 });
  expect(findings.filter(f => f.verdict === 'fail').map(f => f.requirement)).toContain(
    'jsonrpc.request-answered-once',
  );
});

test('a port that another program takes during the run ends the run with a reason', async () => {
  const { findings } = await findingsOf('bind: address already in use', { served: 2 });
  const verdicts = new Set(findings.map(f => f.verdict));
  expect(verdicts.has('fail')).toBe(false);
  expect(findings.filter(f => f.verdict === 'inconclusive').length).toBeGreaterThan(0);
});
