/**
 * The harness side of a conversation: conforms to the protocol by default, and sends any text that a scenario
 * requests.
 */

import {
  isObject,
  type Json,
  type JsonObject,
  otherRole,
  type RequestId,
  type Role,
} from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import { type Vocabulary, vocabularyOf } from '../../spec/vocabulary.js';
import type { Conversation } from '../record/conversation.js';
import { looseMatch } from '../record/correlation.js';
import type { Deadline, Event } from '../record/event.js';
import { fatalMessage } from '../record/fatal-message.js';
import { type Exchange, endInWords, idKey, isReply, type Message, resultOf } from '../record/message.js';
import type { Tap } from '../record/tap.js';
import { type Overdue, settles, waitFor } from '../time/clock.js';
import type { Timing } from '../time/timing.js';
import type { Link, Outgoing } from '../transports/link.js';
import { ChangeSignal } from '../transports/wait-until.js';
import { toolVersion } from '../version.js';
import { type Deferred, DeferredRequests, NotObserved } from './deferred.js';
import type { Era, Filter, Listening, OlderServer, OpenOptions } from './eras/era.js';
import { eraOf } from './eras/index.js';
import { InputRounds } from './input-rounds.js';
import {
  type Handler,
  type Pending,
  RefusedRequest,
  type RequestOptions,
  type SendOptions,
} from './requests.js';

const relatedTask = 'io.modelcontextprotocol/related-task';

/** Observations after input that requires no response. */
interface BarrierResult {
  /** The first recorded event of the input. */
  readonly sent: Event;
  /** True if the following barrier got a response, or a refusal replaced that response. */
  readonly alive: boolean;
  /** For a barrier without response: the reason in words, and the events that show the reason. */
  readonly silenceReason: Silence;
  /** Replies that match no other request and arrived before the response to the barrier. */
  readonly unmatchedReplies: readonly Message[];
}

/** The reason why no more responses arrive: the process has exited, or is unresponsive. */
interface Silence {
  readonly why: string | undefined;
  readonly shownBy: readonly Event[];
}

interface Handling {
  readonly handler: Handler;
  readonly deliberate: boolean;
  /** The previous handler. */
  readonly former: Handling | undefined;
}

interface PendingReply {
  readonly request: Message;
  resolve(reply: Message | undefined): void;
}

interface PeerOptions {
  readonly link: Link;
  readonly tap: Tap;
  readonly conversation: Conversation;
  readonly revision: Revision;
  readonly timing: Timing;
  /** Counts of unanswered calls, shared by all conversations with a subject; default: zero. */
  readonly calls?: UnansweredCounts;
}

/**
 * Numbers of requests without a response, for kinds of requests that are frequent: later ones get a shorter
 * timeout than the first.
 */
export interface UnansweredCounts {
  /** Tool calls, which may hang. */
  calls: number;
  /** Requests with generated values. */
  values?: number;
}

/** Minimum of missing CPU time, in milliseconds, that is recorded for rules about time. */
const minDelayMs = 250;

/** Number of calls, and of generated values, that get the full timeout. */
const patience = { calls: 3, values: 1 };

