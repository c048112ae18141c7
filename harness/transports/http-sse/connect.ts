/** HTTP with SSE (the first HTTP transport), harness as client: one stream, and an endpoint for messages. */

import type { HeaderList } from '../../record/event.js';
import type { Message } from '../../record/message.js';
import type { HttpCall } from '../http/http-client.js';
import { type HttpDialOptions, HttpLink } from '../http/link.js';
import type { Link, Outgoing } from '../link.js';

export const dialHttpSse = (options: HttpDialOptions): Link => new HttpSseLink(options);

class HttpSseLink extends HttpLink {
  private endpoint: URL | undefined;
  private streamCall: HttpCall | undefined;

  constructor(options: HttpDialOptions) {
    super('http-sse', options);
  }

  get messageUrl(): URL | undefined {
    return this.endpoint;
  }

  get listening(): HttpCall | undefined {
    return this.streamCall?.finished ? undefined : this.streamCall;
  }

  headersFor(method: string, body?: string | Buffer): HeaderList {
    return [
      ...this.baseHeaders(method, method === 'POST' ? (this.endpoint ?? this.url) : this.url),
      ...(method === 'GET' ? [['Accept', 'text/event-stream'] as const] : []),
      ...(body !== undefined ? [['Content-Type', 'application/json'] as const] : []),
    ];
  }

  /** Connects, and waits for the endpoint; no message can be sent before. */
  protected async begin(): Promise<void> {
    const call = this.wire.send({
      method: 'GET',
      url: this.url,
      headers: this.headersFor('GET'),
      stream: 'sse',
    });
    this.streamCall = call;
    this.follow(call, []);
    const told = new Promise<void>(resolve => {
      call.onBlock = ({ event, data }) => {
        if (event !== 'endpoint' || this.endpoint) return;
        this.found(data ?? '');
        resolve();
      };
      void call.done.then(() => resolve());
    });
    const { answer, budget } = this.options.timing;
    const began = performance.now();
    const late = await this.clock.waitAtMost(told, answer);
    if (!late?.starved) budget?.waited(began);
    if (!late) return;
    this.options.tap({ kind: 'deadline', label: 'http', ...late, exchange: call.exchange });
    this.end();
  }

  private found(address: string): void {
    const readable = !/[\s{}"<>]/.test(address) && URL.canParse(address, this.url.href);
    const endpoint = readable ? new URL(address, this.url) : undefined;
    if (endpoint?.origin === this.url.origin) this.endpoint = endpoint;
    else
      this.end({
        reason: `The endpoint event names ${JSON.stringify(address)}, which is not an address on the server's own host.`,
        details: ['The harness sends nothing to other hosts: the request could disclose credentials.'],
      });
  }

  protected post(exchange: number, out: Outgoing): HttpCall {
    return this.wire.send(
      {
        method: 'POST',
        url: this.endpoint!,
        headers: this.headersFor('POST', out.text),
        body: out.text,
        stream: 'post',
        ...(out.deliberate && { deliberate: true }),
      },
      exchange,
    );
  }

  protected afterEnd(call: HttpCall, open: readonly Message[]): void {
    if (call === this.streamCall) this.end();
    // a refused message has no reply; the reply to an accepted message arrives on the stream
    else if (call.failure || (call.status ?? 0) >= 400) this.giveUp(open);
  }

  /** No action: the stream is the session, and closing the stream ends both. */
  protected async leave(): Promise<void> {}
}
