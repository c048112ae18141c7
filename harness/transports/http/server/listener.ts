/** A port for one client under test: assigns each request to its link, and limits the total input. */

import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TransportId } from '../../../../spec/revisions.js';
import type { Conversation } from '../../../record/conversation.js';
import type { OAuthEndpoint, Overflow } from '../../../record/event.js';
import type { HttpExchange } from '../../../record/http-exchange.js';
import { Secrets } from '../../../record/redaction.js';
import { waitFor } from '../../../time/clock.js';
import { Intake } from '../../intake.js';
import type { Link, Listener, ListenOptions } from '../../link.js';
import { limits } from '../limits.js';
import type {
  ExtraHost,
  HttpAnswer,
  HttpBehaviour,
  HttpIncoming,
  HttpListenOptions,
  HttpServer,
} from './behaviour.js';
import {
  addLocalServer,
  LocalServer,
  removeLocalServer,
  type ServerReply,
  type ServerRequest,
} from './local-servers.js';
import { whyForeign } from './own-host.js';
import { type IncomingRequest, readRequest } from './request-reader.js';
import type { HttpServerSession, RecordedRequest } from './server-session.js';

/** The differences between the transports. */
export interface Door {
  readonly transport: TransportId;
  /** Path of the URL given to the client. */
  readonly path: string;
  /** The link of a request; undefined for a request that opens a new link. @param links oldest first */
  linkOf(incoming: IncomingRequest, links: readonly HttpServerSession[]): HttpServerSession | undefined;
  /** Whether the path of a request belongs to MCP. */
  isHome(url: URL, links: readonly HttpServerSession[]): boolean;
  /** @param incoming the request that opens the link; undefined for bytes that are no request */
  open(listener: HttpListener, incoming?: IncomingRequest): HttpServerSession;
}

const polite: HttpBehaviour = {
  answers: 'sse',
  sessions: true,
  getStream: true,
  deletes: true,
  charset: false,
  dialect: {},
  namesMessages: true,
  before: [],
  multiline: false,
  chunk: undefined,
  resumable: true,
  primes: undefined,
  retry: undefined,
  polling: false,
  endpoint: 'relative',
  refusesNewer: 405,
  older: false,
  intercept: undefined,
  authGate: undefined,
};

type Meet = (request: ServerRequest, response: ServerReply) => Promise<void>;

interface Scripted {
  readonly answer: HttpAnswer;
  readonly fits: (request: HttpIncoming) => boolean;
  readonly onUsed: (exchange: HttpExchange) => void;
}

export class HttpListener implements Listener, HttpServer {
  readonly transport: TransportId;
  behaviour: HttpBehaviour;
  origin = '';
  readonly secrets: Secrets;
  private readonly server: Server;
  /** The servers of the other hosts. */
  private readonly others: Server[] = [];
  /** The same servers without sockets, by origin. */
  private readonly local = new Map<string, LocalServer>();
  private readonly links: HttpServerSession[] = [];
  private readonly scripted: Scripted[] = [];
  private accept: ((link: Link, conversation: Conversation) => void) | undefined;
  private closing: Promise<void> | undefined;
  private readonly received = { requests: 0, refused: 0 };
  private readonly intake: Intake;
  private readonly meetings = new Set<Promise<void>>();
  /** A limit was exceeded: further input is ignored. */
  private full = false;

  constructor(
    readonly options: ListenOptions,
    private readonly door: Door,
  ) {
    this.transport = door.transport;
    this.behaviour = { ...polite, ...options.http };
    this.secrets = options.secrets ?? new Secrets();
    this.intake = options.intake ?? new Intake();
    this.server = this.newServer((request, response) => this.meet(request, response));
  }