export class Peer {
  readonly link: Link;
  readonly conversation: Conversation;
  readonly version = toolVersion;
  /** The role of the harness. */
  readonly role: Role;
  readonly timing: Timing;
  /** True if nothing more can arrive from the subject. */
  ended = false;
  /**
   * True if neither a request nor the following ping got a response in time: the conversation is of no
   * further use.
   */
  unresponsive = false;
  /** True while generated values are sent: one value without a response may mean hundreds. */
  generating = false;
  /** An exception of a handler other than a refusal: a bug of the suite, reported at the end of the case. */
  defect: unknown;
  private readonly tap: Tap;
  /** Capabilities that each request declares, where there is no handshake; default: all. */
  declares: JsonObject | undefined;
  /** As a server: the capabilities that the harness offers; undefined before `accept`. */
  offers: JsonObject | undefined;
  /** The harness is a server of the older era, for clients that speak both. */
  older: OlderServer | undefined;
  private spokenRevision: Revision;
  private readonly waiting = new Map<string, PendingReply>();
  private readonly handlers = new Map<string, Handling>();
  private readonly watchers = new Set<(message: Message) => void>();
  private readonly endWatchers = new Set<() => void>();
  /** Called for all input, messages or not. */
  private readonly watch = new ChangeSignal();
  private readonly deferred: DeferredRequests;
  private readonly rounds: InputRounds;
  /** Handlers that defer the response. */
  private readonly deferring = new WeakSet<Handler>();
  private readonly calls: UnansweredCounts;
  /** Ids of all requests so far; an id is used only once. */
  private readonly usedIds = new Set<Json>();
  private lastId = 0;
  private readonly openedAt = performance.now();
  /** Last event before the current case began. */
  private caseStart = 0;
  private caseEnded: Promise<void> = new Promise(() => {});
  private resolveCaseEnded: () => void = () => {};

  constructor({ link, tap, conversation, revision, timing, calls = { calls: 0 } }: PeerOptions) {
    this.link = link;
    this.tap = tap;
    this.conversation = conversation;
    this.spokenRevision = revision;
    this.timing = timing;
    this.calls = calls;
    this.role = otherRole(conversation.subject);
    this.deferred = new DeferredRequests({
      reply: (request, body, options) => this.reply(request, body, options),
      latest: request => this.rounds.latest(request),
      answerNormally: request => {
        if (!this.isWithdrawn(this.rounds.latest(request)))
          void this.respond(request, this.handlerWithoutDeferral(request.method ?? '') ?? null);
      },
    });
    this.rounds = new InputRounds({
      conversation,
      reply: (request, body, options) => this.reply(request, body, options),
      settles: happened => this.settlesInTime(happened),
    });
    this.era.answer(this);
    link.onMessage(message => this.receive(message));
    link.onActivity?.(() => this.watch.changed());
    link.onEnd(() => this.end());
    link.onUnanswerable?.(request => {
      const waiting = this.waiting.get(idKey(request.id));
      if (waiting?.request === request) waiting.resolve(undefined);
    });
  }

  /** The revision of the harness: the initial one, until both sides agree on another one. */
  get revision(): Revision {
    return this.spokenRevision;
  }

  get vocabulary(): Vocabulary {
    return vocabularyOf(this.spokenRevision);
  }

  get era(): Era {
    return eraOf(this.spokenRevision.era);
  }

  /** Sets the revision that both sides have agreed on. */
  agreeOn(revision: Revision): void {
    this.spokenRevision = revision;
  }

  /** Opens the conversation as the revision prescribes. */
  open(options?: OpenOptions): Promise<Exchange> {
    return this.era.open(this, options);
  }

  /** Capabilities that the subject declared; undefined before the declaration. */
  get declared(): JsonObject | undefined {
    return this.conversation.capabilities(this.conversation.subject);
  }

  /**
   * Sends a request and waits for the end of the exchange: a result, an error, a timeout or the end of the
   * process.
   * @throws {NotObserved} as a server, when the client opens no stream for the request
   */
  async request(method: string, params?: JsonObject, options: RequestOptions = {}): Promise<Exchange> {
    if (this.asksInResults) {
      const given = options.meta ? { ...params, _meta: options.meta } : params;
      return this.rounds.ask(options.during ?? this.deferred.current, method, given, options);
    }
    if (this.link.carrier) await this.waitForStream(options);
    const exchange = await this.start(method, params, options).done;
    return options.once ? exchange : this.era.converse(this, exchange, options);
  }

  /** As a server without a handshake: a question is part of a result. */
  private get asksInResults(): boolean {
    return this.role === 'server' && this.spokenRevision.era === 'modern';
  }

