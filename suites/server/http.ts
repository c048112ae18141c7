/** Helpers for scenarios of both HTTP transports. */

import type { Peer } from '../../harness/peer/peer.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import type { HttpAsk, HttpControl } from '../../harness/transports/link.js';
import type { JsonObject, RequestId } from '../../spec/json-rpc.js';

/** Origins without legitimate access to a server on this machine; the last one resembles a local name. */
export const foreignOrigins = ['http://evil.example', 'null', 'http://localhost.evil.example'] as const;

/** A server that only this machine can reach: foreign origins are a danger there. */
export const isOnLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);

/** A harmless request, to be sent by hand. */
export const ping = (peer: Peer): JsonObject => peer.harmlessMessage(peer.nextId());

/** The first request of a conversation, to be sent by hand. */
export const opening = (peer: Peer, id: RequestId): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method: peer.era.opensWith,
  params: peer.era.openingParams(peer, { capabilities: {} }),
});

/** The headers of a request outside of any session. */
export const withoutSession = { 'Mcp-Session-Id': null, 'MCP-Protocol-Version': null };

/** Refused: a 4xx status, or a connection error without a status. */
export const refused = (e: HttpExchange): boolean =>
  e.status === undefined ? e.closedBy === 'error' : e.status >= 400 && e.status < 500;

/** Reason of a request with a foreign Origin that shows nothing. */
export const failsWithoutOrigin = 'the server responds with a server error without an Origin, too';

/**
 * Sends a request with a foreign Origin. A 5xx status is a refusal where the same request without an Origin
 * gets another status: middleware may throw an error for the Origin. `isRefused` is undefined where it does not.
 */
export async function withForeignOrigin(
  http: HttpControl,
  request: () => HttpAsk,
  Origin: string,
): Promise<{ readonly e: HttpExchange; readonly isRefused: boolean | undefined }> {
  const fetch = async (ask: HttpAsk) => {
    const e = await http.fetch(ask);
    if (!e.end) http.drop(e, { resume: false });
    return e;
  };
  const ask = request();
  const e = await fetch({ ...ask, headers: { ...ask.headers, Origin } });
  if ((e.status ?? 0) < 500) return { e, isRefused: refused(e) };
  const plain = await fetch(request());
  return { e, isRefused: (plain.status ?? 500) < 500 || undefined };
}
