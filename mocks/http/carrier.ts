/** Carries one session over Streamable HTTP: which message goes onto which stream. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { idKey } from '../../harness/history.js';
import { isObject, type Json, type JsonObject, kindOf, type RequestId } from '../../spec/json-rpc.js';
import { featuresOf } from '../features.js';
import { type Channel, Session, type SessionOptions } from '../session.js';
import type { HttpMode } from './options.js';
import { type HttpReply, jsonReply, streamHeaders } from './reply.js';
import { type MessageStream, Streams } from './streams.js';

/** A POST that is being dealt with. */
interface Post {
  readonly stream: MessageStream;
  readonly requests: number;
  /** Requests in it that are not settled yet. */
  readonly open: Set<string>;
  readonly said: Json[];
  replies: number;
  /** Everything in it has been looked at. */
  done: boolean;
  over: boolean;
  /** Looks again whether there is something to answer with. */
  wake: () => void;
}

/** What belongs to no request in particular, whoever caused it. */
const unrelated = /^notifications\/(\w+\/list_changed|resources\/updated)$/;

/** How long a client waits before it goes on with a stream whose connection the mock closed, in milliseconds. */
const pollMs = 20;

export class Carrier implements Channel {
  readonly session: Session;
  readonly streams: Streams;
  private readonly posts = new Set<Post>();
  private readonly current = new AsyncLocalStorage<Post>();
  closed = false;

  constructor(
    options: SessionOptions,
    private readonly mode: HttpMode,
    /** Undefined in a mock without sessions. */
    readonly id: string | undefined,
    private readonly process: Pick<Channel, 'exit' | 'warn'>,
  ) {
    const session = new Session(this, options);
    this.session = session;
    this.streams = new Streams({
      resumable: mode.resumable,
      // the revision is known only after the first message
      get primes() {
        return mode.resumable && featuresOf(session.revision).polling;
      },
    });
    session.deviations.start();
  }

  /** Deals with the messages of one POST. */
  async post(json: Json, headers: () => HttpReply['headers']): Promise<HttpReply> {
    const ids = (Array.isArray(json) ? json : [json]).filter(isAnswerable).map(m => idKey(m.id));
    const post: Post = {
      stream: this.streams.forPost(),
      requests: ids.length,
      open: new Set(ids),
      said: [],
      replies: 0,
      done: false,
      over: false,
      wake: () => {},
    };
    this.posts.add(post);
    const work = this.current.run(post, () => this.session.receive(json));
    const finished = Promise.resolve(work).then(() => {
      post.done = true;
      this.look(post);
    });
    if (ids.length === 0) {
      await finished;
      this.finish(post);
      const [error] = post.said;
      return error === undefined ? { status: 202, headers: headers() } : jsonReply(400, error, headers());
    }
    return (await this.asJson(post, headers)) ?? this.asStream(post, headers);
  }

  /** One JSON answer, unless something else has to be said first. */
  private async asJson(post: Post, headers: () => HttpReply['headers']): Promise<HttpReply | undefined> {
    if (this.mode.answers !== 'json') return undefined;
    while (!post.over && !post.said.some(isMessage))
      await new Promise<void>(resolve => {
        post.wake = resolve;
      });
    if (post.said.some(isMessage) || post.said.length === 0) return undefined;
    const [only] = post.said;
    const body = post.said.length === 1 ? this.text(only!) : this.text(post.said.flat());
    return { status: 200, headers: { 'Content-Type': 'application/json', ...headers() }, body };
  }

  private async asStream(post: Post, headers: () => HttpReply['headers']): Promise<HttpReply> {
    // what can be answered at once is: then there is nothing to wait for
    await new Promise(resolve => setImmediate(resolve));
    if (this.mode.polling && !post.over) this.leaveForNow(post);
    return { status: 200, headers: { ...streamHeaders, ...headers() }, body: post.stream.from() };
  }

  /** Where the revision lets a client come back, its connection need not stay open. */
  private leaveForNow({ stream, open }: Post): void {
    if (open.size > 0 && this.mode.resumable && featuresOf(this.session.revision).polling)
      stream.disconnect(pollMs);
  }

  send(json: Json): void {
    if (this.closed) return;
    const items = Array.isArray(json) ? json : [json];
    const post = this.postOf(items);
    if (post) this.sayOn(post, json, items);
    else this.streams.announce(this.text(json));
  }

  private sayOn(post: Post, json: Json, items: readonly Json[]): void {
    post.said.push(json);
    if (post.requests > 0) post.stream.say(this.text(json));
    for (const item of items) {
      if (!isReply(item)) continue;
      post.replies++;
      if (!post.open.delete(idKey(item.id)) && post.requests > 0) {
        // a reply under another id is still meant for this POST
        const [first] = post.open;
        if (first !== undefined) post.open.delete(first);
      }
    }
    this.look(post);
  }

  /** Replies go where their request came from, the rest to the POST that is being dealt with. */
  private postOf(items: readonly Json[]): Post | undefined {
    const reply = items.find(isReply);
    const asker = reply && [...this.posts].find(post => post.open.has(idKey(reply.id)));
    if (asker) return asker;
    const current = this.current.getStore();
    if (!current || !this.posts.has(current)) return undefined;
    if (current.requests === 0) return reply ? current : undefined;
    return items.some(item => isObject(item) && unrelated.test(String(item.method))) ? undefined : current;
  }

  settled(id: RequestId): void {
    for (const post of this.posts) if (post.open.delete(idKey(id))) this.look(post);
  }

  /** Closes the connection of the request under way; its stream goes on when the client asks for it. */
  disconnect(): void {
    const post = this.current.getStore();
    if (post) this.leaveForNow(post);
  }

  private look(post: Post): void {
    // later than all that is said in the same breath
    if (post.done && post.open.size === 0)
      setImmediate(() => {
        this.finish(post);
        post.wake();
      });
    else post.wake();
  }

  private finish(post: Post): void {
    post.over = true;
    post.stream.finish();
    this.posts.delete(post);
    // without sessions this was all there is
    if (this.id === undefined) this.close();
  }

  private text(json: Json): string | Buffer {
    const bytes = this.session.deviations.bytes(`${JSON.stringify(json)}\n`);
    if (typeof bytes === 'string') return bytes.replace(/\n$/, '');
    return bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes;
  }

  /** Bytes that are no message have no place here. */
  write(): void {}

  warn(text: string): void {
    this.process.warn(text);
  }

  exit(code: number): void {
    this.process.exit(code);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.session.close();
    for (const post of this.posts) this.finish(post);
    this.streams.finishAll();
  }
}

const isReply = (json: Json): json is JsonObject =>
  isObject(json) && !('method' in json) && ('result' in json || 'error' in json);

/** Something of the mock's own, which cannot stand in a JSON answer. */
const isMessage = (json: Json): boolean => isObject(json) && 'method' in json;

const isAnswerable = (json: Json): json is JsonObject =>
  isObject(json) &&
  kindOf(json) === 'request' &&
  (typeof json.id === 'string' || typeof json.id === 'number');
