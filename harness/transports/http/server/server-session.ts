/** The common part of both HTTP transports with the harness as server: one link, its record, its control. */

import type { TransportId } from '../../../../spec/revisions.js';
import type { SseFields } from '../../../framing/sse.js';
import type { Conversation } from '../../../record/conversation.js';
import type { HttpStream, NewEvent, OAuthEndpoint, Overflow } from '../../../record/event.js';
import { type HttpExchange, headerOf, mediaType } from '../../../record/http-exchange.js';
import type { Message } from '../../../record/message.js';
import type { Secrets } from '../../../record/redaction.js';
import type { Tap } from '../../../record/tap.js';
import { type Clock, type Overdue, ownClock } from '../../../time/clock.js';
import type { Link, ListenOptions, Outgoing } from '../../link.js';
import { MessageBuffer } from '../../message-buffer.js';
import { ChangeSignal } from '../../wait-until.js';
import { redact, redactUrl } from '../headers.js';
import type { HttpAnswer, HttpBehaviour, HttpIncoming, HttpServer, HttpServerLink } from './behaviour.js';
import type { ServerReply } from './local-servers.js';
import { Reply } from './reply.js';
import { recordedBody } from './request-body.js';
import type { IncomingRequest } from './request-reader.js';

/** A request that awaits its response. */
export interface RecordedRequest extends HttpIncoming {
  readonly reply: Reply;
}

/** Numbers of connections; a connection can serve several sessions. */
const connections = new WeakMap<object, number>();
let lastConnection = 0;

function connectionOf({ socket }: ServerReply): number | undefined {
  if (!socket) return undefined;
  const number = connections.get(socket) ?? ++lastConnection;
  connections.set(socket, number);
  return number;
}

/** The port of a session. */
interface SessionPort extends HttpServer {
  readonly options: ListenOptions;
  readonly behaviour: HttpBehaviour;
  readonly secrets: Secrets;
}

export abstract class HttpServerSession implements Link {
  readonly httpServer: HttpServerLink;
  readonly conversation: Conversation;
  readonly clock: Clock;
  readonly tap: Tap;
  /** The client has sent a message. */
  used = false;
  protected readonly inbox = new MessageBuffer();
  protected readonly watch = new ChangeSignal();
  private readonly replies = new Set<Reply>();
  private exchanges = 0;
  private over = false;
  private closing: Promise<void> | undefined;

  constructor(
    readonly transport: TransportId,
    readonly listener: SessionPort,
  ) {
    const { newLink, clock = ownClock } = listener.options;
    const { tap, conversation } = newLink(transport);
    this.clock = clock;
    this.tap = event => {
      this.learn(event);
      const messages = tap(event);
      if (event.kind !== 'deadline') this.watch.changed();
      return messages;
    };
    this.conversation = conversation;
    this.httpServer = new SessionControl(this);
    tap({ kind: 'open', transport, revision: conversation.revision.id, url: listener.url });
  }

  /** Tokens, codes and passwords in a request: the record hides them. */
  private learn(event: NewEvent): void {
    const { secrets } = this.listener;
    if (event.kind === 'http-request') secrets.learnFrom(event.url);
    else if (event.kind === 'http-body') secrets.learnFrom(event.text);
  }

  get behaviour(): HttpBehaviour {
    return this.listener.behaviour;
  }

  abstract get sessionId(): string | undefined;
  /** The number of the exchange that carries the stream for messages related to no request. */
  abstract get listening(): number | undefined;
  /** The stream of a request, by its method. */
  protected abstract streamOf(method: string): HttpStream | undefined;
  /** Responds to a request that no scripted response or interceptor has handled. */
  abstract answer(ask: RecordedRequest): void;
  abstract send(out: Outgoing): Message[];
  abstract hasCarrier(during?: Message): boolean;
  abstract writeOn(exchange: number, block: SseFields | string | Buffer): void;
  abstract endStream(exchange: number, how: 'complete' | 'break'): void;
  abstract expire(): void;

  /**
   * Records a request, and prepares the response.
   * @param gone resolves when the connection of the response is closed
   * @param place whether the request belongs to the conversation, or which OAuth endpoint it is for
   */
  record(
    incoming: IncomingRequest,
    response: ServerReply,
    gone: Promise<unknown>,
    { home = false, endpoint }: { home?: boolean; endpoint?: OAuthEndpoint },
  ): RecordedRequest {
    const { method, url, headers, header } = incoming;
    const exchange = ++this.exchanges;
    const stream = home ? this.streamOf(method) : undefined;
    const resumes = this.resumes(incoming);
    const connection = connectionOf(response);
    this.tap({
      kind: 'http-request',
      exchange,
      method,
      url: redactUrl(url),
      headers: redact(headers, this.listener.secrets),
      ...(stream && { stream }),
      ...(resumes !== undefined && { resumes }),
      ...(connection !== undefined && { connection }),
      ...(endpoint && { endpoint }),
    });
    const messages = recordedBody(this.tap, exchange, stream, incoming);
    if (messages.length > 0) this.used = true;
    const reply = new Reply(response, { tap: this.tap, clock: this.clock, exchange, stream, gone });
    this.replies.add(reply);
    void reply.closed.then(() => {
      this.replies.delete(reply);
      this.closed(reply);
    });
    const body = incoming.body.toString('utf8');
    const record = this.conversation.httpExchange(exchange);
    return { method, url, headers, header, body, messages, exchange: record, reply };
  }

