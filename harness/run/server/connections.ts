/** Opens conversations with the subject, closes each one, and passes closed conversations on. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import { latestRevision, type Revision, type TransportId } from '../../../spec/revisions.js';
import { BoundRequestProofs, type BoundToken } from '../../oauth/dpop.js';
import { Peer } from '../../peer/peer.js';
import type { UnansweredCounts } from '../../peer/pending-requests.js';
import type { Conversation } from '../../record/conversation.js';
import { History } from '../../record/history.js';
import type { Exchange } from '../../record/message.js';
import type { Tap } from '../../record/tap.js';
import type { Subject } from '../../subject/subject.js';
import type { Timing } from '../../time/timing.js';
import { type TransportClient, transportClient } from '../../transports/connector.js';
import { StreamPatience } from '../../transports/http/stream-patience.js';
import { Intake } from '../../transports/intake.js';
import { ExitPatience } from '../../transports/stdio/exit-patience.js';
import { Refusals } from './refusals.js';

/**
 * Processes that start ahead at once, more of them where the first response took `slow` milliseconds; and the longest time until
 * the first response that permits this.
 */
const ahead = { atOnce: 2, atOnceIfSlow: 4, slow: 650, slowestOpening: 3_000 };

interface ConnectRequest {
  readonly revision: Revision;
  readonly case: number;
  /** 2 when a case is repeated alone. */
  readonly attempt?: number;
  /** True if the conversation is neither recorded nor judged. `held`: until `adopt` decides otherwise. */
  readonly unrecorded?: boolean | 'held';
  /** Default: the timing of the run. */
  readonly timing?: Timing;
  /** Without the user's Authorization header. */
  readonly anonymous?: boolean;
}

export interface Opened {
  readonly peer: Peer;
  /** The exchange of the first request. */
  readonly exchange: Exchange;
}

export class ConnectionPool {
  private readonly connector: TransportClient;
  private readonly closings = new Set<Promise<void>>();
  private readonly live = new Set<Peer>();
  /** Ends of the conversations that may not be recorded. */
  private readonly unrecordedEnds = new WeakMap<Peer, () => void>();
  /** A conversation that stays open for a later case. */
  private kept: Peer | undefined;
  /** Resolves when no case of the revision keeps a conversation open any more. */
  private lastKept = Promise.resolve();
  private onLastKept = () => {};
  private readonly unrecorded: History;
  private readonly refusals: Refusals;
  private unanswered: UnansweredCounts = { calls: 0, methods: new Map() };
  /** What was seen of the exits of recorded processes: each revision has findings of its own. */
  private exits = new ExitPatience();
  private readonly unrecordedExits = new ExitPatience();
  /** When a server sends the head of a GET stream does not depend on the revision. */
  private readonly streams = new StreamPatience();
  /** False for a run of few cases, which may need one process. */
  startsAhead = true;
  /** True if the server can run only once at a time. */
  runsOnlyOnce = false;
  private held:
    | { readonly conversation: Conversation; readonly intake: Intake; isDropped: boolean }
    | undefined;
  /** Conversations still to be opened whose processes may start ahead, and processes that have. */
  private expected = 0;
  private prepared = 0;
  /** When the first conversation began, and how long its first response took, in milliseconds. */
  private began: number | undefined;
  private firstResponse: number | undefined;

  constructor(
    private readonly subject: Subject,
    readonly transport: TransportId,
    private readonly history: History,
    private readonly timing: Timing,
    private readonly onClosed: (conversation: Conversation) => void,
    private readonly intake?: Intake,
  ) {
    this.unrecorded = new History(history.party);
    this.refusals = new Refusals(reason => timing.budget?.end(reason));
    const newTap = () => tapOf(history, history.newLink(transport, latestRevision));
    this.connector = transportClient(subject, transport, timing, newTap);
  }

  /** Number of subject processes started so far. */
  get started(): number {
    return this.connector.started;
  }

  /** Connects to the subject and starts the subject if needed; no message is sent yet. */
  connect(request: ConnectRequest): Peer {
    const {
      revision,
      case: caseNumber,
      attempt,
      unrecorded: offRecord = false,
      timing = this.timing,
    } = request;
    this.began ??= performance.now();
    const isHeld = offRecord === 'held';
    const history = offRecord && !isHeld ? this.unrecorded : this.history;
    const number = history.newLink(this.transport, revision);
    if (isHeld) history.hold(number);
    history.assign(number, caseNumber);
    // what is not recorded takes nothing from the limits of the run
    const intake = offRecord ? new Intake({ messageBytes: this.intake?.messageBytes }) : this.intake;
    const conversation = history.conversation(number);
    const recording = tapOf(history, number, intake, offRecord ? undefined : this.refusals);
    const tap = isHeld ? this.hold(recording, conversation, intake!) : recording;
    const link = this.connector.dial({
      tap,
      conversation,
      revision: revision.id,
      timing,
      secrets: history.secrets,
      intake,
      exits: () => (this.isRecorded(conversation) ? this.exits : this.unrecordedExits),
      streams: this.streams,
      ...(attempt !== undefined && { attempt }),
      ...(request.anonymous && { anonymous: true }),
    });
    const peer = new Peer({ link, tap, conversation, revision, timing, calls: this.unanswered });
    this.expected = Math.max(0, this.expected - 1);
    this.prepared = Math.max(0, this.prepared - 1);
    this.prepare();
    this.live.add(peer);
    if (offRecord) this.unrecordedEnds.set(peer, this.history.beginUnrecorded());
    if (this.timing.budget?.reason !== undefined) this.abandon(peer);
    return peer;
  }

