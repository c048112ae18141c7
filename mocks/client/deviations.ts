/** Runs the middleware of all deviations of one start of the client, in order. */

import type { SseRead } from '../../harness/framing/sse.js';
import type { Step } from '../../harness/scenario/script.js';
import type { Json, JsonObject } from '../../spec/json-rpc.js';
import { fold, MessageChain } from '../middleware.js';
import { ClientContext, type Whole } from './context.js';
import type { ClientDeviation, ClientHooks } from './fault.js';
import type { HttpAsk, HttpHead } from './http-message.js';

export class ClientDeviations extends MessageChain<ClientContext, ClientHooks> {
  constructor(deviations: readonly ClientDeviation[], whole: Whole) {
    super(deviations, () => new ClientContext(whole));
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

  unreadable(text: string): void {
    for (const { run, context } of this.hooks('unreadable')) run(text, context);
  }

  /** The value sent in response to an array of messages. */
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

  async http(ask: HttpAsk): Promise<HttpAsk | undefined> {
    let at: HttpAsk | undefined = ask;
    for (const { run, context } of this.hooks('http')) at &&= await run(at, context);
    return at;
  }

  httpHead(head: HttpHead, ask: HttpAsk): HttpHead {
    return this.hooks('httpHead').reduce((at, { run, context }) => run(at, ask, context), head);
  }

  streamBytes(bytes: Buffer): Buffer {
    return this.hooks('streamBytes').reduce((at, { run, context }) => run(at, context), bytes);
  }

  block(block: SseRead, ask: HttpAsk): SseRead | undefined {
    return fold(block, this.hooks('block'), (at, { run, context }) => run(at, context, ask));
  }

  /** Whether the shutdown of the transport is skipped. */
  async leaves(): Promise<boolean> {
    let leaves = true;
    for (const { run, context } of this.hooks('leave')) if ((await run(context)) === 'stay') leaves = false;
    return leaves;
  }
}
