/** Runs the HTTP middleware of all deviations of one server, in order. */

import type { Hooks } from '../../fault.js';
import { Chain } from '../../middleware.js';
import type { HttpContext } from './context.js';
import { type Block, type HttpReply, type Incoming, isStreaming, type Streaming } from './reply.js';

export class HttpDeviations extends Chain<
  HttpContext,
  Pick<Hooks, 'headerNames' | 'httpRequest' | 'http' | 'block'>
> {
  /** A response because of the spelling of header names. */
  headerNames(names: readonly string[]): HttpReply | undefined {
    return this.hooks('headerNames')
      .map(({ run }) => run(names))
      .find(reply => reply !== undefined);
  }

  /** The request for the server; a response when a deviation responds instead. */
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
