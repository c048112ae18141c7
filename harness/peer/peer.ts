/**
 * The harness side of a conversation: conforms to the protocol by default, and sends any text that a scenario
 * requests.
 */

import { isObject, type JsonObject, otherRole, type RequestId, type Role } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import { type Vocabulary, vocabularyWith } from '../../spec/vocabulary.js';
import { type Conversation, extensionsIn } from '../record/conversation.js';
import { type Exchange, isReply, type Message } from '../record/message.js';
import type { Tap } from '../record/tap.js';
import { waitFor } from '../time/clock.js';
import type { Timing } from '../time/timing.js';
import type { Link } from '../transports/link.js';
import { toolVersion } from '../version.js';
import { type Deferred, DeferredRequests, NotObserved } from './deferred.js';
import type { Era, Filter, Listening, OlderServer, OpenOptions } from './eras/era.js';
import { eraOf } from './eras/index.js';
import { ExpectedMessages } from './expected-messages.js';
import { Handlers, isCancelled } from './handlers.js';
import { InputRounds } from './input-rounds.js';
import { type BarrierResult, Liveness } from './liveness.js';
import { type Pages, readPages } from './pages.js';
import { PendingRequests, type UnansweredCounts } from './pending-requests.js';
import type { Handler, MessageOptions, Pending, RequestOptions, SendOptions } from './requests.js';
import { Sender } from './sender.js';
import { Waits } from './waits.js';

interface PeerOptions {
  readonly link: Link;
  readonly tap: Tap;
  readonly conversation: Conversation;
  readonly revision: Revision;
  readonly timing: Timing;
  /** Counts of unanswered calls, shared by all conversations with a subject; default: zero. */
  readonly calls?: UnansweredCounts;
}

export class Peer {
  readonly link: Link;
  readonly conversation: Conversation;
  readonly version = toolVersion;
  /** The role of the harness. */
  readonly role: Role;
  readonly timing: Timing;
  /** Capabilities that each request declares, where there is no handshake; default: all. */
  declares: JsonObject | undefined;
  /** As a server: the capabilities that the harness offers; undefined before `accept`. */
  offers: JsonObject | undefined;
  /** The harness is a server of the older era, for clients that speak both. */
  older: OlderServer | undefined;
  private spokenRevision: Revision;
  readonly waits: Waits;
  readonly pending: PendingRequests;
  readonly expected: ExpectedMessages;
  readonly liveness: Liveness;
  private readonly sender: Sender;
  private readonly handlers: Handlers;
  private readonly deferred: DeferredRequests;
  private readonly rounds: InputRounds;
  /** Last event before the current case began. */
  private caseStart = 0;
  private caseEnded: Promise<void> = new Promise(() => {});
  private resolveCaseEnded: () => void = () => {};

  constructor({ link, tap, conversation, revision, timing, calls = { calls: 0 } }: PeerOptions) {
    this.link = link;
    this.conversation = conversation;
    this.spokenRevision = revision;
    this.timing = timing;
    this.role = otherRole(conversation.subject);
    const waits = new Waits(link, tap, timing);
    this.waits = waits;
    this.pending = new PendingRequests({ link, tap, conversation, timing, waits, unanswered: calls });
    this.expected = new ExpectedMessages({ timing, waits, unanswered: calls });
    this.sender = new Sender({
      link,
      conversation,
      pending: this.pending,
      related: (during = this.deferred.current) => during && this.rounds.latest(during),
    });
    this.liveness = new Liveness({
      link,
      conversation,
      role: this.role,
      waits,
      ping: async () => (await this.harmless()).reply !== undefined,
      rounds: () => (this.asksInResults ? this.rounds : undefined),
      openRequest: () => this.deferred.current,
    });
    this.handlers = new Handlers({
      reply: (request, body, options) => this.reply(request, body, options),
      defer: (method, request) => this.deferred.add(method, request),
      refusal: request => (this.role === 'server' ? this.era.refusal(this, request) : undefined),
    });
    this.deferred = new DeferredRequests({
      reply: (request, body, options) => this.reply(request, body, options),
      latest: request => this.rounds.latest(request),
      answerNormally: request => {
        if (!isCancelled(conversation, this.rounds.latest(request), this.asksInResults))
          void this.handlers.respondNormally(request);
      },
    });
    this.rounds = new InputRounds({
      conversation,
      reply: (request, body, options) => this.reply(request, body, options),
      settles: happened => waits.settlesInTime(happened),
      quiet: () => link.clock.quietWindow(waits.closed(), timing.quiet),
    });
    this.era.answer(this);
    link.onMessage(message => this.receive(message));
    link.onEnd(() => this.end());
  }

