/** HTTP requests of one link: each is sent unchanged, and all its events are recorded. */

import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { type SseFields, type SseRead, SseReader } from '../../framing/sse.js';
import type { HeaderList, HttpStream, Overflow } from '../../record/event.js';
import { mediaType } from '../../record/http-exchange.js';
import type { Message } from '../../record/message.js';
import type { Secrets } from '../../record/redaction.js';
import type { Tap } from '../../record/tap.js';
import { Intake } from '../intake.js';
import { pairs, redact, redactUrl } from './headers.js';
import type { Sender } from './in-process.js';
import { type Head, ResponseReader } from './response-reader.js';

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: HeaderList;
  readonly body?: string | Buffer;
  /** The body split into pieces, in sending order. */
  readonly pieces?: readonly Uint8Array[];
  readonly stream?: HttpStream;
  readonly resumes?: number;
  readonly deliberate?: true;
}

interface WireOptions {
  readonly tap: Tap;
  readonly agent: Sender;
  /** Names of headers whose values are not recorded, in lower case. */
  readonly secretHeaders: ReadonlySet<string>;
  /** Learn the credentials in headers. */
  readonly secrets?: Secrets | undefined;
  /** Called with received messages, in order. */
  readonly onMessages: (messages: readonly Message[], call: HttpCall) => void;
  /** Whether the body of a response to a POST may be a message; default true. */
  readonly bodiesAreMessages?: boolean;
  /** Called with the head of each response. */
  readonly onHead?: ((head: Head) => void) | undefined;
  /** Called after each event of an exchange: a head, a block, its end. */
  readonly onActivity: () => void;
  /** Called when a limit is exceeded. */
  readonly onOverflow: () => void;
  /** Counts the input of the run; default: of this link alone. */
  readonly intake?: Intake | undefined;
}

/** Totals received over all exchanges of a link. */
interface Received {
  blocks: number;
  idle: number;
}

export class HttpClient {
  readonly received: Received = { blocks: 0, idle: 0 };
  readonly intake: Intake;
  readonly open = new Set<HttpCall>();
  /** The data sent under each event id, to recognize repeated events. */
  readonly said = new Map<string, string>();
  private last = 0;

  constructor(readonly options: WireOptions) {
    this.intake = options.intake ?? new Intake();
  }

  /** The number of the next exchange. */
  next(): number {
    return ++this.last;
  }

  /** Records a body as a frame of the harness. */
  frame(exchange: number, body: string | Buffer, stream: HttpStream, deliberate?: true): Message[] {
    const text = typeof body === 'string' ? body : body.toString('utf8');
    const lossy = typeof body !== 'string' && !Buffer.from(text).equals(body);
    return this.options.tap({
      kind: 'frame',
      by: 'client',
      text,
      ...(lossy && { invalidUtf8: true }),
      ...(deliberate && { deliberate }),
      exchange,
      stream,
    });
  }

  /** Sends a request whose body is already recorded. */
  send(request: WireRequest, exchange = this.next()): HttpCall {
    const call = this.prepare(request, exchange);
    call.dispatch();
    return call;
  }

  /** A request that `dispatch` sends. */
  prepare(request: WireRequest, exchange: number): HttpCall {
    const call = new HttpCall(this, request, exchange);
    this.open.add(call);
    void call.done.then(() => this.open.delete(call));
    return call;
  }

  /** Records a request that the network loses. */
  lose(request: WireRequest, exchange: number): void {
    const call = new HttpCall(this, request, exchange);
    call.record();
    this.options.tap({ kind: 'http-end', exchange, by: 'error', ...networkFault });
  }

  /** Records an event that the network delivers to the client once more. */
  redeliver(exchange: number, { data = '', ...event }: SseFields): void {
    const { tap } = this.options;
    tap({ kind: 'sse', exchange, ...event, framed: true, redelivered: true });
    tap({ kind: 'frame', by: 'server', text: data, exchange, stream: 'get', replay: true });
  }

  abortAll(): void {
    for (const call of this.open) call.abort();
  }
}

