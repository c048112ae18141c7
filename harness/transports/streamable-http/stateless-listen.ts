/**
 * Streamable HTTP without sessions, harness as server: a POST for each message, a response or a stream for each
 * request. No GET, no DELETE, no resumption; all requests of a client belong to one link.
 */

import { isObject, parseJson } from '../../../spec/json-rpc.js';
import type { SseFields } from '../../framing/sse.js';
import { errorCodes } from '../../record/envelope.js';
import type { HttpStream } from '../../record/event.js';
import { idKey, type Message } from '../../record/message.js';
import type { HttpBehaviour } from '../http/server/behaviour.js';
import { EventLog } from '../http/server/event-log.js';
import { type Door, HttpListener } from '../http/server/listener.js';
import { jsonHeaders, type Reply, streamHeaders } from '../http/server/reply.js';
import { HttpServerSession, type RecordedRequest } from '../http/server/server-session.js';
import type { Listener, ListenOptions, Outgoing } from '../link.js';

/** The differences from other transports, for clients without a session. */
export const statelessDoor: Door = {
  transport: 'streamable-http',
  path: '/mcp',
  open: listener => new StatelessServerLink(listener),
  isHome: url => url.pathname === statelessDoor.path,
  linkOf: (_, links) => links.at(-1),
};

export const listenStateless = (options: ListenOptions): Promise<Listener> =>
  new HttpListener(options, statelessDoor).listening();

/** A POST with a request that has no response yet. */
interface Post {
  readonly reply: Reply;
  /** The behaviour when the request arrived: what changes later applies to later requests. */
  readonly behaviour: HttpBehaviour;
  /** Absent until the stream begins, and for a JSON response. */
  log?: EventLog;
}

export class StatelessServerLink extends HttpServerSession {
  private readonly posts = new Map<string, Post>();
  private streams = 0;

  constructor(listener: HttpListener) {
    super('streamable-http', listener);
  }

  get sessionId(): undefined {
    return undefined;
  }

  get listening(): undefined {
    return undefined;
  }

  protected streamOf(method: string): HttpStream | undefined {
    return method === 'POST' ? 'post' : undefined;
  }

  answer({ method, reply, messages }: RecordedRequest): void {
    const [message] = messages;
    if (method !== 'POST') reply.finish(405, [['Allow', 'POST']], '');
    else if (!message) this.refuse(reply, -32_700, 'Not JSON');
    else if (messages.length > 1 || message.kind === undefined)
      this.refuse(reply, -32_600, 'Not one JSON-RPC message');
    else this.take(message, reply);
  }

  private take(message: Message, reply: Reply): void {
    if (message.kind !== 'request') reply.finish(202, [], '');
    else this.posts.set(idKey(message.id), { reply, behaviour: this.behaviour });
    this.inbox.deliver([message]);
    // a refusal that comes at once has a status of its own
    if (message.kind === 'request') setImmediate(() => this.begin(idKey(message.id)));
  }

  private refuse(reply: Reply, code: number, message: string): void {
    const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
    reply.finish(400, jsonHeaders(this.behaviour), body);
  }

  /** Opens the stream of a request, unless its response is JSON or has been sent. */
  private begin(key: string): EventLog | undefined {
    const post = this.posts.get(key);
    if (!post || post.log || post.reply.over || post.behaviour.answers === 'json') return post?.log;
    const { behaviour } = post;
    const log = new EventLog(`p${++this.streams}`, () => ({ ...behaviour, resumable: false }));
    post.log = log;
    post.reply.openStream([...streamHeaders(behaviour), ['X-Accel-Buffering', 'no']]);
    log.attach(post.reply);
    return log;
  }

  send(out: Outgoing): Message[] {
    const answered = answeredBy(out);
    if (answered === undefined) {
      const key = out.during && idKey(out.during.id);
      return (key !== undefined && this.begin(key)?.send(out)) || [];
    }
    const post = this.posts.get(answered);
    if (!post) return [];
    this.posts.delete(answered);
    const { log, reply, behaviour } = post;
    if (log) {
      const messages = log.send(out);
      log.finish();
      return messages;
    }
    const { text, deliberate } = out;
    const status = statusOf(text);
    if (status !== 200 || behaviour.answers === 'json')
      return reply.finish(status, jsonHeaders(behaviour), text, { deliberate });
    this.posts.set(answered, post);
    this.begin(answered);
    return this.send(out);
  }

  hasCarrier(during?: Message): boolean {
    const post = during && this.posts.get(idKey(during.id));
    return post !== undefined && !post.reply.over;
  }

  private logOf(exchange: number): EventLog | undefined {
    for (const [key, { reply }] of this.posts) if (reply.exchange === exchange) return this.begin(key);
    return undefined;
  }

  writeOn(exchange: number, block: SseFields | string | Buffer): void {
    this.logOf(exchange)?.write(block, { deliberate: true });
  }

  endStream(exchange: number, how: 'complete' | 'break'): void {
    this.logOf(exchange)?.detach(how);
  }

  /** There is no session that could expire. */
  expire(): void {}
}

/** The key of the request that a text is the reply to; undefined for other texts. */
function answeredBy({ text, during }: Outgoing): string | undefined {
  const json = parseJson(text);
  if (!isObject(json) || json.method !== undefined) return undefined;
  return idKey(during ? during.id : json.id);
}

const badRequest: ReadonlySet<unknown> = new Set(Object.values(errorCodes));

/** basic/transports/streamable-http: an unknown method is 404, an error of the revision itself is 400. */
function statusOf(text: string): number {
  const json = parseJson(text);
  const code = isObject(json) && isObject(json.error) ? json.error.code : undefined;
  if (code === -32_601) return 404;
  return badRequest.has(code) ? 400 : 200;
}
