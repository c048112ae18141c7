/** A test server for a client under test: a listener with the conversations that the client opens there. */

import type { Revision, TransportId } from '../../../spec/revisions.js';
import { NotObserved } from '../../peer/deferred.js';
import type { AcceptOptions } from '../../peer/eras/era.js';
import { Peer } from '../../peer/peer.js';
import type { Protection } from '../../protected-server/script.js';
import { type GetDocument, ProtectedServer } from '../../protected-server/server.js';
import type { Conversation } from '../../record/conversation.js';
import type { History } from '../../record/history.js';
import type { Tap } from '../../record/tap.js';
import type { Official } from '../../scenario/client-task.js';
import { type Serve, serve } from '../../scenario/serve.js';
import { type Clock, type Overdue, settles } from '../../time/clock.js';
import type { Timing } from '../../time/timing.js';
import type { HttpListenOptions, HttpServer } from '../../transports/http/server/behaviour.js';
import type { Intake } from '../../transports/intake.js';
import type { Address, Link, Listener, StdioListenOptions } from '../../transports/link.js';
import { listen } from '../../transports/listener.js';
import { asksForEra, isOfOtherEra } from '../other-era.js';
import type { ClientSubject } from './subject.js';

interface StageOptions {
  readonly subject: ClientSubject;
  readonly transport: TransportId;
  /** The planned revision of the harness. */
  readonly revision: Revision;
  /** The case to which the first events belong. */
  readonly case: number;
  readonly history: History;
  readonly timing: Timing;
  /** Counts the input of the run. */
  readonly intake: Intake;
  /** Measures waits for the client. */
  readonly clock: Clock;
  /** Responses of the harness; later tables override earlier ones. */
  readonly serve: readonly Serve[];
  readonly accept: AcceptOptions;
  readonly http?: HttpListenOptions | undefined;
  readonly stdio?: StdioListenOptions | undefined;
  /** Some connections of the client only probe the era of the server (`ClientFacts.probesEra`). */
  readonly probesEra?: boolean | undefined;
  /** Protection of the server, if the server requires a token. */
  readonly protection?: Protection | undefined;
  readonly getDocument?: GetDocument | undefined;
}

export class TestServer {
  /** Conversations the client has opened. */
  readonly peers: Peer[] = [];
  readonly http: HttpServer | undefined;
  /** The protected server, if this test server has protection. */
  protectedServer: ProtectedServer | undefined;
  /** Conversations for the scenario, in order. */
  private readonly introduced: Peer[] = [];
  private readonly takers: ((peer: Peer | undefined) => void)[] = [];
  private taken = 0;
  /** Called when the client begins a conversation for which no scenario waits. */
  private onIntroduced: () => void = () => {};
  private over = false;
  /** True while no case waits for requests. */
  private released = false;
  /** Time at which the client arrived here or was sent here. */
  began = performance.now();
  private signal: () => void = () => {};
  private depart: () => void = () => {};
  /** Resolves when the client has gone on to another test server. */
  readonly leftForNext = new Promise<void>(resolve => {
    this.depart = resolve;
  });
  private readonly links: number[] = [];
  private readonly opened = new Map<Peer, Promise<boolean>>();
  private holder: number;

  private constructor(
    private readonly options: StageOptions,
    private readonly listener: Listener,
  ) {
    this.holder = options.case;
    this.http = listener.http;
    listener.onLink((link, conversation) => this.welcome(link, conversation));
  }

  /** Opens the listener; the client is not started yet. */
  static async open(options: StageOptions): Promise<TestServer> {
    const { subject, transport, timing, clock, http, stdio, protection, revision, intake } = options;
    const taps = new Map<number, Tap>();
    let testServer: TestServer | undefined;
    const newLink = (spoken: TransportId) => {
      const { tap, conversation } = newRecord(options, spoken, () => testServer?.signal());
      testServer?.keep(conversation.link);
      taps.set(conversation.link, tap);
      return { tap, conversation };
    };
    const { secrets } = options.history;
    const protectedServer =
      protection && new ProtectedServer(protection, revision, secrets, options.getDocument);
    const around = protectedServer ? { ...http, ...protectedServer.behaviour } : http;
    const settings = {
      newLink,
      timing,
      clock,
      secrets,
      intake,
      stateless: revision.era === 'modern',
      ...(around && { http: around }),
      ...(stdio && { stdio }),
    };
    const inMemory = transport === 'stdio' && subject.listen?.(settings);
    testServer = new TestServer(options, inMemory || (await listen(transport, settings)));
    testServer.tapOf = link => taps.get(link)!;
    if (protectedServer) await testServer.surround(protectedServer, testServer.http!);
    return testServer;
  }

  private async surround(protectedServer: ProtectedServer, http: HttpServer): Promise<void> {
    this.protectedServer = protectedServer;
    await protectedServer.open(http);
  }

  private tapOf: (link: number) => Tap = () => () => [];

  /** @param hear called for each activity of the client at this server */
  onSign(hear: () => void): void {
    this.signal = hear;
  }

  /** Assigns the events of a link to the current case. */
  keep(link: number): void {
    this.links.push(link);
    this.options.history.assign(link, this.holder);
  }

