/** Test support: the whole suite against the mock in this process. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import type { Finding } from '../../harness/judge/finding.js';
import type { Event } from '../../harness/record/event.js';
import type { RunEvent } from '../../harness/report/run-event.js';
import { type Report, Summary } from '../../harness/report/summary.js';
import { freePort } from '../../harness/run/free-port.js';
import { run } from '../../harness/run/server/run.js';
import { steadySeed } from '../../harness/scenario/generation.js';
import { inProcess, type ProcessSubject, type Subject, url } from '../../harness/subject/subject.js';
import { runLimits } from '../../harness/time/budget.js';
import type { Timing } from '../../harness/time/timing.js';
import { host } from '../../mocks/host.js';
import type { HttpOptions, MockHttp } from '../../mocks/server/http.js';
import { type MockServer, type MockServerOptions, mockServer } from '../../mocks/server/server.js';
import type { RequirementId } from '../../spec/requirement.js';
import { type Revision, type RevisionId, revisions, type TransportId } from '../../spec/revisions.js';
import { suite } from '../index.js';

/**
 * Responses arrive immediately or never here; a late timer first reads the messages that have arrived
 * (harness/time/clock.ts).
 */
const timing: Timing = { answer: 1_000, exit: 1_000, quiet: 20 };

/** A message over HTTP takes longer. */
const timingOverHttp: Timing = { answer: 2_000, exit: 1_000, quiet: 20 };

/** Sockets and HTTP headers take even longer, especially when many connections open at once. */
const timingOverSockets: Timing = { answer: 6_000, exit: 1_000, quiet: 40 };

/** The limit of a run, in milliseconds: as long as with generated values, because a busy machine needs several times as long. */
export const longestTrial = runLimits.maxMs;

/** The timeout of a response, in milliseconds, where each request gets one: no time is lost, on a busy machine too. */
export const patience = 10_000;

/** The pace of a trial: a mock without a fault owes each response. */
export const paceFor = (faults: readonly unknown[] | undefined, pace: Timing): Timing =>
  (faults ?? []).length === 0 ? { ...pace, answer: patience } : pace;

/**
 * The revisions of a mock, of one era alone, so that a deviation shows in the judged one only, and so that what older
 * clients send is refused where there is no handshake.
 */
export const offeredFor = ({ era, id }: Revision): RevisionId[] =>
  era === 'modern' ? [id] : revisions.map(r => r.id);

export interface Trial {
  readonly report: Report;
  /** Requirements with at least one failed judgement, whatever its grade, each with the finding. */
  readonly failed: ReadonlyMap<RequirementId, Finding>;
  readonly findings: readonly Finding[];
  /** The record. */
  readonly wire: readonly Event[];
  /** The machine left no CPU time for an expected event. */
  readonly starved: boolean;
}

/** Trials run concurrently, because most of a trial is waiting; a repeated trial has the process to itself. */
const underWay = new Set<Promise<unknown>>();
let repeats: Promise<unknown> = Promise.resolve();

async function together<T>(attempt: () => Promise<T>): Promise<T> {
  for (let seen: unknown; seen !== repeats; await seen) seen = repeats;
  const trial = attempt();
  underWay.add(trial);
  return trial.finally(() => underWay.delete(trial));
}

function alone<T>(attempt: () => Promise<T>): Promise<T> {
  const trial = repeats.then(() => Promise.allSettled(underWay)).then(attempt);
  repeats = trial.catch(() => {});
  return trial;
}

/** Set for trials that run in isolation. */
const isIsolated = new AsyncLocalStorage<true>();
let isolated = 0;

/**
 * Runs trials that have the process to themselves, against a mock whose tools take longer: what happens during a call happens
 * in time on a busy machine too.
 */
export async function inIsolation<T>(attempt: () => Promise<T>): Promise<T> {
  isolated++;
  try {
    return await isIsolated.run(true, attempt);
  } finally {
    // a store in use makes every promise of the process slower
    if (--isolated === 0) isIsolated.disable();
  }
}

/** Pause between the messages of the tools of a mock, in milliseconds. */
const pauses = { usual: 2, isolated: 20 };

