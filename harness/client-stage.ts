/** One start of a client under test, with a listener of its own: what it opens, and how it ends, in bounded time. */

import type { Revision, TransportId } from '../spec/revisions.js';
import type { ClientSubject, ClientTask } from './client-subject.js';
import type { AcceptOptions } from './eras/era.js';
import { NoOccasion } from './held.js';
import type { Conversation, History, Message } from './history.js';
import type { HttpListenOptions, HttpServer } from './http-server.js';
import type { Link, Listener, StdioListenOptions, Tap, Timing } from './link.js';
import { Peer } from './peer.js';
import { ProcessRecord } from './process-record.js';
import { Browser } from './protection/browser.js';
import { type GetDocument, Scene } from './protection/scene.js';
import type { Protection } from './protection/script.js';
import { Secrets } from './secrets.js';
import { type Serve, serve } from './serve.js';
import type { Exit } from './subject.js';
import { listen } from './transports/listener.js';
import { waitFor } from './wait.js';

export interface StageOptions {
  readonly subject: ClientSubject;
  readonly transport: TransportId;
  /** The revision our end is planned to speak. */
  readonly revision: Revision;
  /** The case that has what is observed at first. */
  readonly case: number;
  readonly history: History;
  readonly timing: Timing;
  /** Answers of our end, those that go before others last. */
  readonly serve: readonly Serve[];
  readonly accept: AcceptOptions;
  readonly http?: HttpListenOptions | undefined;
  readonly stdio?: StdioListenOptions | undefined;
  /** Some connections of the client only serve to find out what our end is (`ClientProbe.scouts`). */
  readonly scouts?: boolean | undefined;
  /** What stands around our end, when it lets nobody in without a token. */
  readonly protection?: Protection | undefined;
  readonly getDocument?: GetDocument | undefined;
}

/** Whether a client of a newer era only asked whether our end is one too, on a connection of its own. */
const isScout = (conversation: Conversation): boolean => {
  const said = conversation.sent('subject');
  return said.length > 0 && said.every(isScouting);
};

const isScouting = (message: Message): boolean => message.method === 'server/discover';

/** How the start of a client ended: by itself, or because nothing happened any more, or it went on without end. */
export type Ending = 'exited' | 'idle' | 'endless';

/** No start of a client lasts longer than so many times the wait for one answer, however busy it is. */
const longest = 6;

/** The parts in which a wait without any sign is counted. */
const parts = 4;

export class Stage {
  /** Conversations the client has opened. */
  readonly peers: Peer[] = [];
  process: ProcessRecord | undefined;
  readonly http: HttpServer | undefined;
  /** What stands around our end, if anything does. */
  scene: Scene | undefined;
  private browser: Browser | undefined;
  /** Those for the scenario, in turn. */
  private readonly introduced: Peer[] = [];
  private readonly takers: ((peer: Peer | undefined) => void)[] = [];
  private taken = 0;
  private over = false;
  private lastSign = performance.now();
  private readonly links: number[] = [];
  private readonly opened = new Map<Peer, Promise<boolean>>();
  private holder: number;

  private constructor(
    private readonly options: StageOptions,
    private readonly listener: Listener,
    /** What nobody may read in the record of this start. */
    readonly secrets: Secrets,
  ) {
    this.holder = options.case;
    this.http = listener.http;
    listener.onLink((link, conversation) => this.welcome(link, conversation));
  }

  /** Opens the listener; the client is not started yet. */
  static async open(options: StageOptions): Promise<Stage> {
    const { subject, transport, timing, http, stdio, protection, revision } = options;
    const taps = new Map<number, Tap>();
    let stage: Stage | undefined;
    const newLink = (spoken: TransportId) => {
      const { tap, conversation } = newRecord(options, spoken, () => stage?.sign());
      options.history.assign(conversation.link, stage?.holder ?? options.case);
      stage?.links.push(conversation.link);
      taps.set(conversation.link, tap);
      return { tap, conversation };
    };
    const secrets = new Secrets();
    const scene = protection && new Scene(protection, revision, secrets, options.getDocument);
    const around = scene ? { ...http, ...scene.behaviour } : http;
    const settings = { newLink, timing, secrets, ...(around && { http: around }), ...(stdio && { stdio }) };
    const inMemory = transport === 'stdio' && subject.listen?.(settings);
    stage = new Stage(options, inMemory || (await listen(transport, settings)), secrets);
    stage.tapOf = link => taps.get(link)!;
    if (scene) await stage.surround(scene, stage.http!);
    return stage;
  }

  private async surround(scene: Scene, http: HttpServer): Promise<void> {
    this.scene = scene;
    await scene.open(http);
    // a client in this process has no need for one
    if (!this.options.subject.command) return;
    this.browser = await new Browser(words => {
      scene.opened.push(...words);
      this.sign();
    }).listening();
  }

  private tapOf: (link: number) => Tap = () => () => [];

  private sign(): void {
    this.lastSign = performance.now();
  }

  private welcome(link: Link, conversation: Conversation): void {
    const { revision, timing, accept } = this.options;
    const peer = new Peer({ link, tap: this.tapOf(conversation.link), conversation, revision, timing });
    this.opened.set(peer, peer.era.accept(peer, accept));
    serve(peer, ...this.options.serve);
    this.peers.push(peer);
    if (this.options.scouts) void this.introduceLater(peer);
    else this.introduce(peer);
  }