  /** True if nothing more can arrive from the subject. */
  get ended(): boolean {
    return this.waits.ended;
  }

  /** An exception of a handler other than a refusal: a bug of the suite, reported at the end of the case. */
  get defect(): unknown {
    return this.handlers.defect;
  }

  /** The revision of the harness: the initial one, until both sides agree on another one. */
  get revision(): Revision {
    return this.spokenRevision;
  }

  get vocabulary(): Vocabulary {
    return vocabularyWith(this.spokenRevision, extensionsIn(this.declares ?? this.offers));
  }

  get era(): Era {
    return eraOf(this.spokenRevision.era);
  }

  /** Sets the revision that both sides have agreed on. */
  agreeOn(revision: Revision): void {
    this.spokenRevision = revision;
  }

  /** Opens the conversation as the revision prescribes. */
  open = (options?: OpenOptions): Promise<Exchange> => this.era.open(this, options);

  /** Capabilities that the subject declared; undefined before the declaration. */
  get declared(): JsonObject | undefined {
    return this.conversation.capabilities(this.conversation.subject);
  }

  /**
   * Sends a request and waits for a result, an error, a timeout or the end of the process.
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

  /** As a server: waits for a stream for the next message. @throws {NotObserved} when there is none */
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
  startMessage = (json: JsonObject, options: MessageOptions = {}): Pending =>
    this.sender.start(json, options);

