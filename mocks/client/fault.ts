/** How a deviation of the reference client is written down; what it breaks is as in `../fault.ts`. */

import type { SseRead } from '../../harness/framing/sse.js';
import type { Step } from '../../harness/scenario/script.js';
import type { Json, JsonObject } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import type { Revision, TransportId } from '../../spec/revisions.js';
import type { Deviation, Out } from '../fault.js';
import type { Habits } from './behaviour.js';
import type { ClientContext } from './context.js';

/** An HTTP request of the client. */
export interface HttpAsk {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The head of an answer. */
export interface HttpHead {
  readonly status: number;
  readonly headers: Headers;
}

/** The depths at which a deviation can act, outermost last. Each is optional; all run in the order they are given. */
export interface ClientHooks {
  /** Changes what the client has and does, before anything is said. */
  habits(habits: Habits, context: ClientContext): void;
  /** A step of the script: itself, another, several, or none. */
  step(step: Step, context: ClientContext): Step | readonly Step[] | undefined;
  /** The process has just started, nothing is connected. */
  start(context: ClientContext): void;
  /** The conversation is open. */
  opened(context: ClientContext): void | Promise<void>;
  /** An incoming message, also each one of a batch; undefined when it is swallowed. */
  incoming(message: Json, context: ClientContext): Json | undefined;
  /** What came is no JSON. */
  unreadable(text: string, context: ClientContext): void;
  /** What is sent for an array of messages; undefined for nothing. */
  batch(answer: Json | undefined, asked: readonly Json[], context: ClientContext): Json | undefined;
  /** The answer to a request of the server. */
  reply(reply: JsonObject, ask: JsonObject, context: ClientContext): Out;
  /** A result the server gave, before the client looks at it. */
  result(result: JsonObject, ask: JsonObject, context: ClientContext): JsonObject | Promise<JsonObject>;
  /** Any outgoing message. */
  message(message: JsonObject, context: ClientContext): Out;
  /** The text of an outgoing frame; over stdio with its newline. */
  bytes(text: string, context: ClientContext): string | Buffer;
  /** An HTTP request before it goes out; undefined when it does not go out at all. */
  http(ask: HttpAsk, context: ClientContext): HttpAsk | undefined;
  /** The head of an answer, as the client is to see it. */
  httpHead(head: HttpHead, ask: HttpAsk, context: ClientContext): HttpHead;
  /** Bytes that came on a stream of events, as the client is to read them. */
  streamBytes(bytes: Buffer, context: ClientContext): Buffer;
  /** An event that came on one, and what was asked for that stream; undefined when it is passed over. */
  block(block: SseRead, context: ClientContext, ask: HttpAsk): SseRead | undefined;
  /** It takes leave; `stay` leaves out what the transport prescribes. */
  leave(context: ClientContext): 'stay' | void | Promise<'stay' | void>;
}

export type ClientMiddleware = Partial<ClientHooks>;
export type ClientDeviation = Deviation<ClientMiddleware>;

interface Meaning {
  /** What such a client does, in one sentence. */
  readonly what: string;
  readonly breaks: readonly [RequirementId, ...RequirementId[]];
  readonly where?: (revision: Revision) => boolean;
  readonly over?: readonly TransportId[];
}

/** Declares a violation by a client. */
export const clientFault = (
  id: string,
  meaning: Meaning,
  ...middleware: ClientMiddleware[]
): ClientDeviation => ({ id, role: 'client', ...meaning, middleware });

/** Declares a legal oddity of a client. */
export const clientQuirk = (
  id: string,
  meaning: Omit<Meaning, 'breaks'>,
  ...middleware: ClientMiddleware[]
): ClientDeviation => ({ id, role: 'client', ...meaning, breaks: [], middleware });

export const onHabits = (habits: ClientHooks['habits']): ClientMiddleware => ({ habits });
export const onStep = (step: ClientHooks['step']): ClientMiddleware => ({ step });
export const onOpened = (opened: ClientHooks['opened']): ClientMiddleware => ({ opened });
export const onIncoming = (incoming: ClientHooks['incoming']): ClientMiddleware => ({ incoming });
export const onUnreadable = (unreadable: ClientHooks['unreadable']): ClientMiddleware => ({ unreadable });
export const onBatch = (batch: ClientHooks['batch']): ClientMiddleware => ({ batch });
export const onMessage = (message: ClientHooks['message']): ClientMiddleware => ({ message });
export const onBytes = (bytes: ClientHooks['bytes']): ClientMiddleware => ({ bytes });
export const onHttp = (http: ClientHooks['http']): ClientMiddleware => ({ http });
export const onHttpHead = (httpHead: ClientHooks['httpHead']): ClientMiddleware => ({ httpHead });
export const onStreamBytes = (streamBytes: ClientHooks['streamBytes']): ClientMiddleware => ({ streamBytes });
export const onBlock = (block: ClientHooks['block']): ClientMiddleware => ({ block });
export const onLeave = (leave: ClientHooks['leave']): ClientMiddleware => ({ leave });

type Methods = string | readonly string[];
const fits = (methods: Methods, method: unknown): boolean =>
  methods === '*' || (typeof methods === 'string' ? methods === method : methods.includes(method as string));

/** Changes, drops or doubles answers to a method of the server, to several, or to all (`*`). */
export const onReply = (methods: Methods, reply: ClientHooks['reply']): ClientMiddleware => ({
  reply: (at, ask, context) => (fits(methods, ask.method) ? reply(at, ask, context) : at),
});

/** The same for successful answers, seen as their result; errors pass. */
export const onAnswer = (
  methods: Methods,
  change: (result: JsonObject, ask: JsonObject, context: ClientContext) => Json | undefined,
): ClientMiddleware =>
  onReply(methods, (reply, ask, context) => {
    if (!('result' in reply)) return reply;
    const result = change(reply.result as JsonObject, ask, context);
    return result === undefined ? undefined : { ...reply, result };
  });

/** Changes, drops or doubles requests of the client. */
export const onAsk = (methods: Methods, change: ClientHooks['message']): ClientMiddleware => ({
  message: (message, context) =>
    'id' in message && 'method' in message && fits(methods, message.method)
      ? change(message, context)
      : message,
});

/** The same for its notifications. */
export const onNotification = (methods: Methods, change: ClientHooks['message']): ClientMiddleware => ({
  message: (message, context) =>
    !('id' in message) && 'method' in message && fits(methods, message.method)
      ? change(message, context)
      : message,
});

/** Sees what the server answers to the client, and does something else with it. */
export const onResult = (methods: Methods, result: ClientHooks['result']): ClientMiddleware => ({
  result: (at, ask, context) => (fits(methods, ask.method) ? result(at, ask, context) : at),
});
