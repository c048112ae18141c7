/**
 * HTTP without a network: a web-standard handler in this process responds, and exchanges are recorded as for
 * a socket.
 */

import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { FetchHandler } from '../../subject/subject.js';

/** The object with which a link sends its requests. */
export type Sender = Pick<Dispatcher, 'dispatch'>;

export class InProcess implements Sender {
  private readonly open = new Set<InProcessCall>();

  constructor(private readonly fetch: FetchHandler) {}

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const call = new InProcessCall(this.fetch, options, handler);
    this.open.add(call);
    // asynchronous: no network server responds during the client's write
    process.nextTick(() => void call.run().finally(() => this.open.delete(call)));
    return true;
  }

  async destroy(): Promise<void> {
    for (const call of this.open) call.abort(new Error('The run has ended.'));
  }
}

/** The body of a harness request: text, bytes, or a stream of pieces. */
const bodyOf = (body: Dispatcher.DispatchOptions['body']): RequestInit =>
  typeof body === 'string' || Buffer.isBuffer(body)
    ? { body }
    : { body: ReadableStream.from(body as Readable), duplex: 'half' };

/** One request; the call is its own dispatch controller, in place of a socket. */
class InProcessCall implements Dispatcher.DispatchController {
  rawHeaders: Buffer[] = [];
  paused = false;
  reason: Error | null = null;
  private readonly controller = new AbortController();
  private body: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(
    private readonly fetch: FetchHandler,
    private readonly options: Dispatcher.DispatchOptions,
    private readonly handler: Dispatcher.DispatchHandler,
  ) {}

  get aborted(): boolean {
    return this.controller.signal.aborted;
  }

  /** Aborts the request: the handler sees a closed connection. */
  abort(reason: Error): void {
    if (this.aborted) return;
    this.reason = reason;
    this.controller.abort(reason);
    this.body?.cancel(reason).catch(() => {});
  }

  // no flow control: the reader in this process is always ready
  pause(): void {}
  resume(): void {}

  async run(): Promise<void> {
    const { handler } = this;
    try {
      handler.onRequestStart?.(this, {});
      if (!this.aborted) await this.relay(await this.fetch(this.request()));
      if (this.aborted) throw this.reason;
      handler.onResponseEnd?.(this, {});
    } catch (error) {
      const lost = Object.assign(new Error(String(error)), { code: 'ECONNRESET' });
      handler.onResponseError?.(this, this.reason ?? lost);
    }
  }

  private request(): Request {
    const { origin, path, method, headers, body } = this.options;
    const flat = (headers ?? []) as string[];
    const given = new Headers();
    for (let i = 0; i < flat.length; i += 2) given.append(flat[i]!, flat[i + 1]!);
    return new Request(new URL(path, String(origin)), {
      method,
      headers: given,
      signal: this.controller.signal,
      ...(body !== null && bodyOf(body)),
    });
  }

  private async relay(response: Response): Promise<void> {
    this.body = response.body?.getReader();
    if (this.aborted) return void this.body?.cancel().catch(() => {});
    const pairs = [...response.headers];
    this.rawHeaders = pairs.flat().map(text => Buffer.from(text, 'latin1'));
    this.handler.onResponseStart?.(this, response.status, Object.fromEntries(pairs), response.statusText);
    if (!this.body) return;
    for (let next = await this.body.read(); !next.done; next = await this.body.read())
      if (!this.aborted) this.handler.onResponseData?.(this, Buffer.from(next.value));
  }
}
