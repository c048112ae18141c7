/** Verdicts do not depend on the share of the CPU that the machine has for the subject. */

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { runClient } from '../../harness/run/client/run.js';
import { type ClientSubject, inProcessClient } from '../../harness/run/client/subject.js';
import { run } from '../../harness/run/server/run.js';
import {
  type Endpoint,
  inProcess,
  type ProcessSubject,
  type Streams,
} from '../../harness/subject/subject.js';
import type { Threads } from '../../harness/time/cpu-time.js';
import { withLongerTimeouts } from '../../harness/time/longer-timeouts.test.util.js';
import { mockClient } from '../../mocks/client/client.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import { suite } from '../index.js';
import { explainFindings, observe, type Trial } from './run-mock.js';

const timing = { answer: 200, exit: 100, quiet: 20 };

/** Waits for the CPU nearly always, or never. */
type Machine = 'busy' | 'free';

const threadsOn =
  (machine: Machine, asked: () => void, began = performance.now()) =>
  (): Threads => {
    asked();
    const now = performance.now() - began;
    return new Map([
      ['1', machine === 'busy' ? { ran: now * 0.03, waited: now * 0.97 } : { ran: 0, waited: 0 }],
    ]);
  };

const on = (machine: Machine, endpoint: Endpoint, asked: () => void = () => {}): Endpoint => ({
  ...endpoint,
  threads: threadsOn(machine, asked),
});

/** Responds until the first text that is not a message; does not exit when its input ends. */
const fallsSilent = async ({ stdin, stdout, signal }: Streams): Promise<number> => {
  let silent = false;
  createInterface({ input: stdin }).on('line', line => {
    const { id, method, params } = parse(line);
    silent ||= method === undefined;
    if (silent || id === undefined) return;
    const { protocolVersion } = { ...(params as JsonObject) };
    const result = protocolVersion
      ? { protocolVersion, capabilities: {}, serverInfo: { name: 'silent', version: '1' } }
      : {};
    stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: id as string, result })}\n`);
  });
  await once(signal, 'abort');
  return 0;
};

function parse(line: string): JsonObject {
  try {
    return JSON.parse(line) as JsonObject;
  } catch {
    return {};
  }
}

const tryServer = (machine: Machine, cases: RegExp): Promise<Trial> => {
  const server = inProcess(fallsSilent);
  const subject: ProcessSubject = { ...server, start: () => on(machine, server.start()) };
  return observe(run({ subject, suite, timing, runs: 0, selected: name => cases.test(name) }));
};

/** Repeats a trial in which this process itself got no CPU time: its reasons say so, and name no share of the subject. */
async function withOwnCpu(attempt: () => Promise<Trial>): Promise<Trial> {
  const isStarved = ({ findings }: Trial) =>
    findings.some(f => f.message?.includes('mcp-conform got no CPU'));
  let trial = await attempt();
  for (let left = 3; left > 0 && isStarved(trial); left--) trial = await attempt();
  return trial;
}

const rowsOf = ({ findings }: Trial, verdict: string): string[] =>
  [...new Set(findings.filter(f => f.verdict === verdict).map(f => f.requirement))].sort();

describe('a server that stops responding', () => {
  const cases = /server\/(ping|stdio\/garbage-lines)/;

  test('is found on a free machine', async () => {
    const { failed } = await tryServer('free', cases);
    expect([...failed.keys()].sort()).toEqual(['jsonrpc.parse-error-survived', 'stdio.server-exits-on-eof']);
  });

  test('is inconclusive on a busy machine, and the reason names the CPU share', async () => {
    const trial = await withOwnCpu(() => tryServer('busy', cases));
    expect(explainFindings(trial.failed.values())).toBe('');
    expect(rowsOf(trial, 'inconclusive')).toEqual(
      expect.arrayContaining(['jsonrpc.parse-error-survived', 'stdio.server-exits-on-eof']),
    );
    const [unclear] = trial.findings.filter(f => f.requirement === 'stdio.server-exits-on-eof');
    expect(unclear?.message).toMatch(/an exit\): the subject got 3 % CPU in \d/);
  });
});

/** The reference client, which begins after the given number of CPU measurements. */
function lateClient(machine: Machine, begins: number): ClientSubject {
  const client = mockClient({ graceMs: 60 });
  const start: ClientSubject['start'] = task => {
    let asked = 0;
    let begin: () => void = () => {};
    const late = inProcessClient(async (task, streams) => {
      await new Promise<void>(resolve => {
        begin = resolve;
        streams.signal.addEventListener('abort', () => resolve());
      });
      return streams.signal.aborted ? 1 : client.perform(task, streams);
    });
    return on(machine, late.start(task), () => void (++asked === begins && begin()));
  };
  return { ...inProcessClient(client.perform), start };
}

const tryClient = (subject: ClientSubject, answer: number = timing.answer): Promise<Trial> =>
  observe(
    runClient({
      subject,
      suite,
      timing: { ...timing, answer },
      jobs: 1,
      transport: 'stdio',
      selected: name => /client\/(ping|stdio)\//.test(name),
    }),
  );

describe('a client that starts late', () => {
  test('conforms when the machine was busy', async () => {
    // where the machine is busy in fact, the harness itself may be late for such short timeouts
    const trial = await withLongerTimeouts(
      timing.answer,
      answer => tryClient(lateClient('busy', 6), answer),
      one => one.report.unjudged !== null || rowsOf(one, 'inconclusive').length > 0,
    );
    expect(trial.report.unjudged).toBeNull();
    expect(explainFindings(trial.findings.filter(f => f.verdict !== 'pass'))).toBe('');
  });

  test('is given up when it never gets the CPU, and the reason is reported', async () => {
    const { report } = await tryClient(lateClient('busy', Number.POSITIVE_INFINITY));
    expect(report.unjudged?.reason).toMatch(
      /did not connect: the harness stopped waiting \(the subject got 3 % CPU in \d/,
    );
  });

  test('does not connect when it never starts on a free machine', async () => {
    const { report } = await tryClient(lateClient('free', Number.POSITIVE_INFINITY));
    expect(report.unjudged?.reason).toMatch(/did not connect: the client was inactive and was terminated/);
  });
});
