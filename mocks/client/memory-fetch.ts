/**
 * `fetch` for a client in the process of its server: requests to a server of the harness pass no socket and no objects
 * of the Fetch standard. The server sees what it sees of `fetch` in Node.
 */

import type { PlainWriter } from '../../harness/subject/plain-http.js';
import { Chunks } from '../../harness/transports/http/chunks.js';
import {
  type LocalServer,
  localServer,
  type ServerReply,
  type ServerRequest,
} from '../../harness/transports/http/server/local-servers.js';
import type { HttpResponse, HttpSend, HttpSendOptions } from './http-message.js';

export const memoryFetch: HttpSend = async (address, options = {}) => {
  const url = new URL(address);
  const server = localServer(url.origin);
  const headers = server && headersOf(url, options);
  return headers ? exchange(server, url, options, headers) : fetch(address, options);
};

/** Headers to which `fetch` does more than to send them. */
const special =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|expect|te|upgrade|cookie|sec-.*)$/;
const plainName = /^[\w!#$%&'*+.^`|~-]+$/;
const plainValue = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;

/** The headers as `fetch` sends them, in order; undefined for a request that needs `fetch`. */
function headersOf(url: URL, options: HttpSendOptions): [string, string][] | undefined {
  const { method = 'GET', headers = {}, body, redirect } = options;
  const isBare = method === 'GET';
  if (redirect !== 'manual' || url.username || url.password) return undefined;
  if (!['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'].includes(method) || (isBare && body !== undefined))
    return undefined;
  const given = Object.entries(headers);
  const names = new Set(given.map(([name]) => name.toLowerCase()));
  const isPlain = given.every(([name, value]) => plainName.test(name) && plainValue.test(value));
  if (!isPlain || names.size < given.length || [...names].some(name => special.test(name))) return undefined;
  const usual = (name: string, value: string): [string, string][] => (names.has(name) ? [] : [[name, value]]);
  const size = body === undefined ? 0 : Buffer.byteLength(body);
  return [
    ['host', url.host],
    ['connection', 'keep-alive'],
    ...given,
    ...(body === undefined ? [] : usual('content-type', 'text/plain;charset=UTF-8')),
    ...usual('accept', '*/*'),
    ...usual('accept-language', '*'),
    ['sec-fetch-mode', 'cors'],
    ...usual('user-agent', 'node'),
    ...usual('accept-encoding', 'gzip, deflate'),
    ...(body !== undefined || method === 'POST' || method === 'PUT'
      ? [['content-length', String(size)] as [string, string]]
      : []),
  ];
}

type Connection = ServerRequest['socket'];

/** Connections without a request. */
const idle = new WeakMap<LocalServer, Connection[]>();

function connectionTo(server: LocalServer): Connection {
  const free = idle.get(server)?.pop();
  if (free) return free;
  server.connected();
  return { closed: false, once: () => {} };
}

function giveBack(server: LocalServer, connection: Connection): void {
  const free = idle.get(server) ?? [];
  free.push(connection);
  idle.set(server, free);
}

function exchange(
  server: LocalServer,
  url: URL,
  { method = 'GET', body, signal }: HttpSendOptions,
  headers: readonly [string, string][],
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    let reply: MemoryReply | undefined;
    const abort = () => {
      reject(signal!.reason);
      reply?.leave();
    };
    signal?.addEventListener('abort', abort, { once: true });
    const over = () => signal?.removeEventListener('abort', abort);
    // a request arrives in a later turn of the event loop, as from a socket
    setImmediate(() => {
      if (signal?.aborted) return;
      if (server.isClosed) return reject(new TypeError('fetch failed'));
      const socket = connectionTo(server);
      reply = new MemoryReply(socket, { resolve, reject, over, free: () => giveBack(server, socket) });
      const bytes = Buffer.from(body ?? '');
      const request = {
        method,
        url: url.pathname + url.search,
        headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
        rawHeaders: headers.flat(),
        complete: true,
        socket,
        resume: () => {},
        async *[Symbol.asyncIterator]() {
          if (bytes.length > 0) yield bytes;
        },
      };
      server.handle(request, reply);
    });
  });
}

