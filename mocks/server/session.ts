/** One session of the mock, independent of the transport: takes messages and returns messages. */

import { declares } from '../../harness/record/conversation.js';
import { idKey } from '../../harness/record/message.js';
import { isObject, type Json, type JsonObject, kindOf, type RequestId } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import { type Vocabulary, vocabularyOf } from '../../spec/vocabulary.js';
import type { Deviation } from '../fault.js';
import { Tasks } from '../tasks.js';
import { ServerCall } from './call.js';
import { Deviations } from './deviations.js';
import { extensionsOf, type Features, featuresOf } from './features.js';
import { handlers, listeners } from './handlers/index.js';
import type { Call, Change, Channel, OpenSession, World } from './interfaces.js';
import { codes, errorOutcome, Refusal } from './refusal.js';
import { ServerRequests } from './server-requests.js';
import { Stateless } from './stateless.js';

export interface SessionOptions {
  /** The offered revisions with a handshake, oldest first. */
  readonly revisions: readonly Revision[];
  /** The offered revisions without a handshake, oldest first. */
  readonly stateless: readonly Revision[];
  readonly deviations: readonly Deviation[];
  readonly world: World;
  readonly seed: number;
  /** Pause between the log and progress messages of the fixture tools, in milliseconds. */
  readonly delayMs: number;
  /** The deviations of a server whose requests are sessions of their own; default: own ones. */
  readonly shared?: Deviations;
}

export class Session implements OpenSession {
  /** The negotiated revision; before negotiation the newest one offered. */
  revision: Revision;
  readonly world: World;
  private readonly chain: Deviations;
  /** Serves requests with an envelope; undefined if only revisions with a handshake are offered. */
  readonly stateless: Stateless | undefined;
  /** The response to `initialize` has been sent. */
  opened = false;
  /** The client has sent `notifications/initialized`. */
  initialized = false;
  /** Arrays of messages are handled also where the revision has no batches. */
  takesBatches = false;
  /** Requests before `initialize` are rejected. */
  insistsOnHandshake = true;
  clientCapabilities: JsonObject = {};
  /** The mock has requested the client's roots. */
  usesRoots = false;
  /** The least severe level that the client requested. */
  logLevel = 'info';
  readonly subscriptions = new Set<string>();
  readonly running = new Map<string, ServerCall>();
  readonly outgoing: ServerRequests;
  readonly tasks = new Tasks<Call>(this);
  /**
   * The request that current outgoing messages relate to; a transport with several streams selects the stream
   * by it.
   */
  about: RequestId | undefined;
  private readonly batched = new WeakSet<JsonObject>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly busy = new Set<Promise<unknown>>();
  private lastId = 0;
  private chance: number;
  private closed = false;

  constructor(
    readonly channel: Channel,
    readonly options: SessionOptions,
  ) {
    this.revision = options.revisions.at(-1) ?? options.stateless.at(-1)!;
    this.world = options.world;
    this.chance = options.seed;
    this.outgoing = new ServerRequests(this);
    this.stateless = options.stateless.length > 0 ? new Stateless(this) : undefined;
    this.chain = options.shared ?? new Deviations(options.deviations, this);
    if (!options.shared) this.deviations.world();
    this.world.listeners.add(this.onChange);
  }

  get deviations(): Deviations {
    return this.chain.for(this);
  }

  get vocabulary(): Vocabulary {
    return vocabularyOf(this.revision);
  }

  get features(): Features {
    return featuresOf(this.revision);
  }

  /** The capabilities declared to the client: those of the fixtures that the revision defines. */
  get capabilities(): JsonObject {
    const named = Object.entries(this.world.capabilities).filter(
      ([name]) =>
        name !== 'extensions' &&
        !this.revision.undeclarable.includes(name) &&
        (name !== 'tasks' || this.features.tasks),
    );
    return { ...Object.fromEntries(named), ...extensionsOf(this.world, this.revision) };
  }

