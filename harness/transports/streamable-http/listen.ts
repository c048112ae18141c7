/** Streamable HTTP, harness as server: POSTs with JSON or stream responses, a stream for GET, sessions. */

import { randomUUID } from 'node:crypto';
import { isObject, parseJson } from '../../../spec/json-rpc.js';
import { findRevision } from '../../../spec/revisions.js';
import type { SseFields } from '../../framing/sse.js';
import { discoveryMethod } from '../../record/envelope.js';
import type { HttpStream } from '../../record/event.js';
import { beginsHandshake } from '../../record/handshake.js';
import { idKey, type Message } from '../../record/message.js';
import type { HttpBehaviour } from '../http/server/behaviour.js';
import { isStateless } from '../http/server/era.js';
import { EventLog } from '../http/server/event-log.js';
import { type Door, HttpListener } from '../http/server/listener.js';
import { jsonHeaders, type Reply, streamHeaders } from '../http/server/reply.js';
import { asksToDiscover, asksToInitialize, type IncomingRequest } from '../http/server/request-reader.js';
import { HttpServerSession, type RecordedRequest } from '../http/server/server-session.js';
import type { Listener, ListenOptions, Outgoing } from '../link.js';
import { JsonResponse } from './json-response.js';

/** The differences from other transports, for clients that begin a session. */
export const sessionDoor: Door = {
  transport: 'streamable-http',
  path: '/mcp',
  open: listener => new StreamableLink(listener),
  isHome: url => url.pathname === sessionDoor.path,
  linkOf({ method, json, header }, links) {
    const latest = links.at(-1);
    // messages before the handshake belong to the same link, such as server/discover from a client that also
    // supports a newer era
    const opening = latest?.conversation.handshake ? undefined : latest;
    if (asksToInitialize(json)) return opening;
    const session = header('mcp-session-id');
    const named = links.findLast(link => session !== undefined && link.sessionId === session);
    if (named) return named;
    const anew = method === 'POST' && session === undefined && !latest?.writable;
    return anew || asksToDiscover(json) ? opening : latest;
  },
};

export const listenStreamableHttp = (options: ListenOptions): Promise<Listener> =>
  new HttpListener(options, sessionDoor).listening();

/** A POST with pending responses: on a stream, or in one JSON body. */
type Post = { readonly open: Set<string> } & ({ readonly log: EventLog } | { readonly json: JsonResponse });

class StreamableLink extends HttpServerSession {
  private session: string | undefined;
  private expired = false;
  /** The POST of each pending request, by request id. */
  private readonly posts = new Map<string, Post>();
  private readonly logs: EventLog[] = [];
  /** Messages that had no open stream. */
  private readonly held: Outgoing[] = [];

  constructor(listener: HttpListener) {
    super('streamable-http', listener);
  }

  get sessionId(): string | undefined {
    return this.session;
  }

  get listening(): number | undefined {
    return this.standing()?.lastExchange;
  }

  /** The open stream that was started with GET. */
  private standing(): EventLog | undefined {
    return this.logs.findLast(log => log.heard && !log.name.startsWith('p'));
  }

  protected streamOf(method: string): HttpStream | undefined {
    return method === 'POST' ? 'post' : method === 'GET' ? 'get' : undefined;
  }

  protected override resumes(incoming: IncomingRequest): number | undefined {
    return this.placeOf(incoming)?.log.lastExchange;
  }

  /** The stream and place of an event id. */
  private placeOf({ method, header }: Pick<IncomingRequest, 'method' | 'header'>) {
    if (method !== 'GET' || !this.behaviour.resumable) return undefined;
    const [name, place] = header('last-event-id')?.split('-') ?? [];
    const log = this.logs.find(l => l.name === name);
    return log && { log, place: Number(place) || 0 };
  }

  answer(ask: RecordedRequest): void {
    const { method, header, reply, messages } = ask;
    const named = header('mcp-session-id');
    const stranger = this.expired || (this.session !== undefined && named !== this.session);
    const opens = messages.some(beginsHandshake);
    if (named !== undefined && stranger && !opens) refuse(reply, 404, 'Session not found');
    else if (method === 'POST') this.post(ask);
    else if (method === 'GET' && this.behaviour.getStream) this.get(ask);
    else if (method === 'DELETE' && this.behaviour.deletes) this.delete(reply);
    else reply.finish(405, [['Allow', 'POST']], '');
  }

  private post({ messages, reply, header }: RecordedRequest): void {
    if (messages.length === 0) refuse(reply, 400, 'Not JSON', -32_700);
    else if (this.isOfNewerEra(messages, header)) refuse(reply, 400, 'Unsupported protocol version');
    else if (messages.some(m => m.kind === undefined)) refuse(reply, 400, 'Not JSON-RPC', -32_600);
    else {
      const requests = messages.filter(m => m.kind === 'request');
      if (requests.length === 0) reply.finish(202, [], '');
      else this.open(requests, reply);
      this.inbox.deliver(messages);
    }
  }

