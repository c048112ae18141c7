/** Runs the HTTP middleware of all deviations of one server, in order. */

import type { Hooks } from '../../fault.js';
import { Memory } from '../../fault-state.js';
import { Chain } from '../../middleware.js';
import type { Session } from '../session.js';
import { type Block, type HttpReply, type Incoming, isStreaming, type Streaming } from './reply.js';

/** What HTTP middleware may see and do. One for each deviation of each server, over all its sessions. */
export class HttpContext extends Memory {
  constructor(
    /** The session a request names; undefined when it names none that there is. */
    readonly sessionOf: (ask: Incoming) => Session | undefined,
    /** Ids of the sessions there are. */
    readonly sessionIds: () => string[],
  ) {
    super();
  }
}

export class HttpDeviations extends Chain<HttpContext, Pick<Hooks, 'httpRequest' | 'http' | 'block'>> {
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
