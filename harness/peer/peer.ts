/** Our end of a conversation. It speaks politely, and says anything at all when a scenario wants it to. */

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
import { type Exchange, endInWords, idKey, isReply, type Message, resultOf } from '../record/message.js';
import type { Tap } from '../record/tap.js';
import { settles, waitFor } from '../time/clock.js';
import type { Timing } from '../time/timing.js';
import type { Link, Outgoing } from '../transports/link.js';
import { ChangeSignal } from '../transports/wait-until.js';
import { toolVersion } from '../version.js';
import { type Deferred, DeferredRequests, NotObserved } from './deferred.js';
import { type Era, eraOf, type OpenOptions } from './eras/era.js';

const relatedTask = 'io.modelcontextprotocol/related-task';

/** Answers a request of the subject: a result, an error thrown as `RefusedRequest`, or `undefined` for no answer. */
export type Handler = (
  params: JsonObject | undefined,
  request: Message,
) => HandlerResult | Promise<HandlerResult>;
export type HandlerResult = JsonObject | undefined;

/** Thrown by a handler to answer with a JSON-RPC error. */
export class RefusedRequest extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export interface RequestOptions {
  /** Default: the next integer. */
  readonly id?: RequestId;
  /** The request breaks a rule on purpose (bad params, a method the revision lacks …). */
  readonly deliberate?: boolean;
  /** Sent as `_meta` inside the params. */
  readonly meta?: JsonObject;
  /** How many times as long as usual the answer may take, because our own part in it takes long. */
  readonly timeoutFactor?: number;
  /** How the text gets onto the wire, when not as one frame: chunked writes, other line ends. */
  readonly via?: (text: string) => void;
  /** As a server: the request of the client that this has to do with; null for none. Default: the one held at present. */
  readonly during?: Message | null;
}

type SendOptions = Pick<RequestOptions, 'deliberate' | 'during'>;

/** What came after something that has no right to an answer. */
export interface BarrierResult {
  /** The first event it was recorded as. */
  readonly sent: Event;
  /** The barrier behind it was answered, or a refusal did for one. */
  readonly alive: boolean;
  /** When it was not: why, in words, and the events that show it. */
  readonly silenceReason: Silence;
  /** Results and errors before the answer to the barrier that answer nothing else. */
  readonly unmatchedReplies: readonly Message[];
}

/** Why nothing is answered any more: the process has ended, or it says nothing. */
export interface Silence {
  readonly why: string | undefined;
  readonly shownBy: readonly Event[];
}

/** A request under way. */
export interface Pending {
  readonly id: RequestId;
  readonly request: Message;
  readonly done: Promise<Exchange>;
}

interface Handling {
  readonly handler: Handler;
  readonly deliberate: boolean;
  /** What was there before. */
  readonly former: Handling | undefined;
}

interface PendingReply {
  readonly request: Message;
  resolve(reply: Message | undefined): void;
}

export interface PeerOptions {
  readonly link: Link;
  readonly tap: Tap;
  readonly conversation: Conversation;
  readonly revision: Revision;
  readonly timing: Timing;
  /** What all conversations with a subject know of what went unanswered; default: nothing. */
  readonly calls?: UnansweredCounts;
}

/** What nobody answered, of what comes in numbers: ten of a kind are not waited for as long as the first. */
export interface UnansweredCounts {
  /** Calls of tools, which may hang. */
  calls: number;
  /** Requests made of generated values. */
  values?: number;
}

/** Milliseconds without a processor that rules about time are told of. */
const minDelayMs = 250;

/** So many calls are waited for to the end, and so many generated values. */
const patience = { calls: 3, values: 1 };

