/** The proxy over HTTP: a local port that forwards each request of a client to its server. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject } from '../../../spec/json-rpc.js';
import type { TransportId } from '../../../spec/revisions.js';
import { formatSse, type SseFields } from '../../framing/sse.js';
import type { HeaderList } from '../../record/event.js';
import type { RunEvent } from '../../report/run-event.js';
import {
  type HttpCall,
  HttpClient,
  networkFault,
  type WireRequest,
} from '../../transports/http/http-client.js';
import { limits } from '../../transports/http/limits.js';
import { clientOf, isStateless } from '../../transports/http/server/era.js';
import { whyForeign } from '../../transports/http/server/own-host.js';
import {
  asksToInitialize,
  type IncomingRequest,
  readRequest,
} from '../../transports/http/server/request-reader.js';
import { boundedAgent } from '../../transports/http/undici.js';
import { Intake } from '../../transports/intake.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { Channel } from '../event-queue.js';
import { type LinkRecorder, ProxyRecorder, type ProxyRecorderOptions } from './log.js';
import { Network, type NetworkStream, ShapedWriter } from './network.js';

export interface HttpRelayOptions {
  readonly transport: TransportId;
  /** The endpoint of the server; absolute. */
  readonly url: string;
  /** Port on loopback; 0 for any port. */
  readonly port: number;
  /** Names in Host that are accepted beside those of this host, in lower case. */
  readonly allowHosts?: readonly string[];
  /** Called with the URL for the client. */
  readonly onListening: (url: string) => void;
  /** Resolves at the end of the observation. */
  readonly until: Promise<void>;
  /** The network between the client and the server; default: one without faults. */
  readonly network?: Network;
}

export interface HttpWatchOptions extends ProxyRecorderOptions, HttpRelayOptions {}

/**
 * Forwards and records until `until` resolves.
 * @returns the events of the run; the last is `run-end`
 */
export async function* watchHttp(options: HttpWatchOptions): AsyncGenerator<RunEvent> {
  const channel = new Channel<RunEvent>();
  const recorder = new ProxyRecorder(options, event => channel.push(event));
  recorder.start({ command: null, url: options.url });
  void relayHttp(recorder, options).then(
    unjudged => {
      recorder.end(0, unjudged);
      channel.end();
    },
    (error: unknown) => channel.end({ error }),
  );
  yield* channel;
}

/**
 * Forwards and records until `until` resolves.
 * @returns the reason when the port is not available, or no client has connected
 */
export const relayHttp = (log: LinkRecorder, options: HttpRelayOptions): Promise<CouldNotJudge | undefined> =>
  new Relay(log, options).run();

/** One session, or the requests before a session exists. */
interface Link {
  readonly wire: HttpClient;
  session: string | undefined;
  /** Older transport: the URL for messages, from the endpoint event of the server. */
  endpoint: string | undefined;
  /** What a client without a session says about itself. */
  client?: string;
}

/**
 * Headers that are not forwarded: they belong to one connection, or would make the response unreadable for
 * the proxy.
 */
const ofConnection =
  /^(host|connection|keep-alive|proxy-\w+|te|trailer|transfer-encoding|upgrade|expect|accept-encoding|content-length)$/i;

class Relay {
  private readonly target: URL;
  private readonly agent;
  private readonly server: Server;
  private readonly links: Link[] = [];
  private readonly intake = new Intake();
  private readonly network: Network;

  constructor(
    private readonly log: LinkRecorder,
    private readonly options: HttpRelayOptions,
  ) {
    this.target = new URL(options.url);
    this.network = options.network ?? new Network();
    this.agent = boundedAgent();
    this.server = createServer({ maxHeaderSize: limits.head }, (request, response) => {
      void this.meet(request, response);
    });
  }

  async run(): Promise<CouldNotJudge | undefined> {
    const { port, onListening, until } = this.options;
    try {
      await new Promise<void>((resolve, reject) => {
        this.server.once('error', reject);
        this.server.listen(port, '127.0.0.1', resolve);
      });
    } catch (error) {
      return new CouldNotJudge(`Port ${port} is not available: ${(error as Error).message}`);
    }
    const { port: own } = this.server.address() as AddressInfo;
    onListening(`http://127.0.0.1:${own}${this.target.pathname}${this.target.search}`);
    await until;
    for (const { wire } of this.links) wire.abortAll();
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
    await this.agent.destroy();
    return this.links.length > 0 ? undefined : new CouldNotJudge('No client has connected.');
  }