  /** The exchange whose broken stream a request resumes. */
  protected resumes(_arrival: IncomingRequest): number | undefined {
    return undefined;
  }

  /** Called when an exchange has ended. */
  protected closed(_reply: Reply): void {}

  /** Records bytes that are not HTTP. */
  recordGarbage(bytes: Buffer, code: string): void {
    const exchange = ++this.exchanges;
    recordedBody(this.tap, exchange, undefined, { body: bytes, broken: true });
    this.tap({ kind: 'http-end', exchange, by: 'error', code, reason: 'The bytes are not an HTTP request.' });
  }

  /** Sends a response made by a scenario. */
  answerByHand({ reply }: RecordedRequest, { status, headers = {}, body = '', reset }: HttpAnswer): void {
    const json = typeof body === 'object' && !Buffer.isBuffer(body);
    const text = json ? JSON.stringify(body) : body;
    const list = Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map(one => [name, one] as [string, string]),
    );
    const type = mediaType(headerOf(list, 'content-type'));
    if (json && type === undefined) list.unshift(['Content-Type', 'application/json']);
    if (reset) reply.break();
    else if (type === 'text/event-stream') {
      reply.openStream(list, status);
      reply.write(text, { deliberate: true }, undefined);
      reply.complete();
    } else reply.finish(status, list, text, isFrame(status, body) ? { deliberate: true } : undefined);
  }

  get writable(): boolean {
    return !this.over;
  }

  async carrier(during?: Message): Promise<boolean> {
    const has = () => this.over || this.hasCarrier(during);
    const late = await this.waitFor(has);
    if (late) this.tap({ kind: 'deadline', label: 'http', ...late });
    return !this.over && this.hasCarrier(during);
  }

  /** Waits for a condition on this link; an expired wait is recorded. */
  async until(holds: () => boolean, exchange?: number): Promise<boolean> {
    const late = await this.waitFor(() => this.over || holds());
    if (!late) return holds();
    this.tap({ kind: 'deadline', label: 'http', ...late, ...(exchange !== undefined && { exchange }) });
    return false;
  }

  /** Waits at most the timeout of a response, and counts a late end in the time budget of the run. */
  private async waitFor(holds: () => boolean): Promise<Overdue | undefined> {
    const { answer, budget } = this.listener.options.timing;
    const began = performance.now();
    const late = await this.watch.until(holds, happened => this.clock.waitAtMost(happened, answer));
    if (!late?.starved) budget?.waited(began);
    return late;
  }

  onActivity(listener: () => void): void {
    this.watch.onChange(listener);
  }

  onMessage(listener: (message: Message) => void): void {
    this.inbox.onMessage(listener);
  }

  onEnd(listener: () => void): void {
    this.inbox.onEnd(listener);
  }

  /** Ends the conversation, on behalf of the client or the harness. Further requests are still recorded. */
  protected end(): void {
    if (this.over) return;
    this.over = true;
    this.inbox.end();
    this.watch.changed();
  }

  overflow(what: Overflow['what'], amount: number): void {
    this.tap({ kind: 'overflow', what, amount });
    this.end();
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    this.tap({ kind: 'closing' });
    this.end();
    const { replies } = this;
    for (const reply of replies) {
      if (reply.isOpenStream) reply.complete();
      else reply.break();
    }
    await Promise.all([...replies].map(reply => reply.closed));
  }
}

/** An error response that names no request belongs to HTTP, not to the conversation. */
function isFrame(status: number, body: HttpAnswer['body']): boolean {
  if (typeof body !== 'object' || Buffer.isBuffer(body)) return false;
  const items = (Array.isArray(body) ? body : [body]) as { jsonrpc?: unknown; id?: unknown }[];
  return items.some(m => m.jsonrpc !== undefined && (status < 400 || (m.id !== undefined && m.id !== null)));
}

class SessionControl implements HttpServerLink {
  constructor(private readonly link: HttpServerSession) {}

  get url() {
    return this.link.listener.url;
  }

  get origin() {
    return this.link.listener.origin;
  }

  get sessionId() {
    return this.link.sessionId;
  }

  get listening() {
    const { listening, conversation } = this.link;
    return listening === undefined ? undefined : conversation.httpExchange(listening);
  }

  behave(...args: Parameters<HttpServerLink['behave']>) {
    this.link.listener.behave(...args);
  }

  answerNext(...args: Parameters<HttpServerLink['answerNext']>) {
    return this.link.listener.answerNext(...args);
  }

  async request(fits: (exchange: HttpExchange) => boolean) {
    const find = () => this.link.conversation.http().find(fits);
    await this.link.until(() => find() !== undefined);
    return find();
  }

  async until(exchange: HttpExchange, holds: (exchange: HttpExchange) => boolean) {
    return this.link.until(() => exchange.end !== undefined || holds(exchange), exchange.number);
  }

  write(exchange: HttpExchange, block: SseFields | string | Buffer) {
    this.link.writeOn(exchange.number, block);
  }

  endStream(exchange: HttpExchange, how: 'complete' | 'break') {
    this.link.endStream(exchange.number, how);
  }

  expire() {
    this.link.expire();
  }
}
