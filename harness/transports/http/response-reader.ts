/** The body of a response: read as a whole or block by block, recorded, and parsed for messages. */

import { deepestJson, isObject, type JsonObject, kindOf } from '../../../spec/json-rpc.js';
import { ByteCollector } from '../../framing/byte-collector.js';
import {
  formatSse,
  isMessageEvent,
  retryMs,
  type SseFields,
  type SseRead,
  SseReader,
} from '../../framing/sse.js';
import type { HeaderList, HttpStream, Overflow } from '../../record/event.js';
import type { Message } from '../../record/message.js';
import type { Tap } from '../../record/tap.js';
import { beginning, type Intake, intakeLimits } from '../intake.js';
import { limits } from './limits.js';

/** The head of a response. */
export interface Head {
  readonly status: number;
  readonly headers: HeaderList;
  readonly type: string | undefined;
  header(name: string): string | undefined;
}

/** The request of a response, as the reader uses it. */
interface RespondedCall {
  readonly wire: {
    /** Totals received over all exchanges of the link. */
    readonly received: { blocks: number; idle: number };
    /** The input of the run. */
    readonly intake: Intake;
    /** The data sent under each event id, to recognize repeated events. */
    readonly said: Map<string, string>;
    readonly options: {
      readonly tap: Tap;
      readonly bodiesAreMessages?: boolean;
      readonly onActivity: () => void;
    };
  };
  readonly request: { readonly body?: string | Buffer; readonly stream?: HttpStream };
  readonly exchange: number;
  readonly finished: boolean;
  readonly isResumption: boolean;
  readonly onBlock: ((fields: SseFields) => void) | undefined;
  lastEventId: string | undefined;
  retry: number | undefined;
  messages: number;
  deliver(messages: readonly Message[]): void;
  overflow(what: Overflow['what'], amount: number): void;
}

export class ResponseReader {
  private readonly reader: SseReader | undefined;
  private readonly body = new ByteCollector();
  private over = false;
  /** Bytes of an incomplete message that are counted. */
  private held = 0;

  constructor(
    private readonly call: RespondedCall,
    private readonly head: Head,
  ) {
    if (head.type === 'text/event-stream') this.reader = new SseReader(block => this.takeBlock(block));
  }

  push(chunk: Buffer): void {
    if (this.over || this.call.finished) return;
    const { intake } = this;
    if (this.reader) this.reader.push(chunk);
    else this.body.add(chunk);
    if (this.over) return;
    this.hold(this.pending);
    if (this.pending > intake.messageBytes) this.stop('line', intake.messageBytes);
    else if (intake.isFull) this.stop('bytes', intake.totalBytes);
  }

  /** The bytes of the incomplete block of a stream. */
  get unread(): Buffer {
    return this.reader?.incomplete ?? Buffer.alloc(0);
  }

  private get intake() {
    return this.call.wire.intake;
  }

  /** Bytes of the message that is not complete yet. */
  private get pending(): number {
    return this.reader?.pending ?? this.body.length;
  }

  private hold(bytes: number): void {
    const change = bytes - this.held;
    this.held = bytes;
    this.intake.hold(change);
  }

  private stop(what: Overflow['what'], amount: number): void {
    if (this.over) return;
    this.over = true;
    this.hold(0);
    this.keepBody();
    this.reader?.drop();
    this.body.drop();
    this.call.overflow(what, amount);
  }

  /**
   * Ends the body.
   * @param received whether the client has received the whole body, or `if-json` for a client that closes the connection
   * when it has what it needs: bytes that are JSON are whole then; an incomplete body is not a frame
   */
  end(received: boolean | 'if-json'): void {
    if (this.over) return;
    this.over = true;
    this.hold(0);
    if (this.reader) this.reader.end();
    else if (received === 'if-json' ? this.isJson : received) this.takeBody();
    else this.keepBody();
  }

  private get tap() {
    return this.call.wire.options.tap;
  }

  private get isJson(): boolean {
    const text = this.body.peek().toString('utf8');
    return this.head.type === 'application/json' && messagesIn(text).length > 0;
  }

  private takeBody(): void {
    if (this.body.length === 0) return;
    const bytes = this.body.peek();
    const text = bytes.toString('utf8');
    const excess = this.intake.keep(text);
    if (excess) {
      this.keepBody();
      this.call.overflow(excess, intakeLimits[excess]);
    } else if (this.isMessage(text)) {
      const lossy = text.includes('\uFFFD') && !Buffer.from(text).equals(bytes);
      this.frame(text, lossy);
    } else this.keepBody();
  }