  /**
   * As a server: waits for a stream for the next message. @throws {NotObserved} when the client opens none
   */
  async waitForStream({ during = this.deferred.current }: SendOptions = {}): Promise<void> {
    if (!this.link.carrier || (await this.link.carrier(during ?? undefined))) return;
    throw new NotObserved('the client opens no stream for requests of the server');
  }

  /**
   * Sends a request of unknown duration, such as a call of an unknown tool: waits for a part of the timeout,
   * then cancels the request, which does not count as a failure of the subject.
   */
  async requestOrCancel(method: string, params?: JsonObject, options?: RequestOptions): Promise<Exchange> {
    const pending = this.start(method, params, options);
    if (!(await waitFor(pending.done, this.timing.answer / 5, this.link.clock))) this.cancel(pending);
    return pending.done;
  }

  /** Sends a request without waiting. */
  start(method: string, params?: JsonObject, options: RequestOptions = {}): Pending {
    const id = options.id ?? this.nextId();
    const given = options.meta ? { ...params, _meta: options.meta } : params;
    const withMeta = options.bare ? given : this.era.dress(this, given);
    this.requireVocabulary('requests', method, options.deliberate);
    return this.startMessage({ jsonrpc: '2.0', id, method, ...(withMeta && { params: withMeta }) }, options);
  }

  /**
   * Sends any message that has an id, including an invalid message, and waits for its reply.
   * @throws {NotObserved} as a server, when the stream for the message is closed
   */
  startMessage(
    json: JsonObject,
    options: Pick<RequestOptions, 'deliberate' | 'timeoutFactor' | 'via' | 'during' | 'endless'> = {},
  ): Pending {
    const text = JSON.stringify(json);
    this.usedIds.add(json.id!);
    let sent: Message[] = [];
    if (options.via) {
      const before = this.conversation.messages.length;
      options.via(text);
      sent = this.conversation.messages.slice(before);
    } else sent = this.write(text, options);
    const request = sent.find(m => idKey(m.id) === idKey(json.id));
    if (!request && this.link.carrier)
      throw new NotObserved('the client has closed the stream for requests of the server');
    if (!request) throw new Error(`The message was not recorded as one message: ${text}`);
    const done = options.endless ? this.untilReply(request) : this.awaitReply(request, options.timeoutFactor);
    return { id: json.id as RequestId, request, done };
  }

