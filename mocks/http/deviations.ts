/** Runs the HTTP middleware of all deviations of one server, in order. */

import type { Deviation, Hooks } from '../fault.js';
import type { Session } from '../session.js';
import { type Block, type HttpReply, type Incoming, isStreaming, type Streaming } from './reply.js';

/** What HTTP middleware may see and do. One for each deviation of each server, over all its sessions. */
export class HttpContext {
  private readonly counts = new Map<string, number>();
  private kept: { value: unknown } | undefined;

  constructor(
    /** The session a request names; undefined when it names none that there is. */
    readonly sessionOf: (ask: Incoming) => Session | undefined,
    /** Ids of the sessions there are. */
    readonly sessionIds: () => string[],
  ) {}

  /** Something this deviation remembers as long as the server lives. */
  keep<T>(make: () => T): T {
    this.kept ??= { value: make() };
    return this.kept.value as T;
  }

  /** How often this deviation has come here, from 1. */
  count(what = ''): number {
    const count = (this.counts.get(what) ?? 0) + 1;
    this.counts.set(what, count);
    return count;
  }
}

type HttpHook = 'httpRequest' | 'http' | 'block';

export class HttpDeviations {
  private readonly all: readonly { middleware: Partial<Hooks>; context: HttpContext }[];

  constructor(deviations: readonly Deviation[], makeContext: () => HttpContext) {
    this.all = deviations.flatMap(deviation => {
      const context = makeContext();
      return deviation.middleware.map(middleware => ({ middleware, context }));
    });
  }

  private hooks<K extends HttpHook>(depth: K): { run: Hooks[K]; context: HttpContext }[] {
    return this.all.flatMap(({ middleware, context }) => {
      const run = middleware[depth];
      return run ? [{ run: run as Hooks[K], context }] : [];
    });
  }

  /** What the server sees; an answer when a deviation gives one in its place. */
  request(ask: Incoming): Incoming | HttpReply {
    let at: Incoming | HttpReply = ask;
    for (const { run, context } of this.hooks('httpRequest')) if ('method' in at) at = run(at, context);
    return at;
  }

  reply(reply: HttpReply, ask: Incoming): HttpReply {
    let at = reply;
    for (const { run, context } of this.hooks('http')) at = run(at, ask, context);
    const { body } = at;
    const blocks = this.hooks('block');
    return isStreaming(body) && blocks.length > 0 ? { ...at, body: this.watched(body, ask, blocks) } : at;
  }

  private watched(
    body: Streaming,
    ask: Incoming,
    hooks: readonly { run: Hooks['block']; context: HttpContext }[],
  ): Streaming {
    return {
      start: writer =>
        body.start({
          ...writer,
          write(block) {
            let blocks: Block[] = [block];
            for (const { run, context } of hooks)
              blocks = blocks.flatMap(at => {
                const out = run(at, ask, context, writer);
                return out === undefined ? [] : Array.isArray(out) ? (out as Block[]) : [out as Block];
              });
            for (const one of blocks) writer.write(one);
          },
        }),
    };
  }
}
