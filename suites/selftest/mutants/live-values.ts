/** Helpers for live mutants of both parties. */

import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, without } from '../../../spec/json-rpc.js';

/** What a hook of a deviation keeps its state in. */
interface State {
  keep<T>(make: () => T): T;
}

/** Keeps a value, if there is one. @returns the value that was kept before */
export function before<T>(context: State, value: T | undefined): T | undefined {
  const state = context.keep<{ last: T | undefined }>(() => ({ last: undefined }));
  const { last } = state;
  state.last = value ?? last;
  return last;
}

/** The response of the request before, under the id of this one. */
export function responseBefore(reply: JsonObject, _: JsonObject, context: State): JsonObject {
  const last = before(context, reply);
  return last ? { ...last, id: reply.id! } : reply;
}

/** The first response, under the id of this one. */
export const firstResponse = (reply: JsonObject, _: JsonObject, context: State): JsonObject => ({
  ...context.keep(() => without(reply, 'id')),
  jsonrpc: '2.0',
  id: reply.id!,
});

/** Calls `note` when a hook of a deviation changes something for the first time. */
export function watched<M extends object>(middleware: M, note: () => void): M {
  const hooks = Object.entries(middleware) as [string, (first: unknown, ...rest: unknown[]) => unknown][];
  let isNoted = false;
  const watchedHooks = hooks.map(([name, hook]) => [
    name,
    (first: unknown, ...rest: unknown[]) => {
      const out = hook(first, ...rest);
      if (!isNoted && out !== first && !isDeepStrictEqual(out, first)) {
        isNoted = true;
        note();
      }
      return out;
    },
  ]);
  return Object.fromEntries(watchedHooks) as M;
}

/** Whether a value is an object without a class. */
export const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
