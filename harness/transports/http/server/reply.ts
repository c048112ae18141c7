/** One HTTP response of the harness, recorded as it is sent: its head, a body or a stream, its end. */

import { formatSse, isMessageEvent, type SseRead, SseReader } from '../../../framing/sse.js';
import type { HeaderList, HttpStream } from '../../../record/event.js';
import type { Message } from '../../../record/message.js';
import type { Tap } from '../../../record/tap.js';
import type { Clock } from '../../../time/clock.js';
import { redact } from '../headers.js';
import { limits } from '../limits.js';
import type { HttpBehaviour } from './behaviour.js';
import type { ServerReply } from './local-servers.js';

interface ReplyOptions {
  readonly tap: Tap;
  readonly clock: Clock;
  readonly exchange: number;
  readonly stream: HttpStream | undefined;
  /** Resolves when the response has been sent completely, or its connection is closed. */
  readonly gone: Promise<unknown>;
}

/** Record fields of a frame to be sent. */
export interface Saying {
  readonly deliberate?: true | undefined;
  /** The frame was sent before, on the stream that this stream resumes. */
  readonly replay?: boolean;
}

const typed = (type: string, { charset }: HttpBehaviour) =>
  ['Content-Type', charset ? `${type}; charset=utf-8` : type] as const;

export const jsonHeaders = (behaviour: HttpBehaviour): HeaderList => [typed('application/json', behaviour)];

export const streamHeaders = (behaviour: HttpBehaviour): HeaderList => [
  typed('text/event-stream', behaviour),
  ['Cache-Control', 'no-cache'],
];

export class Reply {
  /** The response has ended, on either side. */
  over = false;
  /** The head has been sent. */
  started = false;
  readonly closed: Promise<void>;
  private reader: SseReader | undefined;
  /** The head of the stream is being sent. */
  private headShown = false;
  private saying: Saying = {};
  private found: Message[] = [];
  private readonly unwritten: { readonly write: () => void; readonly apart: boolean }[] = [];

  constructor(
    private readonly response: ServerReply,
    private readonly options: ReplyOptions,
  ) {
    response.on('error', () => {});
    this.closed = options.gone.then(() => this.end('client'));
  }

  get exchange(): number {
    return this.options.exchange;
  }

  head(status: number, headers: HeaderList = []): void {
    if (this.over || this.started) return;
    this.started = true;
    this.options.tap({
      kind: 'http-response',
      exchange: this.exchange,
      status,
      headers: redact(headers),
    });
    this.response.sendDate = false;
    this.response.writeHead(status, headers.flat());
  }

  /** Sends a complete response. @param frame the body holds messages */
  finish(status: number, headers: HeaderList, body: string | Buffer, frame?: Saying): Message[] {
    if (this.over) return [];
    const bytes = Buffer.from(body);
    this.head(status, [...headers, ['Content-Length', String(bytes.length)]]);
    const messages = frame ? this.frame(bytes.toString('utf8'), frame) : this.keepBody(bytes);
    this.response.end(bytes);
    this.end('server');
    return messages;
  }

  private keepBody(bytes: Buffer): Message[] {
    if (bytes.length > 0) this.options.tap({ kind: 'http-body', exchange: this.exchange, ...kept(bytes) });
    return [];
  }

  /** Starts a stream; blocks follow. */
  openStream(headers: HeaderList, status = 200): void {
    this.reader = new SseReader(block => this.record(block));
    this.head(status, headers);
    // the head is sent without waiting for the first block, but together with blocks written in the same tick
    process.nextTick(() => this.showHead());
  }

  private showHead(): void {
    if (!this.headShown) this.response.flushHeaders();
    this.headShown = true;
  }

  get isOpenStream(): boolean {
    return this.reader !== undefined && !this.over;
  }

  /**
   * Writes bytes to the stream unchanged, and records the events that a reader finds in the bytes.
   * @returns the messages in the bytes
   */
  write(bytes: string | Buffer, saying: Saying, chunk: number | undefined): Message[] {
    if (!this.isOpenStream) return [];
    const buffer = Buffer.from(bytes);
    this.saying = saying;
    this.found = [];
    const step = Math.max(1, chunk ?? buffer.length);
    for (let from = 0; from < buffer.length; from += step)
      this.put(() => this.response.write(buffer.subarray(from, from + step)), chunk !== undefined);
    this.reader!.push(buffer);
    return this.found;
  }

  /** Queues a write after the pending writes. @param apart the next write is sent separately */
  private put(write: () => void, apart = false): void {
    this.unwritten.push({ write, apart });
    if (this.unwritten.length === 1) this.writeOn();
  }

  private writeOn(): void {
    for (let next = this.unwritten[0]; next; next = this.unwritten[0]) {
      this.headShown = true;
      next.write();
      if (next.apart) {
        // bytes of one tick may reach the reader in one chunk
        const written = this.options.clock.begin();
        setImmediate(() => {
          written();
          this.unwritten.shift();
          this.writeOn();
        });
        return;
      }
      this.unwritten.shift();
    }
  }

  private record({ raw, invalidUtf8, unfinished, ...fields }: SseRead): void {
    const { data, ...others } = fields;
    const framed = !unfinished && isMessageEvent(fields);
    this.options.tap({
      kind: 'sse',
      exchange: this.exchange,
      ...(framed ? { ...others, framed: true } : fields),
      ...(raw !== formatSse(fields) && { raw }),
      ...(invalidUtf8 && { invalidUtf8: true }),
      ...(unfinished && { unfinished: true }),
    });
    if (framed) this.found.push(...this.frame(data!, this.saying));
  }

  private frame(text: string, { deliberate, replay }: Saying): Message[] {
    return this.options.tap({
      kind: 'frame',
      by: 'server',
      text,
      ...(deliberate && { deliberate }),
      ...(replay && { replay }),
      exchange: this.exchange,
      ...(this.options.stream && { stream: this.options.stream }),
    });
  }

  /** Ends the response normally. */
  complete(): void {
    if (this.over) return;
    this.reader?.end();
    // recorded before the bytes leave: the client may act on them before this process gets CPU time again
    this.end('server');
    this.put(() => this.response.end());
  }

  /** Breaks the connection in the middle of the response. */
  break(): void {
    if (this.over) return;
    this.reader?.end();
    if (this.reader) this.showHead();
    this.end('error', { code: 'ECONNRESET', reason: 'The harness broke the connection.' });
    this.response.destroy();
  }

  private end(by: 'server' | 'client' | 'error', why: { code?: string; reason?: string } = {}): void {
    if (this.over) return;
    this.over = true;
    this.options.tap({ kind: 'http-end', exchange: this.exchange, by, ...why });
  }
}

/** The recorded part of a body: its beginning. */
export function kept(bytes: Buffer) {
  const long = bytes.length > limits.kept;
  const text = (long ? bytes.subarray(0, limits.kept) : bytes).toString('utf8');
  return {
    text,
    ...(!long && !Buffer.from(text).equals(bytes) && { invalidUtf8: true as const }),
    ...(long && { cutFrom: bytes.length }),
  };
}
