/**
 * The gateway over HTTP before a server on stdio, or before one that it translates for: a process for each session, one
 * process for all requests without a session. Ids and progress tokens are numbered anew, because several clients share a
 * process.
 */

import { randomUUID } from 'node:crypto';
import { formatSse } from '../../harness/framing/sse.js';
import { envelopeKeys, errorCodes, namedVersion } from '../../harness/record/envelope.js';
import { beginsHandshake } from '../../harness/record/handshake.js';
import { idKey } from '../../harness/record/message.js';
import type { Address } from '../../harness/transports/link.js';
import { isObject, type Json, type JsonObject, parseJson, type RequestId } from '../../spec/json-rpc.js';
import { findDefinedRevision } from '../../spec/revisions.js';
import { headerMismatch } from '../server/http/mirrored.js';
import type { World } from '../server/interfaces.js';
import { openBack } from './back.js';
import { type Chain, Flow } from './flow.js';
import { refused } from './http-front.js';
import type { Back } from './interfaces.js';

/** Milliseconds until the head of a response is sent when the server sends nothing. */
const headMs = 50;

type Write = (json: Json) => void;

/** A POST with a request. */
interface Post {
  readonly id: RequestId;
  readonly token: Json | undefined;
  readonly method: Json | undefined;
  readonly write: Write;
  readonly close: () => void;
}

export class HttpBridge {
  private readonly sessions = new Map<string, Session>();
  private shared: Session | undefined;

  constructor(
    private readonly address: Address,
    private readonly chain: Chain,
  ) {}

  async fetch(request: Request): Promise<Response> {
    const json = request.method === 'POST' ? parseJson(await request.text()) : undefined;
    const message = isObject(json) ? json : undefined;
    const params = isObject(message?.params) ? message.params : undefined;
    const version = request.headers.get('mcp-protocol-version');
    const isModern = namedVersion({ params }) !== undefined || findDefinedRevision(version)?.era === 'modern';
    const status = message && this.chain.refuses(message, request.headers);
    if (message && status !== undefined) return refused(message, status);
    if (isModern) return this.stateless(request, message);
    if (request.method === 'POST' && message && beginsHandshake(message)) return this.open(request, message);
    const session = this.sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (!session) return refuse(request.headers.has('mcp-session-id') ? 404 : 400, 'no such session');
    if (version !== null && !findDefinedRevision(version)) return refuse(400, 'unknown version');
    if (request.method === 'GET') return session.listen();
    if (request.method === 'POST')
      return json === undefined ? refuse(400, 'not JSON') : session.post(json, request);
    if (request.method !== 'DELETE') return refuse(405, 'not supported');
    this.sessions.delete(session.id);
    await session.close();
    return new Response(null, { status: 200 });
  }

  private async open(request: Request, message: JsonObject): Promise<Response> {
    const session = new Session(this.address, this.chain);
    this.sessions.set(session.id, session);
    const response = await session.post(message, request);
    response.headers.set('Mcp-Session-Id', session.id);
    return response;
  }

  private async stateless(request: Request, message: JsonObject | undefined): Promise<Response> {
    if (request.method !== 'POST') return refuse(405, 'only POST');
    if (!message) return refuse(400, 'not one message');
    this.shared ??= new Session(this.address, this.chain, true);
    const problem = headerMismatch(
      { method: 'POST', url: new URL(request.url), headers: new Map(request.headers), body: '', pieces: [] },
      message,
      { tools: this.shared.tools } as unknown as World,
    );
    if (problem === undefined || message.id === undefined) return this.shared.post(message, request);
    const error = { code: errorCodes.headerMismatch, message: problem };
    return Response.json({ jsonrpc: '2.0', id: message.id, error }, { status: 400 });
  }

  async close(): Promise<void> {
    await Promise.all([...this.sessions.values(), this.shared].map(session => session?.close()));
  }
}

