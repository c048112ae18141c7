/** One session of the reference client, independent of the transport. */

import { extensionsIn } from '../../harness/record/capabilities.js';
import { idKey } from '../../harness/record/message.js';
import type { ConnectOptions } from '../../harness/scenario/script.js';
import { isObject, type Json, type JsonObject, kindOf, type RequestId } from '../../spec/json-rpc.js';
import { findDefinedRevision, latestRevision, type Revision } from '../../spec/revisions.js';
import { type Vocabulary, vocabularyWith } from '../../spec/vocabulary.js';
import { codes, errorOutcome, Refusal } from '../server/refusal.js';
import { Tasks } from '../tasks.js';
import type { AskOptions } from './ask.js';
import { capabilitiesIn, declaredBy } from './behaviour.js';
import { type Carrier, type CarrierEvents, SessionOver } from './carriers/carrier.js';
import { isFollowed } from './extension-tasks.js';
import { Failure } from './failure.js';
import type { HostAction } from './host-action.js';
import type { OpenSession } from './interfaces.js';
import { ResultCache } from './result-cache.js';
import { notOneMessage, type SessionParts, type Waiting } from './session-parts.js';
import {
  discover,
  envelopeOf,
  fulfil,
  questionDefinition,
  refusalIn,
  type StatelessSession,
  withDefaults,
} from './stateless.js';
import { Subscriptions } from './subscriptions.js';
import { withTask } from './task-response.js';

/** The reason of a cancellation after a timeout. */
export const tookTooLong = 'The request timed out.';

export class ClientSession implements OpenSession, StatelessSession {
  /** The negotiated revision; before negotiation the requested one. */
  revision: Revision;
  /** The capabilities declared by the server. */
  server: JsonObject = {};
  /** The capabilities that the client declares in this session. */
  declared: JsonObject;
  readonly carrier: Carrier;
  /** The client's own tasks in this session. */
  readonly tasks = new Tasks<HostAction>(this);
  /** Input schemas of listed tools: headers repeat some parameters. */
  readonly inputSchemas = new Map<string, JsonObject>();
  /** Listed tools that are not offered, because the definition is invalid. */
  readonly unusable = new Set<string>();
  private readonly cache: ResultCache;
  readonly subscriptions = new Subscriptions(this);
  /** Listed tools, with their task support. */
  readonly taskSupport = new Map<string, Json | undefined>();
  private readonly waiting = new Map<string, Waiting>();
  private readonly asked = new Map<string, AbortController>();
  private lastId = 0;
  private over: Failure | undefined;
  private closed = false;
  private fellBack = false;
  /** The last session that the server ended, and the start of the next one. */
  private ended: { readonly session: string; readonly renewal: Promise<void> } | undefined;

  constructor(
    readonly parts: SessionParts,
    carrier: (events: CarrierEvents) => Carrier,
    private readonly wished: ConnectOptions = {},
  ) {
    const { habits } = parts;
    this.cache = new ResultCache(habits);
    this.revision = findDefinedRevision(habits.asksFor) ?? latestRevision;
    this.declared = declaredBy(habits.capabilities, wished);
    this.carrier = carrier({
      schemaOf: tool => this.inputSchemas.get(tool),
      receive: json => this.receive(json),
      lost: why => this.lose(why),
      unanswered: keys => {
        for (const key of keys) this.lost(key);
      },
      expired: session => void this.renew(session).catch(() => {}),
    });
  }

  /** Keeps the input schema of a listed tool, whose parameters headers may repeat. */
  note(tool: JsonObject): void {
    const name = String(tool.name);
    const isUsable = !this.carrier.home || !this.isStateless || this.parts.habits.offersTool(tool);
    if (isUsable) this.unusable.delete(name);
    else this.unusable.add(name);
    if (isObject(tool.inputSchema)) this.inputSchemas.set(name, tool.inputSchema);
  }

  get vocabulary(): Vocabulary {
    return vocabularyWith(this.revision, this.isStateless ? extensionsIn(this.declared) : []);
  }

