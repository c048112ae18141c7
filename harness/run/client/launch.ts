/**
 * One launch of a client under test: the test servers it connects to, one after another, and its end, in
 * bounded time.
 */

import type { NewEvent } from '../../record/event.js';
import type { Official } from '../../scenario/client-task.js';
import type { Further, Script } from '../../scenario/script.js';
import type { Exit } from '../../subject/subject.js';
import { type Clock, longest, type Overdue, type Starved, settles } from '../../time/clock.js';
import type { Timing } from '../../time/timing.js';
import type { Ending } from './ending.js';
import { ClientProcess, type ClientScript, type ProcessListener, type ProcessOptions } from './process.js';
import { restartAt } from './schedule.js';
import type { TestServer } from './test-server.js';

interface StartOptions extends ProcessOptions {
  /** Measures waits for the client. */
  readonly clock: Clock;
}

/** The task of a launch. */
interface LaunchTask {
  /** Name of the scenario of this suite. */
  readonly scenario: string;
  /** The closest scenario of the official suite. */
  readonly official: Official;
  /** @param further what follows, where the client may have further steps */
  script(further: Further): Script;
}

/** Milliseconds without activity after which a client is said to be inactive. */
const inactive = 500;

/** Output of more bytes than this without a message between is no activity. */
const mostOutput = 1_000_000;

/** A client whose last output is younger than this still prints; in milliseconds. */
const stillPrinting = 500;

/** A client at one test server counts as late from this many timeouts of a response on. */
const usuallyDone = 2;

/** Part of the timeout of a response in which a client that got further steps connects. */
const soonConnected = 1 / 2;

/**
 * Timeout of the client while the harness waits for a response: longer than the timeout of the harness, which
 * therefore ends first.
 */
export const ownPatience = ({ answer, quiet }: Timing): number => answer * 1.25 + quiet * 2;

/** The user follows this many of the addresses that a client prints at one test server. */
const mostFollowed = 20;

/** Number of slices of a wait without activity. */
const parts = 4;

