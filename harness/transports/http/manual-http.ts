/** HTTP requests made by scenarios: sent over the HTTP client of the link, and recorded like all others. */

import type { TransportId } from '../../../spec/revisions.js';
import type { HeaderList } from '../../record/event.js';
import type { HttpExchange, SseEvent } from '../../record/http-exchange.js';
import { idKey, type Message } from '../../record/message.js';
import type { Clock } from '../../time/clock.js';
import type { DialOptions, HttpAsk, HttpControl } from '../link.js';
import { ChangeSignal } from '../wait-until.js';
import type { AllowedHosts } from './allowed-hosts.js';
import { withChanges } from './headers.js';
import type { HttpCall, HttpClient, WireRequest } from './http-client.js';
import type { Sender } from './in-process.js';
import { Web } from './side-request.js';
import type { StreamPatience } from './stream-patience.js';

/** The link of manual requests, as they use it. */
interface ManualLink {
  readonly transport: TransportId;
  readonly options: DialOptions & { readonly agent: Sender };
  readonly wire: HttpClient;
  readonly clock: Clock;
  readonly url: URL;
  readonly hosts: AllowedHosts | undefined;
  readonly messageUrl: URL | undefined;
  readonly sessionId: string | undefined;
  readonly protocolVersion: string | undefined;
  readonly listening: HttpCall | undefined;
  /** Resolves when the messages before have been sent. */
  settled(): Promise<void>;
  /** @returns the requests among the messages */
  expectAnswers(messages: readonly Message[]): Message[];
  follow(call: HttpCall, requests: readonly Message[]): void;
  callOf(exchange: number): HttpCall | undefined;
  /** Headers that a conforming client of this session sends. */
  headersFor(method: string, body?: string | Buffer): HeaderList;
}

/** The bytes of a body. */
const textOf = (body: HttpAsk['body']): string | Buffer | undefined =>
  body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);

export class ManualHttp implements HttpControl {
  private beside: Web | undefined;
  /** Notifies of a change of an exchange. */
  readonly watch = new ChangeSignal();

  constructor(private readonly link: ManualLink) {}

  get url(): string {
    return this.link.url.href;
  }

  get messageUrl(): string | undefined {
    return this.link.messageUrl?.href;
  }

  get sessionId(): string | undefined {
    return this.link.sessionId;
  }

  get protocolVersion(): string | undefined {
    return this.link.protocolVersion;
  }

  get listening(): HttpExchange | undefined {
    const call = this.link.listening;
    return call && this.exchangeOf(call);
  }

  get web(): Web {
    const { clock, options, wire } = this.link;
    const { tap, conversation, agent, secrets, timing } = options;
    const next = () => wire.next();
    this.beside ??= new Web({
      tap,
      conversation,
      agent,
      secrets,
      next,
      answer: timing.answer,
      clock,
      budget: timing.budget,
      hosts: this.link.hosts,
    });
    return this.beside;
  }

  private exchangeOf(call: HttpCall): HttpExchange {
    return this.link.options.conversation.httpExchange(call.exchange);
  }

  send(ask: HttpAsk = {}): HttpExchange {
    return this.start(ask).exchange;
  }

  async fetch(ask: HttpAsk = {}): Promise<HttpExchange> {
    await this.link.settled();
    const { exchange, requests, method } = this.start(ask);
    const isGet = method === 'GET';
    const answered = () => requests.every(r => exchange.received.some(m => idKey(m.id) === idKey(r.id)));
    // some servers keep a GET open that they answer with another type than that of a stream
    const isOpened = (e: HttpExchange) => e.isStream || (isGet && e.status === 200);
    await this.wait(exchange, e => isOpened(e) && answered(), isGet ? this.link.options.streams : undefined);
    return exchange;
  }

