/** Runs the middleware of all deviations of one connection, in order. */

import { isObject, type Json, type JsonObject } from '../spec/json-rpc.js';
import { Context } from './context.js';
import type { Deviation, Hooks, Middleware, Out } from './fault.js';
import type { Session } from './session.js';

export class Deviations {
  private readonly all: readonly { middleware: Middleware; context: Context }[];

  constructor(deviations: readonly Deviation[], session: Session) {
    this.all = deviations.flatMap(deviation => {
      const context = new Context(session);
      return deviation.middleware.map(middleware => ({ middleware, context }));
    });
  }

  private hooks<K extends keyof Hooks>(depth: K): { run: Hooks[K]; context: Context }[] {
    return this.all.flatMap(({ middleware, context }) => {
      const run = middleware[depth];
      return run ? [{ run: run as Hooks[K], context }] : [];
    });
  }

  world(): void {
    for (const { run, context } of this.hooks('world')) run(context.world, context);
  }

  start(): void {
    for (const { run, context } of this.hooks('start')) run(context);
  }

  line(text: string): string | undefined {
    return fold(text, this.hooks('line'), (at, { run, context }) => run(at, context));
  }

  incoming(message: Json): Json | undefined {
    return fold(message, this.hooks('incoming'), (at, { run, context }) => run(at, context));
  }

  request(ask: JsonObject): JsonObject | undefined {
    return fold(ask, this.hooks('request'), (at, { run, context }) => run(at, context));
  }

  /** What is sent for the reply of a handler, before the `message` hooks. */
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
    // bytes that are no text any more are left alone
    for (const { run, context } of this.hooks('bytes')) if (typeof at === 'string') at = run(at, context);
    return at;
  }

  /** Whether the process goes on all the same. */
  stays(depth: 'inputEnd' | 'signal'): boolean {
    return this.hooks(depth).some(({ run, context }) => run(context) === 'stay');
  }
}

function fold<T, H>(first: T, hooks: readonly H[], step: (at: T, hook: H) => T | undefined): T | undefined {
  let at: T | undefined = first;
  for (const hook of hooks) if (at !== undefined) at = step(at, hook);
  return at;
}

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
