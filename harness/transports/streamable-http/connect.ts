/** Streamable HTTP, harness as client: a POST for each message, streams for messages of the server. */

import { isObject } from '../../../spec/json-rpc.js';
import { findDefinedRevision, findRevision } from '../../../spec/revisions.js';
import type { HeaderList } from '../../record/event.js';
import { beginsHandshake, endsHandshake } from '../../record/handshake.js';
import { idKey, isReply, type Message } from '../../record/message.js';
import { waitFor } from '../../time/clock.js';
import { withChanges } from '../http/headers.js';
import type { HttpCall } from '../http/http-client.js';
import { limits } from '../http/limits.js';
import { type HttpDialOptions, HttpLink } from '../http/link.js';
import type { Link, Outgoing } from '../link.js';
import { StatelessHttpLink } from './stateless.js';

export const dialStreamableHttp = (options: HttpDialOptions): Link =>
  findDefinedRevision(options.revision)?.era === 'modern'
    ? new StatelessHttpLink(options)
    : new StreamableHttpLink(options);

class StreamableHttpLink extends HttpLink {
  private session: string | undefined;
  private version: string | undefined;
  /** The exchange of each open handshake request, by the id of the request. */
  private readonly opening = new Map<string, number>();
  private listeningCall: HttpCall | undefined;
  private reopened = 0;
  /** Keys of the ids of requests that got 202 while a GET stream was open. */
  private readonly acceptedOnly = new Set<string>();
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(options: HttpDialOptions) {
    super('streamable-http', options);
  }

  protected async begin(): Promise<void> {}

  override get sessionId(): string | undefined {
    return this.session;
  }

  override get protocolVersion(): string | undefined {
    return this.version;
  }

  get messageUrl(): URL {
    return this.url;
  }

  get listening(): HttpCall | undefined {
    return this.listeningCall?.finished ? undefined : this.listeningCall;
  }

  headersFor(method: string, body?: string | Buffer): HeaderList {
    const negotiated = findRevision(this.version) ?? findRevision(this.options.revision);
    return [
      ...this.baseHeaders(method, this.url),
      ...(method === 'POST' ? [['Accept', 'application/json, text/event-stream'] as const] : []),
      ...(method === 'GET' ? [['Accept', 'text/event-stream'] as const] : []),
      ...(body !== undefined ? [['Content-Type', 'application/json'] as const] : []),
      ...(this.session === undefined ? [] : [['Mcp-Session-Id', this.session] as const]),
      ...(this.version !== undefined && negotiated?.protocolVersionHeader
        ? [['MCP-Protocol-Version', this.version] as const]
        : []),
    ];
  }

  protected post(exchange: number, out: Outgoing, messages: readonly Message[]): HttpCall {
    for (const m of messages)
      if (m.kind === 'request' && beginsHandshake(m)) this.opening.set(idKey(m.id), exchange);
    return this.wire.send(
      {
        method: 'POST',
        url: this.url,
        headers: this.headersFor('POST', out.text),
        body: out.text,
        stream: 'post',
        ...(out.deliberate && { deliberate: true }),
      },
      exchange,
    );
  }

  protected override async accepted(call: HttpCall, messages: readonly Message[]): Promise<void> {
    await super.accepted(call, messages);
    const ready = messages.some(endsHandshake);
    if (!ready || this.ended || this.version === undefined || this.listeningCall) return;
    // the wait is short: some servers send the response head only with the first message
    await waitFor(this.listen().head, this.options.timing.quiet * 2);
  }

  /** The handshake gives the session id and the revision. */
  protected override inspect(message: Message, call: HttpCall): void {
    if (call.request.method === 'GET' && isReply(message) && this.acceptedOnly.has(message.idKey))
      this.options.streams?.addAnswerOnGet();
    if (message.kind !== 'result' || !this.opens(message, call)) return;
    const result = isObject(message.json) ? message.json.result : undefined;
    if (!isObject(result)) return;
    this.session = call.seen?.header('mcp-session-id') ?? this.session;
    this.version = typeof result.protocolVersion === 'string' ? result.protocolVersion : undefined;
  }

  /** Whether a result answers a handshake request, also under another id in the exchange of the request. */
  private opens({ id }: Message, { exchange }: HttpCall): boolean {
    if (this.opening.delete(idKey(id))) return true;
    const [key] = [...this.opening].find(([, of]) => of === exchange) ?? [];
    return key !== undefined && this.opening.delete(key);
  }

