/** Our end as the server: waits for what a client under test opens. */

import type { TransportId } from '../../spec/revisions.js';
import { listenHttpSse } from './http-sse/listen.js';
import type { Listener, ListenOptions } from './link.js';
import { listenStdio } from './stdio/listen.js';
import { listenStreamableHttp } from './streamable-http/listen.js';

const listens: Readonly<Record<TransportId, (options: ListenOptions) => Promise<Listener>>> = {
  stdio: listenStdio,
  'http-sse': listenHttpSse,
  'streamable-http': options => (options.http?.older ? listenHttpSse : listenStreamableHttp)(options),
};

/**
 * Opens a port of its own, or a pipe of its own, for a client under test.
 * @throws {Error} when it cannot be had
 */
export const listen = (transport: TransportId, options: ListenOptions): Promise<Listener> =>
  listens[transport](options);
