/** HTTP requests and responses of the mock as plain values, so that a deviation can change each part. */

import { formatSse, type SseFields } from '../../../harness/framing/sse.js';
import type { Json } from '../../../spec/json-rpc.js';

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
