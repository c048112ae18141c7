/** One conversation of the reference client, whatever carries it. */

import { idKey } from '../../harness/record/message.js';
import type { ConnectOptions } from '../../harness/scenario/script.js';
import { isObject, type Json, type JsonObject, kindOf, type RequestId } from '../../spec/json-rpc.js';
import { findRevision, latestRevision, type Revision } from '../../spec/revisions.js';
import { type Vocabulary, vocabularyOf } from '../../spec/vocabulary.js';
import { codes, errorOutcome, Refusal } from '../server/refusal.js';
import { relatedTask, type TaskHost, Tasks } from '../tasks.js';
import type { Answers } from './answers.js';
import { declaredBy, type Habits } from './behaviour.js';
import { type Carrier, type CarrierEvents, SessionOver } from './carriers/carrier.js';
import type { ClientDeviations } from './deviations.js';
import type { Job } from './host-action.js';

/** The server refused, or nothing came. */
export class Failure extends Error {}

export interface AskOptions {
  /** Milliseconds; default: the habit. */
  readonly timeoutMs?: number | undefined;
  /** Asks for progress. */
  readonly progress?: boolean | undefined;
  /** Told the id under which it went out. */
  readonly onSent?: (id: RequestId) => void;
}

interface Waiting {
  readonly ask: JsonObject;
  settle(outcome: JsonObject | Failure): void;
}

/** Why it gives up by itself. */
export const tookTooLong = 'It took too long.';

/** JSON-RPC 2.0 §6, for an empty array. */
const notOneMessage: JsonObject = {
  jsonrpc: '2.0',
  id: null,
  error: { code: codes.invalidRequest, message: 'There is no message in it.' },
};

export interface SessionParts {
  readonly habits: Habits;
  readonly deviations: ClientDeviations;
  readonly answers: Answers;
  /** Does something later, unless the client has gone by then. @param ms milliseconds */
  after(ms: number, act: () => void): void;
}

export class ClientSession implements TaskHost {
  /** The one both have agreed on; before that the one it asks for. */
  revision: Revision;
  /** What the server has declared. */
  server: JsonObject = {};
  /** What the client declares here. */
  declared: JsonObject;
  readonly carrier: Carrier;
  /** What the client does as tasks here. */
  readonly tasks = new Tasks<Job>(this);
  /** Tools that were listed, with what they say of tasks. */
  readonly taskSupport = new Map<string, Json | undefined>();
  private readonly waiting = new Map<string, Waiting>();
  private readonly asked = new Map<string, AbortController>();
  private lastId = 0;
  private over: Failure | undefined;
  /** The last session that the server ended, and the beginning of the next one. */
  private ended: { readonly session: string; readonly renewal: Promise<void> } | undefined;

  constructor(
    readonly parts: SessionParts,
    carrier: (events: CarrierEvents) => Carrier,
    private readonly wished: ConnectOptions = {},
  ) {
    const { habits } = parts;
    this.revision = findRevision(habits.asksFor) ?? latestRevision;
    this.declared = declaredBy(habits.capabilities, wished);
    this.carrier = carrier({
      receive: json => this.receive(json),
      lost: why => this.lose(why),
      unanswered: keys => {
        for (const key of keys) this.waiting.get(key)?.settle(new Failure('The answer was lost.'));
      },
      expired: session => void this.renew(session).catch(() => {}),
    });
  }

  get vocabulary(): Vocabulary {
    return vocabularyOf(this.revision);
  }

  /** Shakes hands. @throws {Failure} when the server cannot be reached or its version is none of ours */
  async open(): Promise<void> {
    await this.carrier.open().catch((error: unknown) => {
      throw new Failure(`The server cannot be reached: ${String(error)}`);
    });
    await this.shakeHands();
    await this.parts.deviations.opened();
  }

  private async shakeHands(): Promise<void> {
    const { habits } = this.parts;
    const { asksFor, versions, info, leavesWhenRefused } = habits;
    const introduction = { protocolVersion: asksFor, capabilities: this.declared, clientInfo: info };
    const { timeoutMs } = this.wished;
    const asking = this.ask('initialize', introduction, { timeoutMs });
    const result = await (leavesWhenRefused ? asking : asking.catch((): JsonObject => ({})));
    const version = String(result.protocolVersion);
    if (leavesWhenRefused && !versions.includes(version))
      throw new Failure(`The server speaks ${version}, which I do not.`);
    this.revision = findRevision(version) ?? this.revision;
    this.server = isObject(result.capabilities) ? result.capabilities : {};
    this.carrier.agreed(this.revision);
    await this.notify('notifications/initialized');
    this.carrier.ready();
  }

