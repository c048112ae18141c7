/**
 * Properties: values sent in the shared conversation, failures shrunk in separate conversations, and
 * replayed.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Fault, fault, onIncoming, onReply, onRequest, refusal } from '../../../mocks/fault.js';
import { mockServer } from '../../../mocks/server/server.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { latestRevision } from '../../../spec/revisions.js';
import { rules } from '../../../suites/rules/index.js';
import { parseKnownFailing } from '../../report/known-failing.js';
import type { RunEvent } from '../../report/run-event.js';
import { Summary } from '../../report/summary.js';
import { steadySeed, usualSeed } from '../../scenario/generation.js';
import { type Scenario, scenario } from '../../scenario/scenario.js';
import { inProcess } from '../../subject/subject.js';
import { withLongerTimeouts } from '../../time/longer-timeouts.test.util.js';
import { defaultTiming } from '../../time/timing.js';
import type { Suite } from '../plan.js';
import { rejudge } from '../rejudge.js';
import type { RunOptions } from './options.js';
import { run } from './run.js';

const texts = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 4 });

/** Requests unknown methods, with numbers in their names. */
const numbers = scenario('server/x/numbers', {
  title: 'requests for unknown methods with any number get the same error',
  verifies: ['jsonrpc.method-not-found', 'jsonrpc.request-answered-once'],
  generated: true,
  async run({ property }) {
    await property(
      texts,
      async (list, { peer, expect }) => {
        for (const n of list) {
          const asked = await peer.request(`x/${n}`, { n }, { deliberate: true });
          expect('jsonrpc.method-not-found', asked).error(-32601);
        }
      },
      { label: list => `${list.length} of them` },
    );
  },
});

/** One fixed number, not generated. */
const plain = scenario('server/x/plain', {
  title: 'one number',
  verifies: ['jsonrpc.method-not-found'],
  async run({ peer, expect }) {
    const asked = await peer.request('x/y', { n: 5_000 }, { deliberate: true });
    expect('jsonrpc.method-not-found', asked).error(-32601);
  },
});

const numberOf = (message: Json): number =>
  isObject(message) && isObject(message.params) && typeof message.params.n === 'number'
    ? message.params.n
    : -1;

const meaning = { what: 'Test.', breaks: ['jsonrpc.method-not-found'] } as const;
const big = 1_000;

const faults = {
  refuses: fault(
    'refuses',
    meaning,
    onReply('*', (reply, ask) => (numberOf(ask) >= big ? refusal(ask, -32603, 'Too big') : reply)),
  ),
  retypes: fault(
    'retypes',
    meaning,
    onReply('*', (reply, ask) => (numberOf(ask) >= big ? { ...reply, id: `${ask.id}` } : reply)),
  ),
  dies: fault(
    'dies',
    meaning,
    onIncoming((message, context) => {
      if (numberOf(message) < big) return message;
      context.exit(3);
      return undefined;
    }),
  ),
  hangs: fault(
    'hangs',
    meaning,
    onRequest('*', ask => (numberOf(ask) >= big ? undefined : ask)),
  ),
  tires: fault(
    'tires',
    meaning,
    onReply('*', (reply, ask, context) =>
      numberOf(ask) >= 0 && context.count() > 10 ? refusal(ask, -32603, 'Tired') : reply,
    ),
  ),
} satisfies Record<string, Fault>;

const timing = { ...defaultTiming, answer: 300, exit: 250, quiet: 20 };

/** A run that got too little CPU time shows no missing response: it is repeated, with a longer timeout. */
const tryIt = (...[faults, more = {}, scenarios]: Parameters<typeof tryOnce>) =>
  withLongerTimeouts(
    timing.answer,
    answer => tryOnce(faults, { timing: { ...timing, answer }, ...more }, scenarios),
    ({ isStarved }) => isStarved,
  );

async function tryOnce(
  faults: readonly Fault[],
  more: Partial<RunOptions> = {},
  scenarios: readonly Scenario[] = [numbers],
) {
  const suite: Suite = { scenarios, rules };
  const summary = new Summary();
  const events: RunEvent[] = [];
  const subject = inProcess(mockServer({ faults }).serve);
  for await (const event of run({ subject, suite, revision: latestRevision, timing, seed: 1, ...more })) {
    events.push(event);
    summary.add(event);
  }
  const report = summary.report();
  const asked = events.flatMap(e =>
    e.kind === 'wire' && e.event.kind === 'frame' && e.event.by === 'client' && e.event.case > 0
      ? [numberOf(JSON.parse(e.event.text) as Json)].filter(n => n >= 0)
      : [],
  );
  const failures = report.runs.flatMap(r => r.findings);
  const failure = failures.find(f => f.grade !== 'inconclusive')!;
  const isStarved = events.some(
    e => e.kind === 'wire' && e.event.kind === 'deadline' && e.event.starved !== undefined,
  );
  const { answer } = more.timing ?? timing;
  return { report, events, failures, asked, failure, isStarved, answer };
}