  /**
   * Opens the session. @throws {Failure} when the server cannot be reached or its version is not supported
   */
  async open(): Promise<void> {
    await this.carrier.open().catch((error: unknown) => {
      throw new Failure(`The server cannot be reached: ${String(error)}`);
    });
    const { discovers } = this.parts.habits;
    if (!this.isStateless) await this.shakeHands();
    else if (discovers && !(await this.probe())) await this.fallBack();
    if (this.isStateless) this.carrier.agreed(this.revision);
    await this.parts.deviations.opened();
  }

  /** True while the client speaks a revision without a handshake. */
  get isStateless(): boolean {
    return this.revision.era === 'modern';
  }

  get probeMs(): number {
    const { patienceMs, openingMs = 0, probeMs } = this.parts.habits;
    // over HTTP only a response shows the era, and authorization may come first
    return Math.min(
      this.wished.timeoutMs ?? Infinity,
      this.carrier.home ? patienceMs : Math.max(probeMs, openingMs),
    );
  }

  /** Asks for the era of the server. @returns false for the older era @throws {Failure} as `discover` */
  private async probe(): Promise<boolean> {
    const isModern = await discover(this);
    if (!this.parts.habits.probesApart) return isModern;
    await this.carrier.close();
    this.over = undefined;
    await this.carrier.open();
    return isModern;
  }

  /** basic/versioning: a server of the older era gets initialize. */
  private async fallBack(): Promise<void> {
    const older = this.parts.habits.versions.map(findDefinedRevision).filter(r => r?.era === 'legacy');
    this.fellBack = true;
    this.revision = older.at(-1)!;
    this.declared = declaredBy(capabilitiesIn(this.revision), this.wished);
    await this.reopen();
    await this.shakeHands();
  }

  /** Starts a server process again that has exited. */
  private async reopen(): Promise<void> {
    if (!this.over || this.closed) return;
    this.over = undefined;
    await this.carrier.open();
  }

  private async shakeHands(): Promise<void> {
    const { habits } = this.parts;
    const { versions, info, leavesWhenRefused } = habits;
    const asksFor = this.fellBack ? this.revision.id : habits.asksFor;
    const introduction = { protocolVersion: asksFor, capabilities: this.declared, clientInfo: info };
    const { timeoutMs = habits.openingMs } = this.wished;
    const asking = this.ask('initialize', introduction, { timeoutMs });
    const result = await (leavesWhenRefused ? asking : asking.catch((): JsonObject => ({})));
    const version = String(result.protocolVersion);
    if (leavesWhenRefused && !versions.includes(version))
      throw new Failure(`The server uses protocol version ${version}, which this client does not support.`);
    this.revision = findDefinedRevision(version) ?? this.revision;
    this.server = isObject(result.capabilities) ? result.capabilities : {};
    this.carrier.agreed(this.revision);
    await this.notify('notifications/initialized');
    this.carrier.ready();
  }

  /**
   * basic/transports#session-management: a new session starts, once for each session that the server ends.
   */
  private renew(session: string): Promise<void> {
    if (this.ended?.session !== session && this.parts.habits.renewsSession)
      this.ended = { session, renewal: this.shakeHands() };
    return this.ended?.renewal ?? Promise.reject(new Failure('The session has ended.'));
  }

  private lost(key: string): void {
    const waiting = this.waiting.get(key);
    const { repeatsLost } = this.parts.habits;
    if (waiting && repeatsLost && String(waiting.ask.method) === 'resources/read')
      void this.post(waiting.ask).catch(() => waiting.settle(new Failure('The response was lost.')));
    else waiting?.settle(new Failure('The response was lost.'));
  }

  nextId(): number {
    return ++this.lastId;
  }

  /**
   * Sends a request and waits for its complete result.
   * @throws {Failure} when the response is an error, is lost, or does not arrive in time
   */
  async ask(method: string, params?: JsonObject, options: AskOptions = {}): Promise<JsonObject> {
    if (!this.isStateless) return this.askOnce(method, params, options);
    if (this.over && this.parts.habits.restartsServer) await this.reopen();
    if (this.subscriptions.isDue && this.parts.habits.listensAgain) await this.subscriptions.renew();
    const kept = this.cache.find(method, params);
    if (kept) return kept;
    const before = this.lastId;
    const result = await fulfil(this, method, params, options);
    this.cache.keep(method, params, result, this.lastId > before + 1);
    return result;
  }