export class Peer {
  readonly link: Link;
  readonly conversation: Conversation;
  readonly version = toolVersion;
  /** The part our end plays. */
  readonly role: Role;
  readonly timing: Timing;
  /** No more can come from the subject. */
  ended = false;
  /** A request got no answer in time and a ping after it neither: it makes no sense to go on here. */
  unresponsive = false;
  /** What is asked now was generated: where one such value is not answered, hundreds may be. */
  generating = false;
  /** What a handler threw that is no refusal: a bug of the suite, told when the case ends. */
  defect: unknown;
  private readonly tap: Tap;
  private spokenRevision: Revision;
  private readonly waiting = new Map<string, PendingReply>();
  private readonly handlers = new Map<string, Handling>();
  private readonly watchers = new Set<(message: Message) => void>();
  private readonly endWatchers = new Set<() => void>();
  /** Told of all that comes, messages or not. */
  private readonly watch = new ChangeSignal();
  private readonly deferred: DeferredRequests;
  /** Handlers that answer nothing yet. */
  private readonly deferring = new WeakSet<Handler>();
  private readonly calls: UnansweredCounts;
  /** Ids of requests so far; none is used twice. */
  private readonly usedIds = new Set<Json>();
  private lastId = 0;
  private readonly openedAt = performance.now();
  /** Events up to this one were there before the case at hand began. */
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
      handlerWithoutHold: request => {
        if (!this.isWithdrawn(request))
          void this.respond(request, this.ordinary(request.method ?? '') ?? null);
      },
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

  /** The revision our end speaks: the one it was made for, until it agrees to another. */
  get revision(): Revision {
    return this.spokenRevision;
  }

  get vocabulary(): Vocabulary {
    return vocabularyOf(this.spokenRevision);
  }

  get era(): Era {
    return eraOf(this.spokenRevision.era);
  }

  /** Both sides have agreed on a revision. */
  agreeOn(revision: Revision): void {
    this.spokenRevision = revision;
  }

  /** Starts talking the way the revision prescribes. */
  open(options?: OpenOptions): Promise<Exchange> {
    return this.era.open(this, options);
  }

  /** What the subject declared; undefined before it did. */
  get declared(): JsonObject | undefined {
    return this.conversation.capabilities(this.conversation.subject);
  }

  /**
   * Sends a request and waits for its answer; errors, silence and the end of the process are answers too.
   * @throws {NotObserved} as a server, when the client opens no stream on which it could be asked
   */
  async request(method: string, params?: JsonObject, options: RequestOptions = {}): Promise<Exchange> {
    if (this.link.carrier) await this.waitForStream(options);
    return this.start(method, params, options).done;
  }

  /** As a server: waits until there is a stream for what it has to say. @throws {NotObserved} when the client opens none */
  async waitForStream({ during = this.deferred.current }: SendOptions = {}): Promise<void> {
    if (!this.link.carrier || (await this.link.carrier(during ?? undefined))) return;
    throw new NotObserved('the client opens no stream on which it could be asked');
  }

  /**
   * Sends a request that may take as long as it likes, such as a stranger's tool: a part of the wait for an answer is spent
   * on it, then it is cancelled, which is no fault of the subject.
   */
  async requestOrCancel(method: string, params?: JsonObject, options?: RequestOptions): Promise<Exchange> {
    const pending = this.start(method, params, options);
    if (!(await waitFor(pending.done, this.timing.answer / 5, this.link.clock))) this.cancel(pending);
    return pending.done;
  }

  /** Sends a request without waiting. */
  start(method: string, params?: JsonObject, options: RequestOptions = {}): Pending {
    const id = options.id ?? this.nextId();
    const withMeta = options.meta ? { ...params, _meta: options.meta } : params;
    this.requireVocabulary('requests', method, options.deliberate);
    return this.startMessage({ jsonrpc: '2.0', id, method, ...(withMeta && { params: withMeta }) }, options);
  }

  /**
   * Sends any message that has an id, however odd, and waits for what answers it.
   * @throws {NotObserved} as a server, when the stream it would have gone onto is closed
   */
  startMessage(
    json: JsonObject,
    options: Pick<RequestOptions, 'deliberate' | 'timeoutFactor' | 'via' | 'during'> = {},
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
      throw new NotObserved('the client has left the stream on which it could be asked');
    if (!request) throw new Error(`The message was not recorded as one message: ${text}`);
    return { id: json.id as RequestId, request, done: this.awaitReply(request, options.timeoutFactor) };
  }

