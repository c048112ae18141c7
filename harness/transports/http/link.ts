/** The common part of both HTTP transports: one link, its message queue, its end. */

import type { TransportId } from '../../../spec/revisions.js';
import type { HeaderList } from '../../record/event.js';
import { idKey, isReply, type Message } from '../../record/message.js';
import type { UrlSubject } from '../../subject/subject.js';
import { type Clock, ownClock, waitFor } from '../../time/clock.js';
import { toolVersion } from '../../version.js';
import type { ConnectionFailure, DialOptions, Link, Outgoing } from '../link.js';
import { AllowedHosts } from './allowed-hosts.js';
import { type HttpCall, HttpClient } from './http-client.js';
import type { Sender } from './in-process.js';
import { ManualHttp } from './manual-http.js';
import { accepts, troubleAt, unreachable } from './reachable.js';
import type { ServerProcess } from './server-process.js';

export interface HttpDialOptions extends DialOptions {
  readonly subject: UrlSubject;
  /** Shared by all links of a run, so that connections are reused. */
  readonly agent: Sender;
  /** The process that serves the URL, when the harness starts the process. */
  readonly server?: ServerProcess;
}

export abstract class HttpLink implements Link {
  readonly http: ManualHttp;
  readonly wire: HttpClient;
  readonly url: URL;
  /** Hosts that requests outside of MCP go to; undefined: all. */
  readonly hosts: AllowedHosts | undefined;
  failure: ConnectionFailure | undefined;
  protected ended = false;
  protected readonly pending = new Map<string, { request: Message; call: HttpCall | undefined }>();
  private readonly messageListeners: ((message: Message) => void)[] = [];
  private readonly unanswerableListeners: ((request: Message) => void)[] = [];
  private endListeners: (() => void)[] = [];
  private closing: Promise<void> | undefined;
  /** Messages are sent one after the other where their order matters. */
  private queue: Promise<unknown>;
  /** The server was slow to accept a message once: later waits are short. */
  private impatient = false;
  private readonly forget: () => void;

  constructor(
    readonly transport: TransportId,
    readonly options: HttpDialOptions,
  ) {
    const { subject, tap, revision, attempt, agent, server } = options;
    this.url = new URL(subject.url);
    // without a network, no request leaves this process
    this.hosts = subject.fetch || subject.allowExternal ? undefined : new AllowedHosts([this.url]);
    const secretHeaders = new Set(Object.keys(subject.headers).map(name => name.toLowerCase()));
    this.wire = new HttpClient({
      tap,
      agent,
      secretHeaders,
      secrets: options.secrets,
      bodiesAreMessages: transport === 'streamable-http',
      onMessages: (messages, call) => this.receive(messages, call),
      onHead: ({ header }) => subject.proofs?.learn(header),
      onActivity: () => this.http.watch.changed(),
      onOverflow: () => this.end(),
      intake: options.intake,
    });
    this.http = new ManualHttp(this);
    tap({
      kind: 'open',
      transport,
      revision,
      url: subject.url,
      ...(attempt !== undefined && { attempt }),
    });
    this.forget =
      server?.onExit(({ code, signal }) => {
        if (this.ended) return;
        tap({ kind: 'exit', code, signal });
        this.end({
          reason: `The server ${signal ? `was terminated by ${signal}` : `exited with code ${code}`} during the run.`,
          details: server.stderrTail().map(line => `output: ${line}`),
        });
      }) ?? (() => {});
    this.queue = this.start(server);
  }

  private async start(server: ServerProcess | undefined): Promise<void> {
    const failure = await server?.ready();
    if (failure) return this.end(failure);
    if (this.ended) return;
    await this.lookAround(server);
    if (this.ended) return;
    await this.begin();
  }

  private async lookAround(server: ServerProcess | undefined): Promise<void> {
    for (const found of (await server?.exposure()) ?? [])
      if (!this.ended) this.options.tap({ kind: 'reach', ...found });
  }

  /** Steps before the first message. */
  protected abstract begin(): Promise<void>;
  /** Sends one message. */
  protected abstract post(exchange: number, out: Outgoing, messages: readonly Message[]): HttpCall;
  /** Inspects a message before the listeners receive it. */
  protected inspect(_message: Message, _call: HttpCall): void {}
  /** Called when a call that carried requests ends without replies to them. */
  protected abstract afterEnd(call: HttpCall, open: readonly Message[]): void;
  /** Leaves politely. */
  protected abstract leave(): Promise<void>;
  abstract get messageUrl(): URL | undefined;
  abstract get listening(): HttpCall | undefined;
  /** Headers that a conforming client of this session sends. */
  abstract headersFor(method: string, body?: string | Buffer): HeaderList;
  get sessionId(): string | undefined {
    return undefined;
  }
  get protocolVersion(): string | undefined {
    return undefined;
  }

  /** Headers common to all requests. */
  protected baseHeaders(method: string, url: URL): HeaderList {
    return [
      ['Host', url.host],
      ['User-Agent', `mcp-conform/${toolVersion}`],
      ...Object.entries(this.options.subject.headers),
      ...(this.options.subject.proofs?.headersFor(method, url) ?? []),
    ];
  }