  /** The answer to a question in a result. @throws {Failure} when the client does not answer */
  async answerTo(asked: JsonObject): Promise<JsonObject> {
    const { deviations, answers } = this.parts;
    const question = deviations.incoming(asked);
    if (!isObject(question)) throw new Failure('The question is ignored.');
    const ask = { jsonrpc: '2.0', id: 'question', ...question };
    const outcome = await this.outcomeOf(() => {
      const definition = questionDefinition(question);
      const problem = this.vocabulary.misfit(definition, question);
      if (problem) throw new Refusal(codes.invalidParams, `${problem.path} ${problem.message}`.trim());
      return answers.answer(ask, this, new AbortController().signal);
    });
    const reply = deviations.reply({ jsonrpc: '2.0', id: 'question', ...outcome }, ask).at(-1);
    const result = isObject(reply) ? reply.result : undefined;
    if (!isObject(result)) throw new Failure(`A question is not answered: ${JSON.stringify(reply)}`);
    return result;
  }

  /** Sends a request and waits for its result, which may be incomplete. @throws {Failure} as `ask` */
  async askOnce(method: string, params?: JsonObject, options: AskOptions = {}): Promise<JsonObject> {
    if (this.over) throw this.over;
    const id = this.nextId();
    const meta = (options.progress || this.isStateless) && {
      _meta: {
        ...(this.isStateless && envelopeOf(this)),
        ...(isObject(params?._meta) && params._meta),
        ...(options.progress && { progressToken: id }),
      },
    };
    const given = meta ? { ...params, ...meta } : params;
    const ask: JsonObject = { jsonrpc: '2.0', id, method, ...(given && { params: given }) };
    const answered = this.waitFor(ask, options.timeoutMs ?? this.parts.habits.patienceMs);
    // an error of the transport comes first and is then the outcome
    answered.catch(() => {});
    options.onSent?.(id);
    await this.say(ask).catch((error: unknown) => this.settle(id, new Failure(String(error))));
    return this.parts.deviations.result(await answered, ask);
  }

  private waitFor(ask: JsonObject, ms: number): Promise<JsonObject> {
    const id = ask.id as RequestId;
    return new Promise((resolve, reject) => {
      const late = () => {
        if (this.parts.habits.withdraws(String(ask.method))) void this.withdraw(id, tookTooLong);
        this.settle(id, new Failure('No response arrived in time.'));
      };
      const timer = Number.isFinite(ms) ? setTimeout(late, ms) : undefined;
      this.waiting.set(idKey(id), {
        ask,
        settle: outcome => {
          this.waiting.delete(idKey(id));
          clearTimeout(timer);
          if (outcome instanceof Failure) reject(outcome);
          else resolve(outcome);
        },
      });
    });
  }

  private settle(id: Json | undefined, outcome: JsonObject | Failure): void {
    this.waiting.get(idKey(id))?.settle(outcome);
  }

  /** Cancels a request; a response that still arrives is ignored. */
  withdraw(requestId: RequestId, reason?: string): Promise<void> {
    if (this.parts.habits.abandons) {
      this.settle(requestId, new Failure('The request was abandoned.'));
      return Promise.resolve();
    }
    const told =
      this.isStateless && this.carrier.home && !this.parts.habits.cancelsByMessage
        ? this.carrier.hangUp?.(requestId)
        : this.notify('notifications/cancelled', { requestId, ...(reason !== undefined && { reason }) });
    this.settle(requestId, new Failure('The request was cancelled.'));
    return Promise.resolve(told);
  }

  notify(method: string, params?: JsonObject): Promise<void> {
    return this.say({ jsonrpc: '2.0', method, ...(params && { params }) }).catch(() => {});
  }

  after(ms: number, act: () => void): void {
    this.parts.after(ms, act);
  }

  private async say(message: Json): Promise<void> {
    for (const one of this.parts.deviations.message(message)) await this.post(one);
  }

