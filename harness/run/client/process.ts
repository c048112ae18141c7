/**
 * One process of a client under test, and the scripts that it runs: one, or several side by side. A script runs launches, one
 * after another.
 */

import type { Revision, TransportId } from '../../../spec/revisions.js';
import { Browser } from '../../protected-server/browser.js';
import type { NewEvent } from '../../record/event.js';
import type { History } from '../../record/history.js';
import type { ClientTask } from '../../scenario/client-task.js';
import type { Further, Script } from '../../scenario/script.js';
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
  /** Number of scripts that a process may run beside its first one, if it asks for further steps. */
  readonly beside: number;
}

/** The launch that a script runs: it is told what the process does. */
export interface ProcessListener {
  /** @param link link of the process, before the launch begins; undefined where other scripts run beside it */
  onBegin(link: number | undefined): void;
  onEvent(event: NewEvent): void;
  /** @param bytes length of the output; 0 at the exit */
  onOutput(bytes: number): void;
  /** The client passed these words to the browser. */
  onOpened(words: readonly string[]): void;
  onGone(): void;
}

/** The task of a process, without what each process has of its own. */
type ProcessTask = Omit<ClientTask, 'transport' | 'revision' | 'browser' | 'opens'>;

/** What a process needs besides its task. */
interface ProcessNeeds {
  /** The client may ask for authorization. */
  readonly hasBrowser: boolean;
  /** The client may ask for further steps at the end of its script. */
  readonly asksAgain: boolean;
}

/** One script of a process: a process that runs several gives each of them its own connections and data. */
export class ClientScript {
  /** True if the process began with it, or got steps for it. */
  private hasSteps: boolean;
  /** True if its next launch is planned. */
  private isTaken = false;
  /** True if the client did not ask for further steps where it should have. */
  isAbandoned = false;

  /** @param number its number in the process; the process begins with script 0 */
  constructor(
    readonly process: ClientProcess,
    private readonly number: number,
    private readonly steps: StepSource | undefined,
    private listener?: ProcessListener,
  ) {
    this.hasSteps = number === 0;
  }

  /** True if the client has begun with this script. */
  get isBegun(): boolean {
    return this.hasSteps || this.steps?.isAsked === true;
  }

  /** True if the client has steps of this script, or will get some. */
  get isAtWork(): boolean {
    return (this.hasSteps || this.isTaken) && !this.isAbandoned && !this.isWaiting;
  }

  /** True while the client waits for steps of this script. */
  get isWaiting(): boolean {
    return !this.process.exit && !this.isAbandoned && !this.isTaken && this.steps?.isAsked === true;
  }

  /** Plans the next launch. */
  take(): void {
    this.isTaken = true;
  }

  /** Resolves when the client asks for further steps. */
  whenAsked(): Promise<void> {
    return this.steps?.whenAsked() ?? new Promise(() => {});
  }

  /** What the script is told about the steps that follow it. */
  further(): Further {
    const { browser } = this.process;
    return {
      ...(this.steps && { steps: this.steps.url }),
      // the environment of the process has the address for the first script
      ...(browser && this.number > 0 && { browser: browser.addressOf(this.number) }),
    };
  }

  /** Gives the steps of the next launch. */
  goOn(listener: ProcessListener, makeSteps: (further: Further) => Script): void {
    [this.hasSteps, this.isTaken] = [true, false];
    this.listener = listener;
    listener.onBegin(this.process.isShared ? undefined : this.process.link);
    this.steps?.give(makeSteps(this.further()));
  }

  tell(about: (listener: ProcessListener) => void): void {
    if (this.listener) about(this.listener);
  }

  /** Ends the script, if the client waits for its steps. */
  end(): void {
    this.steps?.give([]);
  }

  /** Stops waiting for the client, and terminates the process unless other scripts are at work. */
  async stop(): Promise<void> {
    this.isAbandoned = true;
    const { exit, scripts } = this.process;
    if (exit || !scripts.some(({ isAtWork }) => isAtWork)) await this.process.stop();
  }

  async close(): Promise<void> {
    await this.steps?.close();
  }
}

export class ClientProcess {
  /** Link of the process. */
  readonly link: number;
  /** The first script, and those that the client may run beside it. */
  readonly scripts: readonly [ClientScript, ...ClientScript[]];
  private readonly endpoint: Endpoint;
  private readonly record: ProcessRecord;
  private onTerminated: () => void = () => {};
  /** Resolves when the process and all that it has started are gone. */
  readonly terminated = new Promise<void>(resolve => {
    this.onTerminated = resolve;
  });
  private stopping: Promise<void> | undefined;

