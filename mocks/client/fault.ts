/** The definition of a deviation of the reference client; `breaks` is as in `../fault.ts`. */

import type { SseRead } from '../../harness/framing/sse.js';
import type { Step } from '../../harness/scenario/script.js';
import type { Json, JsonObject } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import type { Revision, TransportId } from '../../spec/revisions.js';
import type { Deviation, Out } from '../fault.js';
import type { ClientBehaviour } from './behaviour.js';
import type { ClientContext } from './context.js';
import type { HttpAsk, HttpHead } from './http-message.js';

/**
 * The levels at which a deviation can act, from the innermost to the outermost. Each is optional; all run in
 * the given order.
 */
export interface ClientHooks {
  /** Changes the capabilities and the behaviour of the client before the first message. */
  habits(habits: ClientBehaviour, context: ClientContext): void;
  /** A step of the script: returns the same step, another one, several, or none. */
  step(step: Step, context: ClientContext): Step | readonly Step[] | undefined;
  /** The process has just started; no connection is open. */
  start(context: ClientContext): void;
  /** The session is open. */
  opened(context: ClientContext): void | Promise<void>;
  /** An incoming message, also each message of a batch; undefined when the message is dropped. */
  incoming(message: Json, context: ClientContext): Json | undefined;
  /** The input is not valid JSON. */
  unreadable(text: string, context: ClientContext): void;
  /** The response to an array of messages; undefined for no response. */
  batch(answer: Json | undefined, asked: readonly Json[], context: ClientContext): Json | undefined;
  /** The response to a request of the server. */
  reply(reply: JsonObject, ask: JsonObject, context: ClientContext): Out;
  /** A result of the server, before the client uses it. */
  result(result: JsonObject, ask: JsonObject, context: ClientContext): JsonObject | Promise<JsonObject>;
  /** Any outgoing message. */
  message(message: JsonObject, context: ClientContext): Out;
  /** The text of an outgoing frame; over stdio with its newline. */
  bytes(text: string, context: ClientContext): string | Buffer;
  /** An HTTP request before it is sent; undefined when it is not sent. A promise delays the request. */
  http(ask: HttpAsk, context: ClientContext): HttpAsk | undefined | Promise<HttpAsk | undefined>;
  /** The head of a response, as passed to the client. */
  httpHead(head: HttpHead, ask: HttpAsk, context: ClientContext): HttpHead;
  /** Bytes of an event stream, as passed to the client. */
  streamBytes(bytes: Buffer, context: ClientContext): Buffer;
  /** An event of a stream, and the request for that stream; undefined when the event is dropped. */
  block(block: SseRead, context: ClientContext, ask: HttpAsk): SseRead | undefined;
  /** The client closes the session; `stay` skips the shutdown of the transport. */
  leave(context: ClientContext): 'stay' | void | Promise<'stay' | void>;
}

export type ClientMiddleware = Partial<ClientHooks>;
export type ClientDeviation = Deviation<ClientMiddleware>;

interface Meaning {
  /** The behaviour of such a client, in one sentence. */
  readonly what: string;
  readonly breaks: readonly [RequirementId, ...RequirementId[]];
  readonly shows?: readonly string[];
  readonly where?: (revision: Revision) => boolean;
  readonly over?: readonly TransportId[];
}

/** Declares a violation by a client. */
export const clientFault = (
  id: string,
  meaning: Meaning,
  ...middleware: ClientMiddleware[]
): ClientDeviation => ({ id, role: 'client', ...meaning, middleware });

/** Declares a legal but unusual behaviour of a client. */
export const clientQuirk = (
  id: string,
  meaning: Omit<Meaning, 'breaks'>,
  ...middleware: ClientMiddleware[]
): ClientDeviation => ({ id, role: 'client', ...meaning, breaks: [], middleware });

export const onBehaviour = (habits: ClientHooks['habits']): ClientMiddleware => ({ habits });
export const onStep = (step: ClientHooks['step']): ClientMiddleware => ({ step });
export const onOpened = (opened: ClientHooks['opened']): ClientMiddleware => ({ opened });
export const onIncoming = (incoming: ClientHooks['incoming']): ClientMiddleware => ({ incoming });
export const onUnreadable = (unreadable: ClientHooks['unreadable']): ClientMiddleware => ({ unreadable });
export const onBatch = (batch: ClientHooks['batch']): ClientMiddleware => ({ batch });
export const onBytes = (bytes: ClientHooks['bytes']): ClientMiddleware => ({ bytes });
export const onHttp = (http: ClientHooks['http']): ClientMiddleware => ({ http });
export const onHttpHead = (httpHead: ClientHooks['httpHead']): ClientMiddleware => ({ httpHead });
export const onStreamBytes = (streamBytes: ClientHooks['streamBytes']): ClientMiddleware => ({ streamBytes });
export const onBlock = (block: ClientHooks['block']): ClientMiddleware => ({ block });
export const onLeave = (leave: ClientHooks['leave']): ClientMiddleware => ({ leave });

type Methods = string | readonly string[];
const fits = (methods: Methods, method: unknown): boolean =>
  methods === '*' || (typeof methods === 'string' ? methods === method : methods.includes(method as string));

/** Changes, drops or duplicates responses to one method of the server, to several, or to all (`*`). */
export const onReply = (methods: Methods, reply: ClientHooks['reply']): ClientMiddleware => ({
  reply: (at, ask, context) => (fits(methods, ask.method) ? reply(at, ask, context) : at),
});

/** Changes, drops or duplicates the results of successful responses; errors stay unchanged. */
export const onAnswer = (
  methods: Methods,
  change: (result: JsonObject, ask: JsonObject, context: ClientContext) => Json | undefined,
): ClientMiddleware =>
  onReply(methods, (reply, ask, context) => {
    if (!('result' in reply)) return reply;
    const result = change(reply.result as JsonObject, ask, context);
    return result === undefined ? undefined : { ...reply, result };
  });

/** Changes, drops or duplicates requests of the client. */
export const onAsk = (methods: Methods, change: ClientHooks['message']): ClientMiddleware => ({
  message: (message, context) =>
    'id' in message && 'method' in message && fits(methods, message.method)
      ? change(message, context)
      : message,
});

/** Changes, drops or duplicates notifications of the client. */
export const onNotification = (methods: Methods, change: ClientHooks['message']): ClientMiddleware => ({
  message: (message, context) =>
    !('id' in message) && 'method' in message && fits(methods, message.method)
      ? change(message, context)
      : message,
});

/** Receives the results of the server and may replace them for the client. */
export const onResult = (methods: Methods, result: ClientHooks['result']): ClientMiddleware => ({
  result: (at, ask, context) => (fits(methods, ask.method) ? result(at, ask, context) : at),
});
