/**
 * undici, loaded at the first HTTP connection: most runs use stdio. Only the connection code is loaded: the
 * whole package, with `fetch` and web sockets, takes three times as long.
 */

import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { limits } from './limits.js';

const require = createRequire(import.meta.url);

/** Bytes that a server sends besides heads and bodies: informational responses, sizes and extensions of chunks. */
class Overhead {
  private received = 0;
  private content = 0;

  /** Counts what arrives; closes the connection at the limit, where the parser has nothing to report. */
  watch(socket: Socket): void {
    let seen = 0;
    socket.on('readable', () => {
      this.received += socket.bytesRead - seen;
      seen = socket.bytesRead;
      // a chunk of one byte has six bytes
      if (this.received - 6 * this.content <= limits.overhead) return;
      const why = `more than ${limits.overhead} bytes besides the heads and bodies of responses`;
      socket.destroy(Object.assign(new Error(`The server sent ${why}`), { code: 'HTTP_OVERHEAD' }));
    });
  }

  /** @returns a handler that counts the heads and bodies of final responses */
  counting(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
    return {
      ...handler,
      onResponseStart: (controller, status, headers, reason) => {
        if (status >= 200)
          for (const part of (controller.rawHeaders ?? []) as Buffer[]) this.content += part.length;
        handler.onResponseStart?.(controller, status, headers, reason);
      },
      onResponseData: (controller, chunk) => {
        this.content += chunk.length;
        handler.onResponseData?.(controller, chunk);
      },
    };
  }
}

/**
 * An agent of undici that takes heads of limited size, and a limited number of bytes besides heads and bodies.
 * @param timeout time for opening a connection, in milliseconds; default: undici's
 */
export function boundedAgent(timeout?: number, options: Agent.Options = {}): Agent {
  const Plain: typeof Agent = require('undici/lib/dispatcher/agent.js');
  const connector: typeof buildConnector = require('undici/lib/core/connect.js');
  const connect = connector(timeout === undefined ? {} : { timeout });
  const overhead = new Overhead();
  const agent = new Plain({
    // a server may close a connection that idles longer at the moment the harness uses it again
    keepAliveTimeout: 1_000,
    keepAliveMaxTimeout: 1_000,
    maxHeaderSize: limits.head,
    ...options,
    connect: (target, done) =>
      connect(target, (...opened) => {
        if (opened[1]) overhead.watch(opened[1]);
        done(...opened);
      }),
  });
  const dispatch = agent.dispatch.bind(agent);
  agent.dispatch = (request, handler) => dispatch(request, overhead.counting(handler));
  return agent;
}