  /**
   * Handles one parsed frame. Immediate responses are sent before the call returns, the others before the
   * promise resolves.
   */
  receive(json: Json): void | Promise<void> {
    const work = Array.isArray(json) ? this.receiveBatch(json) : this.receiveSingle(json);
    if (!(work instanceof Promise)) return;
    this.busy.add(work);
    return work.finally(() => this.busy.delete(work));
  }

  /** Handles a frame that is not valid JSON. */
  unreadable(): void {
    this.sendAll([this.errorWithoutId(codes.parseError, 'The frame is not valid JSON.')]);
  }

  private receiveSingle(json: Json): void | Promise<void> {
    return settled(this.take(json), replies => this.sendAll(replies));
  }

  private receiveBatch(items: readonly Json[]): void | Promise<void> {
    const batches = this.revision.batches || this.takesBatches;
    if (!batches || !this.opened || items.length === 0)
      return this.sendAll([this.errorWithoutId(codes.invalidRequest, 'The frame is not a single message.')]);
    const replies = items.map(item => this.take(item, true));
    const send = (all: Json[][]) => {
      const batch = all.flat().flatMap(reply => this.deviations.message(reply));
      if (batch.length > 0 && !this.closed) this.channel.send(batch);
    };
    return replies.some(reply => reply instanceof Promise)
      ? Promise.all(replies).then(send)
      : send(replies as Json[][]);
  }

  /** Handles one message; returns its response. */
  private take(json: Json, batched = false): Json[] | Promise<Json[]> {
    const message = this.deviations.incoming(json);
    if (message === undefined) return [];
    const kind = kindOf(message);
    if (!isObject(message) || !kind) return [this.invalidRequest(message)];
    if (batched) this.batched.add(message);
    if (kind === 'request') return this.answer(message);
    if (kind === 'notification') this.hear(message);
    else this.outgoing.settle(message);
    return [];
  }

  private hear(message: JsonObject): void {
    const definition = this.vocabulary.messageDefinition('client', String(message.method));
    const listener = listeners[String(message.method)];
    if (!listener || !definition || !this.vocabulary.fits(definition, message)) return;
    listener(isObject(message.params) ? message.params : {}, this);
  }

  private answer(ask: JsonObject): Json[] | Promise<Json[]> {
    if (ask.jsonrpc !== '2.0' || typeof ask.method !== 'string' || !isRequestId(ask.id))
      return [this.invalidRequest(ask)];
    const { id } = ask;
    const seen = this.deviations.request(ask);
    if (!seen) return [];
    const params = isObject(seen.params) ? seen.params : {};
    const scope = this.stateless?.scopeOf(seen);
    const call = new ServerCall(this, id, String(seen.method), params, undefined, scope ?? this);
    const key = idKey(id);
    this.running.set(key, call);
    const outcome = this.whileAbout(id, () => this.outcome(seen, call));
    return settled(outcome, outcome => {
      if (this.running.get(key) === call) this.running.delete(key);
      call.finished = true;
      if (call.cancelled) this.channel.settled?.(id);
      if (call.cancelled) return [];
      const replies = this.whileAbout(id, () =>
        this.deviations.reply({ jsonrpc: '2.0', id, ...outcome }, ask),
      );
      return scope ? replies.map(reply => this.stateless!.whole(call.method, reply)) : replies;
    });
  }

  private outcome(ask: JsonObject, call: ServerCall): JsonObject | Promise<JsonObject> {
    try {
      const handled = this.handle(ask, call);
      return handled instanceof Promise
        ? handled.then(result => ({ result }), errorOutcome)
        : { result: handled };
    } catch (error) {
      return errorOutcome(error);
    }
  }

