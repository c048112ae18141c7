/** The MCP endpoint of Streamable HTTP: POST, GET and DELETE on one path. */

import { randomUUID } from 'node:crypto';
import { mediaType } from '../../../harness/record/http-exchange.js';
import { isObject, type Json, type JsonObject, kindOf, parseJson } from '../../../spec/json-rpc.js';
import { assumedOverHttp, type Revision } from '../../../spec/revisions.js';
import type { Channel } from '../interfaces.js';
import { codes } from '../refusal.js';
import { Session, type SessionOptions } from '../session.js';
import { hasEnvelope } from '../stateless.js';
import { Carrier } from './carrier.js';
import { headerMismatch } from './mirrored.js';
import type { HttpMode } from './options.js';
import { type HttpReply, type Incoming, jsonOf, jsonReply, refuse, streamHeaders } from './reply.js';

export class Endpoint {
  readonly sessions = new Map<string, Carrier>();
  private readonly offered: readonly Revision[];
  /** Holds what all requests with an envelope share: fixtures and deviations. */
  private readonly shared: Session | undefined;

  constructor(
    private readonly options: () => SessionOptions,
    own: SessionOptions,
    private readonly mode: HttpMode,
    private readonly process: Pick<Channel, 'exit' | 'warn'>,
  ) {
    this.offered = own.revisions;
    if (own.stateless.length > 0)
      this.shared = new Session({ send: () => {}, write: () => {}, ...process }, own);
  }

  /** The session named by a request, even if the request is invalid otherwise. */
  sessionOf(ask: Incoming): Carrier | undefined {
    return this.sessions.get(ask.headers.get('mcp-session-id') ?? '');
  }

  async answer(ask: Incoming): Promise<HttpReply> {
    const { shared } = this;
    if (shared && isStateless(ask, shared.options)) return this.stateless(ask, shared);
    const allowed = this.mode.sessions ? ['POST', 'GET', 'DELETE'] : ['POST'];
    if (!allowed.includes(ask.method))
      return refuse(405, `The endpoint does not support ${ask.method}.`, { Allow: allowed.join(', ') });
    const version = ask.headers.get('mcp-protocol-version');
    if (version !== undefined && !this.offered.some(r => r.id === version))
      return refuse(400, 'The protocol version is not supported.');
    if (ask.method === 'POST') return this.post(ask);
    const session = this.named(ask);
    if (!(session instanceof Carrier)) return session;
    return ask.method === 'GET' ? this.get(ask, session) : this.delete(session);
  }

  /** A request with an envelope: its own session, with the fixtures and the deviations of the server. */
  private async stateless(ask: Incoming, shared: Session): Promise<HttpReply> {
    if (ask.method !== 'POST')
      return refuse(405, `The endpoint does not support ${ask.method}.`, { Allow: 'POST' });
    const unacceptable = negotiationFailure(ask);
    if (unacceptable) return unacceptable;
    const json = jsonOf(ask);
    // the headers select this era: without an envelope a request is incomplete, not one of the other era
    const offered = isInitialize(json) ? shared.options : { ...shared.options, revisions: [] };
    const options = { ...offered, world: shared.world, shared: shared.deviations };
    const carrier = new Carrier(options, this.mode, undefined, this.process, true);
    const isRequest = kindOf(json ?? null) === 'request' && isObject(json);
    const problem = isRequest && json.method !== 'initialize' && headerMismatch(ask, json, shared.world);
    if (!problem) return this.take(ask, carrier, false);
    const { id } = json as JsonObject;
    const error = { code: codes.headerMismatch, message: problem };
    const isId = typeof id === 'string' || Number.isInteger(id);
    return jsonReply(400, { jsonrpc: '2.0', ...(isId && { id: id! }), error });
  }

  /** The session named in the header, or the reason for the error. */
  private named(ask: Incoming): Carrier | HttpReply {
    const id = ask.headers.get('mcp-session-id');
    if (id === undefined) return refuse(400, 'The session id is missing.');
    return this.sessions.get(id) ?? refuse(404, 'The session does not exist.');
  }

