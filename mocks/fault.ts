/** How a deviation of the mock is written down: what it breaks, and middleware at the depth where it acts. */

import type { Json, JsonObject, Party } from '../spec/json-rpc.js';
import { clauseIn, type RequirementId, requirement } from '../spec/requirement.js';
import type { Revision, TransportId } from '../spec/revisions.js';
import type { Context } from './server/context.js';
import type { HttpContext } from './server/http/deviations.js';
import type { Block, HttpReply, Incoming, StreamWriter } from './server/http/reply.js';
import type { World } from './server/world.js';

/** A message in place of another: itself, several, or none at all. */
export type Out = Json | readonly Json[] | undefined;

/** The depths at which a deviation can act, outermost last. Each is optional; all run in the order they are given. */
export interface Hooks {
  /** Changes what the mock has and declares, before anything is said. */
  world(world: World, context: Context): void;
  /** The process has just started. */
  start(context: Context): void;
  /** What arrives on standard input at once. */
  chunk(bytes: Buffer, context: Context): Buffer;
  /** An incoming line; undefined when it is swallowed. */
  line(text: string, context: Context): string | undefined;
  /** An incoming message, also each one of a batch; undefined when it is swallowed. */
  incoming(message: Json, context: Context): Json | undefined;
  /** A request before its handler; undefined when it is never answered. */
  request(ask: JsonObject, context: Context): JsonObject | undefined;
  /** The reply of a handler. */
  reply(reply: JsonObject, ask: JsonObject, context: Context): Out;
  /** Any outgoing message. */
  message(message: JsonObject, context: Context): Out;
  /** An outgoing line with its newline. */
  bytes(text: string, context: Context): string | Buffer;
  /** Standard input has ended; `stay` keeps the process alive. */
  inputEnd(context: Context): 'stay' | void;
  /** The process is told to end; `stay` ignores it. */
  signal(context: Context): 'stay' | void;
  /** The address it listens at when it is served on a port. */
  listens(): string;
  /** An HTTP request before it is looked at; another one, or an answer in place of the mock's. */
  httpRequest(ask: Incoming, context: HttpContext): Incoming | HttpReply;
  /** An HTTP answer: status, headers, body; `reset` closes the connection instead. */
  http(reply: HttpReply, ask: Incoming, context: HttpContext): HttpReply;
  /**
   * A block of an event stream: itself, another, several, bytes as they are, undefined for none. The writer closes or
   * breaks the stream.
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
  /** Which of the mocks deviates. */
  readonly role: Party;
  /** What such a server or client does, in one sentence. */
  readonly what: string;
  /** Exactly the requirements that are violated, in the revisions where they hold. */
  readonly breaks: readonly RequirementId[];
  /** Revisions in which it shows, when not in all of those where something of `breaks` holds. */
  readonly where?: (revision: Revision) => boolean;
  /** The transports over which it shows, when not over all of those that the rows of `breaks` cover. */
  readonly over?: readonly TransportId[];
  readonly middleware: readonly M[];
}

export type Fault = Deviation;
export type Quirk = Deviation;

interface Meaning {
  readonly what: string;
  readonly breaks: readonly [RequirementId, ...RequirementId[]];
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

/** Declares a legal oddity, which no judge may flag. */
export const quirk = (id: string, meaning: Omit<Meaning, 'breaks'>, ...middleware: Middleware[]): Quirk => ({
  id,
  role: 'server',
  ...meaning,
  breaks: [],
  middleware,
});

const httpHooks: readonly string[] = ['listens', 'httpRequest', 'http', 'httpHead', 'streamBytes', 'block'];

/** All it does it does to HTTP. */
export const isAboutHttp = ({ middleware }: Deviation<object>): boolean =>
  middleware.every(hooks => Object.keys(hooks).every(hook => httpHooks.includes(hook)));

/** What a fault breaks in a revision over a transport; empty when it does not show there. */
export function breaksIn(
  deviation: Deviation<object>,
  revision: Revision,
  transport: TransportId,
): RequirementId[] {
  if (deviation.where && !deviation.where(revision)) return [];
  if (deviation.over && !deviation.over.includes(transport)) return [];
  if (transport === 'stdio' && isAboutHttp(deviation)) return [];
  return deviation.breaks.filter(id => {
    const row = requirement(id);
    return clauseIn(row, revision.id) && (row.over?.includes(transport) ?? true);
  });
}

type Methods = string | readonly string[];
const fits = (methods: Methods, method: unknown): boolean =>
  methods === '*' || (typeof methods === 'string' ? methods === method : methods.includes(method as string));

/** Changes, drops, doubles or holds back replies to a method, to several, or to all (`*`). */
export const onReply = (methods: Methods, change: Hooks['reply']): Middleware => ({
  reply: (reply, ask, context) => (fits(methods, ask.method) ? change(reply, ask, context) : reply),
});

/** The same for successful replies, seen as their result; errors pass. */
export const onResult = (
  methods: Methods,
  change: (result: JsonObject, ask: JsonObject, context: Context) => Json | undefined,
): Middleware =>
  onReply(methods, (reply, ask, context) => {
    if (!('result' in reply)) return reply;
    const result = change(reply.result as JsonObject, ask, context);
    return result === undefined ? undefined : { ...reply, result };
  });

/** The same for errors, seen as their error object. */
export const onError = (
  methods: Methods,
  change: (error: JsonObject, ask: JsonObject, context: Context) => Json,
): Middleware =>
  onReply(methods, (reply, ask, context) =>
    'error' in reply ? { ...reply, error: change(reply.error as JsonObject, ask, context) } : reply,
  );

/** Changes what the handler of a method sees, or swallows the request. */
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
export const onHttpRequest = (httpRequest: Hooks['httpRequest']): Middleware => ({ httpRequest });
export const onHttp = (http: Hooks['http']): Middleware => ({ http });
export const onBlock = (block: Hooks['block']): Middleware => ({ block });

/** A successful reply to a request. */
export const result = (ask: JsonObject, body: Json): JsonObject => ({
  jsonrpc: '2.0',
  id: ask.id ?? null,
  result: body,
});

/** A refusal of a request. */
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