  private handle(ask: JsonObject, call: ServerCall): JsonObject | Promise<JsonObject> {
    const { method } = call;
    if (call.scope !== this) return this.stateless!.handle(ask, call);
    if (!this.opened && this.insistsOnHandshake && !beforeHandshake.includes(method))
      throw new Refusal(codes.invalidRequest, 'The first request of a session must be initialize.');
    const definition = this.vocabulary.messageDefinition('client', method);
    const handler = handlers[method];
    const offered = !handler?.needs || declares(this.world.capabilities, handler.needs);
    if (!definition || !handler || !offered)
      throw new Refusal(codes.methodNotFound, `There is no method "${method}".`);
    const problem = this.vocabulary.misfit(definition, ask);
    if (problem) throw new Refusal(codes.invalidParams, `${problem.path} ${problem.message}`.trim());
    return handler.run(call.params, call);
  }

  private invalidRequest(message: Json): JsonObject {
    const error = { code: codes.invalidRequest, message: 'The frame is not a JSON-RPC 2.0 message.' };
    if (isObject(message) && isRequestId(message.id)) return { jsonrpc: '2.0', id: message.id, error };
    return this.errorWithoutId(error.code, error.message);
  }

  /** An error for a message without a readable id, in the form of the revision's schema. */
  private errorWithoutId(code: number, message: string): JsonObject {
    const error = { jsonrpc: '2.0', error: { code, message } };
    const definition = this.vocabulary.envelopeDefinition('error');
    return this.vocabulary.fits(definition, error) ? error : { ...error, id: null };
  }

  /** Runs the synchronous part of a request; messages sent meanwhile use the stream of its response. */
  whileAbout<T>(id: RequestId | undefined, act: () => T): T {
    const before = this.about;
    this.about = id;
    try {
      return act();
    } finally {
      this.about = before;
    }
  }

  /** Sends a request, a notification or a response of the mock. */
  sendAll(messages: readonly Json[]): void {
    if (this.closed) return;
    for (const message of messages.flatMap(m => this.deviations.message(m))) this.channel.send(message);
  }

  notify(method: string, params?: JsonObject): void {
    this.sendAll([{ jsonrpc: '2.0', method, ...(params && { params }) }]);
  }

  private readonly onChange = (change: Change): void => {
    this.stateless?.announce(change);
    if (!this.opened || 'task' in change) return;
    if ('uri' in change) {
      if (this.subscriptions.has(change.uri))
        this.notify('notifications/resources/updated', { uri: change.uri });
    } else if (declares(this.world.capabilities, `${change.list}.listChanged`))
      this.notify(`notifications/${change.list}/list_changed`);
  };

  /** Whether a request came in a batch, and its response is sent in a batch. */
  isBatched(ask: JsonObject): boolean {
    return this.batched.has(ask);
  }

  nextId(): number {
    return ++this.lastId;
  }

  /** A small multiplicative generator: reproducible, and random enough for quirks. */
  random(): number {
    this.chance = (Math.imul(this.chance + 1, 1_664_525) + 1_013_904_223) >>> 0;
    return this.chance / 2 ** 32;
  }

  after(ms: number, act: () => void): void {
    const { about } = this;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.whileAbout(about, act);
    }, ms);
    this.timers.add(timer);
  }

  /** Resolves when all requests so far have responses. */
  async idle(): Promise<void> {
    while (this.busy.size > 0) await Promise.all(this.busy);
  }

  /** The connection is closed: all running requests are aborted. */
  close(): void {
    this.closed = true;
    this.world.listeners.delete(this.onChange);
    for (const timer of this.timers) clearTimeout(timer);
    for (const call of this.running.values()) call.cancel();
    this.tasks.close();
    this.outgoing.close();
  }
}

const beforeHandshake = ['initialize', 'ping'];

/** Continues with a value at once, or later if the value is a promise. */
const settled = <T, R>(value: T | Promise<T>, go: (value: T) => R): R | Promise<R> =>
  value instanceof Promise ? value.then(go) : go(value);

const isRequestId = (id: Json | undefined): id is RequestId => typeof id === 'string' || Number.isInteger(id);