  notify(method: string, params?: JsonObject, options: SendOptions = {}): Message[] {
    this.requireVocabulary('notifications', method, options.deliberate);
    return this.write(JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) }), options);
  }

  /** Sends a frame that no conforming peer sends. */
  sendRaw(text: string, options: Pick<RequestOptions, 'during'> = {}): Message[] {
    return this.write(text, { ...options, deliberate: true });
  }

  /** Sends several messages in one array and waits for the responses to its requests. */
  batch(messages: readonly JsonObject[], options: SendOptions = {}): Promise<Exchange[]> {
    return this.sendByHand(() => this.write(JSON.stringify(messages), options));
  }

  /** Waits for the responses to all requests in manually written input. */
  sendByHand(write: () => void): Promise<Exchange[]> {
    const before = this.conversation.messages.length;
    write();
    const sent = this.conversation.messages.slice(before).filter(m => m.kind === 'request');
    return Promise.all(sent.map(m => this.awaitReply(m)));
  }

  /**
   * Writes input that requires no response, then a barrier.
   * @param write a frame, or a function that writes bytes
   * @param options.trusting over HTTP a refusal replaces the barrier; a later request then checks whether the
   *   conversation continues
   */
  async sendThenBarrier(write: string | (() => void), { trusting = false } = {}): Promise<BarrierResult> {
    const before = this.conversation.events.length;
    if (typeof write === 'string') this.sendRaw(write);
    else write();
    const after = this.conversation.events.length;
    const frames = this.conversation.events.slice(before, after);
    const alive = await this.isProcessed(frames, trusting);
    const own = (reply: Message) => {
      const request = this.conversation.requestOf(reply);
      return !request || frames.includes(request.frame);
    };
    const said = this.conversation.events.slice(after);
    return {
      sent: frames.find(event => event.kind === 'frame') ?? this.conversation.events[before]!,
      alive,
      silenceReason: this.silence(),
      unmatchedReplies: this.conversation
        .replies({ by: 'subject' })
        .filter(m => said.includes(m.frame) && own(m)),
    };
  }

  /**
   * Whether the subject has processed the given input; false when even a ping after the input gets no
   * response. Where each message has its own exchange, the pong may arrive before the reaction: a server
   * reacts on the exchange of the message; a client has reacted before it gets a second ping, whose response
   * comes later still.
   */
  private async isProcessed(said: readonly Event[], trusting: boolean): Promise<boolean> {
    if (this.link.transport !== 'streamable-http') return this.barrier();
    if (this.role === 'server') {
      const alive = await this.barrier();
      await this.barrier();
      return alive;
    }
    const numbers = said.flatMap(event => (event.kind === 'frame' ? (event.exchange ?? []) : []));
    const posts = () => this.conversation.http().filter(post => numbers.includes(post.number));
    const areOver = () => posts().length === numbers.length && posts().every(post => post.end);
    await this.waitUntil(areOver);
    const isRefused = numbers.length > 0 && areOver() && posts().every(({ status = 0 }) => status >= 400);
    return (trusting && isRefused) || this.barrier();
  }

  /** Events that show why the last barrier got no response. */
  silence(): Silence {
    const { exit } = this.conversation;
    const last = this.conversation.eventsOf('stderr').at(-1);
    if (exit) {
      const shownBy = [fatalMessage(this.conversation), last, exit].filter(event => event !== undefined);
      return { why: endInWords(exit), shownBy };
    }
    const deadline = this.conversation.eventsOf('deadline').at(-1);
    const leave = this.conversation.http().find(e => e.request?.method === 'DELETE')?.request;
    if (this.role === 'server' && leave && leave.seq > (deadline?.seq ?? 0))
      return { why: 'the client ended the session', shownBy: [leave] };
    const { failure } = this.link;
    const refusal = this.conversation.http().findLast(({ status = 0 }) => status >= 400)?.response;
    if (failure) return { why: failure.reason, shownBy: refusal ? [refusal] : [] };
    return {
      why: deadline && `no message within ${deadline.ms} ms`,
      shownBy: deadline ? [deadline] : [],
    };
  }

  /** An unused id for manually written messages. */
  nextId(): number {
    do this.lastId++;
    while (this.usedIds.has(this.lastId));
    return this.lastId;
  }

  /** Whether the id is unused so far. */
  isFresh(id: RequestId): boolean {
    return !this.usedIds.has(id);
  }

  /**
   * Makes all ids unused again: for unjudged conversations, in which the same value is sent again with each
   * change.
   */
  forgetIds(): void {
    this.usedIds.clear();
  }

  /**
   * Sets the handler for requests of the subject; returns a function that restores the previous handler.
   * `deliberate`: the responses break a rule on purpose.
   */
  handle(method: string, handler: Handler, { deliberate = false } = {}): () => void {
    const former = this.handlers.get(method);
    this.handlers.set(method, { handler, deliberate, former });
    return () => {
      if (former) this.handlers.set(method, former);
      else this.handlers.delete(method);
    };
  }

  /** A harmless request as a whole message, to be sent by hand; with the metadata that the revision requires. */
  harmlessMessage(id: RequestId): JsonObject {
    const { method, params } = this.era.harmless(this);
    const dressed = this.era.dress(this, params);
    return { jsonrpc: '2.0', id, method, ...(dressed && { params: dressed }) };
  }

  /** Sends a harmless request. */
  harmless(params?: JsonObject, options?: RequestOptions): Promise<Exchange> {
    const { method, params: own } = this.era.harmless(this);
    return this.request(method, params ?? own, options);
  }

  /**
   * The answer of a handler to a request that the subject states inside of a result; undefined when the
   * handler gives none.
   */
  async answerTo(asked: JsonObject, reply: Message): Promise<JsonObject | undefined> {
    const handling = this.handlers.get(typeof asked.method === 'string' ? asked.method : '');
    try {
      return await handling?.handler(isObject(asked.params) ? asked.params : undefined, reply);
    } catch (error) {
      if (!(error instanceof RefusedRequest)) this.defect ??= error;
      return undefined;
    }
  }

  /** Asks for notifications of changes. @param id that of the request, where there is one for all changes */
  listen(filter: Filter, id?: RequestId): Promise<Listening> {
    return this.era.listen(this, filter, id);
  }

  /** Asks for log messages from a level on; returns the options of the requests that send them. */
  logAt(level: string): Promise<Pick<RequestOptions, 'meta'>> {
    return this.era.logAt(this, level);
  }

  /** From now on, requests of the method wait for `held`, or for the end of the scenario. */
  defer(method: string): void {
    const holder: Handler = (_, request) => {
      this.deferred.add(method, request);
      return undefined;
    };
    this.deferring.add(holder);
    this.handle(method, holder);
  }

  /** The handler for a request that is no longer deferred. */
  private handlerWithoutDeferral(method: string): Handling | undefined {
    let handling = this.handlers.get(method);
    while (handling && this.deferring.has(handling.handler)) handling = handling.former;
    return handling;
  }

  /** The next deferred request of a method. @throws {NotObserved} when no further one is possible */
  nextDeferred(method: string): Promise<Deferred> {
    return this.deferred.next(method);
  }

  /** Sends the ordinary response to all deferred requests that have not been cancelled. */
  releaseDeferred(): void {
    this.deferred.release();
  }

  /** True if the subject has cancelled the request. */
  private isWithdrawn(request: Message): boolean {
    const { id } = request;
    if (this.asksInResults && this.conversation.httpOf(request)?.end?.by === 'client') return true;
    return this.conversation
      .notifications({ by: 'subject', method: 'notifications/cancelled' })
      .some(m => idKey(m.params?.requestId) === idKey(id));
  }

  /** A result with the members that the revision requires, for a response that is written by hand. */
  completed(request: Message, result: JsonObject): JsonObject {
    return this.era.complete(this, request, result);
  }

  /** Sends a response. `deliberate`: the response breaks a rule on purpose. */
  reply(request: Message, body: JsonObject, { deliberate = false } = {}): void {
    const { id } = this.rounds.latest(request);
    if (id === undefined || this.ended || !this.link.writable || this.rounds.isOver(request)) return;
    const { result } = body;
    const whole = isObject(result) ? { result: this.era.complete(this, request, result) } : body;
    this.send({ text: JSON.stringify({ jsonrpc: '2.0', id, ...whole }), ...(deliberate && { deliberate }) });
  }

  /** Follows the cursors of a list method; stops at a repeated cursor or after `pages`. */
  async list(
    method: string,
    key: string,
    pages = 100,
  ): Promise<{ items: JsonObject[]; exchanges: Exchange[] }> {
    const items: JsonObject[] = [];
    const exchanges: Exchange[] = [];
    const seen = new Set<string>();
    let cursor: Json | undefined;
    for (let page = 0; page < pages; page++) {
      const exchange = await this.request(method, cursor === undefined ? undefined : { cursor });
      exchanges.push(exchange);
      const result = resultOf(exchange);
      const found = result?.[key];
      if (Array.isArray(found)) items.push(...found.filter(isObject));
      cursor = result?.nextCursor;
      if (typeof cursor !== 'string' || seen.has(cursor)) break;
      seen.add(cursor);
    }
    return { items, exchanges };
  }

  /** A name or URI that no fixture, and almost no server, contains. */
  unused(kind: 'tool' | 'prompt' | 'resource' | 'method'): string {
    return kind === 'resource' ? 'test://mcp-conform/no-such-resource' : `mcp-conform-no-such-${kind}`;
  }

  /** Whether the subject has processed all input so far; false when the barrier gets no response. */
  async barrier(): Promise<boolean> {
    if (this.ended || this.unresponsive) return false;
    if (this.asksInResults) return this.roundAsBarrier();
    const { method, params } = this.era.harmless(this);
    const exchange = await this.request(method, params);
    if (!exchange.reply) this.unresponsive = true;
    return exchange.reply !== undefined;
  }

  /**
   * A client without a handshake gets no requests. Where it has an open request that may be asked again, the
   * retry is the barrier; without such a request nothing but the end of the conversation shows anything.
   */
  private async roundAsBarrier(): Promise<boolean> {
    const open = this.deferred.current;
    if (this.rounds.canCarry(open)) return this.rounds.barrier(open);
    await this.pause();
    return !this.ended;
  }

  /** Waits at most the timeout of a response; false at the timeout, which is recorded. */
  private async settlesInTime(happened: Promise<unknown>): Promise<boolean> {
    const began = performance.now();
    const late = await this.link.clock.waitAtMost(happened, this.timing.answer);
    this.countLate(began, late);
    if (late) this.tap({ kind: 'deadline', label: 'message', ...late });
    return !late;
  }

  /** True for Streamable HTTP without a session: each POST is independent. */
  get isStateless(): boolean {
    if (this.spokenRevision.era === 'modern') return false;
    return this.link.transport === 'streamable-http' && !this.link.http?.sessionId;
  }

  /** False for a server over Streamable HTTP that refused each GET: it sends messages in responses only. */
  get hasOwnStream(): boolean {
    if (this.link.transport !== 'streamable-http' || this.spokenRevision.era === 'modern') return true;
    const opened = this.conversation.http().filter(e => e.request?.method === 'GET');
    return opened.some(e => e.status === undefined || e.isStream);
  }

  /** True if no frame has arrived since the last timeout of a response. */
  get noTrafficSinceTimeout(): boolean {
    const deadline = this.conversation.eventsOf('deadline').findLast(d => d.label === 'answer');
    return deadline !== undefined && (this.conversation.frames('subject').at(-1)?.seq ?? 0) < deadline.seq;
  }

  /** Cancels a request, and stops waiting for its response. */
  cancel(exchange: Pick<Exchange, 'request'>): void {
    this.era.cancel(this, exchange);
    this.waiting.get(idKey(exchange.request.id))?.resolve(undefined);
  }

  /** A short pause, so that the subject reads earlier input separately. */
  async pause(): Promise<void> {
    await settles(this.closed(), this.timing.quiet / 5);
  }

  /** Waits for a quiet window in which no message is expected, then for a barrier. */
  async quietWindow(): Promise<boolean> {
    await this.link.clock.quietWindow(this.closed(), this.timing.quiet);
    this.tap({ kind: 'quiet', ms: this.timing.quiet });
    return this.barrier();
  }

  /**
   * Waits for a quiet window, but only until the condition holds, which is checked at each input; returns
   * whether the condition holds.
   */
  async waitUntil(holds: () => boolean): Promise<boolean> {
    const ends = () => this.ended || holds();
    const late = await this.watch.until(ends, met => this.link.clock.quietWindow(met, this.timing.quiet));
    if (late) this.tap({ kind: 'quiet', ...late });
    return holds();
  }

  /** The next matching message of the subject; undefined at the timeout. */
  async waitFor(fits: (message: Message) => boolean): Promise<Message | undefined> {
    const given = new AbortController();
    const next = this.next(fits, given.signal);
    await this.settlesInTime(next);
    given.abort();
    return next;
  }

  /**
   * The next matching message, without a timeout; undefined when nothing more can arrive, or the wait is
   * aborted.
   */
  next(fits: (message: Message) => boolean, givenUp?: AbortSignal): Promise<Message | undefined> {
    return new Promise(resolve => {
      const settle = (found?: Message) => {
        this.watchers.delete(watch);
        this.endWatchers.delete(end);
        givenUp?.removeEventListener('abort', end);
        resolve(found);
      };
      const watch = (message: Message) => fits(message) && settle(message);
      const end = () => settle();
      if (this.ended || givenUp?.aborted) return end();
      this.watchers.add(watch);
      this.endWatchers.add(end);
      givenUp?.addEventListener('abort', end, { once: true });
    });
  }

  /**
   * Resolves when nothing more can arrive, or not for the current case; sends the ordinary response to
   * deferred requests, which the scenario handles no longer.
   */
  caseOver(): Promise<void> {
    this.releaseDeferred();
    return Promise.race([this.closed(), this.caseEnded]);
  }

  /** Requests of the subject in the current case. */
  requestsOfCase(method: string): Exchange[] {
    return this.conversation
      .exchanges({ by: 'subject', method })
      .filter(({ request }) => request.seq > this.caseStart);
  }

  /** Begins another case in this conversation. */
  beginCase(): void {
    this.caseStart = this.conversation.events.at(-1)?.seq ?? 0;
    this.deferred.startCase();
    this.caseEnded = new Promise(resolve => {
      this.resolveCaseEnded = resolve;
    });
  }

  /** Records the CPU wait time of this conversation, if it was long. */
  recordSchedulingDelay(): void {
    // reading takes time, and a conversation this short cannot have lost more
    if (performance.now() - this.openedAt < minDelayMs) return;
    const ms = this.link.clock.schedulingDelaySince(this.openedAt);
    if (ms >= minDelayMs) this.tap({ kind: 'lag', ms });
  }

  /** Marks the current case as completed by the subject. */
  endCase(): void {
    this.resolveCaseEnded();
    this.deferred.skip();
  }

  /** Resolves when nothing more can arrive. */
  closed(): Promise<void> {
    return this.ended ? Promise.resolve() : new Promise(resolve => this.endWatchers.add(resolve));
  }

  private requireVocabulary(part: 'requests' | 'notifications', method: string, deliberate = false): void {
    if (!deliberate && !this.vocabulary[part][this.role].has(method))
      throw new Error(
        `A ${this.role} may not send "${method}" in ${this.revision.id}; set deliberate: true if the violation is intended.`,
      );
  }

  private write(text: string, { deliberate, during = this.deferred.current }: SendOptions): Message[] {
    const about = during && this.rounds.latest(during);
    return this.send({ text, ...(deliberate && { deliberate }), ...(about && { during: about }) });
  }

  private send(out: Outgoing): Message[] {
    return this.link.send(out);
  }

  /** Waits without a limit for the response to a request that stays open. */
  private untilReply(request: Message): Promise<Exchange> {
    if (this.ended) return Promise.resolve({ request, reply: undefined, deadline: undefined });
    const key = idKey(request.id);
    return new Promise(resolve => {
      this.waiting.set(key, {
        request,
        resolve: reply => {
          this.waiting.delete(key);
          resolve({ request, reply, deadline: undefined });
        },
      });
    });
  }

  private async awaitReply(request: Message, times = 1): Promise<Exchange> {
    let reply: Message | undefined;
    let deadline: Deadline | undefined;
    if (!this.ended) {
      const key = idKey(request.id);
      let settle: (reply: Message | undefined) => void = () => {};
      const replied = new Promise<void>(resolve => {
        settle = message => {
          reply = message;
          resolve();
        };
      });
      this.waiting.set(key, { request, resolve: settle });
      const isCall = request.method === 'tools/call';
      const { calls, generating } = this;
      const { calls: unanswered, values: unansweredValues = 0 } = calls;
      const { answer, quiet, budget } = this.timing;
      const hurried =
        (isCall && unanswered >= patience.calls) ||
        (generating && unansweredValues >= patience.values) ||
        budget?.isHurried === true;
      const ms = (hurried ? Math.max(answer / (generating ? 10 : 5), quiet * 10) : answer) * times;
      const began = performance.now();
      const late = await this.link.clock.waitAtMost(replied, ms);
      this.countLate(began, late, hurried);
      this.waiting.delete(key);
      if (late) {
        if (isCall) calls.calls++;
        if (generating) calls.values = unansweredValues + 1;
        const id = request.id as RequestId;
        this.tap({ kind: 'deadline', label: 'answer', ...late, request: id, ...(hurried && { hurried }) });
        deadline = this.conversation.eventsOf('deadline').at(-1);
      }
    }
    return { request, reply, deadline };
  }

  /** Counts a wait in the time budget of the run. @param isShort the wait was shorter than usual */
  private countLate(began: number, late: Overdue | undefined, isShort = false): void {
    const { budget } = this.timing;
    if (late?.starved) return;
    if (late && isShort) budget?.count(began);
    else budget?.waited(began);
  }

  private receive(message: Message): void {
    for (const watch of [...this.watchers]) watch(message);
    this.watch.changed();
    if (isReply(message)) this.settle(message);
    else if (message.kind === 'request' && !this.rounds.take(message)) void this.respond(message);
  }

  private settle(reply: Message): void {
    const asked = this.conversation.requestOf(reply);
    const waiting = asked ? this.waitingFor(asked) : this.waitingForUnmatched(reply);
    waiting?.resolve(reply);
  }

  private waitingFor(request: Message) {
    return [...this.waiting.values()].find(w => w.request === request);
  }

  /** The wait that a reply without a request ends, if its id matches by its text only. */
  private waitingForUnmatched(reply: Message) {
    if (this.conversation.answersNonMessage(reply)) return undefined;
    const meant = looseMatch(
      reply,
      [...this.waiting.values()].map(w => w.request),
    );
    return meant && this.waitingFor(meant);
  }

  private async respond(
    request: Message,
    handling: Handling | null = this.handlers.get(request.method ?? '') ?? null,
  ): Promise<void> {
    if (request.id === undefined || request.id === null) return;
    let answer: JsonObject;
    try {
      const refusal = this.role === 'server' && this.era.refusal(this, request);
      if (refusal === 'silence') return;
      if (refusal) throw refusal;
      if (!handling) throw new RefusedRequest(-32601, `Method not found: ${request.method ?? '?'}`);
      const result = await handling.handler(request.params, request);
      if (result === undefined) return;
      answer = { result: withTask(result, request) };
    } catch (error) {
      if (!(error instanceof RefusedRequest)) {
        if (!(error instanceof NotObserved)) this.defect ??= error;
        return;
      }
      const { code, message, data } = error;
      answer = { error: { code, message, ...(data !== undefined && { data }) } };
    }
    this.reply(request, answer, { deliberate: handling?.deliberate ?? false });
  }

  /** Ends the conversation on the side of the harness: no wait continues. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    for (const { resolve } of this.waiting.values()) resolve(undefined);
    for (const watcher of this.endWatchers) watcher();
    this.watch.changed();
    this.endWatchers.clear();
    this.rounds.end();
    this.deferred.end();
  }
}

/** The response to a request of a task names the task, as the request does. */
function withTask(result: JsonObject, { params }: Message): JsonObject {
  const { [relatedTask]: related } = isObject(params?._meta) ? params._meta : {};
  if (related === undefined) return result;
  return { ...result, _meta: { ...(isObject(result._meta) && result._meta), [relatedTask]: related } };
}
