/** Our end of a conversation. It speaks politely, and says anything at all when a scenario wants it to. */

import { isObject, type Json, type JsonObject, type RequestId } from '../spec/json-rpc.js';
import type { Revision } from '../spec/revisions.js';
import { type Vocabulary, vocabularyOf } from '../spec/vocabulary.js';
import { type Era, eraOf, type OpenOptions } from './eras/era.js';
import type { Deadline, Event } from './event.js';
import { type Conversation, type Exchange, idKey, looseMatch, type Message, resultOf } from './history.js';
import type { Link, Outgoing, Tap, Timing } from './link.js';
import { toolVersion } from './version.js';
import { waitFor } from './wait.js';

const relatedTask = 'io.modelcontextprotocol/related-task';

/** Answers a request of the subject: a result, an error thrown as `RefusedRequest`, or `undefined` for no answer. */
export type Handler = (params: JsonObject | undefined, request: Message) => Answer | Promise<Answer>;
export type Answer = JsonObject | undefined;

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
  readonly patience?: number;
  /** How the text gets onto the wire, when not as one frame: chunked writes, other line ends. */
  readonly via?: (text: string) => void;
}

/** What came after something that has no right to an answer. */
export interface Aside {
  /** The first event it was recorded as. */
  readonly sent: Event;
  /** The barrier behind it was answered. */
  readonly alive: boolean;
  /** Results and errors before the answer to the barrier that answer nothing else. */
  readonly replies: readonly Message[];
}

/** A request under way. */
export interface Pending {
  readonly id: RequestId;
  readonly request: Message;
  readonly done: Promise<Exchange>;
}

interface Waiting {
  readonly request: Message;
  resolve(reply: Message | undefined): void;
}

export interface PeerOptions {
  readonly link: Link;
  readonly tap: Tap;
  readonly conversation: Conversation;
  readonly revision: Revision;
  readonly timing: Timing;
}

export class Peer {
  readonly link: Link;
  readonly conversation: Conversation;
  readonly revision: Revision;
  readonly vocabulary: Vocabulary;
  readonly era: Era;
  readonly version = toolVersion;
  readonly timing: Timing;
  /** No more can come from the subject. */
  ended = false;
  /** A request got no answer in time and a ping after it neither: it makes no sense to go on here. */
  silent = false;
  /** What a handler threw that is no refusal: a bug of the suite, told when the case ends. */
  defect: unknown;
  private readonly tap: Tap;
  private readonly waiting = new Map<string, Waiting>();
  private readonly handlers = new Map<string, { handler: Handler; deliberate: boolean }>();
  private readonly watchers = new Set<(message: Message) => void>();
  private readonly endWatchers = new Set<() => void>();
  private lastId = 0;

  constructor({ link, tap, conversation, revision, timing }: PeerOptions) {
    this.link = link;
    this.tap = tap;
    this.conversation = conversation;
    this.revision = revision;
    this.timing = timing;
    this.vocabulary = vocabularyOf(revision);
    this.era = eraOf(revision.era);
    this.era.answer(this);
    link.onMessage(message => this.receive(message));
    link.onEnd(() => this.end());
    link.onUnanswerable?.(request => {
      const waiting = this.waiting.get(idKey(request.id));
      if (waiting?.request === request) waiting.resolve(undefined);
    });
  }

  /** Starts talking the way the revision prescribes. */
  open(options?: OpenOptions): Promise<Exchange> {
    return this.era.open(this, options);
  }

  /** What the subject declared; undefined before it did. */
  get declared(): JsonObject | undefined {
    return this.conversation.capabilities(this.conversation.subject);
  }

  /** Sends a request and waits for its answer; errors, silence and the end of the process are answers too. */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<Exchange> {
    return this.start(method, params, options).done;
  }

  /**
   * Sends a request that may take as long as it likes, such as a stranger's tool: a part of the wait for an answer is spent
   * on it, then it is cancelled, which is no fault of the subject.
   */
  async attempt(method: string, params?: JsonObject, options?: RequestOptions): Promise<Exchange> {
    const pending = this.start(method, params, options);
    if (!(await waitFor(pending.done, this.timing.answer / 5))) this.cancel(pending);
    return pending.done;
  }