  private keepBody(): void {
    const size = this.body.length;
    if (size === 0) return;
    const long = size > limits.kept;
    const bytes = this.body.peek(limits.kept);
    const text = bytes.toString('utf8');
    this.intake.keep(text);
    this.tap({
      kind: 'http-body',
      exchange: this.call.exchange,
      text,
      ...(!long && !Buffer.from(text).equals(bytes) && { invalidUtf8: true }),
      ...(long && { cutFrom: size }),
    });
  }

  /**
   * Whether a body is recorded as a frame. A success status: a body that holds messages, or a body typed as
   * JSON where a response is due. An error status: a body that replies to a request by id, or any message
   * when the request was not readable. An error without id for one valid message belongs to HTTP, not to the
   * conversation, and so does an object of a web framework such as `{"error": "Bad Request"}`.
   */
  private isMessage(text: string): boolean {
    const { status, type } = this.head;
    if (this.call.request.stream !== 'post' || this.call.wire.options.bodiesAreMessages === false)
      return false;
    const items = messagesIn(text);
    const sent = this.call.request.body?.toString() ?? '';
    if (status >= 400) {
      const readable = messagesIn(sent).length === 1 && !sent.trimStart().startsWith('[');
      return items.some(m => (m.id !== undefined && m.id !== null) || (!readable && !isErrorPage(m)));
    }
    if (items.length > 0 || type !== 'application/json') return items.length > 0;
    const said = messagesIn(sent);
    return said.length === 0 || said.some(m => kindOf(m) === 'request');
  }

  private takeBlock(block: SseRead): void {
    if (this.over && !block.unfinished) return;
    const { raw, invalidUtf8, unfinished, ...fields } = block;
    const { received } = this.call.wire;
    const framed = !unfinished && isMessageEvent(fields);
    const excess = this.intake.keep(framed ? fields.data! : raw);
    if (excess && framed) {
      this.call.wire.options.tap({
        kind: 'sse',
        exchange: this.call.exchange,
        data: beginning(fields.data!, excess === 'depth' ? deepestJson : limits.kept),
      });
      this.stop(excess, intakeLimits[excess]);
      return;
    }
    const { data, ...others } = fields;
    this.tap({
      kind: 'sse',
      exchange: this.call.exchange,
      ...(framed ? { ...others, framed: true } : fields),
      ...(raw !== formatSse(fields) && { raw }),
      ...(invalidUtf8 && { invalidUtf8: true }),
      ...(unfinished && { unfinished: true }),
    });
    if (unfinished) return;
    if (fields.id !== undefined) this.call.lastEventId = fields.id;
    this.call.retry = retryMs(fields) ?? this.call.retry;
    if (framed) this.frame(data!, invalidUtf8, this.isReplay(fields.id, data!));
    else received.idle++;
    this.call.onBlock?.(fields);
    this.call.wire.options.onActivity();
    received.blocks++;
    if (received.blocks > limits.blocks) this.stop('frames', received.blocks);
    else if (received.idle > limits.idleBlocks) this.stop('frames', received.idle);
  }

  /**
   * Whether an event repeats one already received: a resumed stream repeats the events that were in transit
   * when the stream broke.
   */
  private isReplay(id: string | undefined, data: string): boolean {
    if (!id) return false;
    const { said } = this.call.wire;
    const again = this.call.isResumption && said.get(id) === data;
    said.set(id, data);
    return again;
  }

  private frame(text: string, invalidUtf8: boolean, replay = false): void {
    const { call } = this;
    const messages = this.tap({
      kind: 'frame',
      by: 'server',
      text,
      ...(invalidUtf8 && { invalidUtf8: true }),
      ...(replay && { replay }),
      exchange: call.exchange,
      ...(call.request.stream && { stream: call.request.stream }),
    });
    call.messages += messages.length;
    if (!replay) call.deliver(messages);
  }
}

/** Whether an object with the member `error` is the error page of a web framework, as JSON. */
const isErrorPage = (item: JsonObject): boolean =>
  kindOf(item) === 'error' && !('jsonrpc' in item) && !isObject(item.error);

/** JSON-RPC messages in a text; empty for any other text. */
function messagesIn(text: string) {
  try {
    const json = JSON.parse(text);
    return (Array.isArray(json) ? json : [json]).filter(item => isObject(item) && kindOf(item) !== undefined);
  } catch {
    return [];
  }
}
