/** One start of the reference client. */

import type { ClientTask } from '../../harness/scenario/client-task.js';
import {
  type ConnectOptions,
  declined,
  InvalidScript,
  parseScript,
  type Script,
  type Step,
} from '../../harness/scenario/script.js';
import type { Streams } from '../../harness/subject/subject.js';
import type { Json } from '../../spec/json-rpc.js';
import { definedRevisions, type Revision, type RevisionId } from '../../spec/revisions.js';
import { Answers } from './answers.js';
import { behaviourOf, type ClientBehaviour } from './behaviour.js';
import type { Carrier } from './carriers/carrier.js';
import { HttpSseCarrier } from './carriers/http-sse.js';
import type { CarrierOptions } from './carriers/options.js';
import { StdioCarrier, startServer } from './carriers/stdio.js';
import { StreamableHttpCarrier } from './carriers/streamable-http.js';
import type { Whole } from './context.js';
import { ClientDeviations } from './deviations.js';
import type { ClientDeviation } from './fault.js';
import { memoryFetch } from './memory-fetch.js';
import { Performer, type Stagehand } from './perform.js';
import { ClientSession } from './session.js';

/** The members of a task that the client needs; a `ClientTask` has them. */
export type MockClientTask = Pick<ClientTask, 'address' | 'transport' | 'script'> &
  Partial<Pick<ClientTask, 'official' | 'opens'>>;

/** Additional parts of a process. */
export type MockClientStreams = Pick<Streams, 'stderr' | 'signal'>;

export interface ProcessOptions {
  /** Supported revisions, of one era or of both; the newest is requested. Default: every revision. */
  readonly revisions?: readonly RevisionId[];
  /** Request timeout in milliseconds; default 20 s. */
  readonly patienceMs?: number;
  /**
   * Milliseconds for a server process to exit, after its input was closed and again after SIGTERM; default 2
   * s.
   */
  readonly graceMs?: number;
  /** Milliseconds for the response to the first request of a conversation; default: as for every request. */
  readonly openingMs?: number;
  /** Requests to an HTTP server of the harness in this process use no sockets. */
  readonly withoutSockets?: boolean;
}

/**
 * Runs a task, as one process.
 * @returns the exit code
 * @throws {Error} for an unknown revision
 */
export async function performTask(
  task: MockClientTask,
  streams: MockClientStreams,
  options: ProcessOptions = {},
  deviations: readonly ClientDeviation[] = [],
): Promise<number> {
  try {
    return await performScript(task, streams, options, deviations);
  } catch (error) {
    if (!(error instanceof InvalidScript)) throw error;
    streams.stderr.write(`${error.message}\n`);
    return declined;
  }
}

/** @throws {InvalidScript} for a step of the script, or of the steps that follow it */
async function performScript(
  task: MockClientTask,
  streams: MockClientStreams,
  options: ProcessOptions,
  deviations: readonly ClientDeviation[],
): Promise<number> {
  let code = 0;
  for await (const part of partsOf(task, parseScript(task.script))) {
    const habits = behaviourOf(spokenRevisions(options.revisions));
    if (options.patienceMs !== undefined) habits.patienceMs = options.patienceMs;
    if (options.graceMs !== undefined) habits.graceMs = options.graceMs;
    if (options.withoutSockets) {
      habits.fetch = memoryFetch;
      habits.authorization.fetch = memoryFetch;
    }
    if (options.openingMs !== undefined) habits.openingMs = options.openingMs;
    const process = new Process(part.task, streams, habits, deviations);
    code = await process.run(part.script);
    if (process.hasLeft) break;
  }
  return code;
}

/** A part of a script, as the task of a process that runs only that part. */
interface Part {
  readonly task: MockClientTask;
  readonly script: Step[];
}

/** The parts of a script, and of the steps that follow it at an address. */
async function* partsOf(task: MockClientTask, script: Script): AsyncGenerator<Part> {
  let part: Part = { task, script: [] };
  for (let steps: Script | undefined = script; steps; ) {
    let more: string | undefined;
    for (const step of steps) {
      if (step[0] !== 'restart') part.script.push(step);
      else {
        yield part;
        const { url, command, context = {}, steps: further } = step[1];
        const address = command ? { command } : { url: url! };
        part = { task: { ...task, address, official: { name: '', context } }, script: [] };
        more = further;
      }
    }
    steps = more === undefined ? undefined : parseScript((await (await fetch(more)).json()) as Json);
  }
  yield part;
}

/** @throws {Error} for a revision that is unknown */
export function spokenRevisions(ids: readonly RevisionId[] | undefined): Revision[] {
  const spoken = ids ? definedRevisions.filter(r => ids.includes(r.id)) : [...definedRevisions];
  if (spoken.length === 0 || (ids && spoken.length < ids.length))
    throw new Error(
      `The mock client supports ${definedRevisions.map(r => r.id).join(', ')}, not ${ids?.join(', ')}.`,
    );
  return spoken;
}

class Process implements Whole, Stagehand {
  readonly answers = new Answers();
  session: ClientSession | undefined;
  private readonly deviations: ClientDeviations;
  private readonly timers = new Set<NodeJS.Timeout>();
  private leave: (code: number) => void = () => {};
  /** The script did not run to its end. */
  hasLeft = false;

  constructor(
    private readonly task: MockClientTask,
    private readonly streams: MockClientStreams,
    readonly habits: ClientBehaviour,
    deviations: readonly ClientDeviation[],
  ) {
    this.deviations = new ClientDeviations(deviations, this);
    this.deviations.habits(this);
  }

  async run(script: Script): Promise<number> {
    const { signal } = this.streams;
    const left = new Promise<number>(resolve => {
      this.leave = code => {
        this.hasLeft = true;
        resolve(code);
      };
    });
    const stop = () => this.leave(143);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    this.deviations.start();
    const code = await Promise.race([new Performer(this).perform(script), left]);
    signal.removeEventListener('abort', stop);
    for (const timer of this.timers) clearTimeout(timer);
    this.session?.carrier.abandon();
    return this.habits.authorization.reportsFailures ? code : 0;
  }

  async connect(options: ConnectOptions | undefined): Promise<void> {
    const { habits, deviations, answers, task } = this;
    const arranged = task.official?.context ?? {};
    const onOpen = task.opens ?? (() => {});
    this.session = new ClientSession(
      { habits, deviations, answers, after: (ms, act) => this.after(ms, act) },
      events => this.carrier({ events, deviations, habits, arranged, onOpen }),
      options,
    );
    await this.session.open();
  }

  private carrier(options: CarrierOptions): Carrier {
    const { address } = this.task;
    if ('connect' in address) return new StdioCarrier(address.connect, options);
    if ('command' in address) return new StdioCarrier(() => startServer(address.command), options);
    return this.task.transport === 'http-sse'
      ? new HttpSseCarrier(address.url, options)
      : new StreamableHttpCarrier(address.url, options);
  }

  steps: Stagehand['steps'] = step => this.deviations.step(step);

  warn(text: string): void {
    if (!this.habits.authorization.reportsFailures) return;
    if (!this.streams.stderr.writableEnded) this.streams.stderr.write(text);
  }

  exit(code: number): void {
    this.leave(code);
  }

  after(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      act();
    }, ms);
    this.timers.add(timer);
  }
}
