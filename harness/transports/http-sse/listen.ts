/** HTTP with SSE (the first HTTP transport), harness as server: one stream, and an endpoint for messages. */

import { randomUUID } from 'node:crypto';
import type { SseFields } from '../../framing/sse.js';
import { sseText } from '../../framing/sse-dialect.js';
import type { HttpStream } from '../../record/event.js';
import type { Message } from '../../record/message.js';
import { EventLog } from '../http/server/event-log.js';
import { type Door, HttpListener } from '../http/server/listener.js';
import { type Reply, streamHeaders } from '../http/server/reply.js';
import { HttpServerSession, type RecordedRequest } from '../http/server/server-session.js';
import type { Listener, ListenOptions, Outgoing } from '../link.js';

const door: Door = {
  transport: 'http-sse',
  path: '/sse',
  open: listener => new HttpSseLink(listener),
  isHome: (url, links) =>
    url.pathname === door.path || links.some(link => (link as HttpSseLink).takes(url) !== 'nothing'),
  linkOf({ method, url }, links) {
    const latest = links.at(-1);
    if (method === 'GET' && url.pathname === door.path) return latest?.used ? undefined : latest;
    // an attempt with the newer transport is a separate conversation
    if (method === 'POST' && url.pathname === door.path) return undefined;
    const by = (how: 'all' | 'path') => links.findLast(link => (link as HttpSseLink).takes(url) === how);
    return by('all') ?? by('path') ?? latest;
  },
};

export const listenHttpSse = (options: ListenOptions): Promise<Listener> =>
  new HttpListener(options, door).listening();

class HttpSseLink extends HttpServerSession {
  readonly sessionId = randomUUID();
  /** URL to which the client POSTs messages; undefined before the endpoint event is sent. */
  private endpoint: URL | undefined;
  private readonly log = new EventLog('s', () => ({ ...this.behaviour, resumable: false, primes: false }));

  constructor(listener: HttpListener) {
    super('http-sse', listener);
  }

  get listening(): number | undefined {
    return this.log.heard ? this.log.lastExchange : undefined;
  }

  /** Match of a URL with the message endpoint of this link: path and query (`all`), path only, or none. */
  takes(url: URL): 'all' | 'path' | 'nothing' {
    const { endpoint } = this;
    if (!endpoint || url.pathname !== endpoint.pathname) return 'nothing';
    return url.search === endpoint.search ? 'all' : 'path';
  }

  protected streamOf(method: string): HttpStream | undefined {
    return method === 'POST' ? 'post' : method === 'GET' ? 'sse' : undefined;
  }

  answer({ method, url, reply, messages }: RecordedRequest): void {
    const home = url.pathname === door.path;
    if (home && method === 'GET') this.openStream(reply);
    else if (home && method === 'POST') reply.finish(this.behaviour.refusesNewer, [['Allow', 'GET']], '');
    else if (method !== 'POST') reply.finish(405, [['Allow', 'POST']], '');
    else if (messages.length === 0) reply.finish(400, [], 'Not a JSON-RPC message');
    else {
      reply.finish(202, [], 'Accepted');
      this.inbox.deliver(messages);
    }
  }

  private openStream(reply: Reply): void {
    const { endpoint, dialect, chunk } = this.behaviour;
    const { origin, url } = this.listener;
    const path = `/messages?sessionId=${this.sessionId}`;
    const data =
      typeof endpoint === 'function'
        ? endpoint(this.sessionId, origin)
        : endpoint === 'absolute'
          ? origin + path
          : path;
    this.used = true;
    this.endpoint = URL.canParse(data, url) ? new URL(data, url) : undefined;
    reply.openStream(streamHeaders(this.behaviour));
    this.log.attach(reply);
    reply.write(sseText([{ event: 'endpoint', data }], { ...dialect, bom: false }), {}, chunk);
    this.watch.changed();
  }

  protected override closed(reply: Reply): void {
    if (reply.exchange === this.log.lastExchange) this.end();
  }

  send(out: Outgoing): Message[] {
    return this.log.heard ? this.log.send(out) : [];
  }

  hasCarrier(): boolean {
    return this.log.heard;
  }

  writeOn(exchange: number, block: SseFields | string | Buffer): void {
    if (exchange === this.listening) this.log.write(block, { deliberate: true });
  }

  endStream(exchange: number, how: 'complete' | 'break'): void {
    if (exchange === this.listening) this.log.detach(how);
  }

  /** Ends the stream: the session and the stream are the same. */
  expire(): void {
    this.log.detach('complete');
  }
}