  openGet({ lastEventId, headers }: { lastEventId?: string; headers?: HttpAsk['headers'] } = {}) {
    return this.fetch({
      method: 'GET',
      headers: { ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }), ...headers },
      polite: true,
    });
  }

  private start(ask: HttpAsk): { exchange: HttpExchange; requests: readonly Message[]; method: string } {
    const { wire, options } = this.link;
    const deliberate = ask.polite ? undefined : true;
    const { body } = ask;
    const bytes = textOf(body);
    const method = ask.method ?? (bytes === undefined ? 'GET' : 'POST');
    const stream = method === 'POST' ? 'post' : method === 'GET' ? this.getStream : undefined;
    const number = wire.next();
    const messages = bytes === undefined ? [] : wire.frame(number, bytes, 'post', deliberate);
    const requests = this.link.expectAnswers(messages);
    const request: WireRequest = {
      method,
      url: this.address(method, ask),
      headers: this.headers(method, ask),
      ...(bytes !== undefined && { body: bytes }),
      ...(ask.pieces && { pieces: ask.pieces }),
      ...(stream && { stream }),
      ...(deliberate && { deliberate }),
    };
    const call = wire.send(request, number);
    this.link.follow(call, requests);
    return { exchange: options.conversation.httpExchange(number), requests, method };
  }

  private get getStream() {
    return this.link.transport === 'http-sse' ? 'sse' : 'get';
  }

  private address(method: string, { url }: HttpAsk): URL {
    const home = method === 'POST' ? (this.link.messageUrl ?? this.link.url) : this.link.url;
    return url === undefined ? home : new URL(url, home);
  }

  private headers(method: string, { bare, headers, url, body, pieces }: HttpAsk) {
    const address = this.address(method, { ...(url !== undefined && { url }) });
    const polite = this.link.headersFor(method, textOf(body));
    // credentials given by the user are not sent to other hosts
    const own = address.origin === this.link.url.origin ? polite : polite.filter(([n]) => !this.isSecret(n));
    const base = bare ? [] : own.filter(([name]) => name !== 'Host');
    const length = pieces?.reduce((sum, piece) => sum + piece.length, 0);
    const known = length === undefined ? [] : [['Content-Length', String(length)] as const];
    return withChanges([['Host', address.host], ...base, ...known], headers);
  }

  private isSecret(name: string): boolean {
    return this.link.wire.options.secretHeaders.has(name.toLowerCase());
  }

  over(exchange: HttpExchange): Promise<boolean> {
    return this.until(exchange, () => false);
  }

  async block(exchange: HttpExchange, fits: (event: SseEvent) => boolean): Promise<SseEvent | undefined> {
    await this.until(exchange, e => e.events.some(fits));
    return exchange.events.find(fits);
  }

  until(exchange: HttpExchange, holds: (exchange: HttpExchange) => boolean): Promise<boolean> {
    return this.wait(exchange, holds);
  }

  /** @param streams the patience with GET streams, if the exchange may open one */
  private async wait(
    exchange: HttpExchange,
    holds: (exchange: HttpExchange) => boolean,
    streams?: StreamPatience,
  ): Promise<boolean> {
    const { clock, options } = this.link;
    const ends = () => exchange.end !== undefined || holds(exchange);
    const { answer, budget } = options.timing;
    const began = performance.now();
    const hurried = streams?.isHurried === true;
    const ms = streams?.timeoutMs(answer) ?? answer;
    const late = await this.watch.until(ends, happened => clock.waitAtMost(happened, ms));
    if (late && hurried && !late.starved) budget?.count(began);
    else if (!late?.starved) budget?.waited(began);
    if (late && exchange.status === undefined) streams?.add(late);
    if (late)
      options.tap({
        kind: 'deadline',
        label: 'http',
        ...late,
        exchange: exchange.number,
        ...(hurried && { hurried }),
      });
    return !late;
  }

  drop(exchange: HttpExchange, { resume = true }: { resume?: boolean } = {}): void {
    const call = this.link.callOf(exchange.number);
    if (!call) return;
    if (!resume) call.resumable = false;
    call.abort();
  }
}