  private async post(ask: Incoming): Promise<HttpReply> {
    const unacceptable = negotiationFailure(ask);
    if (unacceptable) return unacceptable;
    const opens = isInitialize(jsonOf(ask));
    const session = this.sessionFor(ask, opens);
    if (!(session instanceof Carrier)) return session;
    const reply = await this.take(ask, session, opens);
    if (opens && !session.session.opened) this.delete(session);
    return reply;
  }

  private sessionFor(ask: Incoming, opens: boolean): Carrier | HttpReply {
    if (!this.mode.sessions) return this.alone(ask, opens);
    if (ask.headers.has('mcp-session-id') || !opens) return this.named(ask);
    const id = randomUUID();
    const session = new Carrier(this.options(), this.mode, id, this.process);
    this.sessions.set(id, session);
    return session;
  }

  /** Without sessions each POST is handled separately, as if initialization were complete. */
  private alone(ask: Incoming, opens: boolean): Carrier {
    const carrier = new Carrier(this.options(), this.mode, undefined, this.process);
    const { session } = carrier;
    if (opens) return carrier;
    const version = ask.headers.get('mcp-protocol-version');
    session.revision = session.options.revisions.find(r => r.id === version) ?? assumedOverHttp;
    session.opened = true;
    session.initialized = true;
    return carrier;
  }

  private async take(ask: Incoming, carrier: Carrier, opens: boolean): Promise<HttpReply> {
    const text = carrier.session.deviations.line(ask.body);
    const json = text === undefined ? undefined : text === ask.body ? jsonOf(ask) : parseJson(text);
    if (text === undefined) return { status: 202, headers: {} };
    if (json === undefined)
      return jsonReply(400, {
        jsonrpc: '2.0',
        error: { code: -32_700, message: 'The body is not valid JSON.' },
        id: null,
      });
    return carrier.post(json, () =>
      opens && carrier.id !== undefined && carrier.session.opened ? { 'Mcp-Session-Id': carrier.id } : {},
    );
  }

  private get(ask: Incoming, { streams }: Carrier): HttpReply {
    if (!accepts(ask, 'text/event-stream'))
      return refuse(406, 'The response requires an Accept header with text/event-stream.');
    const last = ask.headers.get('last-event-id');
    const resumed = last === undefined ? undefined : streams.resume(last);
    return { status: 200, headers: streamHeaders, body: resumed ?? streams.forGet().from() };
  }

  private delete(session: Carrier): HttpReply {
    session.close();
    if (session.id !== undefined) this.sessions.delete(session.id);
    return { status: 204, headers: {} };
  }

  close(): void {
    for (const session of [...this.sessions.values()]) this.delete(session);
  }
}

/** Whether a request is one without a handshake, or the mock offers nothing else. */
function isStateless(ask: Incoming, { revisions, stateless }: SessionOptions): boolean {
  if (revisions.length === 0) return true;
  const { headers } = ask;
  const version = headers.get('mcp-protocol-version');
  const json = jsonOf(ask);
  if (stateless.some(r => r.id === version) || hasEnvelope(json)) return true;
  // a client may send Mcp-Method in a revision that does not define it: the handshake and its revision select the era
  return headers.has('mcp-method') && !isInitialize(json) && !revisions.some(r => r.id === version);
}

/** The media types of a POST that the mock does not serve. */
function negotiationFailure(ask: Incoming): HttpReply | undefined {
  if (!accepts(ask, 'application/json') && !accepts(ask, 'text/event-stream'))
    return refuse(406, 'The response requires an Accept header with application/json or text/event-stream.');
  if (mediaType(ask.headers.get('content-type')) !== 'application/json')
    return refuse(415, 'The body of a POST must be application/json.');
  return undefined;
}

/** Whether an Accept header covers a media type; an absent header covers all. */
function accepts(ask: Incoming, type: string): boolean {
  const header = ask.headers.get('accept');
  if (header === undefined) return true;
  const ranges = header.split(',').map(range => mediaType(range));
  return [type, `${type.split('/')[0]}/*`, '*/*'].some(range => ranges.includes(range));
}

const isInitialize = (json: Json | undefined): boolean => isObject(json) && json.method === 'initialize';
