/** Runs one session over Streamable HTTP: selects the stream of each message. */

import { idKey } from '../../../harness/record/message.js';
import { isObject, type Json, type JsonObject, kindOf, type RequestId } from '../../../spec/json-rpc.js';
import { featuresOf } from '../features.js';
import type { Channel } from '../interfaces.js';
import { codes } from '../refusal.js';
import { Session, type SessionOptions } from '../session.js';
import { isComplete } from '../stateless.js';
import type { HttpMode } from './options.js';
import { type HttpReply, jsonReply, streamHeaders } from './reply.js';
import { type MessageStream, Streams } from './streams.js';

/** A POST that is being handled. */
interface Post {
  readonly stream: MessageStream;
  /** Keys of the ids of the requests in the POST. */
  readonly ids: ReadonlySet<string>;
  /** Requests in the POST without a response. */
  readonly open: Set<string>;
  readonly said: Json[];
  replies: number;
  /** All messages in the POST have been handled. */
  done: boolean;
  over: boolean;
  /** Checks again whether a response is available. */
  wake: () => void;
}

/** Notifications that belong to no request, whatever caused them. */
const unrelated = /^notifications\/(\w+\/list_changed|resources\/updated)$/;

/** Milliseconds before a client resumes a stream whose connection the mock closed. */
const pollMs = 20;

export class Carrier implements Channel {
  readonly session: Session;
  readonly streams: Streams;
  private readonly posts = new Set<Post>();
  /** The POST whose messages are handled at this moment. */
  private taking: Post | undefined;
  closed = false;

  constructor(
    options: SessionOptions,
    private readonly mode: HttpMode,
    /** Undefined in a mock without sessions. */
    readonly id: string | undefined,
    private readonly process: Pick<Channel, 'exit' | 'warn'>,
    /** Carries one request with an envelope. */
    private readonly isStateless = false,
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
    if (!options.shared) session.deviations.start();
  }

  /** Handles the messages of one POST. */
  async post(json: Json, headers: () => HttpReply['headers']): Promise<HttpReply> {
    const ids = (Array.isArray(json) ? json : [json]).filter(isAnswerable).map(m => idKey(m.id));
    const post: Post = {
      stream: this.streams.forPost(),
      ids: new Set(ids),
      open: new Set(ids),
      said: [],
      replies: 0,
      done: false,
      over: false,
      wake: () => {},
    };
    this.posts.add(post);
    const finished = Promise.resolve(this.take(json, post)).then(() => {
      post.done = true;
      this.look(post);
    });
    if (ids.length === 0) {
      await finished;
      this.finish(post);
      const [error] = post.said;
      return error === undefined ? { status: 202, headers: headers() } : jsonReply(400, error, headers());
    }
    if (this.isStateless) {
      // refusals are available after this
      await new Promise(resolve => setImmediate(resolve));
      const refusal = this.asRefusal(post, json);
      if (refusal) return refusal;
    }
    return (await this.asJson(post, headers)) ?? this.asStream(post, headers);
  }

  private take(json: Json, post: Post): void | Promise<void> {
    this.taking = post;
    try {
      return this.session.receive(json);
    } finally {
      this.taking = undefined;
    }
  }

  /** An error whose HTTP status is prescribed. */
  private asRefusal({ said }: Post, ask: Json): HttpReply | undefined {
    const [only, ...others] = said;
    const error = others.length === 0 && isObject(only) && isObject(only.error) ? only.error : undefined;
    const status = error && statusOf(error.code, ask);
    if (status === undefined) return undefined;
    return { status, headers: { 'Content-Type': 'application/json' }, body: this.text(only!) };
  }

  /** A single JSON response, unless other messages come first. */
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
    // immediate responses are available after this: then no wait is needed
    await new Promise(resolve => setImmediate(resolve));
    if (this.mode.polling && !post.over) void this.leaveForNow(post);
    const body = post.stream.from();
    if (!this.isStateless) return { status: 200, headers: { ...streamHeaders, ...headers() }, body };
    return {
      status: 200,
      headers: { ...streamHeaders, 'X-Accel-Buffering': 'no', ...headers() },
      // a client that closes the stream cancels the request
      body: {
        start: writer => {
          const stop = body.start(writer);
          return () => {
            stop();
            this.close();
          };
        },
      },
    };
  }

  /** Where the revision supports resumption, the connection need not stay open. */
  private async leaveForNow({ stream, open }: Post): Promise<void> {
    if (open.size > 0 && this.mode.resumable && featuresOf(this.session.revision).polling)
      await stream.disconnect(pollMs);
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
    if (post.ids.size > 0) post.stream.say(this.text(json));
    for (const item of items) {
      if (!isReply(item)) continue;
      post.replies++;
      if (!post.open.delete(idKey(item.id))) {
        // a response with another id still belongs to this POST
        const [first] = post.open;
        if (first !== undefined) post.open.delete(first);
      }
    }
    this.look(post);
  }

  /** Responses use the POST of their request, other messages the POST they relate to. */
  private postOf(items: readonly Json[]): Post | undefined {
    const reply = items.find(isReply);
    const asker = reply && this.carrying(reply.id);
    if (asker) return asker;
    const { about } = this.session;
    const post = about === undefined ? this.taking : this.carrying(about);
    if (post?.ids.size === 0) return reply ? post : undefined;
    if (this.isStateless) return post;
    return items.some(item => isObject(item) && unrelated.test(String(item.method))) ? undefined : post;
  }

  /** The POST of a request; of several the one where the request is still open. */
  private carrying(id: Json | undefined): Post | undefined {
    const key = idKey(id);
    const all = [...this.posts].filter(post => post.ids.has(key));
    return all.find(post => post.open.has(key)) ?? all[0];
  }

  settled(id: RequestId): void {
    for (const post of this.posts) if (post.open.delete(idKey(id))) this.look(post);
  }

  /** Closes the connection of a request; its stream continues when the client resumes it. */
  async disconnect(id: RequestId): Promise<void> {
    const post = this.carrying(id);
    // a JSON response cannot be resumed
    if (post && this.mode.answers !== 'json') await this.leaveForNow(post);
  }

  private look(post: Post): void {
    // after all messages of the same event loop turn
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
    // without sessions the exchange is complete
    if (this.id === undefined) this.close();
  }

  private text(json: Json): string | Buffer {
    const bytes = this.session.deviations.bytes(`${JSON.stringify(json)}\n`);
    if (typeof bytes === 'string') return bytes.replace(/\n$/, '');
    return bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes;
  }

  /** Bytes that are not a message cannot be sent here. */
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

/** basic/transports/streamable-http: the status of an error; undefined where none is prescribed. */
function statusOf(code: Json | undefined, ask: Json): number | undefined {
  if (code === codes.methodNotFound) return 404;
  if (code === codes.invalidParams) return isComplete(ask) ? undefined : 400;
  const refusals: readonly unknown[] = [
    codes.unsupportedVersion,
    codes.missingClientCapability,
    codes.invalidRequest,
  ];
  return refusals.includes(code) ? 400 : undefined;
}

const isReply = (json: Json): json is JsonObject =>
  isObject(json) && !('method' in json) && ('result' in json || 'error' in json);

/** A request or notification of the mock, which cannot be part of a JSON response. */
const isMessage = (json: Json): boolean => isObject(json) && 'method' in json;

const isAnswerable = (json: Json): json is JsonObject =>
  isObject(json) &&
  kindOf(json) === 'request' &&
  (typeof json.id === 'string' || typeof json.id === 'number');
