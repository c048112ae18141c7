/** Chains the middleware of several deviations; the mocks of both roles use it. */

import { entry } from '../harness/grouped.js';
import { isObject, type Json, type JsonObject } from '../spec/json-rpc.js';
import type { Out } from './fault.js';

/** The hooks that both roles have; C is the context of the middleware. */
interface CommonHooks<C> {
  incoming(message: Json, context: C): Json | undefined;
  reply(reply: JsonObject, ask: JsonObject, context: C): Out;
  message(message: JsonObject, context: C): Out;
  bytes(text: string, context: C): string | Buffer;
}

export class Chain<C, H extends object> {
  private readonly all: readonly { readonly middleware: Partial<H>; readonly context: C }[];
  private readonly byDepth = new Map<keyof H, { readonly run: H[keyof H]; readonly context: C }[]>();

  /** @param contextFor creates the context of one deviation */
  constructor(deviations: readonly { readonly middleware: readonly Partial<H>[] }[], contextFor: () => C) {
    this.all = deviations.flatMap(deviation => {
      const context = contextFor();
      return deviation.middleware.map(middleware => ({ middleware, context }));
    });
  }

  protected hooks<K extends keyof H>(depth: K): { readonly run: H[K]; readonly context: C }[] {
    const hooks = entry(this.byDepth, depth, () =>
      this.all.flatMap(({ middleware, context }) => {
        const run = middleware[depth];
        return run ? [{ run: run as H[K], context }] : [];
      }),
    );
    return hooks as { readonly run: H[K]; readonly context: C }[];
  }
}

/** Runs hooks on messages. */
export class MessageChain<C, H extends CommonHooks<C>> extends Chain<C, H> {
  incoming(message: Json): Json | undefined {
    return fold(message, this.hooks('incoming'), (at, { run, context }) => run(at, context));
  }

  /** The messages sent for a response, before the `message` hooks. */
  reply(reply: JsonObject, ask: JsonObject): Json[] {
    const isReply = (at: Json): at is JsonObject => isObject(at) && !('method' in at);
    return spread([reply], this.hooks('reply'), (at, { run, context }) =>
      isReply(at) ? run(at, ask, context) : at,
    );
  }

  message(message: Json): Json[] {
    return spread([message], this.hooks('message'), (at, { run, context }) =>
      isObject(at) ? run(at, context) : at,
    );
  }

  bytes(text: string): string | Buffer {
    let at: string | Buffer = text;
    // bytes that are no longer text stay unchanged
    for (const { run, context } of this.hooks('bytes')) if (typeof at === 'string') at = run(at, context);
    return at;
  }
}

/** Passes a value through hooks that may each change or drop it. */
export function fold<T, H>(
  first: T,
  hooks: readonly H[],
  step: (at: T, hook: H) => T | undefined,
): T | undefined {
  let at: T | undefined = first;
  for (const hook of hooks) if (at !== undefined) at = step(at, hook);
  return at;
}

/** Passes messages through hooks that may each return several messages. */
function spread<H>(first: readonly Json[], hooks: readonly H[], step: (at: Json, hook: H) => Out): Json[] {
  let at = [...first];
  for (const hook of hooks)
    at = at.flatMap(message => {
      const out = step(message, hook);
      if (out === undefined) return [];
      return Array.isArray(out) ? (out as Json[]) : [out as Json];
    });
  return at;
}
