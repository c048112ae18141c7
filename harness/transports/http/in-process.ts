/**
 * HTTP without a network: a web-standard handler in this process responds, and exchanges are recorded as for
 * a socket.
 */

import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { PlainHandler, PlainRequest, PlainResponse } from '../../subject/plain-http.js';
import type { FetchHandler } from '../../subject/subject.js';
import { Chunks } from './chunks.js';

/** The object with which a link sends its requests. */
export type Sender = Pick<Dispatcher, 'dispatch'>;

export class InProcess implements Sender {
  private readonly open = new Set<InProcessCall>();

  /** @param plain the same handler without the objects of the Fetch standard */
  constructor(
    private readonly fetch: FetchHandler,
    private readonly plain?: PlainHandler,
  ) {}

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const call = new InProcessCall(this.fetch, this.plain, options, handler);
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

const plainMethods = ['GET', 'POST', 'DELETE', 'PUT', 'OPTIONS', 'HEAD', 'PATCH'];

/** Header values that the Fetch standard leaves as they are. */
const plainValue = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;
const plainName = /^[\w!#$%&'*+.^`|~-]+$/;

/** The headers as the Fetch standard reads them; undefined where it does more than combine and sort. */
function plainHeaders(flat: readonly string[]): Map<string, string> | undefined {
  const headers = new Map<string, string>();
  for (let at = 0; at < flat.length; at += 2) {
    const name = flat[at]!.toLowerCase();
    const value = flat[at + 1]!;
    const earlier = headers.get(name);
    if (!plainName.test(name) || !plainValue.test(value) || /^(?:set-)?cookie$/.test(name)) return undefined;
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return headers;
}

/** The request without the objects of the Fetch standard; undefined where the standard changes or refuses it. */
async function plainRequest(options: Dispatcher.DispatchOptions): Promise<PlainRequest | undefined> {
  const { origin, path, method, body } = options;
  const headers = plainHeaders((options.headers ?? []) as string[]);
  const url = new URL(path, String(origin));
  const isBare = method === 'GET' || method === 'HEAD';
  if (!headers || !plainMethods.includes(method) || url.username || url.password) return undefined;
  if (isBare && body !== null) return undefined;
  if (typeof body === 'string' && !headers.has('content-type'))
    headers.set('content-type', 'text/plain;charset=UTF-8');
  const sorted = new Map([...headers].sort(([a], [b]) => (a < b ? -1 : 1)));
  const pieces: Uint8Array[] = [];
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    if (body.length > 0) pieces.push(Buffer.from(body));
  } else for await (const piece of (body ?? []) as Readable) pieces.push(piece as Uint8Array);
  return { method, url, headers: sorted, pieces };
}

/** One request; the call is its own dispatch controller, in place of a socket. */
class InProcessCall implements Dispatcher.DispatchController {
  rawHeaders: Buffer[] = [];
  paused = false;
  reason: Error | null = null;
  /** Created for a handler of the Fetch standard. */
  private controller: AbortController | undefined;
  private stopReading: ((reason: Error) => void) | undefined;

  constructor(
    private readonly fetch: FetchHandler,
    private readonly plain: PlainHandler | undefined,
    private readonly options: Dispatcher.DispatchOptions,
    private readonly handler: Dispatcher.DispatchHandler,
  ) {}

  get aborted(): boolean {
    return this.reason !== null;
  }

  /** Aborts the request: the handler sees a closed connection. */
  abort(reason: Error): void {
    if (this.aborted) return;
    this.reason = reason;
    this.controller?.abort(reason);
    this.stopReading?.(reason);
  }

  // no flow control: the reader in this process is always ready
  pause(): void {}
  resume(): void {}

  async run(): Promise<void> {
    const { handler } = this;
    try {
      handler.onRequestStart?.(this, {});
      if (!this.aborted) await this.respond();
      if (this.aborted) throw this.reason;
      handler.onResponseEnd?.(this, {});
    } catch (error) {
      const lost = Object.assign(new Error(String(error)), { code: 'ECONNRESET' });
      handler.onResponseError?.(this, this.reason ?? lost);
    }
  }

  private async respond(): Promise<void> {
    const { plain } = this;
    const request = plain && (await plainRequest(this.options));
    if (request) await this.relayPlain(await plain(request));
    else await this.relay(await this.fetch(this.request()));
  }

  private request(): Request {
    const { origin, path, method, headers, body } = this.options;
    this.controller = new AbortController();
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
    const body = response.body?.getReader();
    this.stopReading = reason => void body?.cancel(reason).catch(() => {});
    if (this.aborted) return this.stopReading(this.reason!);
    this.start(response.status, [...response.headers], response.statusText);
    if (!body) return;
    for (let next = await body.read(); !next.done; next = await body.read())
      this.pass(Buffer.from(next.value));
  }

  private async relayPlain({ status, headers, body }: PlainResponse): Promise<void> {
    const isStream = typeof body === 'object' && 'start' in body;
    const chunks = isStream ? new Chunks(body) : undefined;
    this.stopReading = () => chunks?.cancel();
    if (this.aborted) return this.stopReading(this.reason!);
    this.start(status, headers);
    for (let chunk = await chunks?.read(); chunk; chunk = await chunks?.read()) this.pass(Buffer.from(chunk));
    if (!isStream && body && body.length > 0) this.pass(Buffer.from(body));
  }

  private start(status: number, headers: readonly (readonly [string, string])[], reason = ''): void {
    this.rawHeaders = headers.flat().map(text => Buffer.from(text, 'latin1'));
    this.handler.onResponseStart?.(this, status, Object.fromEntries(headers), reason);
  }

  private pass(chunk: Buffer): void {
    if (!this.aborted) this.handler.onResponseData?.(this, chunk);
  }
}
