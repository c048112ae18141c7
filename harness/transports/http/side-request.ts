/**
 * Requests without MCP messages: OAuth endpoints and documents. Recorded like all other requests, with
 * secrets hidden.
 */

import type { Dispatcher } from 'undici';
import { type JsonObject, parseShallow } from '../../../spec/json-rpc.js';
import { ByteCollector } from '../../framing/byte-collector.js';
import type { Conversation } from '../../record/conversation.js';
import type { HeaderList, NewEvent, OAuthEndpoint } from '../../record/event.js';
import { type HttpExchange, headerOf } from '../../record/http-exchange.js';
import type { Secrets } from '../../record/redaction.js';
import type { Tap } from '../../record/tap.js';
import type { TimeBudget } from '../../time/budget.js';
import { type Clock, type Overdue, ownClock } from '../../time/clock.js';
import { toolVersion } from '../../version.js';
import { beginning } from '../intake.js';
import { type AllowedHosts, notAllowed } from './allowed-hosts.js';
import { pairs, redact } from './headers.js';
import type { Sender } from './in-process.js';

interface WebAsk {
  readonly endpoint: OAuthEndpoint;
  readonly url: string | URL;
  /** Default: GET without a body, POST with one. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: URLSearchParams;
  /** Sent as JSON; a text is sent unchanged. */
  readonly json?: unknown;
  /** The request breaks a rule on purpose. */
  readonly deliberate?: boolean;
}

/** A response with all secrets visible; `exchange` is its record. */
export interface WebAnswer {
  readonly exchange: HttpExchange;
  readonly url: URL;
  /** Undefined when there was no response. */
  readonly status: number | undefined;
  readonly text: string;
  header(name: string): string | undefined;
  /** All values of a header, one by one. */
  headers(name: string): readonly string[];
  /** The body, when it is a JSON object. */
  readonly json: JsonObject | undefined;
  /** Target of a redirect. */
  readonly location: URL | undefined;
  /** The reason for a missing response. */
  readonly failure: string | undefined;
}

export interface WebOptions {
  readonly tap: Tap;
  readonly conversation: Conversation;
  readonly agent: Sender;
  readonly secrets: Secrets;
  /** Returns the number of a new exchange. */
  readonly next: () => number;
  /** Timeout of a response, in milliseconds. */
  readonly answer: number;
  /** Measures the timeout; default: by the CPU time of this process. */
  readonly clock?: Clock;
  readonly budget?: TimeBudget | undefined;
  /** Hosts that requests go to; default: all. */
  readonly hosts?: AllowedHosts | undefined;
}

/** Maximum number of characters of a body in the record. */
const kept = 64 * 1024;

/** Maximum number of bytes of a body; docs/limits.md lists it. */
const longest = 2 ** 20;

export class Web {
  constructor(private readonly options: WebOptions) {}

  /** Whether the user gave an address with the origin of this one. */
  isNamed(url: URL): boolean {
    return this.options.hosts?.names(url) ?? false;
  }

  /** Sends a request and waits for its response; redirects are not followed. Never throws. */
  async ask(ask: WebAsk): Promise<WebAnswer> {
    const { conversation, agent, secrets, answer, clock = ownClock, budget } = this.options;
    const url = new URL(ask.url);
    const exchange = this.options.next();
    const { body, headers } = bodyOf(ask);
    const method = ask.method ?? (body === undefined ? 'GET' : 'POST');
    const list: HeaderList = [
      ['Host', url.host],
      ['User-Agent', `mcp-conform/${toolVersion}`],
      ...Object.entries({ ...headers, ...ask.headers }),
    ];
    const refused = await this.options.hosts?.whyNot(url);
    this.began({ ...ask, method }, url, list, exchange, body);
    if (refused !== undefined) return this.refuse(exchange, url, refused, notAllowed);
    if (budget?.reason !== undefined) return this.refuse(exchange, url, budget.reason, stopped);
    const sent = send(agent, { url, method, headers: list, ...(body !== undefined && { body }) }, head => {
      const location = headerOf(head.headers, 'location');
      if (location)
        secrets.learnFrom(URL.canParse(location, url.href) ? new URL(location, url).href : location);
      const { status, headers } = head;
      this.tap({ kind: 'http-response', exchange, status, headers: redact(headers, secrets) });
    });
    const waited = performance.now();
    const done = budget ? Promise.race([sent.done, budget.over]) : sent.done;
    const late = await clock.waitAtMost(done, answer);
    if (!late?.starved) budget?.waited(waited);
    if (late || budget?.reason !== undefined) sent.stop();
    const { head, text, error } = await sent.done;
    this.ended(exchange, text, late, error);
    const answered = head?.headers ?? [];
    return {
      exchange: conversation.httpExchange(exchange),
      url,
      status: head?.status,
      text,
      header: name => headerOf(answered, name),
      headers: name =>
        answered.filter(([n]) => n.toLowerCase() === name.toLowerCase()).map(([, value]) => value),
      json: parseShallow(text),
      location: locationOf(answered, url),
      failure: late ? 'no response in time' : error && failureOf(error, budget?.reason),
    };
  }