  private constructor(
    private readonly options: ProcessOptions,
    listener: ProcessListener,
    readonly browser: Browser | undefined,
    [steps, ...others]: readonly StepSource[],
    task: ProcessTask,
  ) {
    const { subject, transport, revision, history } = options;
    const { address } = task;
    this.link = history.newLink(transport, revision);
    const first = new ClientScript(this, 0, steps, listener);
    this.scripts = [first, ...others.map((source, at) => new ClientScript(this, at + 1, source))];
    listener.onBegin(this.link);
    this.endpoint = subject.start({
      ...task,
      browser: browser?.environment,
      opens: words => first.tell(one => one.onOpened([words])),
      transport,
      revision: revision.id,
    });
    this.endpoint.onSwarm?.(limit => options.timing.budget?.end(limit));
    // nobody types
    this.endpoint.stdin.end();
    const tap = (event: NewEvent) => {
      this.tell(one => one.onEvent(event));
      return history.record(this.link, event).messages;
    };
    const facts = { command: subject.command, revision: revision.id, ...('url' in address && address) };
    this.record = new ProcessRecord(this.endpoint, tap, facts, bytes =>
      this.tell(one => one.onOutput(bytes)),
    );
    void this.record.gone.then(() => this.tell(one => one.onGone()));
  }

  /**
   * Starts the client.
   * @param makeTask the task, for the addresses of further steps
   */
  static async start(
    options: ProcessOptions,
    listener: ProcessListener,
    { hasBrowser, asksAgain }: ProcessNeeds,
    makeTask: (further: Further) => ProcessTask,
  ): Promise<ClientScript> {
    let process: ClientProcess | undefined;
    const browser = hasBrowser
      ? await new Browser((words, script) =>
          process?.scripts[script]?.tell(one => one.onOpened(words)),
        ).listening()
      : undefined;
    const count = asksAgain ? 1 + options.beside : 0;
    const sources = await Promise.all(Array.from({ length: count }, () => new StepSource().listening()));
    const [steps, ...beside] = sources.map(({ url }) => url);
    const further = { ...(steps !== undefined && { steps }), ...(beside.length > 0 && { beside }) };
    process = new ClientProcess(options, listener, browser, sources, makeTask(further));
    return process.scripts[0];
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

  /** True if the client runs several scripts: its output belongs to any of them. */
  get isShared(): boolean {
    return this.scripts.filter(({ isBegun }) => isBegun).length > 1;
  }

  private tell(about: (listener: ProcessListener) => void): void {
    for (const script of this.scripts) script.tell(about);
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

  /** True if the process can go on with a launch: it runs in an environment for this revision. */
  isFor(revision: Revision): boolean {
    return this.options.revision === revision && !this.hasAbandoned;
  }

  private get hasAbandoned(): boolean {
    return this.scripts.some(({ isAbandoned }) => isAbandoned);
  }

  /** Ends a process that waits: it gets no further steps. */
  async dismiss(): Promise<void> {
    for (const script of this.scripts) script.end();
    const { exits, timing } = this.options;
    const clock = new Clock(this.endpoint);
    if (!this.hasAbandoned && !this.exit)
      await exits.wait('exit-after-script', this.gone, clock, timing.exit);
    await this.stop();
  }

  /** Terminates all remaining processes of the client and waits for their end. */
  stop(): Promise<void> {
    this.stopping ??= this.terminate();
    return this.stopping;
  }

  private async terminate(): Promise<void> {
    await this.record.stop(this.options.timing.exit, this.options.exits);
    await this.gone;
    await this.browser?.close();
    for (const script of this.scripts) await script.close();
    this.onTerminated();
  }
}

/** The processes of a client, and their scripts that wait for further steps. */
export class ClientProcesses {
  private readonly running = new Set<ClientProcess>();

  /** Adds a process that has started. */
  add(process: ClientProcess): void {
    this.running.add(process);
    void process.terminated.then(() => this.running.delete(process));
  }

  /** A script that waits in an environment for this revision. */
  take(revision: Revision): ClientScript | undefined {
    const found = [...this.running]
      .filter(process => process.isFor(revision))
      .flatMap(({ scripts }) => scripts)
      .find(({ isWaiting }) => isWaiting);
    found?.take();
    return found;
  }

  /** True if one of the processes runs several scripts. @param revision only those in an environment for it */
  hasSeveral(revision?: Revision): boolean {
    const fits = (one: ClientProcess) => !revision || (one.isFor(revision) && !one.exit);
    return [...this.running].some(process => process.isShared && fits(process));
  }

  /** Ends all processes; each is at its end, or waits for steps. */
  async end(): Promise<void> {
    await Promise.all([...this.running].map(process => process.dismiss()));
  }
}