/** One process behind the gateway. */
class Session {
  readonly id = randomUUID();
  /** Definitions of the listed tools: headers repeat some arguments. */
  readonly tools: { definition: JsonObject }[] = [];
  private readonly back: Back;
  private readonly flows = new Map<string, Flow>();
  private readonly posts = new Map<string, Post>();
  private stream: Write | undefined;
  /** Messages without a stream. */
  private readonly held: Json[] = [];
  private last = 0;

  constructor(
    address: Address,
    private readonly chain: Chain,
    private readonly isStateless = false,
  ) {
    this.back = openBack(address, {
      chain,
      onMessage: json => this.take(json),
      onEnd: () => {
        for (const post of this.posts.values()) post.close();
      },
    });
  }

  post(json: Json, request: Request): Promise<Response> | Response {
    const message = isObject(json) ? json : {};
    const flow = this.flowOf(request.headers.get('authorization') ?? '');
    if (typeof message.method !== 'string' || message.id === undefined) {
      for (const one of flow.fromClient(json)) this.back.send(this.renamed(one));
      return new Response(null, { status: 202 });
    }
    const number = ++this.last;
    return this.answer(request, (write, close) => {
      const { _meta: meta } = isObject(message.params) ? message.params : {};
      const post: Post = {
        id: message.id as RequestId,
        token: isObject(meta) ? meta.progressToken : undefined,
        method: message.method,
        write: out => write(flow.fromServer(out)),
        close,
      };
      this.posts.set(idKey(number), post);
      for (const one of flow.fromClient(json)) this.back.send(this.numbered(one, number, post));
      return () => {
        if (!this.posts.delete(idKey(number))) return;
        // without a session the closed stream cancels
        if (this.isStateless) this.back.hangUp(number);
      };
    });
  }

  /** The stream of a request, whose head waits for the first message. */
  private answer(
    request: Request,
    begin: (write: (messages: readonly Json[]) => void, close: () => void) => () => void,
  ): Promise<Response> {
    const encoder = new TextEncoder();
    return new Promise(resolve => {
      let stop: () => void = () => {};
      let control: ReadableStreamDefaultController<Uint8Array> | undefined;
      let over = false;
      const body = new ReadableStream<Uint8Array>({
        start: controller => {
          control = controller;
        },
        cancel: () => {
          over = true;
          stop();
        },
      });
      const head = (status: number, type: string) => {
        const isStream = type === 'text/event-stream';
        const own = {
          'Content-Type': type,
          ...(isStream && this.isStateless && { 'X-Accel-Buffering': 'no' }),
        };
        const { headers } = this.chain.responseHead({ headers: own, status }, request.headers);
        return { status, headers };
      };
      let isAnswered = false;
      const respond = (make: () => Response) => {
        if (!isAnswered) resolve(make());
        isAnswered = true;
      };
      const open = () => respond(() => new Response(body, head(200, 'text/event-stream')));
      const timer = setTimeout(open, headMs);
      const close = () => {
        clearTimeout(timer);
        open();
        if (!over) control?.close();
        over = true;
      };
      stop = begin(messages => {
        clearTimeout(timer);
        const [first] = messages;
        const status = this.isStateless && messages.length === 1 ? statusOf(first!) : 200;
        if (status !== 200)
          respond(() => new Response(JSON.stringify(first), head(status, 'application/json')));
        open();
        for (const json of messages)
          for (const piece of this.chain.pieces(formatSse({ data: JSON.stringify(json) }), 'client'))
            if (!over) control?.enqueue(encoder.encode(piece));
      }, close);
    });
  }