/** URLs in printed text that another character follows: the rest of the last one may be on its way. */
const addressesIn = (text: string): string[] =>
  (text.replaceAll('\\u0026', '&').match(/https?:\/\/[^\s"'<>`\p{Cc}]+(?=[\s"'<>`\p{Cc}])/gu) ?? [])
    .map(address => address.replace(/[.,;:)\]]+$/, ''))
    .filter(address => URL.canParse(address));

export class ClientLaunch implements ProcessListener {
  /** The script of the process that runs this launch. */
  script: ClientScript | undefined;
  /** Test servers that the client has reached. */
  readonly visited = new Set<TestServer>();
  private at = 0;
  /** The link of the client process; undefined where it runs other scripts at the same time. */
  private link: number | undefined;
  private lastSign = performance.now();
  /** Bytes of output since the last message. */
  private printed = 0;
  private lastOutput = performance.now();
  private connect: () => void = () => {};
  /** Resolves when the client reaches a test server. */
  private readonly connected = new Promise<void>(resolve => {
    this.connect = resolve;
  });
  private arrived = performance.now();
  /** True if the process ran an earlier launch: its exit code tells about both. */
  continues = false;
  /** True if a signal (SIGSTOP) kept the client from running when the harness stopped waiting. */
  wasSuspended = false;
  /** True if the client printed a lot, and still printed when the harness stopped waiting. */
  wasLoud = false;
  /** Set if the harness stopped waiting although the client had got too little CPU time. */
  starved: Starved | undefined;

  /** @param testServers test servers in the planned order */
  constructor(
    private readonly testServers: readonly [TestServer, ...TestServer[]],
    private readonly options: StartOptions,
  ) {
    for (const [at, testServer] of testServers.entries()) testServer.onSign(() => this.hear(at));
  }

  /** The current test server of the client. */
  get testServer(): TestServer {
    return this.testServers[this.at]!;
  }

  get process(): ClientProcess | undefined {
    return this.script?.process;
  }

  get exit(): Exit | undefined {
    return this.process?.exit;
  }

  /** Records activity at a test server. A client that reaches a later server has left the earlier ones. */
  private hear(at: number): void {
    this.sign();
    this.printed = 0;
    this.visited.add(this.testServers[at]!);
    this.connect();
    if (at <= this.at) return;
    const former = this.testServers.slice(this.at, at);
    this.at = at;
    this.arrived = this.lastSign;
    this.testServer.enter(this.link);
    for (const testServer of former) testServer.leave();
  }

  private sign(): void {
    this.lastSign = performance.now();
  }

  onBegin(link: number | undefined): void {
    this.link = link;
    this.testServers[0].enter(link);
  }

  onEvent(event: NewEvent): void {
    this.signOfProcess();
    if (event.kind !== 'stderr') return;
    const { protectedServer } = this.testServer;
    if (protectedServer) protectedServer.said += event.text;
    if (event.stdout) this.readAddress(event.text);
    this.followPrinted();
  }

  /** Counts output. A client that only prints, without an end, is inactive. */
  onOutput(bytes: number): void {
    this.printed += bytes;
    this.lastOutput = performance.now();
    if (this.printed <= mostOutput) this.signOfProcess();
  }

  /** Activity of a process counts where it runs nothing else. */
  private signOfProcess(): void {
    if (!this.process?.isShared) this.sign();
  }

  onOpened(words: readonly string[]): void {
    this.testServer.protectedServer?.opened.push(...words);
    this.sign();
  }

  onGone(): void {
    const { protectedServer } = this.testServer;
    if (protectedServer) protectedServer.exitCode = this.exit?.code ?? undefined;
    protectedServer?.end();
  }

  /**
   * Starts the client, or gives a process of it that waits the steps of this launch.
   * @param further `waiting`: the script that waits; `asksAgain`: the client may ask for further steps at the end
   */
  async begin(
    { scenario, official, script }: LaunchTask,
    {
      waiting,
      asksAgain = false,
    }: { readonly waiting?: ClientScript | undefined; readonly asksAgain?: boolean } = {},
  ): Promise<void> {
    const [first] = this.testServers;
    if (waiting) {
      this.continues = true;
      this.script = waiting;
      waiting.goOn(this, further => {
        const { browser } = further;
        return [restartAt(first, official, browser === undefined ? {} : { browser }), ...script(further)];
      });
    } else {
      const isProtected = this.testServers.some(({ protectedServer }) => protectedServer);
      // a later launch of the process may need the browser; a client in this process has no use for it
      const hasBrowser = this.options.subject.command !== undefined && (isProtected || asksAgain);
      this.script = await ClientProcess.start(this.options, this, { hasBrowser, asksAgain }, further => ({
        scenario,
        script: script(further) as never,
        official: first.official(official),
        address: first.address,
      }));
    }
    this.script.process.watch(this.options.clock);
  }

  /** Clients that cannot open a browser may print the address in a line. */
  private readAddress(text: string): void {
    const [, address] = /^MCP_AUTHORIZE (\S+)$/m.exec(text) ?? [];
    const { browser } = this.process ?? {};
    if (address === undefined || !browser) return;
    const { protectedServer } = this.testServer;
    const isOwn = URL.canParse(address) && protectedServer?.isAuthorizationUrl(new URL(address));
    if (this.process?.isShared && !isOwn) return;
    protectedServer?.opened.push(address);
    if (URL.canParse(address)) void browser.visit(address);
  }

  /** The user follows the address of an authorization request that the client prints. */
  private followPrinted(): void {
    const { protectedServer } = this.testServer;
    const { browser } = this.process ?? {};
    if (!protectedServer || !browser) return;
    const addresses = addressesIn(protectedServer.said).filter(address =>
      protectedServer.isAuthorizationUrl(new URL(address)),
    );
    for (const address of addresses.slice(0, mostFollowed))
      if (protectedServer.follows(address)) void browser.visitPrinted(address);
  }

  /**
   * Waits until the client has finished.
   * @param patience milliseconds without activity after which the wait ends; read again for each slice
   * @param onInactive called once, when a client that has connected does nothing for a while
   */
  async ending(patience: () => number, onInactive?: () => void): Promise<Ending> {
    const { timing, clock } = this.options;
    const { budget } = timing;
    const { gone } = this.process!;
    let isAsked = false;
    const asked = this.script!.whenAsked().then(() => {
      isAsked = true;
    });
    const over = Promise.race(budget ? [gone, asked, budget.over] : [gone, asked]);
    this.sign();
    if (onInactive) void this.noteInactivity(over, onInactive);
    this.arrived = this.lastSign;
    let stalled = { since: this.arrived, ms: 0, ours: 0 };
    let seen = this.lastSign;
    // the wait is split into slices: activity restarts the count
    for (let idle = 0; idle < parts; idle++) {
      // before its first activity a program may need a long time to start
      const isStarting = !this.continues && this.testServers[0].peers.length === 0;
      const isNew = this.visited.size === 0;
      // a client that got further steps connects at once, or never
      const most = this.continues && isNew ? timing.answer * soonConnected : Number.POSITIVE_INFINITY;
      const grace = isStarting ? timing.answer * 3 : Math.min(patience(), most);
      const began = performance.now();
      const ends = isNew ? Promise.race([over, this.connected]) : over;
      const late = await clock.waitAtMost(ends, grace / parts, () => this.lastSign === seen);
      if (!late && isAsked && !this.exit) {
        // the client has left the last test server too
        this.testServer.leave();
        return 'asked';
      }
      if (!late && isNew && this.visited.size > 0 && !this.exit && budget?.reason === undefined) {
        // the client has connected: from here on its patience counts
        [seen, idle] = [this.lastSign, -1];
        continue;
      }
      if (!late) return this.exit || budget?.reason === undefined ? 'exited' : 'stopped';
      const took = performance.now() - began;
      if (stalled.since !== this.arrived) stalled = { since: this.arrived, ms: 0, ours: 0 };
      stalled.ms += took - late.ms;
      if (clock.isBusy) stalled.ours += took;
      // while the harness waits for the client, its timeout ends the wait; while it writes in pieces, the client waits
      if (this.lastSign !== seen || clock.isBusy) [seen, idle] = [this.lastSign, -1];
      else if (late.starved && idle === parts - 1) this.starve(late);
      // a client that is active for this long may never finish
      const expected = this.arrived + timing.answer * usuallyDone + stalled.ours;
      if (!late.starved && performance.now() > expected) budget?.count(Math.max(began, expected));
      // maximum time at one test server, even for an active client; waits of the harness have their own
      // limits
      if (performance.now() < this.arrived + timing.answer * longest + stalled.ours) continue;
      const starved = clock.starvedSince(this.arrived, stalled.ms);
      if (starved) this.starve({ ms: timing.answer * longest, starved });
      return 'endless';
    }
    this.wasSuspended = this.process!.isStopped;
    this.wasLoud = this.printed > mostOutput && performance.now() - this.lastOutput < stillPrinting;
    // a client without access may be waiting for the user, and one that has connected may stay for the next task
    const isSilent = this.testServer.peers.length === 0 && !this.testServer.protectedServer;
    if (!this.starved && isSilent) budget?.count(this.lastSign);
    return 'idle';
  }

  /** Calls `onInactive` once, when a client that has connected sends nothing and uses hardly any CPU time. */
  private async noteInactivity(over: Promise<unknown>, onInactive: () => void): Promise<void> {
    for (let began = performance.now(); !(await settles(over, inactive)); began = performance.now()) {
      const isActive = this.visited.size === 0 || this.lastSign > began;
      if (!isActive && this.options.clock.idleSince(began)) return onInactive();
    }
  }

  /** Records that the client got too little CPU time. */
  private starve(late: Overdue): void {
    this.starved = late.starved;
    this.process!.note({ kind: 'deadline', label: 'idle', ...late });
    this.testServer.starve(late);
  }

  /** Terminates all remaining processes of the client and waits for their end, unless they run other launches. */
  async stop(): Promise<void> {
    await this.script?.stop();
  }
}