  notify(method: string, params?: JsonObject, options: SendOptions = {}): Message[] {
    this.requireVocabulary('notifications', method, options.deliberate);
    return this.write(JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) }), options);
  }

  /** Puts a frame on the wire that no polite peer would send. */
  sendRaw(text: string, options: Pick<RequestOptions, 'during'> = {}): Message[] {
    return this.write(text, { ...options, deliberate: true });
  }

  /** Sends several messages in one array and waits for the answers to its requests. */
  batch(messages: readonly JsonObject[], options: SendOptions = {}): Promise<Exchange[]> {
    return this.sendByHand(() => this.write(JSON.stringify(messages), options));
  }

  /** Waits for the answers to all requests that something written by hand contains. */
  sendByHand(write: () => void): Promise<Exchange[]> {
    const before = this.conversation.messages.length;
    write();
    const sent = this.conversation.messages.slice(before).filter(m => m.kind === 'request');
    return Promise.all(sent.map(m => this.awaitReply(m)));
  }

  /**
   * Writes something that has no right to an answer, then a barrier.
   * @param write a frame, or what puts bytes on the wire
   * @param options.trusting over HTTP a refusal does for the barrier; whether the conversation goes on is to be asked after all
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
   * Shows that these have been dealt with; false when not even a ping is answered after them. Where each comes on an exchange of
   * its own, what is said of it may be overtaken by the pong: a server says it on that exchange; a client has said it before it
   * gets a second ping, which it answers later still.
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

  /** What shows why the last barrier was not answered. */
  silence(): Silence {
    const { exit } = this.conversation;
    const last = this.conversation.eventsOf('stderr').at(-1);
    if (exit) return { why: endInWords(exit), shownBy: last ? [last, exit] : [exit] };
    const deadline = this.conversation.eventsOf('deadline').at(-1);
    const leave = this.conversation.http().find(e => e.request?.method === 'DELETE')?.request;
    if (this.role === 'server' && leave && leave.seq > (deadline?.seq ?? 0))
      return { why: 'the client ended the session', shownBy: [leave] };
    const { failure } = this.link;
    const refusal = this.conversation.http().findLast(({ status = 0 }) => status >= 400)?.response;
    if (failure) return { why: failure.reason, shownBy: refusal ? [refusal] : [] };
    return {
      why: deadline && `nothing within ${deadline.ms} ms`,
      shownBy: deadline ? [deadline] : [],
    };
  }

  /** A fresh id for messages made by hand. */
  nextId(): number {
    do this.lastId++;
    while (this.usedIds.has(this.lastId));
    return this.lastId;
  }

  /** Whether no request has had this id yet. */
  isFresh(id: RequestId): boolean {
    return !this.usedIds.has(id);
  }

  /** All ids are fresh again: for conversations that nobody judges, in which a value is tried anew with each change. */
  forgetIds(): void {
    this.usedIds.clear();
  }

  /**
   * Sets how a request of the subject is answered from now on; returns a function that puts the former way back.
   * `deliberate`: the answers break a rule on purpose.
   */
  handle(method: string, handler: Handler, { deliberate = false } = {}): () => void {
    const former = this.handlers.get(method);
    this.handlers.set(method, { handler, deliberate, former });
    return () => {
      if (former) this.handlers.set(method, former);
      else this.handlers.delete(method);
    };
  }

  /** From now on requests of the method wait for `held`, or for the end of the scenario. */
  defer(method: string): void {
    const holder: Handler = (_, request) => {
      this.deferred.add(method, request);
      return undefined;
    };
    this.deferring.add(holder);
    this.handle(method, holder);
  }

  /** How a request is answered that is held no longer. */
  private ordinary(method: string): Handling | undefined {
    let handling = this.handlers.get(method);
    while (handling && this.deferring.has(handling.handler)) handling = handling.former;
    return handling;
  }

  /** The next request of a method that is on hold. @throws {NotObserved} when none can come any more */
  nextDeferred(method: string): Promise<Deferred> {
    return this.deferred.next(method);
  }

  /** What is still held is answered in the ordinary way, if it has not been withdrawn. */
  releaseDeferred(): void {
    this.deferred.release();
  }

  /** The subject has said that it no longer wants an answer. */
  private isWithdrawn({ id }: Message): boolean {
    return this.conversation
      .notifications({ by: 'subject', method: 'notifications/cancelled' })
      .some(m => idKey(m.params?.requestId) === idKey(id));
  }

  /** Answers a request. `deliberate`: in a way that breaks a rule on purpose. */
  reply({ id }: Message, body: JsonObject, { deliberate = false } = {}): void {
    if (id === undefined || this.ended || !this.link.writable) return;
    this.send({ text: JSON.stringify({ jsonrpc: '2.0', id, ...body }), ...(deliberate && { deliberate }) });
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

  /** A name or URI that no fixture and hardly any server has. */
  unused(kind: 'tool' | 'prompt' | 'resource' | 'method'): string {
    return kind === 'resource' ? 'test://mcp-conform/no-such-resource' : `mcp-conform-no-such-${kind}`;
  }

  /** Shows that everything sent so far has been dealt with; false when not even this is answered. */
  async barrier(): Promise<boolean> {
    if (this.ended || this.unresponsive) return false;
    const exchange = await this.era.barrier(this);
    if (!exchange.reply) this.unresponsive = true;
    return exchange.reply !== undefined;
  }

  /** Streamable HTTP without a session: each POST stands alone. */
  get isStateless(): boolean {
    return this.link.transport === 'streamable-http' && !this.link.http?.sessionId;
  }

  /** Nothing at all has come since a wait for an answer was over. */
  get noTrafficSinceTimeout(): boolean {
    const deadline = this.conversation.eventsOf('deadline').findLast(d => d.label === 'answer');
    return deadline !== undefined && (this.conversation.frames('subject').at(-1)?.seq ?? 0) < deadline.seq;
  }

  /** Says that an answer is no longer wanted, and stops waiting for it. */
  cancel(exchange: Pick<Exchange, 'request'>): void {
    this.era.cancel(this, exchange);
    this.waiting.get(idKey(exchange.request.id))?.resolve(undefined);
  }

  /** A moment, so that the subject reads what was written before more comes. */
  async pause(): Promise<void> {
    await settles(this.closed(), this.timing.quiet / 5);
  }

  /** Watches a window of time in which nothing is expected, then a barrier. */
  async quietWindow(): Promise<boolean> {
    await this.link.clock.window(this.closed(), this.timing.quiet);
    this.tap({ kind: 'quiet', ms: this.timing.quiet });
    return this.barrier();
  }

  /** Watches such a window too, but no longer than until something holds, which may change with all that comes; whether it does. */
  async waitUntil(holds: () => boolean): Promise<boolean> {
    const ends = () => this.ended || holds();
    const late = await this.watch.until(ends, met => this.link.clock.window(met, this.timing.quiet));
    if (late) this.tap({ kind: 'quiet', ...late });
    return holds();
  }

  /** The next message of the subject that fits; undefined when none came in time. */
  async waitFor(fits: (message: Message) => boolean): Promise<Message | undefined> {
    const given = new AbortController();
    const next = this.next(fits, given.signal);
    const late = await this.link.clock.waitAtMost(next, this.timing.answer);
    given.abort();
    if (late) this.tap({ kind: 'deadline', label: 'message', ...late });
    return next;
  }

  /** The same, however long it takes; undefined when nothing more can come, or the wait is given up. */
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
   * Resolves when nothing more can come, or not for the case at hand; nobody deals with what is held any more, so it is let
   * go.
   */
  caseOver(): Promise<void> {
    this.releaseDeferred();
    return Promise.race([this.closed(), this.caseEnded]);
  }

  /** What the subject has asked for in the case at hand. */
  requestsOfCase(method: string): Exchange[] {
    return this.conversation
      .exchanges({ by: 'subject', method })
      .filter(({ request }) => request.seq > this.caseStart);
  }

  /** Another case begins in this conversation. */
  beginCase(): void {
    this.caseStart = this.conversation.events.at(-1)?.seq ?? 0;
    this.deferred.startCase();
    this.caseEnded = new Promise(resolve => {
      this.resolveCaseEnded = resolve;
    });
  }

  /** Writes down for how long nobody could run here, when that was long. */
  recordSchedulingDelay(): void {
    // to look takes a while, and what was that short cannot have lost more
    if (performance.now() - this.openedAt < minDelayMs) return;
    const ms = this.link.clock.schedulingDelaySince(this.openedAt);
    if (ms >= minDelayMs) this.tap({ kind: 'lag', ms });
  }

  /** The subject has done what the case at hand wants of it. */
  endCase(): void {
    this.resolveCaseEnded();
    this.deferred.skip();
  }

  /** Resolves when nothing more can come. */
  closed(): Promise<void> {
    return this.ended ? Promise.resolve() : new Promise(resolve => this.endWatchers.add(resolve));
  }

  private requireVocabulary(part: 'requests' | 'notifications', method: string, deliberate = false): void {
    if (!deliberate && !this.vocabulary[part][this.role].has(method))
      throw new Error(
        `A ${this.role} may not send "${method}" in ${this.revision.id}; mark it deliberate if that is the point.`,
      );
  }

  private write(text: string, { deliberate, during = this.deferred.current }: SendOptions): Message[] {
    return this.send({ text, ...(deliberate && { deliberate }), ...(during && { during }) });
  }

  private send(out: Outgoing): Message[] {
    return this.link.send(out);
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
      const { calls, generating: trying } = this;
      const { calls: unanswered, values: unansweredValues = 0 } = calls;
      const hurried =
        (isCall && unanswered >= patience.calls) || (trying && unansweredValues >= patience.values);
      const { answer, quiet } = this.timing;
      const ms = (hurried ? Math.max(answer / (trying ? 10 : 5), quiet * 10) : answer) * times;
      const late = await this.link.clock.waitAtMost(replied, ms);
      this.waiting.delete(key);
      if (late) {
        if (isCall) calls.calls++;
        if (trying) calls.values = unansweredValues + 1;
        const id = request.id as RequestId;
        this.tap({ kind: 'deadline', label: 'answer', ...late, request: id, ...(hurried && { hurried }) });
        deadline = this.conversation.eventsOf('deadline').at(-1);
      }
    }
    return { request, reply, deadline };
  }

  private receive(message: Message): void {
    for (const watch of [...this.watchers]) watch(message);
    this.watch.changed();
    if (isReply(message)) this.settle(message);
    else if (message.kind === 'request') void this.respond(message);
  }

  private settle(reply: Message): void {
    const strict = this.waiting.get(idKey(reply.id));
    const open = [...this.waiting.values()].map(w => w.request);
    const meant = () => {
      const asked = this.conversation.requestOf(reply);
      // it answers something that nobody waits for
      if (asked && idKey(asked.id) === idKey(reply.id)) return undefined;
      return this.conversation.answersNonMessage(reply) ? undefined : looseMatch(reply.id, open);
    };
    const waiting = strict ?? [...this.waiting.values()].find(w => w.request === meant());
    waiting?.resolve(reply);
  }

  private async respond(
    request: Message,
    handling: Handling | null = this.handlers.get(request.method ?? '') ?? null,
  ): Promise<void> {
    if (request.id === undefined || request.id === null) return;
    let answer: JsonObject;
    try {
      if (!handling) throw new RefusedRequest(-32601, `Method not found: ${request.method ?? '?'}`);
      const result = await handling.handler(request.params, request);
      if (result === undefined) return;
      answer = { result: withTask(result, request) };
    } catch (error) {
      if (!(error instanceof RefusedRequest)) {
        if (!(error instanceof NotObserved)) this.defect ??= error;
        return;
      }
      answer = { error: { code: error.code, message: error.message } };
    }
    this.reply(request, answer, { deliberate: handling?.deliberate ?? false });
  }

  private end(): void {
    this.ended = true;
    for (const { resolve } of this.waiting.values()) resolve(undefined);
    for (const watcher of this.endWatchers) watcher();
    this.watch.changed();
    this.endWatchers.clear();
    this.deferred.end();
  }
}

/** The answer to a question of a task names the task, as the question does. */
function withTask(result: JsonObject, { params }: Message): JsonObject {
  const { [relatedTask]: related } = isObject(params?._meta) ? params._meta : {};
  if (related === undefined) return result;
  return { ...result, _meta: { ...(isObject(result._meta) && result._meta), [relatedTask]: related } };
}
