/** HTTP requests and responses of the mock as plain values, so that a deviation can change each part. */

import { formatSse, type SseFields } from '../../../harness/framing/sse.js';
import type { PlainResponse } from '../../../harness/subject/plain-http.js';
import { type Json, parseJson } from '../../../spec/json-rpc.js';

/** A received request, with its whole body. */
export interface Incoming {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** The body as received, in chunks. */
  readonly pieces: readonly Uint8Array[];
}

/** The values of the bodies that were parsed; a request with another body is another object. */
const parsed = new WeakMap<Incoming, { readonly json: Json | undefined }>();

/** The value of a body; undefined for a body that is not JSON. */
export function jsonOf(ask: Incoming): Json | undefined {
  let known = parsed.get(ask);
  if (!known) {
    known = { json: parseJson(ask.body) };
    parsed.set(ask, known);
  }
  return known.json;
}

/** Output of a stream: a block, or raw bytes. */
export type Block = SseFields | string | Uint8Array;

/**
 * A streaming body. `start` is called once, when reading begins; its return value is called when reading
 * stops.
 */
export interface Streaming {
  start(stream: StreamWriter): () => void;
}

export interface StreamWriter {
  write(block: Block): void;
  /** The response is complete. */
  close(): void;
  /** The connection breaks before the response is complete. */
  reset(): void;
}

/** A response. `reset`: the connection is closed instead, without any byte. */
export interface HttpReply {
  readonly status: number;
  /** Names are compared without regard to case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Streaming;
  readonly reset?: true;
}

export const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
};

export const jsonReply = (status: number, json: Json, headers: HttpReply['headers'] = {}): HttpReply => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(json),
});

/** An error response with a JSON-RPC error without a request id. */
export const refuse = (status: number, message: string, headers: HttpReply['headers'] = {}): HttpReply =>
  jsonReply(status, { jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, headers);

export const isStreaming = (body: HttpReply['body']): body is Streaming =>
  typeof body === 'object' && 'start' in body;

/** The bytes of a block. */
const bytesOf = (block: Block): Uint8Array =>
  block instanceof Uint8Array ? block : Buffer.from(typeof block === 'string' ? block : formatSse(block));

/** A standard `Response` for a reply. @throws {Error} for a `reset` */
export function toResponse({ status, headers, body, reset }: HttpReply): Response {
  if (reset) throw new Error('The connection is reset.');
  if (!isStreaming(body)) return new Response((body as string | undefined) ?? null, { status, headers });
  let stop = () => {};
  let over = false;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const once = (act: () => void) => {
        if (!over) act();
        over = true;
      };
      stop = body.start({
        write: block => !over && controller.enqueue(bytesOf(block)),
        close: () => once(() => controller.close()),
        reset: () => once(() => controller.error(new Error('The connection is reset.'))),
      });
      if (over) stop();
    },
    cancel() {
      over = true;
      stop();
    },
  });
  return new Response(stream, { status, headers });
}

/** Statuses of responses without a body. */
const bodiless = [204, 205, 304];

/** What a standard `Response` for a reply has, without the object. @throws {Error} where `toResponse` does */
export function toPlain(reply: HttpReply): PlainResponse {
  const { status, headers, body, reset } = reply;
  if (reset) throw new Error('The connection is reset.');
  if (status < 200 || status > 599) throw new RangeError(`A response has no status ${status}.`);
  if (body !== undefined && bodiless.includes(status))
    throw new TypeError(`A response with status ${status} has no body.`);
  const list = headerList(headers, typeof body === 'string');
  if (!isStreaming(body)) return { status, headers: list, ...(body !== undefined && { body }) };
  return {
    status,
    headers: list,
    body: {
      start: writer => body.start({ ...writer, write: block => writer.write(bytesOf(block)) }),
    },
  };
}

/** Header names and values that a standard `Headers` object only sorts. */
const plainHeader = /^[\w!#$%&'*+.^`|~-]+:(?:[!-~](?:[ -~]*[!-~])?)?$/;

function headerList(headers: HttpReply['headers'], isText: boolean): [string, string][] {
  const list = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  if (isText && !list.some(([name]) => name === 'content-type'))
    list.push(['content-type', 'text/plain;charset=UTF-8']);
  const isPlain =
    list.every(([name, value]) => plainHeader.test(`${name}:${value}`)) &&
    new Set(list.map(([name]) => name)).size === list.length;
  return isPlain ? list.sort(([a], [b]) => (a < b ? -1 : 1)) : [...new Headers(list)];
}