interface Client {
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: unknown) => void;
  /** The exchange has ended. */
  readonly over: () => void;
  /** The connection can carry another request. */
  readonly free: () => void;
}

/** Statuses of responses without a body. */
const bodiless = [204, 205, 304];

/** One response: what the server writes in one turn of the event loop arrives in the next one, as one chunk. */
class MemoryReply implements ServerReply {
  sendDate = true;
  private head: { readonly status: number; readonly headers: [string, string][] } | undefined;
  private writer: PlainWriter | undefined;
  private readonly unsent: Buffer[] = [];
  private state: 'open' | 'ended' | 'broken' = 'open';
  private isClosed = false;
  private isDue = false;
  private readonly listeners: (() => void)[] = [];

  constructor(
    readonly socket: object,
    private readonly client: Client,
  ) {}

  on(): this {
    return this;
  }

  once(_event: 'close', listener: () => void): this {
    this.listeners.push(listener);
    return this;
  }

  writeHead(status: number, headers: Record<string, string> | string[]): this {
    const flat = Array.isArray(headers) ? headers : Object.entries(headers).flat();
    const list = Array.from({ length: flat.length / 2 }, (_, at): [string, string] => [
      flat[2 * at]!,
      flat[2 * at + 1]!,
    ]);
    this.head = { status, headers: list };
    return this;
  }

  flushHeaders(): void {
    this.deliverSoon();
  }

  write(bytes: Buffer): void {
    if (this.state !== 'open') return;
    this.unsent.push(bytes);
    this.deliverSoon();
  }

  end(bytes?: Buffer | string): void {
    if (this.state !== 'open') return;
    if (bytes !== undefined && bytes.length > 0) this.unsent.push(Buffer.from(bytes));
    this.state = 'ended';
    this.deliverSoon();
  }

  destroy(): void {
    if (this.state !== 'open') return;
    this.state = 'broken';
    this.deliverSoon();
  }

  /** The client closes the connection. */
  leave(): void {
    if (this.isClosed) return;
    this.state = 'broken';
    this.unsent.length = 0;
    this.writer?.reset();
    this.deliverSoon();
  }

  private deliverSoon(): void {
    if (this.isDue || this.isClosed) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      this.deliver();
    });
  }

  private deliver(): void {
    const { client, state } = this;
    if (this.head && !this.writer) this.begin(this.head);
    const unsent = this.unsent.splice(0);
    if (unsent.length > 0) this.writer?.write(unsent.length === 1 ? unsent[0]! : Buffer.concat(unsent));
    if (state === 'open') return;
    this.isClosed = true;
    if (state === 'ended') this.writer?.close();
    else this.writer?.reset();
    if (state === 'ended') client.free();
    client.reject(new TypeError('fetch failed'));
    client.over();
    for (const listener of this.listeners) listener();
  }

  private begin({ status, headers }: { status: number; headers: [string, string][] }): void {
    const start = (writer: PlainWriter) => {
      this.writer = writer;
      return () => this.leave();
    };
    const chunks = new Chunks({ start }, () => new TypeError('terminated'));
    const list = new Headers();
    for (const [name, value] of headers) list.append(name, value);
    const body = bodiless.includes(status) ? null : iterable(chunks);
    this.client.resolve({ status, headers: list, body, text: () => textOf(chunks) });
  }
}

const iterable = (chunks: Chunks): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => ({
    async next() {
      const value = await chunks.read();
      return value ? { done: false, value } : { done: true, value: undefined };
    },
    async return() {
      chunks.cancel();
      return { done: true, value: undefined };
    },
  }),
});

async function textOf(chunks: Chunks): Promise<string> {
  const pieces: Uint8Array[] = [];
  for (let piece = await chunks.read(); piece; piece = await chunks.read()) pieces.push(piece);
  return new TextDecoder().decode(Buffer.concat(pieces));
}