  private newServer(meet: Meet, tls?: ExtraHost['tls']): Server {
    const options = { maxHeaderSize: limits.head, keepAliveTimeout: 600_000 };
    const server = tls ? createSecureServer({ ...options, ...tls }) : createServer(options);
    server.on('request', this.track(meet));
    // a broken TLS handshake is not recorded
    server.on('clientError', (error, socket) =>
      tls ? socket.destroy() : this.garbage(error, socket as Socket),
    );
    server.on('drop', () => this.overflow('connections', limits.connections));
    server.maxConnections = limits.connections;
    return server;
  }

  private track(meet: Meet) {
    return (request: ServerRequest, response: ServerReply) => {
      const meeting = meet(request, response).finally(() => this.meetings.delete(meeting));
      this.meetings.add(meeting);
    };
  }

  async listening(): Promise<this> {
    this.origin = await originOf(this.server);
    this.offer(this.origin, (request, response) => this.meet(request, response));
    return this;
  }

  /** Clients in this process reach the server without a socket. */
  private offer(origin: string, meet: Meet, connected: () => void = () => {}): void {
    const server = new LocalServer(this.track(meet), connected);
    this.local.set(origin, server);
    addLocalServer(origin, server);
  }

  async addHost(host: ExtraHost): Promise<string> {
    const meet: Meet = async (request, response) => {
      const gone = goneOf(request, response);
      const incoming = await readRequest(request, origin, this.intake);
      const link = this.links.at(-1) ?? (this.closing || this.full ? undefined : this.newLink());
      if (this.full || !link) {
        response.destroy();
        return;
      }
      const call = { ...incoming, body: incoming.body.toString('utf8') };
      const ask = link.record(incoming, response, gone, { endpoint: host.endpointOf(call) });
      this.count(incoming);
      if (this.closing) ask.reply.break();
      else if (this.full || incoming.broken) response.destroy();
      else link.answerByHand(ask, await host.answer(ask));
    };
    const server = this.newServer(meet, host.tls);
    server.on('connection', () => host.connected?.());
    const origin = await originOf(server, host.tls ? 'https' : 'http');
    this.others.push(server);
    // the client may have left meanwhile, which closes all servers
    if (this.closing) server.close();
    else if (!host.tls) this.offer(origin, meet, () => host.connected?.());
    return origin;
  }

  get http(): HttpServer {
    return this;
  }

  get url(): string {
    return this.origin + this.path;
  }

  private get path(): string {
    return this.options.http?.path ?? this.door.path;
  }

  private isHome(url: URL): boolean {
    const { path } = this.options.http ?? {};
    return path === undefined ? this.door.isHome(url, this.links) : url.pathname === path;
  }

  get address(): { readonly url: string } {
    return { url: this.url };
  }

  behave(changes: HttpListenOptions): void {
    this.behaviour = { ...this.behaviour, ...changes };
  }

  answerNext(answer: HttpAnswer, fits: Scripted['fits'] = () => true): Promise<HttpExchange> {
    return new Promise(onUsed => this.scripted.push({ answer, fits, onUsed }));
  }

  onLink(accept: (link: Link, conversation: Conversation) => void): void {
    this.accept = accept;
    for (const link of this.links) accept(link, link.conversation);
  }

  private newLink(incoming?: IncomingRequest): HttpServerSession {
    const link = this.door.open(this, incoming);
    this.links.push(link);
    this.accept?.(link, link.conversation);
    return link;
  }

  private async meet(request: ServerRequest, response: ServerReply): Promise<void> {
    const header = (name: string) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    const foreign = whyForeign(header);
    if (foreign !== undefined) {
      request.resume();
      return void response.writeHead(403, { 'Content-Type': 'text/plain' }).end(foreign);
    }
    const gone = goneOf(request, response);
    const incoming = await readRequest(request, this.origin, this.intake);
    const known = this.door.linkOf(incoming, this.links);
    // after the time for new links, requests are recorded on an existing link
    const late = this.full || this.closing !== undefined;
    const link = late ? (known ?? this.links.at(-1)) : (known ?? this.newLink(incoming));
    if (this.full || !link) {
      response.destroy();
      return;
    }
    const home = this.isHome(incoming.url);
    const { authGate } = this.behaviour;
    const call = { ...incoming, body: incoming.body.toString('utf8') };
    const refusal = home && !this.closing ? authGate?.admit(call) : undefined;
    if (refusal) this.received.refused++;
    const endpoint: OAuthEndpoint | undefined = home ? undefined : authGate?.endpointOf(call);
    const ask = link.record(incoming, response, gone, {
      home: home && !refusal,
      ...(endpoint && { endpoint }),
    });
    if (home && !this.closing) authGate?.noted(ask.exchange);
    this.count(incoming);
    if (this.closing) ask.reply.break();
    else if (this.full || incoming.broken) response.destroy();
    else if (refusal) link.answerByHand(ask, refusal);
    else await this.answer(link, ask, home);
  }

