/** Refusals that say nothing about the content of a request. */

import { isRateLimitError, rateLimited } from '../../harness/judge/rate-limit.js';
import type { Peer } from '../../harness/peer/peer.js';
import { errorCodes } from '../../harness/record/envelope.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import { type Exchange, errorOf } from '../../harness/record/message.js';

export const hasStatus429 = ({ status }: HttpExchange): boolean => status === 429;

/** Whether the server was busy, or limited the rate, after several refusals: the status shows nothing about the credentials. */
export const isBusy = (e: HttpExchange): boolean => hasStatus429(e) || e.status === 503;

/** Whether a request was refused with status 429, or with an error about the rate of requests. */
export function isRateLimited({ conversation }: Peer, exchange: Exchange): boolean {
  const post = conversation.httpOf(exchange.request);
  return (post !== undefined && hasStatus429(post)) || isRateLimitError(errorOf(exchange));
}

/** Why a refusal says nothing about the params of a request; undefined for another response. */
export function whyUnrelated(peer: Peer, exchange: Exchange): string | undefined {
  if (isRateLimited(peer, exchange)) return rateLimited;
  return errorOf(exchange)?.code === errorCodes.missingCapability
    ? 'the server needs a capability that the harness does not declare (error -32021)'
    : undefined;
}
