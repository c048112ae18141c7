/** The definition of a deviation of the mock: the requirements it breaks, and middleware for each level. */

import type { Json, JsonObject, Party } from '../spec/json-rpc.js';
import type { RequirementId } from '../spec/requirement.js';
import type { Revision, TransportId } from '../spec/revisions.js';
import type { Context } from './server/context.js';
import type { HttpContext } from './server/http/context.js';
import type { Block, HttpReply, Incoming, StreamWriter } from './server/http/reply.js';
import type { World } from './server/interfaces.js';

/** The replacement of a message: one message, several, or none. */
export type Out = Json | readonly Json[] | undefined;

/**
 * The levels at which a deviation can act, from the innermost to the outermost. Each is optional; all run in
 * the given order.
 */
export interface Hooks {
  /** Changes the fixtures and capabilities of the mock before the first message. */
  world(world: World, context: Context): void;
  /** The process has just started. */
  start(context: Context): void;
  /** Bytes that arrive on standard input in one read. */
  chunk(bytes: Buffer, context: Context): Buffer;
  /** An incoming line; undefined when the line is dropped. */
  line(text: string, context: Context): string | undefined;
  /** An incoming message, also each message of a batch; undefined when the message is dropped. */
  incoming(message: Json, context: Context): Json | undefined;
  /** A request before its handler; undefined when the request gets no response. */
  request(ask: JsonObject, context: Context): JsonObject | undefined;
  /** The response of a handler. */
  reply(reply: JsonObject, ask: JsonObject, context: Context): Out;
  /** Any outgoing message. */
  message(message: JsonObject, context: Context): Out;
  /** An outgoing line with its newline. */
  bytes(text: string, context: Context): string | Buffer;
  /** Standard input has ended; `stay` keeps the process alive. */
  inputEnd(context: Context): 'stay' | void;
  /** The process receives SIGTERM; `stay` ignores the signal. */
  signal(context: Context): 'stay' | void;
  /** The header names of an HTTP request as the client spells them; a response in place of the mock's. */
  headerNames(names: readonly string[]): HttpReply | undefined;
  /** The address that the server listens on when it is served on a port. */
  listens(): string;
  /**
   * An HTTP request before the mock handles it; returns another request, or a response in place of the
   * mock's.
   */
  httpRequest(ask: Incoming, context: HttpContext): Incoming | HttpReply;
  /** An HTTP response: status, headers, body; `reset` closes the connection instead. */
  http(reply: HttpReply, ask: Incoming, context: HttpContext): HttpReply;
  /**
   * A block of an event stream: returns the same block, another one, several, raw bytes, or undefined for
   * none. The writer closes or breaks the stream.
   */
  block(
    block: Block,
    ask: Incoming,
    context: HttpContext,
    writer: StreamWriter,
  ): Block | readonly Block[] | undefined;
}

export type Middleware = Partial<Hooks>;

/** A named deviation of a mock. A quirk is one that breaks nothing. */
export interface Deviation<M = Middleware> {
  readonly id: string;
  /** The role of the mock that deviates. */
  readonly role: Party;
  /** The behaviour of such a server or client, in one sentence. */
  readonly what: string;
  /** Exactly the requirements that are violated, in the revisions that have them. */
  readonly breaks: readonly RequirementId[];
  /** The facets of rows that the deviation shows: `ping.answered-empty#refused`. */
  readonly shows?: readonly string[];
  /**
   * Revisions in which the deviation is visible; default: all revisions that have a requirement of `breaks`.
   */
  readonly where?: (revision: Revision) => boolean;
  /**
   * The transports over which the deviation is visible; default: all transports of the requirements in
   * `breaks`.
   */
  readonly over?: readonly TransportId[];
  readonly middleware: readonly M[];
}

export type Fault = Deviation;

/** A deviation with the facets of rows that it shows, where the helper that declares it takes none. */
export const showing = <D extends { readonly shows?: readonly string[] }>(
  shows: readonly string[],
  deviation: D,
): D => ({ ...deviation, shows });

export type Quirk = Deviation;