  /** Sends a message over the transport; a request for an ended session is sent again in the next one. */
  async post(message: Json): Promise<void> {
    try {
      await this.carrier.send(message);
    } catch (error) {
      if (!(error instanceof SessionOver) || this.over) throw error;
      await this.renew(error.session);
      if (isObject(message) && kindOf(message) === 'request') await this.carrier.send(message);
    }
  }

  receive(json: Json): void {
    if (!Array.isArray(json)) {
      void this.take(json).then(async replies => {
        for (const reply of replies) await this.say(reply).catch(() => {});
      });
      return;
    }
    // an array is not a message where the revision has no batches
    if (this.revision.batches) void this.receiveBatch(json);
  }

  private async receiveBatch(asked: readonly Json[]): Promise<void> {
    const { deviations } = this.parts;
    const replies = await Promise.all(asked.map(message => this.take(message)));
    const all = replies.flat().flatMap(reply => deviations.message(reply));
    const nothing = asked.length === 0 ? notOneMessage : undefined;
    const answer = deviations.batch(all.length > 0 ? all : nothing, asked);
    if (answer !== undefined) await this.post(answer).catch(() => {});
  }

  /** Handles one message; returns its response. */
  private async take(json: Json): Promise<Json[]> {
    const message = this.parts.deviations.incoming(json);
    if (!isObject(message) || message.jsonrpc !== '2.0') return [];
    const kind = kindOf(message);
    // without a handshake, a server has no requests of its own
    if (kind === 'request') return this.isStateless ? [] : this.respond(message);
    if (kind === 'notification') this.parts.answers.hear(message, this);
    if (kind === 'notification') this.subscriptions.hear(message);
    if (kind === 'notification') this.cache.drop();
    else if (kind === 'result') this.settle(message.id, this.checked(message));
    else if (kind === 'error') this.settle(message.id, refusalIn(message));
    return [];
  }

  /** An invalid result is discarded. */
  private checked({ id, result }: JsonObject): JsonObject | Failure {
    const ask = this.waiting.get(idKey(id))?.ask;
    const definition = ask && this.vocabulary.resultDefinition('client', String(ask.method), ask.params);
    const whole = this.isStateless && isObject(result) ? withDefaults(result) : result;
    if (!isObject(whole)) return new Failure('The result is malformed.');
    const fits =
      isFollowed(this, ask?.method, whole) || !definition || this.vocabulary.fits(definition, whole);
    return fits ? whole : new Failure('The result is malformed.');
  }

  private async respond(ask: JsonObject): Promise<Json[]> {
    const { deviations, answers } = this.parts;
    const { id } = ask;
    if (typeof id !== 'string' && !Number.isInteger(id)) return [];
    const stop = new AbortController();
    const key = idKey(id);
    this.asked.set(key, stop);
    const outcome = await this.outcome(ask, () => answers.answer(ask, this, stop.signal));
    this.asked.delete(key);
    if (stop.signal.aborted || this.over) return [];
    return deviations.reply({ jsonrpc: '2.0', id: id as RequestId, ...outcome }, ask);
  }

  private async outcome(ask: JsonObject, answer: () => Promise<JsonObject>): Promise<JsonObject> {
    return this.outcomeOf(async () => {
      const definition = this.vocabulary.messageDefinition('server', String(ask.method));
      if (!definition) throw new Refusal(codes.methodNotFound, `There is no method "${String(ask.method)}".`);
      const problem = this.vocabulary.misfit(definition, ask);
      if (problem) throw new Refusal(codes.invalidParams, `${problem.path} ${problem.message}`.trim());
      return withTask(await answer(), ask);
    });
  }

  private async outcomeOf(answer: () => Promise<JsonObject>): Promise<JsonObject> {
    try {
      return { result: await answer() };
    } catch (error) {
      return errorOutcome(error);
    }
  }

  /** The server no longer needs the response. */
  drop(id: Json | undefined): void {
    this.asked.get(idKey(id))?.abort();
  }

  private lose(why: string): void {
    this.over ??= new Failure(why);
    this.subscriptions.lost();
    for (const { settle } of [...this.waiting.values()]) settle(this.over);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.over ??= new Failure('The session is closed.');
    for (const { settle } of [...this.waiting.values()]) settle(this.over);
    await this.carrier.close();
  }
}
