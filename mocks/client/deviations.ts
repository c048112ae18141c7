/** Runs the middleware of all deviations of one start of the client, in order. */

import type { Step } from '../../harness/script.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Out } from '../fault.js';
import { ClientContext, type Whole } from './context.js';
import type { ClientDeviation, ClientHooks, ClientMiddleware, HttpAsk, HttpHead } from './fault.js';

interface Hook<K extends keyof ClientHooks> {
  readonly run: ClientHooks[K];
  readonly context: ClientContext;
}

export class ClientDeviations {
  private readonly all: readonly { middleware: ClientMiddleware; context: ClientContext }[];

  constructor(deviations: readonly ClientDeviation[], whole: Whole) {
    this.all = deviations.flatMap(deviation => {
      const context = new ClientContext(whole);
      return deviation.middleware.map(middleware => ({ middleware, context }));
    });
  }

  private hooks<K extends keyof ClientHooks>(depth: K): Hook<K>[] {
    return this.all.flatMap(({ middleware, context }) => {
      const run = middleware[depth];
      return run ? [{ run: run as ClientHooks[K], context }] : [];
    });
  }

  habits(whole: Whole): void {
    for (const { run, context } of this.hooks('habits')) run(whole.habits, context);
  }

  start(): void {
    for (const { run, context } of this.hooks('start')) run(context);
  }

  async opened(): Promise<void> {
    for (const { run, context } of this.hooks('opened')) await run(context);
  }

  step(step: Step): Step[] {
    let steps: Step[] = [step];
    for (const { run, context } of this.hooks('step'))
      steps = steps.flatMap(at => {
        const out = run(at, context);
        if (out === undefined) return [];
        return Array.isArray(out[0]) ? [...(out as readonly Step[])] : [out as Step];
      });
    return steps;
  }

  incoming(message: Json): Json | undefined {
    let at: Json | undefined = message;
    for (const { run, context } of this.hooks('incoming')) if (at !== undefined) at = run(at, context);
    return at;
  }

  unreadable(text: string): void {
    for (const { run, context } of this.hooks('unreadable')) run(text, context);
  }

  /** What is sent for an array of messages. */
  batch(answer: Json | undefined, asked: readonly Json[]): Json | undefined {
    let at = answer;
    for (const { run, context } of this.hooks('batch')) at = run(at, asked, context);
    return at;
  }

  async result(result: JsonObject, ask: JsonObject): Promise<JsonObject> {
    let at = result;
    for (const { run, context } of this.hooks('result')) at = await run(at, ask, context);
    return at;
  }

  /** What is sent for an answer, before the `message` hooks. */
  reply(reply: JsonObject, ask: JsonObject): Json[] {
    return spread([reply], this.hooks('reply'), (at, { run, context }) =>
      isObject(at) && !('method' in at) ? run(at, ask, context) : at,
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

  http(ask: HttpAsk): HttpAsk | undefined {
    let at: HttpAsk | undefined = ask;
    for (const { run, context } of this.hooks('http')) if (at !== undefined) at = run(at, context);
    return at;
  }

  httpHead(head: HttpHead, ask: HttpAsk): HttpHead {
    return this.hooks('httpHead').reduce((at, { run, context }) => run(at, ask, context), head);
  }

  /** Whether what the transport prescribes is left out. */
  async leaves(): Promise<boolean> {
    let leaves = true;
    for (const { run, context } of this.hooks('leave')) if ((await run(context)) === 'stay') leaves = false;
    return leaves;
  }
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