  /** Sends a request without waiting. */
  start(method: string, params?: JsonObject, options: RequestOptions = {}): Pending {
    const id = options.id ?? ++this.lastId;
    const withMeta = options.meta ? { ...params, _meta: options.meta } : params;
    this.check('requests', method, options.deliberate);
    return this.startMessage({ jsonrpc: '2.0', id, method, ...(withMeta && { params: withMeta }) }, options);
  }

  /** Sends any message that has an id, however odd, and waits for what answers it. */
  startMessage(
    json: JsonObject,
    options: Pick<RequestOptions, 'deliberate' | 'patience' | 'via'> = {},
  ): Pending {
    const text = JSON.stringify(json);
    let sent: Message[] = [];
    if (options.via) {
      const before = this.conversation.messages.length;
      options.via(text);
      sent = this.conversation.messages.slice(before);
    } else sent = this.send({ text, ...(options.deliberate && { deliberate: true }) });
    const request = sent.find(m => idKey(m.id) === idKey(json.id));
    if (!request) throw new Error(`The message was not recorded as one message: ${text}`);
    return { id: json.id as RequestId, request, done: this.awaitReply(request, options.patience) };
  }

  notify(method: string, params?: JsonObject, options: { deliberate?: boolean } = {}): Message[] {
    this.check('notifications', method, options.deliberate);
    const text = JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) });
    return this.send({ text, ...(options.deliberate && { deliberate: true }) });
  }

  /** Puts a frame on the wire that no polite peer would send. */
  raw(text: string): Message[] {
    return this.send({ text, deliberate: true });
  }

  /** Sends several messages in one array and waits for the answers to its requests. */
  batch(messages: readonly JsonObject[], options: { deliberate?: boolean } = {}): Promise<Exchange[]> {
    const text = JSON.stringify(messages);
    return this.written(() => this.send({ text, ...(options.deliberate && { deliberate: true }) }));
  }

  /** Waits for the answers to all requests that something written by hand contains. */
  written(write: () => void): Promise<Exchange[]> {
    const before = this.conversation.messages.length;
    write();
    const sent = this.conversation.messages.slice(before).filter(m => m.kind === 'request');
    return Promise.all(sent.map(m => this.awaitReply(m)));
  }

  /**
   * Writes something that has no right to an answer, then a barrier.
   * @param write a frame, or what puts bytes on the wire
   */
  async aside(write: string | (() => void)): Promise<Aside> {
    const before = this.conversation.events.length;
    if (typeof write === 'string') this.raw(write);
    else write();
    const after = this.conversation.events.length;
    const alive = await this.barrier();
    const own = (reply: Message) => {
      const request = this.conversation.requestOf(reply);
      return !request || this.conversation.events.slice(before, after).includes(request.frame);
    };
    const said = this.conversation.events.slice(after);
    return {
      sent: this.conversation.events[before]!,
      alive,
      replies: this.conversation.replies({ by: 'subject' }).filter(m => said.includes(m.frame) && own(m)),
    };
  }

  /** A fresh id for messages made by hand. */
  nextId(): number {
    return ++this.lastId;
  }

  /**
   * Sets how a request of the subject is answered from now on; returns a function that puts the former way back.
   * `deliberate`: the answers break a rule on purpose.
   */
  handle(method: string, handler: Handler, { deliberate = false } = {}): () => void {
    const former = this.handlers.get(method);
    this.handlers.set(method, { handler, deliberate });
    return () => {
      if (former) this.handlers.set(method, former);
      else this.handlers.delete(method);
    };
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
    if (this.ended || this.silent) return false;
    const exchange = await this.era.barrier(this);
    if (!exchange.reply) this.silent = true;
    return exchange.reply !== undefined;
  }

  /** Says that an answer is no longer wanted, and stops waiting for it. */
  /** Nothing at all has come since a wait for an answer was over. */
  get isMute(): boolean {
    const deadline = this.conversation.eventsOf('deadline').findLast(d => d.label === 'answer');
    return deadline !== undefined && (this.conversation.frames('subject').at(-1)?.seq ?? 0) < deadline.seq;
  }

  cancel(exchange: Pick<Exchange, 'request'>): void {
    this.era.cancel(this, exchange);
    this.waiting.get(idKey(exchange.request.id))?.resolve(undefined);
  }

  /** A moment, so that the subject reads what was written before more comes. */
  async pause(): Promise<void> {
    await waitFor(this.whenEnded(), this.timing.quiet / 5);
  }

  /** Watches a window of time in which nothing is expected, then a barrier. */
  async quiet(): Promise<boolean> {
    await waitFor(this.whenEnded(), this.timing.quiet);
    this.tap({ kind: 'quiet', ms: this.timing.quiet });
    return this.barrier();
  }

  /** The next message of the subject that fits; undefined when none came in time. */
  async waitFor(fits: (message: Message) => boolean): Promise<Message | undefined> {
    let found: Message | undefined;
    let stop = () => {};
    const seen = new Promise<void>(resolve => {
      const watch = (message: Message) => {
        if (!fits(message)) return;
        found = message;
        resolve();
      };
      this.watchers.add(watch);
      this.endWatchers.add(resolve);
      stop = () => {
        this.watchers.delete(watch);
        this.endWatchers.delete(resolve);
      };
    });
    const inTime = await waitFor(seen, this.timing.answer);
    stop();
    if (!inTime) this.tap({ kind: 'deadline', label: 'message', ms: this.timing.answer });
    return found;
  }

  private whenEnded(): Promise<void> {
    return this.ended ? Promise.resolve() : new Promise(resolve => this.endWatchers.add(resolve));
  }

  private check(part: 'requests' | 'notifications', method: string, deliberate = false): void {
    if (!deliberate && !this.vocabulary[part].client.has(method))
      throw new Error(
        `A client may not send "${method}" in ${this.revision.id}; mark it deliberate if that is the point.`,
      );
  }

  private send(out: Outgoing): Message[] {
    return this.link.send(out);
  }

  private async awaitReply(request: Message, patience = 1): Promise<Exchange> {
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
      const ms = this.timing.answer * patience;
      const inTime = await waitFor(replied, ms);
      this.waiting.delete(key);
      if (!inTime) {
        const id = request.id as RequestId;
        this.tap({ kind: 'deadline', label: 'answer', ms, request: id });
        deadline = this.conversation.eventsOf('deadline').at(-1);
      }
    }
    return { request, reply, deadline };
  }

  private receive(message: Message): void {
    for (const watch of [...this.watchers]) watch(message);
    if (message.kind === 'result' || message.kind === 'error') this.settle(message);
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

  private async respond(request: Message): Promise<void> {
    if (request.id === undefined || request.id === null) return;
    const known = request.method === undefined ? undefined : this.handlers.get(request.method);
    let answer: JsonObject;
    try {
      if (!known) throw new RefusedRequest(-32601, `Method not found: ${request.method ?? '?'}`);
      const result = await known.handler(request.params, request);
      if (result === undefined) return;
      answer = { result: withTask(result, request) };
    } catch (error) {
      if (!(error instanceof RefusedRequest)) {
        this.defect ??= error;
        return;
      }
      answer = { error: { code: error.code, message: error.message } };
    }
    if (this.ended || !this.link.writable) return;
    const text = JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer });
    this.send({ text, ...(known?.deliberate && { deliberate: true }) });
  }

  private end(): void {
    this.ended = true;
    for (const { resolve } of this.waiting.values()) resolve(undefined);
    for (const watcher of this.endWatchers) watcher();
    this.endWatchers.clear();
  }
}

/** The answer to a question of a task names the task, as the question does. */
function withTask(result: JsonObject, { params }: Message): JsonObject {
  const { [relatedTask]: related } = isObject(params?._meta) ? params._meta : {};
  if (related === undefined) return result;
  return { ...result, _meta: { ...(isObject(result._meta) && result._meta), [relatedTask]: related } };
}