  /** The client arrives at this server. @param link link of the client process, if it is nowhere else */
  enter(link: number | undefined): void {
    this.began = performance.now();
    if (link !== undefined) this.keep(link);
  }

  /** The client has gone on to another test server. */
  leave(): void {
    this.protectedServer?.end();
    this.depart();
  }

  /** The address for the client. */
  get address(): Address {
    return this.listener.address;
  }

  /** Scenario and context for a client of the official suite at this server. */
  official(nearest: Official): Official {
    const context = this.protectedServer && this.options.protection?.context?.(this.protectedServer);
    return context ? { ...nearest, context } : nearest;
  }

  private welcome(link: Link, conversation: Conversation): void {
    const { revision, timing, accept } = this.options;
    const peer = new Peer({ link, tap: this.tapOf(conversation.link), conversation, revision, timing });
    this.opened.set(peer, peer.era.accept(peer, accept));
    serve(peer, ...this.options.serve);
    if (this.released) peer.releaseDeferred();
    this.peers.push(peer);
    if (this.options.probesEra) void this.introduceLater(peer);
    else this.introduce(peer);
  }

  private async introduceLater(peer: Peer): Promise<void> {
    if (await peer.next(message => !asksForEra(message))) this.introduce(peer);
  }

  private introduce(peer: Peer): void {
    this.introduced.push(peer);
    const taker = this.takers.shift();
    if (taker) taker(peer);
    else this.onIntroduced();
  }

  /**
   * The next conversation, open already or opened later.
   * @throws {NotObserved} when the client has exited and opened no further one
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
      throw new NotObserved(at === 0 ? 'the client did not connect' : 'the client did not connect again');
    return peer;
  }

  /**
   * The next conversation whose handshake is complete. A client may leave a conversation after `initialize` and begin
   * another one, for example to see first whether the server requires a token.
   * @throws {NotObserved} when the client has opened no conversation
   */
  async nextOpen(): Promise<Peer> {
    const from = this.taken;
    const begun = [await this.next()];
    for (;;) {
      const further = await Promise.race([this.firstOpen(begun), this.further(from + begun.length)]);
      if (further === 'further') begun.push(this.introduced[from + begun.length]!);
      else if (further) {
        this.taken = this.introduced.indexOf(further) + 1;
        return further;
      } else throw new NotObserved('the client did not open the conversation');
    }
  }

  /** True if the conversation that was taken last has ended. */
  get hasLeft(): boolean {
    return this.introduced[this.taken - 1]?.ended === true;
  }

  /** The first of some conversations that is open; undefined when all of them end before that. */
  private firstOpen(begun: readonly Peer[]): Promise<Peer | undefined> {
    const opening = begun.map(async peer => {
      if (await this.opened.get(peer)) return peer;
      throw new NotObserved('ended before');
    });
    return Promise.any(opening).catch(() => undefined);
  }

  /** Resolves when the client has begun a conversation. @param at its number, from 0 */
  private further(at: number): Promise<'further'> {
    return new Promise(resolve => {
      if (this.introduced.length > at) resolve('further');
      else this.onIntroduced = () => resolve('further');
    });
  }

  /** A case begins: requests that it serves with `held` wait for it. */
  deferRequests(): void {
    this.released = false;
  }

  /** A case is over: no request waits for it, also in conversations that the client opens later. */
  releaseDeferred(): void {
    this.released = true;
    for (const peer of this.peers) peer.releaseDeferred();
  }

  /** Assigns later events to another case. */
  hold(caseNumber: number): void {
    this.holder = caseNumber;
    for (const link of this.links) this.options.history.assign(link, caseNumber);
  }

  /** Waits for the last messages of a client that has exited. */
  async settle(): Promise<void> {
    const { transport, timing, clock } = this.options;
    if (transport !== 'stdio') return void (await settles(new Promise(() => {}), timing.quiet / 5));
    const late = await clock.waitAtMost(Promise.all(this.peers.map(peer => peer.closed())), timing.exit);
    if (late?.starved) this.starve(late);
  }

  /** Closes open conversations without a verdict: the client got too little CPU time. */
  starve(late: Overdue): void {
    for (const { ended, conversation } of this.peers)
      if (!ended) this.tapOf(conversation.link)({ kind: 'deadline', label: 'idle', ...late });
  }

  /** Closes the test server: pending waits for the client end without a result. */
  async close(): Promise<void> {
    this.over = true;
    this.protectedServer?.end();
    for (const taker of this.takers.splice(0)) taker(undefined);
    for (const peer of this.peers) peer.waits.recordSchedulingDelay();
    await this.listener.close();
  }

  /** Conversations to judge, without those that only probed another era. */
  get conversations(): Conversation[] {
    const all = this.peers.map(peer => peer.conversation);
    return all.filter(c => !isOfOtherEra(c));
  }
}

/** Opens a record in the history for a link or a process of this launch. */
function newRecord(
  { history, revision, intake }: StageOptions,
  transport: TransportId,
  sign: () => void,
): { tap: Tap; conversation: Conversation } {
  const link = history.newLink(transport, revision);
  const tap: Tap = event => {
    sign();
    intake.keepEvent(event, 'server');
    return history.record(link, event).messages;
  };
  return { tap, conversation: history.conversation(link) };
}
