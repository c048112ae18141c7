/** Subjects that misbehave: each run ends, reports the violations, and leaves no process. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Event } from '../../harness/record/event.js';
import type { RunEvent } from '../../harness/report/run-event.js';
import { type Report, Summary } from '../../harness/report/summary.js';
import type { RunOptions } from '../../harness/run/server/options.js';
import { run } from '../../harness/run/server/run.js';
import { alive } from '../../harness/subject/alive.test.util.js';
import { spawn } from '../../harness/subject/subject.js';
import { defaultTiming } from '../../harness/time/timing.js';
import { latestStateless } from '../../spec/revisions.js';
import { suite } from '../index.js';

interface Outcome {
  readonly report: Report;
  readonly pids: readonly number[];
  readonly wire: ReadonlyMap<number, Event>;
}

async function runAgainst(
  file: string,
  args: string[] = [],
  more: Partial<RunOptions> = {},
): Promise<Outcome> {
  const path = fileURLToPath(new URL(`./hostile/${file}`, import.meta.url));
  return collect(spawn(process.execPath, [path, ...args]), more);
}

async function collect(subject: ReturnType<typeof spawn>, more: Partial<RunOptions> = {}): Promise<Outcome> {
  const summary = new Summary();
  const pids: number[] = [];
  const wire = new Map<number, Event>();
  const note = (event: RunEvent) => {
    summary.add(event);
    if (event.kind !== 'wire') return;
    wire.set(event.event.seq, event.event);
    if (event.event.kind === 'open' && event.event.pid) pids.push(event.event.pid);
    if (event.event.kind === 'left-behind') pids.push(...event.event.pids);
  };
  // a real process needs longer to start than the in-process mock; only the quiet windows are short
  const timing = { ...defaultTiming, answer: 1_500, exit: 400 };
  for await (const event of run({ subject, suite, timing, runs: 5, ...more })) note(event);
  return { report: summary.report(), pids, wire };
}

const failing = (report: Report) => [
  ...new Set(
    report.runs.flatMap(r => r.findings.filter(f => f.grade === 'violation').map(f => f.requirement)),
  ),
];
const noted = (report: Report) =>
  report.runs.flatMap(r => r.findings.filter(f => f.grade === 'note').map(f => f.requirement));

/** Processes of the fixture that have no environment. */
const daemonsOf = (words: string): string[] =>
  readdirSync('/proc').filter(name => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return command.includes(words) && readFileSync(`/proc/${name}/environ`, 'utf8') === '';
    } catch {
      return false;
    }
  });