/** A stream that sends a body piece by piece. */
const inPieces = (pieces: readonly Uint8Array[]): Readable =>
  Readable.from(oneByOne(pieces), { objectMode: false });

/** Yields the next piece only after the previous one is sent. */
async function* oneByOne(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}

/** A failure of the network while a response is on its way to the client. */
export interface ConnectionBreak {
  /** Number of bytes of the body that arrive, or `nothing`: not even the head. */
  readonly after: number | 'nothing';
  /** The server does not notice: what it sends on the connection is lost. */
  readonly unnoticed: boolean;
}

/** How a connection ends that the network broke on purpose. */
export const networkFault = {
  code: 'NETWORK_FAULT',
  reason: 'the network fault broke the connection',
} as const;

/** One request in progress. No promise rejects: failures are recorded, and `done` resolves. */
export class HttpCall {
  /** Resolves when the bytes are handed to a connection, or never will be. */
  readonly dispatched: Promise<void>;
  /** The head of the response; undefined if none was received. */
  readonly head: Promise<Head | undefined>;
  readonly done: Promise<void>;
  /** The failure that ended the request; undefined without failure. */
  failure: { readonly code: string; readonly reason: string } | undefined;
  finished = false;
  /** The last event id received on the stream; undefined if there was none. */
  lastEventId: string | undefined;
  /** Number of earlier connections of the stream without a message. */
  reopenedInVain = 0;
  /** False when the rest of a broken stream is not needed. */
  resumable = true;
  /** Reconnection time requested by the stream, in milliseconds. */
  retry: number | undefined;
  /** Number of messages received. */
  messages = 0;
  /** Called with the head of the response; `onChunk` is called with its bytes. */
  onHeadSeen: ((head: Head) => void) | undefined;
  onChunk: ((chunk: Buffer) => void) | undefined;
  /** Called with each block of the stream. */
  onBlock: ((fields: SseFields) => void) | undefined;
  /** Where the network breaks the connection; default: nowhere. */
  breaks: ConnectionBreak | undefined;
  /** The head of the response, once received. */
  seen: Head | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private answer: ResponseReader | undefined;
  /** Reads what the server sends after the network broke the connection. */
  private lost: SseReader | undefined;
  /** Number of bytes of the body that have arrived. */
  private size = 0;
  private onDispatched = () => {};
  private onHead: (head: Head | undefined) => void = () => {};
  private onDone = () => {};

  constructor(
    readonly wire: HttpClient,
    readonly request: WireRequest,
    readonly exchange: number,
  ) {
    this.dispatched = new Promise(resolve => {
      this.onDispatched = resolve;
    });
    this.head = new Promise(resolve => {
      this.onHead = resolve;
    });
    this.done = new Promise(resolve => {
      this.onDone = resolve;
    });
  }

  get isStream(): boolean {
    return this.seen?.type === 'text/event-stream';
  }

  get status(): number | undefined {
    return this.seen?.status;
  }

  /** Whether the request asks for the events after a given event id. */
  get isResumption(): boolean {
    return this.request.headers.some(([name]) => name.toLowerCase() === 'last-event-id');
  }

  /** Records the head of the request. */
  record(): void {
    const { method, url, headers, stream, resumes, deliberate } = this.request;
    const { tap, secrets, secretHeaders } = this.wire.options;
    tap({
      kind: 'http-request',
      exchange: this.exchange,
      method,
      url: redactUrl(url),
      headers: redact(headers, secrets, secretHeaders),
      ...(stream && { stream }),
      ...(resumes !== undefined && { resumes }),
      ...(deliberate && { deliberate }),
    });
  }