  private async meet(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host } = request.headers;
    // the server judges a foreign Origin itself, because it is passed on
    const foreign = whyForeign(name => (name === 'host' ? host : undefined), this.options.allowHosts);
    if (foreign !== undefined) {
      request.resume();
      return void response
        .writeHead(403, { 'Content-Type': 'text/plain' })
        .end(`${foreign} --allow-host permits it.`);
    }
    const incoming = await readRequest(request, this.target.origin, this.intake);
    if (incoming.broken || incoming.overflow !== undefined) return void response.destroy();
    const link = this.linkOf(incoming);
    const url = new URL(incoming.url.pathname + incoming.url.search, this.target.origin);
    const { method, body } = incoming;
    const exchange = link.wire.next();
    const stream = method === 'GET' ? (this.older ? 'sse' : 'get') : 'post';
    if (body.length > 0) link.wire.frame(exchange, body, stream);
    const network = this.network.begin(nameOf(incoming));
    const outgoing: WireRequest = {
      method,
      url,
      headers: onward(incoming.headers, url),
      ...(body.length > 0 && { body }),
      ...(['GET', 'POST'].includes(method) && { stream }),
    };
    if (network.fault?.kind === 'lost-request') {
      network.strike();
      link.wire.lose(outgoing, exchange);
      return void response.destroy();
    }
    const call = link.wire.prepare(outgoing, exchange);
    call.breaks = network.breaks;
    call.dispatch();
    // a client may close after the last byte of a message, before the end of the body
    response.once('close', () => call.abort(network.fault === undefined && 'if-json'));
    pipe(call, response, link, network, network.again(incoming.header('last-event-id')));
  }

  private get older(): boolean {
    return this.options.transport === 'http-sse';
  }

  /** The conversation of a request; the last one where the request names none. */
  private linkOf(incoming: IncomingRequest): Link {
    if (!this.older && (isStateless(incoming) || this.isLikeStateless(incoming)))
      return this.stateless(incoming);
    const known = this.older
      ? this.olderLinkOf(incoming)
      : // without sessions, a request belongs to the conversation that began last
        this.links.findLast(l => l.client === undefined && l.session === sessionIn(incoming));
    const opens = this.older ? incoming.method === 'GET' : asksToInitialize(incoming.json);
    if (opens && !(known?.session !== undefined && sessionIn(incoming) !== undefined)) return this.open();
    return known ?? this.links.at(-1) ?? this.open();
  }

  /** A message that names neither a session nor a revision, beside a conversation whose requests have Mcp-Method as it has. */
  private isLikeStateless(incoming: IncomingRequest): boolean {
    return (
      this.links.some(l => l.client !== undefined) &&
      incoming.header('mcp-method') !== undefined &&
      incoming.header('mcp-protocol-version') === undefined &&
      sessionIn(incoming) === undefined &&
      !asksToInitialize(incoming.json)
    );
  }

  /** Requests without a session belong together if the client says the same about itself. */
  private stateless(incoming: IncomingRequest): Link {
    const client = clientOf(incoming);
    const known = this.links.findLast(l => l.client !== undefined && l.client === (client ?? l.client));
    return known ?? Object.assign(this.open(), { client: client ?? '' });
  }

  private olderLinkOf({ url }: IncomingRequest): Link | undefined {
    return this.links.find(l => l.endpoint?.endsWith(url.pathname + url.search));
  }

  private open(): Link {
    const { tap, conversation } = this.log.newLink(this.options.transport);
    tap({
      kind: 'open',
      transport: this.options.transport satisfies TransportId,
      revision: conversation.revision.id,
      url: this.options.url,
    });
    const http = new HttpClient({
      tap,
      agent: this.agent,
      secretHeaders: new Set(),
      secrets: this.log.secrets,
      bodiesAreMessages: !this.older,
      onMessages: () => {},
      onActivity: () => {},
      onOverflow: () => {},
      intake: this.intake,
    });
    const link: Link = { wire: http, session: undefined, endpoint: undefined };
    this.links.push(link);
    return link;
  }
}

const sessionIn = (incoming: IncomingRequest): string | undefined => incoming.header('mcp-session-id');

/** The headers of the client, with the host of the server instead of that of the proxy. */
const onward = (headers: HeaderList, url: URL): HeaderList => [
  ['Host', url.host],
  ...headers.filter(([name]) => !ofConnection.test(name)),
];

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** What a request is about, for the name of its stream. */
function nameOf(incoming: IncomingRequest): string {
  if (incoming.method === 'GET') return incoming.header('last-event-id') === undefined ? 'GET' : 'resume';
  if (incoming.method !== 'POST') return incoming.method;
  const { json } = incoming;
  if (!isObject(json)) return 'other';
  return typeof json.method === 'string' ? json.method : 'response';
}

/** Forwards the response byte by byte, as the network lets it. */
function pipe(
  call: HttpCall,
  response: ServerResponse,
  link: Link,
  network: NetworkStream,
  again: SseFields | undefined,
): void {
  const writer = new ShapedWriter(response, network);
  call.onHeadSeen = head => {
    link.session ??= head.header('mcp-session-id');
    const headers = head.headers.filter(
      ([name]) => !/^(connection|keep-alive|transfer-encoding)$/i.test(name),
    );
    response.writeHead(head.status, headers.flat());
    // Node sends a head alone as UTF-8, with the first bytes of a body as Latin-1, which is its encoding
    if (headers.flat().every(isAscii)) response.flushHeaders();
    if (again && call.isStream) {
      response.write(formatSse(again));
      link.wire.redeliver(call.exchange, again);
    }
  };
  call.onChunk = chunk => writer.write(chunk);
  call.onBlock = block => {
    const { event, data } = block;
    network.arrived(block);
    if (event === 'endpoint' && data !== undefined) link.endpoint ??= data;
  };
  void call.done.then(() => {
    if (call.failure === networkFault) {
      network.strike();
      if (network.fault?.kind === 'reset') response.socket?.resetAndDestroy();
      else response.destroy();
    } else if (response.headersSent) writer.end(() => response.end());
    else response.destroy();
  });
}
