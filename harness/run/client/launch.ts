/** One start of a client under test: the ends of ours it is sent to, one after another, and how it ends, in bounded time. */

import type { Revision, TransportId } from '../../../spec/revisions.js';
import { Browser } from '../../protected-server/browser.js';
import type { History } from '../../record/history.js';
import type { Tap } from '../../record/tap.js';
import type { ClientTask } from '../../scenario/client-task.js';
import type { Exit } from '../../subject/subject.js';
import { type Clock, longest, type Overdue, type Starved } from '../../time/clock.js';
import type { Timing } from '../../time/timing.js';
import { ProcessRecord } from '../../transports/process-record.js';
import type { ClientSubject } from './subject.js';
import type { TestServer } from './test-server.js';

export interface StartOptions {
  readonly subject: ClientSubject;
  readonly transport: TransportId;
  /** The revision our ends are planned to speak. */
  readonly revision: Revision;
  readonly history: History;
  readonly timing: Timing;
  /** Measures waits for the client. */
  readonly clock: Clock;
}

/** How the start of a client ended: by itself, or because nothing happened any more, or it went on without end. */
export type Ending = 'exited' | 'idle' | 'endless';

/** The parts in which a wait without any sign is counted. */
const parts = 4;

export class ClientLaunch {
  process: ProcessRecord | undefined;
  /** Those that the client has come to. */
  readonly visited = new Set<TestServer>();
  private browser: Browser | undefined;
  private at = 0;
  /** The link of the process. */
  private record = 0;
  private tap: Tap = () => [];
  private lastSign = performance.now();
  private arrived = performance.now();
  /** It was given up although the machine had left it no time. */
  starved: Starved | undefined;

  /** @param stages in the order in which the client is to come to them */
  constructor(
    private readonly stages: readonly [TestServer, ...TestServer[]],
    private readonly options: StartOptions,
  ) {
    for (const [at, stage] of stages.entries()) stage.onSign(() => this.hear(at));
  }

  /** Where the client is. */
  get stage(): TestServer {
    return this.stages[this.at]!;
  }

  get exit(): Exit | undefined {
    return this.process?.exit;
  }

  /** Something was heard at one of our ends. Who comes to a later one has left those before it. */
  private hear(at: number): void {
    this.sign();
    this.visited.add(this.stages[at]!);
    if (at <= this.at) return;
    const former = this.stages.slice(this.at, at);
    this.at = at;
    this.arrived = this.lastSign;
    this.stage.enter(this.record);
    for (const testServer of former) testServer.leave();
  }

  private sign(): void {
    this.lastSign = performance.now();
  }

  /** Starts the client. @param task what it is told, beside where it is to connect to */
  async begin(task: Omit<ClientTask, 'address' | 'transport' | 'revision'>): Promise<void> {
    const { subject, transport, revision, history, clock } = this.options;
    await this.openBrowser();
    const [first] = this.stages;
    const { address } = first;
    const link = history.newLink(transport, revision);
    this.record = link;
    first.enter(link);
    this.tap = event => {
      this.sign();
      const { scene } = this.stage;
      if (event.kind === 'stderr') {
        if (scene) scene.said += event.text;
        if (event.stdout) this.readAddress(event.text);
      }
      // what was said at one end may be repeated at the next
      const hidden = this.stages.reduce((shown, { secrets }) => secrets.hideIn(shown), event);
      return history.record(link, hidden).messages;
    };
    const opens = (words: string) => void this.stage.scene?.opened.push(words);
    const surroundings = {
      official: first.official(task.official),
      browser: this.browser?.environment,
      opens,
    };
    const endpoint = subject.start({ ...task, ...surroundings, address, transport, revision: revision.id });
    clock.watch(endpoint);
    // nobody types
    endpoint.stdin.end();
    const facts = { command: subject.command, revision: revision.id, ...('url' in address && address) };
    this.process = new ProcessRecord(endpoint, this.tap, facts, () => this.sign());
    void this.process.gone.then(() => this.stage.scene?.end());
  }

  /** A client in this process has no need for one. */
  private async openBrowser(): Promise<void> {
    if (!this.options.subject.command || !this.stages.some(({ scene }) => scene)) return;
    this.browser = await new Browser(words => {
      this.stage.scene?.opened.push(...words);
      this.sign();
    }).listening();
  }

  /** Clients that open no browser themselves may say in a line where to go. */
  private readAddress(text: string): void {
    const [, address] = /^MCP_AUTHORIZE (\S+)$/m.exec(text) ?? [];
    if (address === undefined || !this.browser) return;
    this.stage.scene?.opened.push(address);
    if (URL.canParse(address)) void this.browser.visit(address);
  }

  /**
   * Waits until the client has done what it does.
   * @param patience milliseconds without any sign of life after which it is given up, as things are at the moment
   */
  async ending(patience: () => number): Promise<Ending> {
    const { timing, clock } = this.options;
    const gone = this.process!.gone;
    this.sign();
    this.arrived = this.lastSign;
    let stalled = { since: this.arrived, ms: 0, ours: 0 };
    let seen = this.lastSign;
    // counted in parts of the wait: a sign of life begins it anew
    for (let idle = 0; idle < parts; idle++) {
      // before the first sign a program may take long to start
      const grace = this.stages[0].peers.length === 0 ? timing.answer * 3 : patience();
      const began = performance.now();
      const late = await clock.waitAtMost(gone, grace / parts, () => this.lastSign === seen);
      if (!late) return 'exited';
      const took = performance.now() - began;
      if (stalled.since !== this.arrived) stalled = { since: this.arrived, ms: 0, ours: 0 };
      stalled.ms += took - late.ms;
      if (clock.isBusy) stalled.ours += took;
      // while our end waits for it, it is our end that gives up
      if (this.lastSign !== seen || clock.isBusy) [seen, idle] = [this.lastSign, -1];
      else if (late.starved && idle === parts - 1) this.starve(late);
      // no client stays at one end of ours for longer, however busy it is; our own waits have ends of their own
      if (performance.now() < this.arrived + timing.answer * longest + stalled.ours) continue;
      const starved = clock.starvedSince(this.arrived, stalled.ms);
      if (starved) this.starve({ ms: timing.answer * longest, starved });
      return 'endless';
    }
    return 'idle';
  }

  /** Writes down that the machine left it no time. */
  private starve(late: Overdue): void {
    this.starved = late.starved;
    this.tap({ kind: 'deadline', label: 'idle', ...late });
    this.stage.starve(late);
  }

  /** Ends what is left of the client; nothing of it is left. */
  async stop(): Promise<void> {
    await this.process?.stop(this.options.timing.exit);
    await this.process?.gone;
    await this.browser?.close();
  }
}