  /** Ends all open conversations, because the run has reached a limit. */
  abandonAll(): void {
    for (const peer of [...this.live]) this.abandon(peer);
  }

  private abandon(peer: Peer): void {
    peer.end();
    this.close(peer);
  }

  async open(request: ConnectRequest & { declares?: JsonObject | undefined }): Promise<Opened> {
    const peer = this.connect(request);
    const exchange = await peer.open(request.declares ? { capabilities: request.declares } : {});
    return { peer, exchange };
  }

  /**
   * Starts processes ahead of the conversations that need them, a few at once, after the first response of the server. A
   * server that starts slowly on this machine gets no further process meanwhile.
   * @param count number of conversations that the cases of the revision will open
   */
  expect(count: number): void {
    this.lastKept = new Promise(resolve => {
      this.onLastKept = resolve;
    });
    this.firstResponse ??= performance.now() - (this.began ?? 0);
    const isCommand = 'start' in this.subject && this.subject.command !== undefined;
    if (!isCommand || !this.startsAhead || this.firstResponse > ahead.slowestOpening) return;
    this.expected = count;
    this.prepare();
  }

  private prepare(): void {
    const atOnce = (this.firstResponse ?? 0) > ahead.slow ? ahead.atOnceIfSlow : ahead.atOnce;
    for (; this.prepared < Math.min(this.expected, atOnce); this.prepared++) this.connector.prepare?.();
  }

  /** The server runs only once at a time: no process starts ahead any more, and those that have are stopped. */
  async startOnlyOne(): Promise<void> {
    this.runsOnlyOnce = true;
    this.startsAhead = false;
    this.expected = 0;
    this.prepared = 0;
    await this.connector.stopPrepared?.();
  }

  /** Resets the timeouts for the next revision: earlier requests without a response, and late exits, shorten no later wait. */
  resetTimeouts(): void {
    const { longestStart = 0 } = this.unanswered;
    this.unanswered = { calls: 0, methods: new Map(), longestStart };
    this.exits = new ExitPatience();
    this.timing.budget?.renew();
  }

  /** Sends this token with all later requests. */
  authorize(token: string): void {
    this.history.secrets.learn(token);
    this.connector.authorize?.(token);
  }

  /** The held conversation becomes a part of the record, from its beginning. */
  adopt(): void {
    if (this.intake) this.held!.intake.join(this.intake);
    this.history.keep();
    this.held = undefined;
  }

  /** The held conversation does not become a part of the record. */
  discard(peer: Peer): void {
    if (this.held) {
      this.history.drop();
      this.held.isDropped = true;
      this.held = undefined;
    }
    this.close(peer);
  }

  /** @returns the tap of a conversation that may be discarded */
  private hold(recording: Tap, conversation: Conversation, intake: Intake): Tap {
    const held = { conversation, intake, isDropped: false };
    this.held = held;
    return event => (held.isDropped ? [] : recording(event));
  }

  private isRecorded(conversation: Conversation): boolean {
    const { history, held } = this;
    return (
      history.conversations.get(conversation.link) === conversation && held?.conversation !== conversation
    );
  }

  /** Sends this bound token with all later requests, each with a proof. */
  authorizeBound(token: BoundToken): void {
    this.history.secrets.learn(token.value);
    this.connector.authorizeBound?.(token.value, new BoundRequestProofs(token));
  }

  /** Keeps a conversation open for a later case. */
  keep(peer: Peer): void {
    this.kept = peer;
  }

  /** Ends a conversation of a case, unless it stays open for a later one. */
  release(peer: Peer): void {
    if (peer !== this.kept) this.close(peer);
  }

  /** The conversation that stays open, for this case, if it can still be used. */
  takeKept(caseNumber: number): Peer | undefined {
    const { kept } = this;
    this.kept = undefined;
    if (!kept || !this.live.has(kept) || kept.ended || kept.liveness.unresponsive) return undefined;
    this.history.assign(kept.conversation.link, caseNumber);
    return kept;
  }

  /** Says that no further case of the revision keeps a conversation open. */
  readonly endKeeping = (): void => this.onLastKept();

  /** Waits for the conversation that the last case keeps open, and opens it, if it is not opened; undefined without one. */
  async takeLastKept(): Promise<Peer | undefined> {
    await this.lastKept;
    const kept = this.takeKept(0);
    if (kept && !kept.declared) await kept.open();
    return kept;
  }

  /** Ends a conversation in the background; `allClosed` waits for it. */
  close(peer: Peer): void {
    if (!this.live.delete(peer)) return;
    const { link, conversation } = peer;
    peer.waits.recordSchedulingDelay();
    const recorded = this.isRecorded(conversation);
    const onEnd = recorded ? () => this.onClosed(conversation) : this.unrecordedEnds.get(peer);
    const closing = link.close().then(onEnd);
    this.closings.add(closing);
    void closing.finally(() => this.closings.delete(closing));
  }

  /** Waits for the conversations that are about to be closed. */
  async closingsDone(): Promise<void> {
    while (this.closings.size > 0) await Promise.all(this.closings);
  }

  /** Closes all open conversations and waits until no resource of the subject is left. */
  async allClosed(): Promise<void> {
    for (const peer of [...this.live]) this.close(peer);
    await this.closingsDone();
  }

  /**
   * Closes all conversations and stops new ones; a server process that was started for the run is terminated.
   */
  async end(): Promise<void> {
    await this.allClosed();
    await this.connector.end();
  }
}

const tapOf =
  (history: History, link: number, intake?: Intake, refusals?: Refusals): Tap =>
  event => {
    intake?.keepEvent(event, 'client');
    if (event.kind === 'http-response') refusals?.count(event.status);
    return history.record(link, event).messages;
  };
