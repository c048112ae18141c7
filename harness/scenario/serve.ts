/** Responses of the harness as a server: a table of values and functions, by method. */

import { asText, type JsonObject, ownMember } from '../../spec/json-rpc.js';
import type { Peer } from '../peer/peer.js';
import { type HandlerResult, RefusedRequest } from '../peer/requests.js';
import type { Exchange, Message } from '../record/message.js';

export interface ServeCall {
  /** The received request. */
  readonly request: Message;
  readonly peer: Peer;
  /** Sends a request to the client, related to the current request. */
  ask(method: string, params?: JsonObject): Promise<Exchange>;
  /** Sends a notification to the client, related to the current request. */
  tell(method: string, params?: JsonObject): void;
}

export type ServeHandler = (params: JsonObject, call: ServeCall) => HandlerResult | Promise<HandlerResult>;

/** Marks a request that the scenario answers itself: `await peer.held(method)`. */
export const held: unique symbol = Symbol('held');

/** Methods, each with its result, with a function that creates the result, or with `held`. */
export type Serve = Readonly<Record<string, JsonObject | ServeHandler | typeof held>>;

const odd = new WeakSet<ServeHandler>();

/** A response that breaks a rule on purpose. */
export function deliberately(answer: JsonObject | ServeHandler): ServeHandler {
  const handler: ServeHandler = typeof answer === 'function' ? (...given) => answer(...given) : () => answer;
  odd.add(handler);
  return handler;
}

/** Sets the responses of the harness; later tables override earlier ones. */
export function serve(peer: Peer, ...tables: readonly Serve[]): void {
  for (const table of tables)
    for (const [method, answer] of Object.entries(table)) {
      if (answer === held) peer.defer(method);
      else if (typeof answer === 'function')
        peer.handle(method, (params, request) => answer(params ?? {}, callOf(peer, request)), {
          deliberate: odd.has(answer),
        });
      else peer.handle(method, () => answer);
    }
}

const callOf = (peer: Peer, request: Message): ServeCall => ({
  request,
  peer,
  ask: (method, params) => peer.request(method, params, { during: request }),
  tell: (method, params) => void peer.notify(method, params, { during: request }),
});

const keys: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

/**
 * A list with several pages; the cursors are opaque for a client, and only issued cursors are accepted. A
 * null cursor, which the schema does not permit, gets the first page.
 * @param cursors cursors of the second page, the third …; default: generated
 */
export function pages(
  items: readonly (readonly JsonObject[])[],
  cursors: readonly string[] = items.slice(1).map((_, n) => `page ${n + 2} of ${items.length}`),
): ServeHandler {
  return (params, { request }) => {
    const cursor = params.cursor ?? undefined;
    const at = cursor === undefined ? 0 : cursors.indexOf(asText(cursor)) + 1;
    if (cursor !== undefined && at === 0) throw new RefusedRequest(-32602, 'This cursor was never issued.');
    const next = cursors[at];
    return {
      [ownMember(keys, request.method) ?? 'items']: [...(items[at] ?? [])],
      ...(next !== undefined && { nextCursor: next }),
    };
  };
}

/** Responds with an error. */
export const refuses =
  (code: number, message: string): ServeHandler =>
  () => {
    throw new RefusedRequest(code, message);
  };

/** Sends no response. */
export const silence: ServeHandler = () => undefined;
