/** Runs the middleware of all deviations of one connection, in order. */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { Deviation, Hooks } from '../fault.js';
import { fold, MessageChain } from '../middleware.js';
import { Context } from './context.js';
import type { OpenSession } from './interfaces.js';

export class Deviations extends MessageChain<Context, Hooks> {
  private readonly at: { session: OpenSession };

  constructor(deviations: readonly Deviation[], session: OpenSession) {
    const at = { session };
    super(deviations, () => new Context(at));
    this.at = at;
  }

  /** Runs hooks for one of several sessions that share their deviations. */
  for(session: OpenSession): this {
    this.at.session = session;
    return this;
  }

  world(): void {
    for (const { run, context } of this.hooks('world')) run(context.world, context);
  }

  start(): void {
    for (const { run, context } of this.hooks('start')) run(context);
  }

  chunk(bytes: Buffer): Buffer {
    return this.hooks('chunk').reduce((at, { run, context }) => run(at, context), bytes);
  }

  line(text: string): string | undefined {
    return fold(text, this.hooks('line'), (at, { run, context }) => run(at, context));
  }

  request(ask: JsonObject): JsonObject | undefined {
    return fold(ask, this.hooks('request'), (at, { run, context }) => run(at, context));
  }

  /** Whether the process continues to run. */
  stays(depth: 'inputEnd' | 'signal'): boolean {
    return this.hooks(depth).some(({ run, context }) => run(context) === 'stay');
  }
}
