/** Responses with status 429: the server refused the request for the rate of requests, whatever the request contains. */

import type { Peer } from '../../harness/peer/peer.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import type { Exchange } from '../../harness/record/message.js';

/** The reason why a row was not observed. */
export const limitsRate = 'the server limits the rate of requests (status 429)';

export const hasStatus429 = ({ status }: HttpExchange): boolean => status === 429;

/** Whether a request was refused with status 429, with or without a JSON-RPC error. */
export function isRateLimited({ conversation }: Peer, { request }: Exchange): boolean {
  const post = conversation.httpOf(request);
  return post !== undefined && hasStatus429(post);
}