  dispatch(): void {
    const { method, url, headers, body, pieces } = this.request;
    this.record();
    try {
      this.wire.options.agent.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: method as Dispatcher.HttpMethod,
          headers: headers.flat(),
          body: pieces ? inPieces(pieces) : (body ?? null),
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        {
          onRequestStart: controller => this.started(controller),
          onResponseStart: (controller, status, _, reason) => this.headed(controller, status, reason),
          onResponseData: (_, chunk) => this.take(chunk),
          onResponseEnd: () => this.end('server'),
          onResponseError: (_, error) => this.failed(error),
        },
      );
    } catch (error) {
      this.failed(error as Error);
    }
  }

  private started(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.finished) controller.abort(new Error('no longer wanted'));
    else setImmediate(this.onDispatched);
  }

  private headed(controller: Dispatcher.DispatchController, status: number, reason = ''): void {
    if (status < 200 || this.finished) return;
    if (this.breaks?.after === 'nothing') {
      this.breakOff();
      return;
    }
    const headers = pairs((controller.rawHeaders ?? []) as Buffer[]);
    const header = (name: string) => headers.find(([n]) => n.toLowerCase() === name)?.[1];
    this.seen = { status, headers, type: mediaType(header('content-type')), header };
    this.wire.options.tap({
      kind: 'http-response',
      exchange: this.exchange,
      status,
      ...(reason !== '' && { reason }),
      headers: redact(headers, this.wire.options.secrets, this.wire.options.secretHeaders),
    });
    this.wire.options.onHead?.(this.seen);
    this.onHeadSeen?.(this.seen);
    this.answer = new ResponseReader(this, this.seen);
    this.onHead(this.seen);
    this.wire.options.onActivity();
    if (this.breaks?.after === 0) this.breakOff();
  }

  private take(chunk: Buffer): void {
    if (this.finished) {
      this.lost?.push(chunk);
      return;
    }
    const left = typeof this.breaks?.after === 'number' ? this.breaks.after - this.size : chunk.length + 1;
    const received = chunk.subarray(0, left);
    this.size += received.length;
    this.onChunk?.(received);
    this.answer?.push(received);
    if (left > chunk.length || this.finished) return;
    this.breakOff();
    this.lost?.push(chunk.subarray(left));
  }

  /** Ends the response for the client, as a network does that fails. */
  private breakOff(): void {
    this.failure = networkFault;
    // the reader of the stream begins where the client stopped, in the middle of a block
    if (this.isStream) this.lost = new SseReader(block => this.lose(block));
    this.lost?.push(this.answer?.unread ?? Buffer.alloc(0));
    this.end('error');
    if (!this.breaks?.unnoticed) this.controller?.abort(new Error('no longer wanted'));
  }

  /** Records a message that the server sent, and the client did not receive. */
  private lose({ raw: _, invalidUtf8: __, unfinished, ...fields }: SseRead): void {
    if (!unfinished) this.wire.options.tap({ kind: 'sse', exchange: this.exchange, ...fields, lost: true });
  }

  private failed(error: Error): void {
    if (this.failure === networkFault) return;
    const { code = error.name } = error as NodeJS.ErrnoException;
    // undici parses a status below 100 and then fails in an assertion of its own
    const reason =
      code === 'ERR_ASSERTION'
        ? 'Response does not match the HTTP/1.1 protocol (invalid status or head)'
        : error.message;
    this.failure = { code, reason };
    this.end('error');
  }

  /** Aborts the request. @param received what of the body its reader has, as for `ResponseReader.end` */
  abort(received: false | 'if-json' = false): void {
    if (this.finished) return;
    this.end('client', received);
    this.controller?.abort(new Error('no longer wanted'));
  }

  /** Passes received messages on. */
  deliver(messages: readonly Message[]): void {
    this.wire.options.onMessages(messages, this);
  }

  /** Stops reading: a limit is exceeded. */
  overflow(what: Overflow['what'], amount: number): void {
    this.wire.options.tap({ kind: 'overflow', what, amount });
    this.abort();
    this.wire.options.onOverflow();
  }

  private end(by: 'server' | 'client' | 'error', received: boolean | 'if-json' = by === 'server'): void {
    if (this.finished) return;
    this.answer?.end(received);
    if (this.finished) return;
    this.finished = true;
    this.wire.options.tap({
      kind: 'http-end',
      exchange: this.exchange,
      by,
      ...(by === 'error' && this.failure),
    });
    this.onDispatched();
    this.onHead(this.seen);
    this.onDone();
    this.wire.options.onActivity();
  }
}