  get writable(): boolean {
    return !this.ended;
  }

  get clock(): Clock {
    return this.options.server?.clock ?? ownClock;
  }

  send(out: Outgoing): Message[] {
    const exchange = this.wire.next();
    const messages = this.wire.frame(exchange, out.text, 'post', out.deliberate);
    const requests = this.expectAnswers(messages);
    const asks = requests.length > 0;
    this.forgetCancelled(messages);
    this.queue = this.queue.then(async () => {
      // a message about a request in flight, such as a cancellation, does not overtake this request
      if (!asks) await this.untilAccepted();
      if (this.ended) return this.giveUp(requests);
      const call = this.post(exchange, out, messages);
      this.follow(call, requests);
      await (asks ? call.dispatched : this.accepted(call, messages));
    });
    return messages;
  }

  /** A cancelled request expects no reply. */
  private forgetCancelled(messages: readonly Message[]): void {
    for (const m of messages)
      if (m.method === 'notifications/cancelled') this.pending.delete(idKey(m.params?.requestId));
  }

  /** Registers requests as awaiting replies; returns the requests that can have a reply. */
  expectAnswers(messages: readonly Message[]): Message[] {
    const requests = messages.filter(m => m.kind === 'request' && m.id !== null && m.id !== undefined);
    for (const request of requests) this.pending.set(idKey(request.id), { request, call: undefined });
    return requests;
  }

  /** Reports requests that remain without a reply when the call ends. */
  follow(call: HttpCall, requests: readonly Message[]): void {
    for (const request of requests) {
      const waiting = this.pending.get(idKey(request.id));
      if (waiting?.request === request) waiting.call = call;
    }
    void call.done.then(async () => {
      if (call.failure) await this.lookWhether(call);
      const open = [...this.pending.values()].filter(w => w.call === call).map(w => w.request);
      if (this.ended) this.giveUp(open);
      else this.afterEnd(call, open);
    });
  }

  /** Checks after a failed connection whether the server still accepts connections. */
  private async lookWhether(call: HttpCall): Promise<void> {
    const { server, timing, subject } = this.options;
    if (subject.fetch) return;
    if (unreachable.test(call.failure!.code)) return this.end(troubleAt(this.url, call.failure!));
    if (server) await server.goesSoon();
    else if (!(await accepts(this.url, timing.answer)))
      this.end({ reason: `The server at ${this.url.href} no longer accepts connections.`, details: [] });
  }

  /** The requests that have no reply yet and are not cancelled. */
  protected stillOpen(requests: readonly Message[]): Message[] {
    return requests.filter(request => this.pending.get(idKey(request.id))?.request === request);
  }

  /** Reports that these requests will get no reply. */
  protected giveUp(requests: readonly Message[]): void {
    for (const request of requests) {
      if (this.pending.get(idKey(request.id))?.request === request) this.pending.delete(idKey(request.id));
      for (const listener of this.unanswerableListeners) listener(request);
    }
  }

  /** Waits until the requests in flight have response heads, at most a fifth of the quiet time. */
  private async untilAccepted(): Promise<void> {
    const calls = new Set([...this.pending.values()].flatMap(w => (w.call ? [w.call.head] : [])));
    if (calls.size > 0) await waitFor(Promise.all(calls), this.options.timing.quiet / 5);
  }

  /** Waits until a message without a reply is accepted; a slow server gets a full wait only once. */
  protected async accepted(call: HttpCall, _messages: readonly Message[]): Promise<void> {
    const { answer, quiet } = this.options.timing;
    if (!(await waitFor(call.head, this.impatient ? quiet / 5 : answer / 5))) this.impatient = true;
  }

  /** Waits until all messages so far are sent, in order. */
  async settled(): Promise<void> {
    await waitFor(this.queue, this.options.timing.answer, this.clock);
  }

  private receive(messages: readonly Message[], call: HttpCall): void {
    for (const message of messages) {
      this.inspect(message, call);
      if (isReply(message)) this.pending.delete(idKey(message.id));
    }
    // listeners run only after the current synchronous code of the harness
    queueMicrotask(() => {
      for (const message of messages) for (const listener of this.messageListeners) listener(message);
    });
  }

  /** The open call with this exchange number. */
  callOf(exchange: number): HttpCall | undefined {
    return [...this.wire.open].find(call => call.exchange === exchange);
  }

  onMessage(listener: (message: Message) => void): void {
    this.messageListeners.push(listener);
  }

  onActivity(listener: () => void): void {
    this.http.watch.onChange(listener);
  }

  onEnd(listener: () => void): void {
    this.endListeners.push(listener);
  }

  onUnanswerable(listener: (request: Message) => void): void {
    this.unanswerableListeners.push(listener);
  }

  /** Ends the conversation. Requests made by scenarios may still get responses until the link is closed. */
  protected end(failure?: ConnectionFailure): void {
    if (this.ended) return;
    this.failure ??= failure;
    this.ended = true;
    this.forget();
    for (const listener of this.endListeners) listener();
    this.endListeners = [];
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    this.options.tap({ kind: 'closing' });
    if (!this.ended) await this.leave();
    this.end();
    this.wire.abortAll();
  }
}
