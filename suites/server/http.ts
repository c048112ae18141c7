/** What scenarios of both HTTP transports need. */

import type { Peer } from '../../harness/peer/peer.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import type { JsonObject } from '../../spec/json-rpc.js';

/** Pages that have no business with a server on this machine; the last one looks local at first sight. */
export const foreignOrigins = ['http://evil.example', 'null', 'http://localhost.evil.example'] as const;

/** A server that is reached by its machine only: there the pages of strangers are the danger. */
export const isOnLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);

export const ping = (peer: Peer): JsonObject => ({ jsonrpc: '2.0', id: peer.nextId(), method: 'ping' });

/** Not served, whatever the answer is. */
export const refused = (e: HttpExchange): boolean =>
  e.status === undefined ? e.closedBy === 'error' : e.status >= 400 && e.status < 500;

export const outcome = (e: HttpExchange): string =>
  e.status === undefined ? (e.end?.reason ?? 'no answer') : `status ${e.status}`;