  /** basic/transports#session-management: another session begins, once for each that the server ends. */
  private renew(session: string): Promise<void> {
    if (this.ended?.session !== session && this.parts.habits.renewsSession)
      this.ended = { session, renewal: this.shakeHands() };
    return this.ended?.renewal ?? Promise.reject(new Failure('The session is over.'));
  }

  nextId(): number {
    return ++this.lastId;
  }

  /**
   * Sends a request and waits for its result.
   * @throws {Failure} when it is refused, lost, or not answered in time
   */
  async ask(method: string, params?: JsonObject, options: AskOptions = {}): Promise<JsonObject> {
    if (this.over) throw this.over;
    const id = this.nextId();
    const meta = options.progress && {
      _meta: { ...(isObject(params?._meta) && params._meta), progressToken: id },
    };
    const given = meta ? { ...params, ...meta } : params;
    const ask: JsonObject = { jsonrpc: '2.0', id, method, ...(given && { params: given }) };
    const answered = this.waitFor(ask, options.timeoutMs ?? this.parts.habits.patienceMs);
    // a refusal of the carrier comes first, and is then the outcome
    answered.catch(() => {});
    options.onSent?.(id);
    await this.say(ask).catch((error: unknown) => this.settle(id, new Failure(String(error))));
    return this.parts.deviations.result(await answered, ask);
  }

  private waitFor(ask: JsonObject, ms: number): Promise<JsonObject> {
    const id = ask.id as RequestId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        if (this.parts.habits.withdraws(String(ask.method))) void this.withdraw(id, tookTooLong);
        this.settle(id, new Failure('No answer came in time.'));
      }, ms);
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

  /** Tells the server that an answer is no longer wanted; one that comes all the same is ignored. */
  withdraw(requestId: RequestId, reason?: string): Promise<void> {
    const told = this.notify('notifications/cancelled', {
      requestId,
      ...(reason !== undefined && { reason }),
    });
    this.settle(requestId, new Failure('It was withdrawn.'));
    return told;
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

  /** Hands a message to the carrier; a request that comes too late for a session is asked in the next one. */
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
    // a batch where there are none is no message
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

  /** Deals with one message; gives what answers it. */
  private async take(json: Json): Promise<Json[]> {
    const message = this.parts.deviations.incoming(json);
    if (!isObject(message) || message.jsonrpc !== '2.0') return [];
    const kind = kindOf(message);
    if (kind === 'request') return this.respond(message);
    if (kind === 'notification') this.parts.answers.hear(message, this);
    else if (kind === 'result') this.settle(message.id, this.checked(message));
    else if (kind === 'error')
      this.settle(message.id, new Failure(`The server refused: ${JSON.stringify(message.error)}`));
    return [];
  }

  /** A result that is not what it should be is worth nothing. */
  private checked({ id, result }: JsonObject): JsonObject | Failure {
    const ask = this.waiting.get(idKey(id))?.ask;
    const definition = ask && this.vocabulary.resultDefinition('client', String(ask.method), ask.params);
    const fits = isObject(result) && (!definition || this.vocabulary.fits(definition, result));
    return fits ? result : new Failure('The result is malformed.');
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
    try {
      const definition = this.vocabulary.messageDefinition('server', String(ask.method));
      if (!definition) throw new Refusal(codes.methodNotFound, `There is no method "${String(ask.method)}".`);
      const problem = this.vocabulary.misfit(definition, ask);
      if (problem) throw new Refusal(codes.invalidParams, `${problem.path} ${problem.message}`.trim());
      return { result: withTask(await answer(), ask) };
    } catch (error) {
      return errorOutcome(error);
    }
  }

  /** The server no longer wants an answer. */
  drop(id: Json | undefined): void {
    this.asked.get(idKey(id))?.abort();
  }

  private lose(why: string): void {
    this.over ??= new Failure(why);
    for (const { settle } of [...this.waiting.values()]) settle(this.over);
  }

  async close(): Promise<void> {
    this.over ??= new Failure('The conversation is over.');
    for (const { settle } of [...this.waiting.values()]) settle(this.over);
    await this.carrier.close();
  }
}

/** basic/utilities/tasks#associating-task-related-messages: the answer names the task that the question named. */
function withTask(result: JsonObject, { method, params }: JsonObject): JsonObject {
  // the id is in the body there
  if (String(method).startsWith('tasks/')) return result;
  const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
  const { [relatedTask]: related } = meta;
  if (related === undefined) return result;
  return { ...result, _meta: { [relatedTask]: related } };
}