describe('a subject that misbehaves', () => {
  test('a conformant subject has no violation, so that the others fail because of their misbehaviour', async () => {
    const { report, pids } = await runAgainst('tiny-server.mjs');
    expect(failing(report)).toEqual([]);
    expect(report.exitCode).toBe(0);
    expect(pids.filter(alive)).toEqual([]);
  });

  test.each([
    ['hangs.mjs', /did not answer initialize within/],
    ['exits-at-once.mjs', /exited with code 3 before it answered initialize/],
    ['prints-garbage.mjs', /did not answer initialize.*The server wrote 2 lines to stdout instead/],
    ['floods.mjs', /wrote too much .*: more than 2000 lines/],
    ['endless-line.mjs', /wrote too much .*: a message of more than 8388608 bytes.*--max-message/],
  ])('%s: is not judged, and the reason is reported', async (file, reason) => {
    const { report, pids } = await runAgainst(file);
    expect(report.unjudged?.reason).toMatch(reason);
    expect(report.exitCode).toBe(3);
    expect(pids.length).toBeGreaterThan(0);
    expect(pids.filter(alive)).toEqual([]);
  });

  test.each(['prints-garbage.mjs', 'floods.mjs', 'endless-line.mjs'])(
    '%s: the observed violation is a finding too',
    async file => {
      const { report } = await runAgainst(file);
      expect(failing(report)).toEqual(['stdio.server-stdout-pure']);
    },
  );

  test('exits-at-once.mjs: the end of stderr is in the report', async () => {
    const { report } = await runAgainst('exits-at-once.mjs');
    expect(report.unjudged?.details.join('\n')).toContain('the environment variable TOKEN is not set');
  });

  test('a command that does not exist', async () => {
    const { report } = await collect(spawn('mcp-conform-no-such-program'));
    expect(report.exitCode).toBe(3);
    expect(report.unjudged?.reason).toMatch(/could not be started.*mcp-conform-no-such-program/);
  });

  test('hangs-after-initialize.mjs: silence is a single finding', async () => {
    const { report, pids } = await runAgainst('hangs-after-initialize.mjs');
    expect(failing(report)).toEqual(['jsonrpc.request-answered-once']);
    expect(report.exitCode).toBe(1);
    expect(pids.filter(alive)).toEqual([]);
  });

  test('a run that reaches its time limit reports the limit, and is not a pass', async () => {
    const { report, pids } = await runAgainst('hangs-after-initialize.mjs', [], { maxMs: 400 });
    const reasons = report.runs.flatMap(r => r.findings.map(f => f.message));
    expect([report.unjudged?.reason, ...reasons].join()).toContain('time limit of 0.4 s (--max-time)');
    expect(failing(report)).toEqual([]);
    expect(report.exitCode).toBe(3);
    expect(pids.filter(alive)).toEqual([]);
  });

  test('hangs-on-strangers.mjs: each kind of unusual value causes one timeout, and few processes are started', async () => {
    const { report, pids } = await runAgainst('hangs-on-strangers.mjs', [], {
      selected: name => name.includes('/generated/'),
    });
    expect(failing(report)).toEqual(['jsonrpc.request-answered-once']);
    expect(pids.length).toBeLessThanOrEqual(16);
    expect(pids.filter(alive)).toEqual([]);
  });

  test('floods-when-called.mjs: the flood is reported, and the run continues', async () => {
    const { report, pids } = await runAgainst('floods-when-called.mjs');
    expect(failing(report)).toContain('stdio.server-stdout-pure');
    expect(pids.filter(alive)).toEqual([]);
  });

  test('dies-on-unknown-method.mjs: a rerun of the request alone terminates the server again', async () => {
    const { report, pids } = await runAgainst('dies-on-unknown-method.mjs');
    expect(failing(report)).toEqual(['jsonrpc.request-answered-once']);
    expect(pids.filter(alive)).toEqual([]);
  });

  test('dies-of-a-notification.mjs: the notification is the evidence of the death, and its findings have one cause', async () => {
    const { report, wire } = await runAgainst('dies-of-a-notification.mjs', [], {
      selected: name => name.endsWith('base/unknown-notification'),
    });
    const findings = report.runs.flatMap(r => r.findings).filter(f => f.grade === 'violation');
    const shown = findings.map(f => f.events.map(seq => JSON.stringify(wire.get(seq))).join());
    expect(findings.length).toBeGreaterThan(0);
    for (const text of shown) expect(text).toMatch(/notifications\/.*"exit"/);
    expect(findings.filter(f => f.causedBy === null)).toHaveLength(1);
  });

  test('object-as-id.mjs: an id of an invalid type is a violation, and no defect of the harness', async () => {
    const { report } = await runAgainst('object-as-id.mjs', [], {
      timing: { ...defaultTiming, exit: 400 },
    });
    expect(failing(report)).toContain('jsonrpc.response-id-matches');
    expect(report.exitCode).toBe(1);
  });

  test('declares-only.mjs: resources that no method serves are one warning, not also a wrong code for a missing one', async () => {
    const { report } = await runAgainst('declares-only.mjs', [], {
      selected: name => name.includes('/resources/') || name.includes('unknown-resources'),
    });
    const warned = report.runs
      .flatMap(r => r.findings)
      .flatMap(f => (f.grade === 'warning' ? f.requirement : []));
    expect([...new Set(warned)]).toEqual(['resources.list-answered']);
  });

  test('ignores-everything.mjs: is killed at the end, with a note', async () => {
    const { report, pids } = await runAgainst('ignores-everything.mjs');
    expect(failing(report)).toEqual([]);
    expect(noted(report)).toContain('stdio.server-exits-on-eof');
    expect(pids.filter(alive)).toEqual([]);
  });

  test.each(['stdout', 'parent'])(
    'leaves-daemon.mjs %s: a process without the environment of the subject is found and terminated',
    async keeps => {
      const { pids } = await runAgainst('leaves-daemon.mjs', [keeps]);
      const daemons = pids.filter(alive);
      await expect.poll(() => daemons.filter(alive)).toEqual([]);
      // the end of a terminated process takes a moment; those of the probe are not in the record
      await expect.poll(() => daemonsOf('setInterval(() => {}, 86399000)')).toEqual([]);
    },
  );

  test('starts-many.mjs: a run ends at the limit of processes, and all of them are terminated', async () => {
    const { report, pids } = await runAgainst('starts-many.mjs', [], {
      // the limit is reached first, on a slow machine too
      timing: { ...defaultTiming, answer: 120_000 },
    });
    expect(report.unjudged?.reason).toContain('The subject has more than 200 processes, the limit');
    expect(report.exitCode).toBe(3);
    await expect.poll(() => pids.filter(alive)).toEqual([]);
    await expect.poll(() => daemonsOf('sleep 86399')).toEqual([]);
  });

  test('leaves-child.mjs: the child is found and terminated', async () => {
    const { report, pids, wire } = await runAgainst('leaves-child.mjs');
    expect(failing(report)).toEqual([]);
    const starved = [...wire.values()].some(event => 'starved' in event && event.starved);
    // on a busy machine the time to exit is not judged
    if (!starved) expect(noted(report)).toContain('stdio.server-exits-on-eof');
    // it was told to end when all else was over
    await expect.poll(() => pids.filter(alive)).toEqual([]);
  });
});

test('a connection that the harness closes at its own limit is no server with other lists', async () => {
  const path = fileURLToPath(new URL('./hostile-programs/server.mjs', import.meta.url));
  const { report } = await collect(
    spawn(process.execPath, [path, 'ids-of-10-mb', 'stdio', latestStateless.id, '0', '0']),
    { selected: name => name.endsWith('server/stateless/lists') },
  );
  expect(failing(report)).toEqual([]);
  const words = report.runs.flatMap(r => r.findings.map(f => `${f.requirement}: ${f.message}`));
  expect(words).toContainEqual(
    expect.stringMatching(
      /^tools\.list-not-per-connection: the first connection gets no response to tools\/list/,
    ),
  );
});
