/** Failures of the network between a subject and what it works with: they show nothing about the subject. */

import type { Exchange } from './message.js';

const failure =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT)\b|getaddrinfo|fetch failed|name resolution|no such host|Name or service not known|(?:cannot|can't|could not|couldn't|unable to|failed to) connect\b|connection (?:refused|timed out)/i;

/** Whether a text tells that the network is down. */
export const tellsOfNetwork = (text: string): boolean => failure.test(text);

/** Whether a response tells that the network is down. */
export const isNetworkFailure = ({ reply }: Pick<Exchange, 'reply'>): boolean =>
  reply !== undefined && tellsOfNetwork(reply.frame.text);
