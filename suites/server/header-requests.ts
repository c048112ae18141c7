/** Requests over HTTP whose headers are written by hand, and what they get. */

import type { Peer } from '../../harness/peer/peer.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import type { HttpContext } from '../../harness/scenario/scenario.js';
import type { HttpAsk } from '../../harness/transports/link.js';
import { isObject, type JsonObject } from '../../spec/json-rpc.js';

/** A value between the markers of the encoding, also where it needs none. */
export const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** The code of the error in a response. */
export function codeOf(e: HttpExchange): unknown {
  const body = e.received[0]?.json;
  return isObject(body) && isObject(body.error) ? body.error.code : e.refusal?.code;
}

export const isServed = (e: HttpExchange): boolean => e.received.some(m => m.kind === 'result');

export const shown = (e: HttpExchange): string =>
  isServed(e) ? 'a result' : `${e.outcome}, error ${JSON.stringify(codeOf(e)) ?? 'none'}`;

const message = (peer: Peer, method: string, params: JsonObject = {}): JsonObject => ({
  jsonrpc: '2.0',
  id: peer.nextId(),
  method,
  params: peer.era.dress(peer, params)!,
});

type Sender = Pick<HttpContext, 'peer' | 'http'>;

export const send = (
  { peer, http }: Sender,
  method: string,
  params: JsonObject,
  headers: NonNullable<HttpAsk['headers']>,
): Promise<HttpExchange> => http.fetch({ body: message(peer, method, params), headers });
