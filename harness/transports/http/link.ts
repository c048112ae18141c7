/** What both HTTP transports have in common: one link, its queue of messages, its end. */

import type { TransportId } from '../../../spec/revisions.js';
import type { HeaderList } from '../../record/event.js';
import { idKey, isReply, type Message } from '../../record/message.js';
import type { UrlSubject } from '../../subject/subject.js';
import { type Clock, ownClock, waitFor } from '../../time/clock.js';
import { toolVersion } from '../../version.js';
import type { ConnectionFailure, DialOptions, Link, Outgoing } from '../link.js';
import { type HttpCall, HttpClient } from './http-client.js';
import type { Sender } from './in-process.js';
import { ManualHttp } from './manual-http.js';
import { accepts, troubleAt, unreachable } from './reachable.js';
import type { ServerProcess } from './server-process.js';

export interface HttpDialOptions extends DialOptions {
  readonly subject: UrlSubject;
  /** Shared by all links of a run, so that connections are used again. */
  readonly agent: Sender;
  /** What serves the URL, when it is ours to start. */
  readonly server?: ServerProcess;
}

export abstract class HttpLink implements Link {
  readonly http: ManualHttp;
  readonly wire: HttpClient;
  readonly url: URL;
  failure: ConnectionFailure | undefined;
  protected ended = false;
  protected readonly pending = new Map<string, { request: Message; call: HttpCall | undefined }>();
  private readonly messageListeners: ((message: Message) => void)[] = [];
  private readonly unanswerableListeners: ((request: Message) => void)[] = [];
  private endListeners: (() => void)[] = [];
  private closing: Promise<void> | undefined;
  /** Messages go out one after the other, as far as their order matters. */
  private queue: Promise<unknown>;
  /** It once took long to accept a message; it is not waited for again. */
  private impatient = false;
  private readonly forget: () => void;

  constructor(
    readonly transport: TransportId,
    readonly options: HttpDialOptions,
  ) {
    const { subject, tap, revision, attempt, agent, server } = options;
    this.url = new URL(subject.url);
    const secrets = new Set(Object.keys(subject.headers).map(name => name.toLowerCase()));
    this.wire = new HttpClient({
      tap,
      agent,
      secrets,
      bodiesAreMessages: transport === 'streamable-http',
      onMessages: (messages, call) => this.receive(messages, call),
      onActivity: () => this.http.watch.changed(),
      onOverflow: () => this.end(),
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
          reason: `The server ${signal ? `was ended by ${signal}` : `exited with code ${code}`} during the run.`,
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

  /** What comes before the first message. */
  protected abstract begin(): Promise<void>;
  /** Sends one message. */
  protected abstract post(exchange: number, out: Outgoing, messages: readonly Message[]): HttpCall;
  /** Looks at what came in before anybody else does. */
  protected inspect(_message: Message, _call: HttpCall): void {}
  /** A call that carried requests is over, and these are not answered. */
  protected abstract afterEnd(call: HttpCall, open: readonly Message[]): void;
  /** Leaves politely. */
  protected abstract leave(): Promise<void>;
  abstract get messageUrl(): URL | undefined;
  abstract get listening(): HttpCall | undefined;
  /** What a polite client of this session sends. */
  abstract headersFor(method: string, withBody?: boolean): HeaderList;
  get sessionId(): string | undefined {
    return undefined;
  }
  get protocolVersion(): string | undefined {
    return undefined;
  }

  /** Headers of every request. */
  protected baseHeaders(url: URL): HeaderList {
    return [
      ['Host', url.host],
      ['User-Agent', `mcp-conform/${toolVersion}`],
      ...Object.entries(this.options.subject.headers),
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
      // what is said about a request in flight does not overtake it
      if (!asks) await this.untilAccepted();
      if (this.ended) return this.giveUp(requests);
      const call = this.post(exchange, out, messages);
      this.follow(call, requests);
      await (asks ? call.dispatched : this.accepted(call, messages));
    });
    return messages;
  }

  /** Nobody comes back for the answer to what was cancelled. */
  private forgetCancelled(messages: readonly Message[]): void {
    for (const m of messages)
      if (m.method === 'notifications/cancelled') this.pending.delete(idKey(m.params?.requestId));
  }

  /** From now on answers to these are awaited; gives those that can be answered. */
  expectAnswers(messages: readonly Message[]): Message[] {
    const requests = messages.filter(m => m.kind === 'request' && m.id !== null && m.id !== undefined);
    for (const request of requests) this.pending.set(idKey(request.id), { request, call: undefined });
    return requests;
  }

  /** Sees to it that somebody learns when requests stay unanswered. */
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

  /** A connection has failed: is anybody still there? */
  private async lookWhether(call: HttpCall): Promise<void> {
    const { server, timing, subject } = this.options;
    if (subject.fetch) return;
    if (unreachable.test(call.failure!.code)) return this.end(troubleAt(this.url, call.failure!));
    if (server) await server.goesSoon();
    else if (!(await accepts(this.url, timing.answer)))
      this.end({ reason: `Nothing takes connections at ${this.url.href} any more.`, details: [] });
  }

  /** Those that are not answered yet, nor cancelled. */
  protected stillOpen(requests: readonly Message[]): Message[] {
    return requests.filter(request => this.pending.get(idKey(request.id))?.request === request);
  }

  /** Nobody will answer these any more. */
  protected giveUp(requests: readonly Message[]): void {
    for (const request of requests) {
      if (this.pending.get(idKey(request.id))?.request === request) this.pending.delete(idKey(request.id));
      for (const listener of this.unanswerableListeners) listener(request);
    }
  }

  /** Requests in flight have been heard, as far as can be told. */
  private async untilAccepted(): Promise<void> {
    const calls = new Set([...this.pending.values()].flatMap(w => (w.call ? [w.call.head] : [])));
    if (calls.size > 0) await waitFor(Promise.all(calls), this.options.timing.quiet / 5);
  }

  /** A message without answer has been taken; a server that takes its time with it is not waited for twice. */
  protected async accepted(call: HttpCall, _messages: readonly Message[]): Promise<void> {
    const { answer, quiet } = this.options.timing;
    if (!(await waitFor(call.head, this.impatient ? quiet / 5 : answer / 5))) this.impatient = true;
  }

  /** What was said so far is on its way, in its order. */
  async settled(): Promise<void> {
    await waitFor(this.queue, this.options.timing.answer, this.clock);
  }

  private receive(messages: readonly Message[], call: HttpCall): void {
    for (const message of messages) {
      this.inspect(message, call);
      if (isReply(message)) this.pending.delete(idKey(message.id));
    }
    // nobody hears of an answer before our end is done with what it is doing
    queueMicrotask(() => {
      for (const message of messages) for (const listener of this.messageListeners) listener(message);
    });
  }

  /** A request under way, by the number of its exchange. */
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

  /** The conversation is over. Requests made by hand may still be answered until the link is closed. */
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