interface Meaning {
  readonly what: string;
  readonly breaks: readonly [RequirementId, ...RequirementId[]];
  readonly shows?: readonly string[];
  readonly where?: (revision: Revision) => boolean;
  readonly over?: readonly TransportId[];
}

/**
 * Declares a violation.
 * @param id kebab-case, stable: the command line and self-tests cite it
 */
export const fault = (id: string, meaning: Meaning, ...middleware: Middleware[]): Fault => ({
  id,
  role: 'server',
  ...meaning,
  middleware,
});

/** Declares a legal but unusual behaviour, which no rule may report. */
export const quirk = (id: string, meaning: Omit<Meaning, 'breaks'>, ...middleware: Middleware[]): Quirk => ({
  id,
  role: 'server',
  ...meaning,
  breaks: [],
  middleware,
});

type Methods = string | readonly string[];
const fits = (methods: Methods, method: unknown): boolean =>
  methods === '*' || (typeof methods === 'string' ? methods === method : methods.includes(method as string));

/** Changes, drops, duplicates or delays responses to one method, to several, or to all (`*`). */
export const onReply = (methods: Methods, change: Hooks['reply']): Middleware => ({
  reply: (reply, ask, context) => (fits(methods, ask.method) ? change(reply, ask, context) : reply),
});

/** Changes, drops, duplicates or delays the results of successful responses; errors stay unchanged. */
export const onResult = (
  methods: Methods,
  change: (result: JsonObject, ask: JsonObject, context: Context) => Json | undefined,
): Middleware =>
  onReply(methods, (reply, ask, context) => {
    if (!('result' in reply)) return reply;
    const result = change(reply.result as JsonObject, ask, context);
    return result === undefined ? undefined : { ...reply, result };
  });

/** Changes the error object of error responses. */
export const onError = (
  methods: Methods,
  change: (error: JsonObject, ask: JsonObject, context: Context) => Json,
): Middleware =>
  onReply(methods, (reply, ask, context) =>
    'error' in reply ? { ...reply, error: change(reply.error as JsonObject, ask, context) } : reply,
  );

/** Changes the request before the handler of a method, or drops the request. */
export const onRequest = (methods: Methods, change: Hooks['request']): Middleware => ({
  request: (ask, context) => (fits(methods, ask.method) ? change(ask, context) : ask),
});

/** Changes notifications of one kind. */
export const onNotification = (methods: Methods, change: Hooks['message']): Middleware => ({
  message: (message, context) =>
    !('id' in message) && 'method' in message && fits(methods, message.method)
      ? change(message, context)
      : message,
});

export const onWorld = (world: Hooks['world']): Middleware => ({ world });
export const onStart = (start: Hooks['start']): Middleware => ({ start });
export const onChunk = (chunk: Hooks['chunk']): Middleware => ({ chunk });
export const onLine = (line: Hooks['line']): Middleware => ({ line });
export const onIncoming = (incoming: Hooks['incoming']): Middleware => ({ incoming });
export const onMessage = (message: Hooks['message']): Middleware => ({ message });
export const onBytes = (bytes: Hooks['bytes']): Middleware => ({ bytes });
export const onInputEnd = (inputEnd: Hooks['inputEnd']): Middleware => ({ inputEnd });
export const onSignal = (signal: Hooks['signal']): Middleware => ({ signal });
export const onListens = (listens: Hooks['listens']): Middleware => ({ listens });
export const onHeaderNames = (headerNames: Hooks['headerNames']): Middleware => ({ headerNames });
export const onHttpRequest = (httpRequest: Hooks['httpRequest']): Middleware => ({ httpRequest });
export const onHttp = (http: Hooks['http']): Middleware => ({ http });
export const onBlock = (block: Hooks['block']): Middleware => ({ block });

/** A successful response to a request. */
export const result = (ask: JsonObject, body: Json): JsonObject => ({
  jsonrpc: '2.0',
  id: ask.id ?? null,
  result: body,
});

/** An error response to a request. */
export const refusal = (ask: JsonObject, code: number, message: string): JsonObject => ({
  jsonrpc: '2.0',
  id: ask.id ?? null,
  error: { code, message },
});

export const notification = (method: string, params?: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  method,
  ...(params && { params }),
});

export const asking = (id: Json, method: string, params?: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
});