describe('values without failures', () => {
  test('are sent in one conversation, in the requested number', async () => {
    const { report, failures, asked } = await tryIt([]);
    expect(failures).toEqual([]);
    // the second one is only asked for newer revisions
    expect(report.summary.processesStarted).toBe(2);
    expect(asked.length).toBeGreaterThan(25);
    const few = await tryIt([], { runs: 3 });
    expect(few.asked).toEqual(asked.slice(0, few.asked.length));
    expect(few.asked.length).toBeLessThan(13);
  });

  test('are few where the responses are so large that they would fill the memory of the run', async () => {
    const data = 'x'.repeat(10_000);
    const large = fault(
      'large',
      meaning,
      onReply('*', (reply, ask) =>
        numberOf(ask) >= 0 ? { ...reply, error: { ...(reply.error as JsonObject), data } } : reply,
      ),
    );
    const { report, failures, asked } = await tryIt([large], { maxMessageBytes: 20_000, runs: 200 });
    expect(failures).toEqual([]);
    expect(report.stopped).toBeUndefined();
    // half of 400,000 bytes, 2 bytes and more for each character
    expect(asked.length).toBeLessThan(15);
  });

  test('differ between seeds, and each run without a seed picks its own', async () => {
    const first = await tryIt([], { runs: 3 });
    const other = await tryIt([], { runs: 3, seed: 2 });
    expect(other.asked).not.toEqual(first.asked);
    const subject = inProcess(mockServer().serve);
    const seeds = new Set<number>();
    for (let n = 0; n < 3; n++)
      for await (const event of run({ subject, suite: { scenarios: [], rules: [] }, timing }))
        if (event.kind === 'run-start') seeds.add(event.seed);
    expect(seeds.size).toBe(3);
  });

  test('with --runs 0 the scenario is not planned, and the reason is reported', async () => {
    const { report } = await tryIt([], { runs: 0 });
    expect(report.runs[0]!.cases.map(c => c.name)).toEqual([expect.stringContaining('/probe')]);
    expect(report.runs[0]!.notApplicable).toContainEqual({
      id: 'jsonrpc.method-not-found',
      reason: 'generated values are switched off (--runs 0)',
    });
  });
});

