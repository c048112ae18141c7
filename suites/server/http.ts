/** Helpers for scenarios of both HTTP transports. */

import type { Peer } from '../../harness/peer/peer.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import type { JsonObject } from '../../spec/json-rpc.js';

/** Origins without legitimate access to a server on this machine; the last one resembles a local name. */
export const foreignOrigins = ['http://evil.example', 'null', 'http://localhost.evil.example'] as const;

/** A server that only this machine can reach: foreign origins are a danger there. */
export const isOnLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);

/** A harmless request, to be sent by hand. */
export const ping = (peer: Peer): JsonObject => peer.harmlessMessage(peer.nextId());

/** Refused: a 4xx status, or a connection error without a status. */
export const refused = (e: HttpExchange): boolean =>
  e.status === undefined ? e.closedBy === 'error' : e.status >= 400 && e.status < 500;
