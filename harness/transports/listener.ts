/** The harness as server: waits for connections of a client under test. */

import type { TransportId } from '../../spec/revisions.js';
import { listenHttpSse } from './http-sse/listen.js';
import type { Listener, ListenOptions } from './link.js';
import { listenStdio } from './stdio/listen.js';
import { listenDual } from './streamable-http/dual-listen.js';
import { listenStreamableHttp } from './streamable-http/listen.js';
import { listenStateless } from './streamable-http/stateless-listen.js';

const listens: Readonly<Record<TransportId, (options: ListenOptions) => Promise<Listener>>> = {
  stdio: listenStdio,
  'http-sse': listenHttpSse,
  'streamable-http': options => newerOrOlder(options)(options),
};

function newerOrOlder({ http, stateless }: ListenOptions) {
  if (http?.older) return listenHttpSse;
  if (stateless === 'either') return listenDual;
  return stateless ? listenStateless : listenStreamableHttp;
}

/**
 * Opens a separate port or pipe for a client under test.
 * @throws {Error} when no port or pipe is available
 */
export const listen = (transport: TransportId, options: ListenOptions): Promise<Listener> =>
  listens[transport](options);