  notify(method: string, params?: JsonObject, options: SendOptions = {}): Message[] {
    this.requireVocabulary('notifications', method, options.deliberate);
    return this.sender.write(JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) }), options);
  }

  /** Sends a frame that no conforming peer sends. */
  sendRaw = (text: string, options: Pick<RequestOptions, 'during'> = {}): Message[] =>
    this.sender.write(text, { ...options, deliberate: true });

  /** Sends several messages in one array and waits for the responses to its requests. */
  batch = (messages: readonly JsonObject[], options: SendOptions = {}): Promise<Exchange[]> =>
    this.sender.byHand(() => this.sender.write(JSON.stringify(messages), options), this.liveness);

  /** Waits for the responses to all requests in manually written input. */
  sendByHand = (write: () => void): Promise<Exchange[]> => this.sender.byHand(write);

  /**
   * Writes input that requires no response, then a barrier.
   * @param write a frame, or a function that writes bytes
   * @param options.trusting over HTTP a refusal replaces the barrier; a later request then checks whether the
   *   conversation continues
   */
  sendThenBarrier(write: string | (() => void), { trusting = false } = {}): Promise<BarrierResult> {
    return this.liveness.afterInput(typeof write === 'string' ? () => this.sendRaw(write) : write, trusting);
  }

  /** An unused id for manually written messages. */
  nextId = (): number => this.pending.nextId();

  /**
   * Sets the handler for requests of the subject; returns a function that restores the previous handler.
   * `deliberate`: the responses break a rule on purpose.
   */
  handle = (method: string, handler: Handler, { deliberate = false } = {}): (() => void) =>
    this.handlers.set(method, handler, deliberate);

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

  /** The answer of a handler to a request inside of a result; undefined when the handler gives none. */
  answerTo = (asked: JsonObject, reply: Message): Promise<JsonObject | undefined> =>
    this.handlers.answerTo(asked, reply);

  /** Asks for notifications of changes. @param id that of the request, where there is one for all changes */
  listen = (filter: Filter, id?: RequestId): Promise<Listening> => this.era.listen(this, filter, id);

  /** Asks for log messages from a level on; returns the options of the requests that send them. */
  logAt = (level: string): Promise<Pick<RequestOptions, 'meta'>> => this.era.logAt(this, level);

  /** From now on, requests of the method wait for `held`, or for the end of the scenario. */
  defer = (method: string): void => this.handlers.defer(method);

  /** The next deferred request of a method. @throws {NotObserved} when no further one is possible */
  nextDeferred = (method: string): Promise<Deferred> => this.deferred.next(method);

  /** Sends the ordinary response to all deferred requests that have not been cancelled. */
  releaseDeferred = (): void => this.deferred.release();

  /** A result with the members that the revision requires, for a response that is written by hand. */
  completed = (request: Message, result: JsonObject): JsonObject => this.era.complete(this, request, result);

  /** Sends a response. `deliberate`: the response breaks a rule on purpose. */
  reply(request: Message, body: JsonObject, { deliberate = false } = {}): void {
    const { id } = this.rounds.latest(request);
    if (id === undefined || this.ended || !this.link.writable || this.rounds.isOver(request)) return;
    const { result } = body;
    const whole = isObject(result) ? { result: this.era.complete(this, request, result) } : body;
    this.link.send({
      text: JSON.stringify({ jsonrpc: '2.0', id, ...whole }),
      ...(deliberate && { deliberate }),
    });
  }

  /** Follows the cursors of a list method; stops at a repeated cursor, after `pages`, or at the timeout of a response. */
  list = (method: string, key: string, pages?: number): Promise<Pages> =>
    readPages(params => this.request(method, params), key, this.timing, pages);

  /** A name or URI that no fixture, and almost no server, contains. */
  unused(kind: 'tool' | 'prompt' | 'resource' | 'method'): string {
    return kind === 'resource' ? 'test://mcp-conform/no-such-resource' : `mcp-conform-no-such-${kind}`;
  }

  /** Whether the subject has processed all input so far; false when the barrier gets no response. */
  barrier = (): Promise<boolean> => this.liveness.barrier();

  /** True for Streamable HTTP with a handshake and without a session: each POST is independent. */
  get isSessionless(): boolean {
    if (this.spokenRevision.era === 'modern') return false;
    return this.link.transport === 'streamable-http' && !this.link.http?.sessionId;
  }

  /** False for a server over Streamable HTTP that refused each GET: it sends messages in responses only. */
  get hasOwnStream(): boolean {
    if (this.link.transport !== 'streamable-http' || this.spokenRevision.era === 'modern') return true;
    const opened = this.conversation.http().filter(e => e.request?.method === 'GET');
    return opened.some(e => e.status === undefined || e.isStream);
  }

  /** Cancels a request, and stops waiting for its response. */
  cancel(exchange: Pick<Exchange, 'request'>): void {
    this.era.cancel(this, exchange);
    this.pending.stopWaiting(exchange.request);
  }

  /** A short pause, so that the subject reads earlier input separately. @param ms a longer pause, until something expires */
  pause = (ms?: number): Promise<void> => this.waits.pause(ms);

  /** Waits for a quiet window in which no message is expected, then for a barrier. */
  quietWindow = (): Promise<boolean> => this.liveness.quietWindow();

  /**
   * Waits for a quiet window, but only until the condition holds, which is checked at each input; returns
   * whether the condition holds.
   */
  waitUntil = (holds: () => boolean): Promise<boolean> => this.waits.until(holds);

  /**
   * Waits for an action that the subject owes, at most the timeout of a response. Meanwhile a deferred request
   * keeps the subject from going on. @param part of the timeout @returns whether the condition holds
   */
  waitUntilDeadline = (holds: () => boolean, part?: number) => this.waits.untilDeadline(holds, part);

  /** The next matching message of the subject; undefined at the timeout. */
  waitFor = (fits: (message: Message) => boolean): Promise<Message | undefined> => this.waits.message(fits);

  /**
   * The next matching message, without a timeout; undefined when nothing more can arrive, or the wait is
   * aborted.
   */
  next = (fits: (message: Message) => boolean, givenUp?: AbortSignal): Promise<Message | undefined> =>
    this.waits.next(fits, givenUp);

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

  /** Marks the current case as completed by the subject. */
  endCase(): void {
    this.resolveCaseEnded();
    this.deferred.skip();
  }

  /** Resolves when nothing more can arrive. */
  closed = (): Promise<void> => this.waits.closed();

  private requireVocabulary(part: 'requests' | 'notifications', method: string, deliberate = false): void {
    if (!deliberate && !this.vocabulary[part][this.role].has(method))
      throw new Error(
        `A ${this.role} may not send "${method}" in ${this.revision.id}; set deliberate: true if the violation is intended.`,
      );
  }

  private receive(message: Message): void {
    this.waits.received(message);
    if (isReply(message)) this.pending.settle(message);
    else if (message.kind === 'request' && !this.rounds.take(message)) void this.handlers.respond(message);
  }

  /** Ends the conversation on the side of the harness: no wait continues. */
  end(): void {
    if (this.ended) return;
    this.pending.end();
    this.waits.end();
    this.rounds.end();
    this.deferred.end();
  }
}