  /** A request that a client of both eras sends to learn the era; a scenario answers server/discover. */
  private isOfNewerEra([first]: readonly Message[], header: RecordedRequest['header']): boolean {
    if (this.conversation.handshake || first?.kind !== 'request' || first.method === discoveryMethod)
      return false;
    return isStateless({ json: { params: first.params ?? {} }, header });
  }

  private open(requests: readonly Message[], reply: Reply): void {
    if (requests.some(beginsHandshake)) this.session ??= this.newSession();
    const headers = requests.some(beginsHandshake) ? this.sessionHeader() : [];
    const open = new Set(requests.map(m => idKey(m.id)));
    let post: Post;
    const isOpening = requests.some(beginsHandshake);
    // before the handshake it is not known how the streams of the session begin
    if (this.behaviour.answers === 'json' || (!isOpening && !this.conversation.handshake)) {
      const batched = requests.some(m => m.batched);
      post = { open, json: new JsonResponse(reply, batched, [...jsonHeaders(this.behaviour), ...headers]) };
    } else {
      const log = this.newLog('p');
      post = { open, log };
      reply.openStream([...streamHeaders(this.behaviour), ...headers]);
      log.attach(reply);
      if (this.behaviour.polling) log.detach('complete');
    }
    for (const key of open) this.posts.set(key, post);
  }

  private newSession(): string | undefined {
    const { sessions } = this.behaviour;
    return typeof sessions === 'function' ? sessions() : sessions ? randomUUID() : undefined;
  }

  private sessionHeader(): [string, string][] {
    return this.session === undefined ? [] : [['Mcp-Session-Id', this.session]];
  }

  private newLog(kind: 'p' | 'g'): EventLog {
    const log = new EventLog(`${kind}${this.logs.length + 1}`, () => this.streaming);
    this.logs.push(log);
    return log;
  }

  private get streaming(): HttpBehaviour {
    const { behaviour, conversation } = this;
    const { handshake, revision } = conversation;
    const proposed = findRevision(handshake?.request.params?.protocolVersion);
    const agreed = handshake?.reply ? revision : proposed;
    return { ...behaviour, primes: behaviour.primes ?? (revision.polling && agreed?.polling === true) };
  }

  private get({ reply, method, header }: RecordedRequest): void {
    const place = this.placeOf({ method, header });
    const log = place?.log ?? this.newLog('g');
    reply.openStream(streamHeaders(this.behaviour));
    log.attach(reply, place?.place);
    if (!log.name.startsWith('p')) for (const out of this.held.splice(0)) log.send(out);
    this.watch.changed();
  }

  private delete(reply: Reply): void {
    reply.finish(200, [], '');
    this.expired = true;
    for (const log of this.logs) log.finish();
    this.end();
  }

  send(out: Outgoing): Message[] {
    const answered = this.answeredBy(out);
    const post = answered === undefined ? undefined : this.posts.get(answered);
    if (answered !== undefined && post) return this.sendAnswer(out, answered, post);
    const log = this.logFor(out.during);
    if (log) return log.send(out);
    if (answered === undefined) this.held.push(out);
    return [];
  }

  /** The id of the request that a text is the reply to; undefined for other texts. */
  private answeredBy({ text, during }: Outgoing): string | undefined {
    const json = parseJson(text);
    const first = Array.isArray(json) ? json[0] : json;
    if (!isObject(first) || first.method !== undefined) return undefined;
    return during ? idKey(during.id) : idKey(first.id);
  }

  private sendAnswer(out: Outgoing, answered: string, post: Post): Message[] {
    const json = parseJson(out.text);
    for (const key of [
      answered,
      ...(Array.isArray(json) ? json.filter(isObject).map(m => idKey(m.id)) : []),
    ]) {
      post.open.delete(key);
      this.posts.delete(key);
    }
    const last = post.open.size === 0;
    if ('json' in post) return post.json.add(out, last);
    const messages = post.log.usable ? post.log.send(out) : [];
    if (last) post.log.finish();
    return messages;
  }

  /** The stream for a request or a notification of the server. */
  private logFor(during: Message | undefined): EventLog | undefined {
    const post = during && this.posts.get(idKey(during.id));
    return post && 'log' in post && post.log.usable ? post.log : this.standing();
  }

  hasCarrier(during?: Message): boolean {
    return this.logFor(during) !== undefined;
  }

  private logOf(exchange: number): EventLog | undefined {
    return this.logs.find(log => log.heard && log.lastExchange === exchange);
  }

  writeOn(exchange: number, block: SseFields | string | Buffer): void {
    this.logOf(exchange)?.write(block, { deliberate: true });
  }

  endStream(exchange: number, how: 'complete' | 'break'): void {
    this.logOf(exchange)?.detach(how);
  }

  expire(): void {
    this.expired = true;
  }
}

function refuse(reply: Reply, status: number, message: string, code = -32_000): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  reply.finish(status, [['Content-Type', 'application/json']], body);
}