  private async answer(link: HttpServerSession, ask: RecordedRequest, home: boolean): Promise<void> {
    const index = this.scripted.findIndex(({ fits }) => fits(ask));
    const [scripted] = index === -1 ? [] : this.scripted.splice(index, 1);
    const { intercept } = this.behaviour;
    const byHand = scripted?.answer ?? (intercept && (await intercept(ask)));
    if (byHand) link.answerByHand(ask, byHand);
    else if (home) link.answer(ask);
    else ask.reply.finish(404, [], '');
    scripted?.onUsed(ask.exchange);
  }

  private count({ overflow }: Pick<IncomingRequest, 'overflow'>): void {
    const { received, intake } = this;
    received.requests++;
    if (overflow) this.overflow(overflow.what, overflow.amount);
    else if (intake.isFull) this.overflow('bytes', intake.totalBytes);
    else if (received.requests > limits.requests) this.overflow('frames', received.requests);
    else if (received.refused > limits.refused) this.overflow('frames', received.refused);
    else if (this.links.length > limits.links) this.overflow('connections', this.links.length);
  }

  private overflow(what: Overflow['what'], amount: number): void {
    if (this.full) return;
    this.full = true;
    (this.links.at(-1) ?? this.newLink()).overflow(what, amount);
    this.closeAllConnections();
  }

  private closeAllConnections(): void {
    for (const server of [this.server, ...this.others, ...this.local.values()]) server.closeAllConnections();
  }

  private garbage(error: Error & { code?: string; rawPacket?: Buffer }, socket: Socket): void {
    const { code = 'ERROR', rawPacket } = error;
    // a connection closed without data is not recorded
    if (rawPacket && !this.full && !this.closing) {
      (this.links.at(-1) ?? this.newLink()).recordGarbage(rawPacket, code);
      this.intake.keep(rawPacket.toString('latin1'));
      this.count({});
    }
    if (socket.writable)
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else socket.destroy();
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    const servers = [this.server, ...this.others];
    for (const origin of this.local.keys()) removeLocalServer(origin);
    const closed = Promise.all(
      servers.map(server => new Promise<void>(resolve => void server.close(() => resolve()))),
    );
    const links = Promise.all(this.links.map(link => link.close()));
    // the ends of streams are being sent; a client that does not read them gets no extra wait
    await waitFor(links, this.options.timing.quiet);
    this.closeAllConnections();
    await Promise.all([closed, links, ...this.meetings]);
  }
}

/** What to call when a connection closes. */
const open = new WeakMap<object, Set<() => void>>();

/**
 * Resolves when the response has been sent or its connection is closed. A response that waits behind another one on its
 * connection gets no event from Node when the connection closes.
 */
function goneOf({ socket }: ServerRequest, response: ServerReply): Promise<void> {
  const others = open.get(socket) ?? new Set();
  if (!open.has(socket)) {
    open.set(socket, others);
    socket.once('close', () => {
      for (const gone of others) gone();
    });
  }
  return new Promise(resolve => {
    const gone = () => {
      others.delete(gone);
      resolve();
    };
    others.add(gone);
    response.once('close', gone);
    if (socket.closed) gone();
  });
}

/** Starts the server on a free port; returns its origin. */
async function originOf(server: Server, scheme = 'http'): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