  /** A request that is recorded, and not sent. */
  private refuse(exchange: number, url: URL, reason: string, code: string): WebAnswer {
    this.tap({ kind: 'http-end', exchange, by: 'client', code, reason });
    return {
      exchange: this.options.conversation.httpExchange(exchange),
      url,
      status: undefined,
      text: '',
      header: () => undefined,
      headers: () => [],
      json: undefined,
      location: undefined,
      failure: reason,
    };
  }

  private tap(event: NewEvent): void {
    this.options.tap(event);
  }

  private began(
    ask: WebAsk & { method: string },
    url: URL,
    headers: HeaderList,
    exchange: number,
    body?: string,
  ): void {
    const { secrets } = this.options;
    secrets.learnFrom(url.href);
    if (body !== undefined) secrets.learnFrom(body);
    this.tap({
      kind: 'http-request',
      exchange,
      method: ask.method,
      url: url.href,
      headers: redact(headers, secrets),
      endpoint: ask.endpoint,
      ...(ask.deliberate && { deliberate: true }),
    });
    if (body !== undefined) this.tap({ kind: 'http-body', of: 'request', exchange, text: body });
  }

  private ended(
    exchange: number,
    text: string,
    late: Overdue | undefined,
    error?: NodeJS.ErrnoException,
  ): void {
    const { secrets } = this.options;
    secrets.learnFrom(text);
    const cut = text.length > kept && { cutFrom: Buffer.byteLength(text) };
    if (text !== '') this.tap({ kind: 'http-body', exchange, text: beginning(text, kept), ...cut });
    if (late) this.tap({ kind: 'deadline', label: 'http', ...late, exchange });
    const by = late || error?.code === stopped ? 'client' : error ? 'error' : 'server';
    const why = by === 'error' && error ? { code: error.code ?? error.name, reason: error.message } : {};
    this.tap({ kind: 'http-end', exchange, by, ...why });
  }
}

function bodyOf({ form, json }: WebAsk): { body?: string; headers: Record<string, string> } {
  if (form)
    return { body: form.toString(), headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
  if (json === undefined) return { headers: {} };
  const body = typeof json === 'string' ? json : JSON.stringify(json);
  return { body, headers: { 'Content-Type': 'application/json' } };
}

/** Codes of errors of the harness: a body beyond the limit, and a request that is not needed any more. */
const tooLong = 'TOO_LONG';
const stopped = 'STOPPED';

/** @param limit the limit that ended the run, in words */
function failureOf({ code, message }: NodeJS.ErrnoException, limit = message): string {
  if (code === stopped) return limit;
  return code === undefined || code === tooLong ? message : code;
}

interface Head {
  readonly status: number;
  readonly headers: HeaderList;
}

interface Sent {
  readonly done: Promise<{ head: Head | undefined; text: string; error?: NodeJS.ErrnoException }>;
  /** Aborts the request. */
  stop(): void;
}

/** One request; errors are part of the resolved value. */
function send(
  agent: Sender,
  request: { url: URL; method: string; headers: HeaderList; body?: string },
  onHead: (head: Head) => void,
): Sent {
  let controller: Dispatcher.DispatchController | undefined;
  let head: Head | undefined;
  const body = new ByteCollector();
  let isStopped = false;
  let isEnded = false;
  let stop = () => {};
  const done: Sent['done'] = new Promise(resolve => {
    const end = (error?: NodeJS.ErrnoException) => {
      isEnded = true;
      resolve({ head, text: body.take().toString('utf8'), ...(error && { error }) });
    };
    stop = () => {
      isStopped = true;
      end(Object.assign(new Error('no longer wanted'), { code: stopped }));
      controller?.abort(new Error(stopped));
    };
    try {
      agent.dispatch(
        {
          origin: request.url.origin,
          path: request.url.pathname + request.url.search,
          method: request.method as Dispatcher.HttpMethod,
          headers: request.headers.flat(),
          body: request.body ?? null,
        },
        {
          onRequestStart(started) {
            controller = started;
            // the request waited for a free connection meanwhile
            if (isStopped) started.abort(new Error(stopped));
          },
          onResponseStart(started, status) {
            if (status < 200) return;
            head = { status, headers: pairs((started.rawHeaders ?? []) as Buffer[]) };
            onHead(head);
          },
          onResponseData(started, chunk) {
            if (isEnded) return;
            if (body.length + chunk.length <= longest) return body.add(chunk);
            const why = `a body of more than ${longest} bytes, the limit of mcp-conform`;
            end(Object.assign(new Error(why), { code: tooLong }));
            started.abort(new Error(why));
          },
          onResponseEnd: () => end(),
          onResponseError: (_, error) => end(error),
        },
      );
    } catch (error) {
      end(error as Error);
    }
  });
  return { done, stop };
}

function locationOf(headers: HeaderList, base: URL): URL | undefined {
  const value = headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
  return value !== undefined && URL.canParse(value, base.href) ? new URL(value, base) : undefined;
}