  listen(): Response {
    const encoder = new TextEncoder();
    let own: Write | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: controller => {
        own = json => {
          for (const out of this.flowOf('').fromServer(json))
            for (const piece of this.chain.pieces(formatSse({ data: JSON.stringify(out) }), 'client'))
              controller.enqueue(encoder.encode(piece));
        };
        this.stream = own;
        for (const json of this.held.splice(0)) own(json);
      },
      cancel: () => {
        if (this.stream === own) this.stream = undefined;
      },
    });
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
  }

  private flowOf(client: string): Flow {
    const flow =
      this.flows.get(client) ??
      new Flow(this.chain, client, {
        toServer: json => this.back.send(json),
        toClient: json => this.stream?.(json),
      });
    this.flows.set(client, flow);
    return flow;
  }

  /** A request with the number of the gateway as its id and its progress token. */
  private numbered(json: Json, number: number, post: Post): Json {
    if (!isObject(json) || idKey(json.id) !== idKey(post.id)) return json;
    const params = isObject(json.params) ? json.params : undefined;
    const meta = isObject(params?._meta) ? params._meta : undefined;
    if (meta?.progressToken === undefined) return { ...json, id: number };
    return { ...json, id: number, params: { ...params, _meta: { ...meta, progressToken: number } } };
  }

  /** A notification of the client: the ids and tokens of its requests become those of the gateway. */
  private renamed(json: Json): Json {
    const params = isObject(json) && isObject(json.params) ? json.params : undefined;
    if (!isObject(json) || json.method !== 'notifications/cancelled' || !params) return json;
    for (const [key, post] of this.posts)
      if (idKey(post.id) === idKey(params.requestId)) {
        this.posts.delete(key);
        post.close();
        return { ...json, params: { ...params, requestId: numberOf(key) } };
      }
    return json;
  }

  private take(json: Json): void {
    if (!isObject(json)) return;
    if (typeof json.method !== 'string') {
      this.takeReply(json);
      return;
    }
    const params = isObject(json.params) ? json.params : {};
    const meta = isObject(params._meta) ? params._meta : {};
    const subscription = meta[envelopeKeys.subscriptionId];
    const listening = subscription === undefined ? undefined : this.posts.get(idKey(subscription));
    if (listening) {
      listening.write({
        ...json,
        params: { ...params, _meta: { ...meta, [envelopeKeys.subscriptionId]: listening.id } },
      });
      return;
    }
    if (json.method === 'notifications/progress') {
      const post = this.posts.get(idKey(params.progressToken));
      post?.write({ ...json, params: { ...params, progressToken: post.token ?? null } });
      return;
    }
    const isUnrelated = /list_changed|resources\/updated/.test(json.method);
    const open = [...this.posts.values()].findLast(post => post.method !== 'subscriptions/listen');
    if (open && !isUnrelated) open.write(json);
    else if (this.stream) this.stream(json);
    else this.held.push(json);
  }

  private takeReply(json: JsonObject): void {
    const key = idKey(json.id);
    const post = this.posts.get(key);
    if (!post) return;
    this.posts.delete(key);
    const { result } = json;
    if (post.method === 'tools/list' && isObject(result) && Array.isArray(result.tools))
      this.tools.push(...result.tools.filter(isObject).map(definition => ({ definition })));
    post.write({ ...withOwnSubscription(json, post.id), id: post.id });
    post.close();
  }

  async close(): Promise<void> {
    await this.back.close();
  }
}

const numberOf = (key: string): number => Number(key.replace(/^number:/, ''));

/** The result of subscriptions/listen names the subscription, which is the id of the request. */
function withOwnSubscription(json: JsonObject, id: RequestId): JsonObject {
  const meta = isObject(json.result) && isObject(json.result._meta) ? json.result._meta : undefined;
  if (meta?.[envelopeKeys.subscriptionId] === undefined) return json;
  const own = { ...meta, [envelopeKeys.subscriptionId]: id };
  return { ...json, result: { ...(json.result as JsonObject), _meta: own } };
}

const refuse = (status: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }, { status });

const badRequest: ReadonlySet<unknown> = new Set(Object.values(errorCodes));

/** basic/transports/streamable-http: without a session, some errors have a status. */
function statusOf(json: Json): number {
  const code = isObject(json) && isObject(json.error) ? json.error.code : undefined;
  if (code === -32_601) return 404;
  return badRequest.has(code) ? 400 : 200;
}
