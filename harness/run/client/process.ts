/** One process of a client under test, and the launches that it runs, one after another. */

import type { Revision, TransportId } from '../../../spec/revisions.js';
import { Browser } from '../../protected-server/browser.js';
import type { NewEvent } from '../../record/event.js';
import type { History } from '../../record/history.js';
import type { ClientTask } from '../../scenario/client-task.js';
import type { Script } from '../../scenario/script.js';
import type { Endpoint, Exit } from '../../subject/subject.js';
import { Clock } from '../../time/clock.js';
import type { Timing } from '../../time/timing.js';
import { ProcessRecord } from '../../transports/process-record.js';
import type { ExitPatience } from '../../transports/stdio/exit-patience.js';
import { StepSource } from './step-source.js';
import type { ClientSubject } from './subject.js';

export interface ProcessOptions {
  readonly subject: ClientSubject;
  readonly transport: TransportId;
  /** The planned revision of the test servers. */
  readonly revision: Revision;
  readonly history: History;
  readonly timing: Timing;
  /** Shared by the launches of a run. */
  readonly exits: ExitPatience;
}

/** The launch that a process runs: it is told what the process does. */
export interface ProcessListener {
  /** @param link link of the process, before the launch begins */
  onBegin(link: number): void;
  onEvent(event: NewEvent): void;
  /** @param bytes length of the output; 0 at the exit */
  onOutput(bytes: number): void;
  /** The client passed these words to the browser. */
  onOpened(words: readonly string[]): void;
  onGone(): void;
}

/** The task of a process, without what each process has of its own. */
type ProcessTask = Omit<ClientTask, 'transport' | 'revision' | 'browser' | 'opens'>;

export class ClientProcess {
  /** Link of the process. */
  readonly link: number;
  private readonly endpoint: Endpoint;
  private readonly record: ProcessRecord;

  private constructor(
    private readonly options: ProcessOptions,
    private listener: ProcessListener,
    readonly browser: Browser | undefined,
    private readonly steps: StepSource | undefined,
    task: ProcessTask,
  ) {
    const { subject, transport, revision, history } = options;
    const { address } = task;
    this.link = history.newLink(transport, revision);
    listener.onBegin(this.link);
    this.endpoint = subject.start({
      ...task,
      browser: browser?.environment,
      opens: words => this.listener.onOpened([words]),
      transport,
      revision: revision.id,
    });
    this.endpoint.onSwarm?.(limit => options.timing.budget?.end(limit));
    // nobody types
    this.endpoint.stdin.end();
    const tap = (event: NewEvent) => {
      this.listener.onEvent(event);
      return history.record(this.link, event).messages;
    };
    const facts = { command: subject.command, revision: revision.id, ...('url' in address && address) };
    this.record = new ProcessRecord(this.endpoint, tap, facts, bytes => this.listener.onOutput(bytes));
    void this.record.gone.then(() => this.listener.onGone());
  }

  /**
   * Starts the client.
   * @param hasBrowser the client may ask for authorization
   * @param asksAgain the client may ask for further steps at the end of its script
   * @param makeTask the task, for the address of further steps
   */
  static async start(
    options: ProcessOptions,
    listener: ProcessListener,
    { hasBrowser, asksAgain }: { readonly hasBrowser: boolean; readonly asksAgain: boolean },
    makeTask: (steps: string | undefined) => ProcessTask,
  ): Promise<ClientProcess> {
    let process: ClientProcess | undefined;
    const onOpened = (words: readonly string[]) => process?.listener.onOpened(words);
    const browser = hasBrowser ? await new Browser(onOpened).listening() : undefined;
    const steps = asksAgain ? await new StepSource().listening() : undefined;
    process = new ClientProcess(options, listener, browser, steps, makeTask(steps?.url));
    return process;
  }

  get exit(): Exit | undefined {
    return this.record.exit;
  }

  /** Resolves when the process has exited and its last output is recorded. */
  get gone(): Promise<void> {
    return this.record.gone;
  }

  /** True while a signal (SIGSTOP) keeps the process from running. */
  get isStopped(): boolean {
    return this.record.isStopped;
  }

  /** True while the process has reached the end of its script and waits for further steps. */
  get isWaiting(): boolean {
    return !this.exit && this.steps?.isAsked === true;
  }

  /** The last lines of the output. */
  stderrTail(count?: number): string[] {
    return this.record.stderrTail(count);
  }

  /** Adds an observation of the harness to the record of the process. */
  note(event: NewEvent): void {
    this.options.history.record(this.link, event);
  }

  watch(clock: Clock): void {
    clock.watch(this.endpoint);
  }

  /** True if the process runs in an environment for this revision. */
  isFor(revision: Revision): boolean {
    return this.options.revision === revision;
  }

  /** Resolves when the process asks for further steps. */
  whenAsked(): Promise<void> {
    return this.steps?.whenAsked() ?? new Promise(() => {});
  }

  /** Gives a process that waits the steps of its next launch. */
  goOn(listener: ProcessListener, makeSteps: (steps: string | undefined) => Script): void {
    this.listener = listener;
    listener.onBegin(this.link);
    this.steps?.give(makeSteps(this.steps.url));
  }

  /** Ends a process that waits: it gets no further steps. */
  async dismiss(): Promise<void> {
    this.steps?.give([]);
    const { exits, timing } = this.options;
    const clock = new Clock(this.endpoint);
    await exits.wait('exit-after-script', this.gone, clock, timing.exit);
    await this.stop();
  }

  /** Terminates all remaining processes of the client and waits for their end. */
  async stop(): Promise<void> {
    await this.record.stop(this.options.timing.exit, this.options.exits);
    await this.gone;
    await this.browser?.close();
    await this.steps?.close();
  }
}

/** Processes of a client that wait for further steps. */
export class WaitingProcesses {
  private waiting: ClientProcess[] = [];

  add(process: ClientProcess): void {
    this.waiting.push(process);
  }

  /** A process that waits in an environment for this revision. */
  take(revision: Revision): ClientProcess | undefined {
    const found = this.waiting.find(process => process.isWaiting && process.isFor(revision));
    this.waiting = this.waiting.filter(process => process !== found);
    return found;
  }

  /** Ends all of them. */
  async end(): Promise<void> {
    await Promise.all(this.waiting.splice(0).map(process => process.dismiss()));
  }
}