describe('a value that fails', () => {
  test('by an expectation: is the smallest such value, and the command line reproduces the failure', async () => {
    const { failures, failure } = await tryIt([faults.refuses]);
    expect(failures).toHaveLength(1);
    expect(failure).toMatchObject({
      requirement: 'jsonrpc.method-not-found',
      actual: 'error -32603 "Too big"',
      counterexample: {
        seed: 1,
        path: expect.stringMatching(/^\d+(:\d+)+$/),
        value: [big],
        label: '1 of them',
      },
    });
    const { path, message } = failure.counterexample!;
    expect(numberOf(JSON.parse(message!) as Json)).toBe(big);
    expect(failure.reproduce).toMatch(new RegExp(` --run \\S+/server/x/numbers --seed 1 --path ${path}`));
    const again = await tryIt([faults.refuses], { path: path! });
    expect(again.asked).toEqual([big]);
    expect(again.failure.counterexample).toEqual({
      ...failure.counterexample,
      message: again.failure.counterexample!.message,
    });
  });

  test('by a rule: is the smallest such value', async () => {
    const { failures, failure } = await tryIt([faults.retypes]);
    expect(failures).toHaveLength(1);
    expect(failure).toMatchObject({
      requirement: 'jsonrpc.response-id-matches',
      counterexample: { value: [big], path: expect.stringContaining(':') },
    });
  });

  test('is the same when the stored run is judged again', async () => {
    const { events, report } = await tryIt([faults.retypes]);
    const summary = new Summary();
    for (const event of rejudge(events, rules)) summary.add(event);
    expect(summary.report().runs[0]!.findings).toEqual(report.runs[0]!.findings);
  });

  test('by the end of the process: is the smallest such value, with the message that caused the exit', async () => {
    const { failures, failure, report } = await tryIt([faults.dies]);
    expect(failures.filter(f => f.grade !== 'inconclusive')).toHaveLength(1);
    expect(failure).toMatchObject({
      requirement: 'jsonrpc.request-answered-once',
      actual: expect.stringContaining('exit code 3'),
      counterexample: { value: [big], message: expect.stringContaining(`"n":${big}`) },
    });
    expect(report.exitCode).toBe(1);
  });

  test('by a missing response: is found in bounded time', async () => {
    const { failures, failure, report } = await tryIt([faults.hangs]);
    expect(failures.filter(f => f.grade === 'violation')).toHaveLength(1);
    expect(failure).toMatchObject({
      requirement: 'jsonrpc.request-answered-once',
      counterexample: { message: expect.stringContaining('"n":') },
    });
    // the first one, those of the search, and the one that shows the failure
    expect(report.summary.processesStarted).toBeLessThanOrEqual(14);
  });

  test('by a missing response in many properties: the first gets the full timeout, one is shrunk, and few conversations are opened', async () => {
    const many = Array.from({ length: 8 }, (_, n) => ({ ...numbers, name: `server/x/numbers-${n}` }));
    const { report, events, failures, answer } = await tryIt([faults.hangs], {}, many);
    expect(failures.some(f => f.grade === 'violation')).toBe(true);
    // fewer than one search for each property
    expect(report.summary.processesStarted).toBeLessThanOrEqual(20);
    const waits = events.flatMap(e =>
      e.kind === 'wire' && e.event.kind === 'deadline' && e.event.label === 'answer' ? [e.event] : [],
    );
    expect(waits.filter(w => !w.hurried && w.ms === answer).length).toBeLessThanOrEqual(3);
  });

  test('only after earlier values: is reported as observed, without a path', async () => {
    const { failures, failure } = await tryIt([faults.tires]);
    expect(failures).toHaveLength(1);
    expect(failure.counterexample).toMatchObject({ path: null });
    expect(failure.reproduce).not.toContain('--path');
  });

  test('for a requirement that fails without generated values: is not shrunk', async () => {
    const { failures } = await tryIt([faults.refuses], {}, [numbers, plain]);
    expect(failures.map(f => f.counterexample?.path)).toEqual([undefined, null]);
  });
});

describe('runs that are compared', () => {
  const listed = (text: string) => ({ knownFailing: parseKnownFailing(text, 'known.txt') });
  const pattern = 'server/x/numbers#jsonrpc.method-not-found why';

  test('have the same seed: in continuous integration, and with a list of known failures', () => {
    expect(usualSeed(true, {})).toBe(steadySeed);
    expect(usualSeed(false, { CI: 'true' })).toBe(steadySeed);
    for (const CI of ['', '0', 'false']) expect(usualSeed(false, { CI })).toBeUndefined();
    expect(usualSeed(false, {})).toBeUndefined();
  });

  test('report that a listed failure is gone, and runs with other values do not', async () => {
    const stale = async (more: Partial<RunOptions>) =>
      (await tryIt([], { ...listed(pattern), seed: steadySeed, ...more })).report.stale.length;
    expect(await stale({})).toBe(1);
    expect(await stale({ runs: 3 })).toBe(0);
    expect(await stale({ runs: 0 })).toBe(0);
    expect(await stale({ seed: 7 })).toBe(0);
  });

  test('match a failure of generated values with the listed failure of plain ones', async () => {
    const { failures, report } = await tryIt(
      [faults.refuses],
      { ...listed('server/x/plain#jsonrpc.method-not-found why'), seed: steadySeed },
      [numbers, plain],
    );
    expect(failures.map(f => [f.grade, f.knownFailing])).toEqual([
      ['knownFailing', 'why'],
      ['knownFailing', 'why'],
    ]);
    expect(report.exitCode).toBe(0);
  });
});

test('an unknown path is not a pass', async () => {
  const { failures } = await tryIt([], { path: '0:99999' });
  expect(failures.map(f => [f.grade, f.message])).toContainEqual([
    'inconclusive',
    '--path 0:99999 leads to no value of this property',
  ]);
});

test('a scenario that throws inside a property is a defect of the suite', async () => {
  const broken = scenario('server/x/broken', {
    title: 'nothing works',
    verifies: ['jsonrpc.method-not-found'],
    generated: true,
    async run({ property }) {
      await property(texts, async () => {
        throw new Error('not today');
      });
    },
  });
  const { failures } = await tryIt([], {}, [broken]);
  expect(failures[0]).toMatchObject({ grade: 'error', message: expect.stringContaining('not today') });
});