  protected afterEnd(call: HttpCall, open: readonly Message[]): void {
    // the session has ended; a new session needs a new conversation
    const inSession = call.request.headers.some(([name]) => name.toLowerCase() === 'mcp-session-id');
    const gone = call.status === 404 && inSession && !call.request.deliberate;
    if (gone) {
      this.giveUp(open);
      this.end({ reason: 'The server ended the session with status 404.', details: [] });
    } else if (open.length === 0) return;
    else if (call.status === 202 && this.listening && this.options.streams?.mayAnswerOnGet)
      this.awaitOnGet(call, open);
    else this.resumeOrGiveUp(call, open);
  }

  /** Keeps requests open that the server may respond to on the GET stream: for a second, until one such response has arrived. */
  private awaitOnGet(call: HttpCall, open: readonly Message[]): void {
    for (const request of open) this.acceptedOnly.add(request.idKey);
    this.later(call, () => {
      const { streams } = this.options;
      const still = this.stillOpen(open);
      if (still.length === 0 || streams?.answersOnGet) return;
      streams?.addVainWait();
      this.giveUp(still);
    });
  }

  private resumeOrGiveUp(call: HttpCall, open: readonly Message[]): void {
    const resumable = call.isStream && call.resumable && Boolean(call.lastEventId);
    if (!resumable || !this.mayReopen(call, true)) this.giveUp(open);
    else
      this.later(call, () => {
        const still = this.stillOpen(open);
        if (still.length > 0) this.follow(this.get(call), still);
      });
  }

  /**
   * A stream with responses pending is resumed up to 100 times in a row; a stream without messages, up to 3
   * times.
   */
  private mayReopen(call: HttpCall, answersToCome: boolean): boolean {
    const inVain = call.messages > 0 ? 0 : call.reopenedInVain;
    return ++this.reopened <= limits.reopen && inVain < (answersToCome ? limits.polls : limits.reopenIdle);
  }

  /**
   * Acts after the `retry` time of the server; without this time, after ten times the quiet time (one second
   * by default).
   */
  private later(call: HttpCall, act: () => void): void {
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        if (!this.ended) act();
      },
      call.retry ?? this.options.timing.quiet * 10,
    );
    this.timers.add(timer);
  }

  /** Opens a stream with GET; resumes a broken stream if it has an event id. */
  private get(broken?: HttpCall): HttpCall {
    const lastEventId = broken?.lastEventId;
    const call = this.wire.send({
      method: 'GET',
      url: this.url,
      headers: [...this.headersFor('GET'), ...(lastEventId ? [['Last-Event-ID', lastEventId] as const] : [])],
      stream: 'get',
      ...(broken && lastEventId && { resumes: broken.exchange }),
    });
    call.lastEventId = lastEventId;
    call.retry = broken?.retry;
    if (broken) call.reopenedInVain = broken.messages > 0 ? 1 : broken.reopenedInVain + 1;
    return call;
  }

  /**
   * Keeps one stream open for messages that the server sends without a request; a response of 405 is valid.
   */
  private listen(broken?: HttpCall): HttpCall {
    const call = this.get(broken);
    this.listeningCall = call;
    void call.done.then(() => {
      const wasOpen = call.isStream && call.status === 200 && call.resumable;
      if (wasOpen && !this.ended && this.mayReopen(call, false)) this.later(call, () => this.listen(call));
    });
    return call;
  }

  protected async leave(): Promise<void> {
    for (const timer of this.timers) clearTimeout(timer);
    const calls = this.openSessions().map(id => {
      const headers = withChanges(this.headersFor('DELETE'), { 'Mcp-Session-Id': id });
      return this.wire.send({ method: 'DELETE', url: this.url, headers });
    });
    await waitFor(Promise.all(calls.map(call => call.done)), this.options.timing.exit);
  }

  /**
   * Open sessions: started here by the server, also for an initialize sent by a scenario, and not ended yet.
   */
  private openSessions(): string[] {
    const exchanges = this.options.conversation.http().filter(e => (e.status ?? 400) < 300);
    const begun = exchanges.filter(e => e.sent.some(beginsHandshake)).map(e => e.header('mcp-session-id'));
    const ended = exchanges
      .filter(e => e.request?.method === 'DELETE')
      .map(e => e.requestHeader('mcp-session-id'));
    return [...new Set(begun)].filter(id => id !== undefined && !ended.includes(id)) as string[];
  }

  protected override end(...failure: Parameters<HttpLink['end']>): void {
    for (const timer of this.timers) clearTimeout(timer);
    super.end(...failure);
  }
}
