/** The HTTP exchanges of a conversation: the input of rules about HTTP. */

import { isObject, type JsonObject, parseObject } from '../../spec/json-rpc.js';
import type { Event, HeaderList, HttpEnd, HttpRequest, HttpResponse, HttpStream, SseBlock } from './event.js';
import type { Message } from './message.js';

/** A block of an event stream, including its data. */
export interface SseEvent extends Omit<SseBlock, 'data'> {
  readonly data: string | undefined;
  /** The messages in its data. */
  readonly messages: readonly Message[];
}

/**
 * Statuses that refuse the content. 415 is included because it may refer to the data instead of the media
 * type (RFC 9110 §15.5.16), which is valid in all requests of the harness.
 */
const aboutContent: ReadonlySet<number> = new Set([400, 415, 422, 500, 501]);

/** One HTTP request with its whole response. The object grows during the exchange. */
export class HttpExchange {
  request: HttpRequest | undefined;
  response: HttpResponse | undefined;
  end: HttpEnd | undefined;
  /**
   * The response body when it is not a stream, a message or not; undefined before its arrival, or when it is
   * empty.
   */
  body: string | undefined;
  /** The request body, when it is not a message. */
  requestBody: string | undefined;
  /** Blocks of the stream, including those with only comments or an id. */
  readonly events: SseEvent[] = [];
  /** Blocks that the server sent, and that a network fault kept from the client. */
  readonly lost: SseEvent[] = [];
  /** Messages sent with the request. */
  readonly sent: Message[] = [];
  /** Messages received in the response. */
  readonly received: Message[] = [];
  private firstSeq = 0;
  private mediaType: string | undefined;

  constructor(readonly number: number) {}

  /** Number of the head of the response, else of the request, as evidence. */
  get seq(): number {
    return this.response?.seq ?? this.request?.seq ?? this.firstSeq;
  }

  /** The request, and the head of its response. */
  get ends(): readonly (HttpRequest | HttpResponse)[] {
    return [this.request, this.response].filter(event => event !== undefined);
  }

  get status(): number | undefined {
    return this.response?.status;
  }

  /** The status, or why there is none. */
  get outcome(): string {
    return this.status === undefined ? (this.end?.reason ?? 'no response') : `status ${this.status}`;
  }

  get stream(): HttpStream | undefined {
    return this.request?.stream ?? this.sent[0]?.frame.stream;
  }

  /** True for a status 4xx or 5xx. */
  get hasErrorStatus(): boolean {
    return (this.status ?? 0) >= 400;
  }

  /** True if the request was refused for its content, not for the session, the token or the load. */
  get refusesContent(): boolean {
    return this.status !== undefined && aboutContent.has(this.status);
  }

  /** The value of a response header; several values are joined with a comma. @param name in any case */
  header(name: string): string | undefined {
    return headerOf(this.response?.headers, name);
  }

  /** The value of a request header. */
  requestHeader(name: string): string | undefined {
    return headerOf(this.request?.headers, name);
  }

  /** The media type of the response, in lower case and without parameters. */
  get contentType(): string | undefined {
    return this.mediaType;
  }

  /** True if the response is an event stream. */
  get isStream(): boolean {
    return this.contentType === 'text/event-stream';
  }

  /** The side that ended the exchange; undefined while the exchange is open. */
  get closedBy(): HttpEnd['by'] | undefined {
    return this.end?.by;
  }

  /** The exchange whose broken stream this one resumes. */
  get resumes(): number | undefined {
    return this.request?.resumes;
  }

  /** The JSON-RPC error in the body of a refusal, when it names no request. */
  get refusal(): JsonObject | undefined {
    if (this.body === undefined || this.received.length > 0) return undefined;
    const error = parseObject(this.body)?.error;
    return isObject(error) ? error : undefined;
  }

  /** True if the response is, or contains, a JSON-RPC error. */
  get hasError(): boolean {
    return this.refusal !== undefined || this.received.some(m => m.kind === 'error');
  }

  add(event: Event & { exchange?: number }, found: readonly Message[]): void {
    this.firstSeq ||= event.seq;
    switch (event.kind) {
      case 'http-request':
        this.request = event;
        break;
      case 'http-response':
        this.response = event;
        this.mediaType = mediaType(this.header('content-type'));
        break;
      case 'http-body':
        if (event.of === 'request') this.requestBody = event.text;
        else this.body = event.text;
        break;
      case 'http-end':
        this.end = event;
        break;
      case 'sse':
        (event.lost ? this.lost : this.events).push({ ...event, data: event.data, messages: [] });
        break;
      case 'frame':
        // before the head of the response, frames belong to the request
        if (!this.response) this.sent.push(...found);
        else this.addReceived(event.text, found);
    }
  }

  private addReceived(text: string, found: readonly Message[]): void {
    this.received.push(...found);
    const last = this.events.at(-1);
    if (last?.framed && last.data === undefined)
      this.events[this.events.length - 1] = { ...last, data: text, messages: found };
    else this.body = text;
  }
}

/** The exchanges of one conversation by number, updated as they grow. */
export class HttpLog {
  private readonly byNumber = new Map<number, HttpExchange>();

  add(event: Event, found: readonly Message[]): void {
    if ('exchange' in event && event.exchange !== undefined && event.kind !== 'deadline')
      this.get(event.exchange).add(event, found);
  }

  get(number: number): HttpExchange {
    let exchange = this.byNumber.get(number);
    if (!exchange) {
      exchange = new HttpExchange(number);
      this.byNumber.set(number, exchange);
    }
    return exchange;
  }

  all(): HttpExchange[] {
    return [...this.byNumber.values()];
  }
}

export const mediaType = (value: string | undefined): string | undefined =>
  value?.replace(/;.*/s, '').trim().toLowerCase();

export function headerOf(headers: HeaderList | undefined, name: string): string | undefined {
  const wanted = name.toLowerCase();
  let value: string | undefined;
  for (const [n, v] of headers ?? [])
    if (n.length === wanted.length && n.toLowerCase() === wanted)
      value = value === undefined ? v : `${value}, ${v}`;
  return value;
}