/** A trial without CPU time shows nothing, and is repeated at most twice. */
export async function steadily<T extends Trial>(attempt: () => Promise<T>): Promise<T> {
  let trial = await (isIsolated.getStore() ? alone : together)(attempt);
  for (let left = 2; trial.starved && left > 0; left--) trial = await alone(attempt);
  return trial;
}

interface TrialOptions extends Omit<MockServerOptions, 'revisions'> {
  readonly fixtures?: boolean;
  /** Default: stdio. */
  readonly transport?: TransportId;
  /** Generated values for each property; default: none, for speed. */
  readonly runs?: number;
  /** Options of HTTP. */
  readonly http?: HttpOptions;
  /**
   * Over a socket on loopback, of a running or a started server; default: the handler is called in this
   * process.
   */
  readonly socket?: boolean | 'started';
}

/** Runs everything under one revision, over streams or over a socket on loopback. */
export const tryMock = (revision: Revision, options: TrialOptions = {}): Promise<Trial> =>
  steadily(() => tryOnce(revision, options));

async function tryOnce(revision: Revision, options: TrialOptions): Promise<Trial> {
  const { fixtures = true, transport = 'stdio', http, socket = false, runs = 0, ...mock } = options;
  const delayMs = pauses[isIsolated.getStore() ? 'isolated' : 'usual'];
  const server = mockServer({ delayMs, revisions: offeredFor(revision), ...mock });
  const { subject, close } = await reach(server, transport, http, socket);
  try {
    const pace = transport === 'stdio' ? timing : socket ? timingOverSockets : timingOverHttp;
    const jobs = socket ? 6 : 16;
    return await observe(
      run({
        subject,
        transport,
        suite,
        revision,
        fixtures,
        seed: runs > 0 ? steadySeed : 1,
        runs,
        timing: paceFor(mock.faults, pace),
        maxMs: longestTrial,
        jobs,
      }),
    );
  } finally {
    await close();
  }
}

/** The mock as a subject over one of the transports. */
export async function reach(
  server: MockServer,
  transport: TransportId,
  options?: HttpOptions,
  socket: boolean | 'started' = false,
): Promise<{ subject: Subject; close: () => Promise<void> }> {
  if (transport === 'stdio')
    return { subject: inProcess(streams => server.serve(streams)), close: async () => {} };
  const mock = server.http(options);
  const path = transport === 'http-sse' ? mock.paths.sse : mock.paths.mcp;
  if (socket === 'started') {
    const port = await freePort();
    const process = started(mock, port);
    return { subject: url(`http://127.0.0.1:${port}${path}`, { process }), close: async () => mock.close() };
  }
  if (!socket)
    return {
      subject: {
        ...url(`http://localhost${path}`, { fetch: request => mock.fetch(request) }),
        plain: mock.plain,
      },
      close: async () => mock.close(),
    };
  const served = await host(request => mock.fetch(request));
  const close = async () => {
    mock.close();
    await served.close();
  };
  return { subject: url(served.origin + path), close };
}

/** A server that starts and exits with the run like a command, but in this process. */
const started = (mock: MockHttp, port: number): ProcessSubject =>
  inProcess(async ({ signal }) => {
    const served = await host(request => mock.fetch(request), { port, hostname: mock.hostname });
    await once(signal, 'abort');
    await served.close();
    return 0;
  });

/** Collects the events of a run. */
export async function observe(events: AsyncIterable<RunEvent>): Promise<Trial> {
  const summary = new Summary();
  const wire: Event[] = [];
  const findings: Finding[] = [];
  const failed = new Map<RequirementId, Finding>();
  let starved = false;
  for await (const event of events) {
    summary.add(event);
    if (event.kind === 'wire') {
      wire.push(event.event);
      if ('starved' in event.event && event.event.starved) starved = true;
    }
    if (event.kind !== 'finding') continue;
    findings.push(event.finding);
    if (event.finding.verdict === 'fail') failed.set(event.finding.requirement, event.finding);
  }
  return { report: summary.report(), failed, findings, wire, starved };
}

/** The findings as a text that explains why a self-test failed. */
export const explainFindings = (findings: Iterable<Finding>): string =>
  [...findings]
    .map(
      f =>
        `${f.verdict} ${f.requirement}: expected ${f.expected?.join(' or ') ?? '–'}, got ${f.actual ?? '–'}; ${f.message ?? ''}`,
    )
    .join('\n');