  private async introduceLater(peer: Peer): Promise<void> {
    if (await peer.next(message => !isScouting(message))) this.introduce(peer);
  }

  private introduce(peer: Peer): void {
    this.introduced.push(peer);
    this.takers.shift()?.(peer);
  }

  /**
   * The next conversation, opened already or to come.
   * @throws {NoOccasion} when the client is gone and has opened no more
   */
  async next(): Promise<Peer> {
    const at = this.taken++;
    const peer =
      this.introduced[at] ??
      (await new Promise<Peer | undefined>(resolve => {
        if (this.over) resolve(undefined);
        else this.takers.push(resolve);
      }));
    if (!peer)
      throw new NoOccasion(at === 0 ? 'the client did not connect' : 'the client did not connect again');
    return peer;
  }

  /** Waits until a conversation is open. @throws {NoOccasion} when it ends before */
  async ready(peer: Peer): Promise<void> {
    if (!(await this.opened.get(peer))) throw new NoOccasion('the client did not open the conversation');
  }

  /** From now on what is observed belongs to another case. */
  hold(caseNumber: number): void {
    this.holder = caseNumber;
    for (const link of this.links) this.options.history.assign(link, caseNumber);
  }

  /** Starts the client. */
  start(task: Omit<ClientTask, 'address' | 'transport' | 'revision'>): void {
    const { subject, transport, revision } = this.options;
    const { address } = this.listener;
    const { scene, browser, secrets } = this;
    const record = newRecord(this.options, transport, () => {});
    this.options.history.assign(record.conversation.link, this.holder);
    this.links.push(record.conversation.link);
    const tap: Tap = event => {
      if (event.kind === 'stderr') {
        if (scene) scene.said += event.text;
        if (event.stdout) this.readAddress(event.text);
      }
      return record.tap(secrets.hideIn(event));
    };
    const { protection } = this.options;
    const context = scene && protection?.context?.(scene);
    const official = context ? { ...task.official, context } : task.official;
    const opens = (address: string) => void scene?.opened.push(address);
    const surroundings = { official, browser: browser?.environment, opens };
    const endpoint = subject.start({ ...task, ...surroundings, address, transport, revision: revision.id });
    // nobody types
    endpoint.stdin.end();
    const facts = { command: subject.command, revision: revision.id, ...('url' in address && address) };
    this.process = new ProcessRecord(endpoint, tap, facts, () => this.sign());
    void this.process.gone.then(() => scene?.end());
  }

  /** Clients that open no browser themselves may say in a line where to go. */
  private readAddress(text: string): void {
    const [, address] = /^MCP_AUTHORIZE (\S+)$/m.exec(text) ?? [];
    if (address === undefined || !this.browser) return;
    this.scene?.opened.push(address);
    if (URL.canParse(address)) this.browser.visit(address);
  }

  /**
   * Waits until the client has done what it does.
   * @param patience milliseconds without any sign of life after which it is given up, as things are at the moment
   */
  async ending(patience: () => number): Promise<Ending> {
    const gone = this.process!.gone;
    const end = performance.now() + this.options.timing.answer * longest;
    this.sign();
    // counted in parts of the wait: when this process is busy, time passes in which nobody could give a sign
    for (let idle = 0, seen = this.lastSign; idle < parts; idle++) {
      if (performance.now() >= end) return 'endless';
      // before the first sign a program may take long to start
      const grace = this.peers.length === 0 ? this.options.timing.answer * 3 : patience();
      if (await waitFor(gone, grace / parts)) return 'exited';
      if (this.lastSign === seen) continue;
      seen = this.lastSign;
      idle = -1;
    }
    return 'idle';
  }

  get exit(): Exit | undefined {
    return this.process?.exit;
  }

  /** Ends our end, and what is left of the client; nothing of either is left. */
  async close(): Promise<void> {
    const { transport, timing } = this.options;
    if (this.exit) {
      // what it said last may still be on its way
      const ended =
        transport === 'stdio' ? this.peers.map(peer => peer.next(() => false)) : [new Promise(() => {})];
      await waitFor(Promise.all(ended), transport === 'stdio' ? timing.exit : timing.quiet / 5);
    }
    await this.closeOurs();
    await this.process?.stop(timing.exit);
    await this.process?.gone;
    await this.browser?.close();
  }

  /** Ends our end: whoever waits for the client learns that nothing more comes. */
  async closeOurs(): Promise<void> {
    this.over = true;
    this.scene?.end();
    for (const taker of this.takers.splice(0)) taker(undefined);
    await this.listener.close();
  }

  /** What there is to judge: not what was said in another era. */
  get conversations(): Conversation[] {
    return this.peers.map(peer => peer.conversation).filter(c => !isScout(c));
  }
}

/** A place in the history for a link or a process of this start. */
function newRecord(
  { history, revision }: StageOptions,
  transport: TransportId,
  sign: () => void,
): { tap: Tap; conversation: Conversation } {
  const link = history.newLink(transport, revision);
  const tap: Tap = event => {
    sign();
    return history.record(link, event).messages;
  };
  return { tap, conversation: history.conversation(link) };
}
