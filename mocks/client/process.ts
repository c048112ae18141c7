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
  const exit = new AbortController();
  const running = new Set<Promise<number>>();
  const exited = new Promise<void>(resolve => exit.signal.addEventListener('abort', () => resolve()))
    .then(() => Promise.all(running))
    .then(() => exit.signal.reason as number);
  const run = async ({ task, script }: Part): Promise<number> => {
    const part = new PartRun(task, streams, habitsOf(options), deviations, exit).run(script);
    running.add(part);
    const code = await part;
    running.delete(part);
    return exit.signal.aborted ? exited : code;
  };
  try {
    return await Promise.race([performAll(task, task.script, run), exited]);
  } catch (error) {
    if (!(error instanceof InvalidScript)) throw error;
    streams.stderr.write(`${error.message}\n`);
    return declined;
  }
}

function habitsOf(options: ProcessOptions): ClientBehaviour {
  const habits = behaviourOf(spokenRevisions(options.revisions));
  if (options.patienceMs !== undefined) habits.patienceMs = options.patienceMs;
  if (options.graceMs !== undefined) habits.graceMs = options.graceMs;
  if (options.withoutSockets) {
    habits.fetch = memoryFetch;
    habits.authorization.fetch = memoryFetch;
  }
  if (options.openingMs !== undefined) habits.openingMs = options.openingMs;
  return habits;
}

/**
 * Runs a script, and the scripts beside it.
 * @param run runs a part of a script
 * @returns the exit code of the last part
 * @throws {InvalidScript} for a step of the script, or of the steps that follow it
 */
async function performAll(
  task: MockClientTask,
  script: Json,
  run: (part: Part) => Promise<number>,
): Promise<number> {
  const others: Promise<number>[] = [];
  const begin = async (url: string) => performAll(task, await stepsAt(url), run);
  let code = 0;
  for await (const part of partsOf(task, parseScript(script), url => others.push(begin(url))))
    code = await run(part);
  await Promise.all(others);
  return code;
}

const stepsAt = async (url: string): Promise<Json> => (await (await fetch(url)).json()) as Json;

/** A part of a script, as the task of a process that runs only that part. */
interface Part {
  readonly task: MockClientTask;
  readonly script: Step[];
}

/**
 * The parts of a script, and of the steps that follow it at an address.
 * @param onBeside called with the address of a script that runs beside this one
 */
async function* partsOf(
  task: MockClientTask,
  script: Script,
  onBeside: (url: string) => void,
): AsyncGenerator<Part> {
  let part: Part = { task, script: [] };
  for (let steps: Script | undefined = script; steps; ) {
    let more: string | undefined;
    for (const step of steps) {
      if (step[0] !== 'restart') part.script.push(step);
      else {
        yield part;
        const { url, command, context = {}, steps: further, beside = [] } = step[1];
        const address = command ? { command } : { url: url! };
        part = { task: { ...task, address, official: { name: '', context } }, script: [] };
        more = further;
        beside.forEach(onBeside);
      }
    }
    steps = more === undefined ? undefined : parseScript(await stepsAt(more));
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

/** One part of a script, with connections and data of its own. */
class PartRun implements Whole, Stagehand {
  readonly answers = new Answers();
  session: ClientSession | undefined;
  private readonly deviations: ClientDeviations;
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(
    private readonly task: MockClientTask,
    private readonly streams: MockClientStreams,
    readonly habits: ClientBehaviour,
    deviations: readonly ClientDeviation[],
    /** Aborted with the exit code where the process ends before its scripts. */
    private readonly exiting: AbortController,
  ) {
    this.deviations = new ClientDeviations(deviations, this);
    this.deviations.habits(this);
  }

  async run(script: Script): Promise<number> {
    const signals = [this.streams.signal, this.exiting.signal];
    const isOver = () => signals.some(({ aborted }) => aborted);
    let stop: () => void = () => {};
    const left = new Promise<number>(resolve => {
      stop = () => {
        this.exit(143);
        resolve(143);
      };
    });
    if (isOver()) stop();
    for (const signal of signals) signal.addEventListener('abort', stop);
    this.deviations.start();
    const code = await Promise.race([new Performer(this).perform(script), left]);
    for (const signal of signals) signal.removeEventListener('abort', stop);
    for (const timer of this.timers) clearTimeout(timer);
    this.session?.carrier.abandon();
    return this.codeOf(code);
  }

  private codeOf(code: number): number {
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
    this.exiting.abort(this.codeOf(code));
  }

  after(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      act();
    }, ms);
    this.timers.add(timer);
  }
}
