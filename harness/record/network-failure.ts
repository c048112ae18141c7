/** Failures of the network between a subject and a service that it works with: they show nothing about the subject. */

import type { Exchange } from './message.js';

const failures = [
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT)\b/i,
  /getaddrinfo|fetch failed|name resolution|no such host|Name or service not known/i,
  /(?:cannot|can't|could not|couldn't|unable to|failed to) connect\b|connection (?:refused|timed out)/i,
];

/** Whether a text tells that the network is down, or that a service cannot be reached. */
export const tellsOfNetwork = (text: string): boolean => failures.some(words => words.test(text));

/** Whether a response tells this. */
export const isNetworkFailure = ({ reply }: Pick<Exchange, 'reply'>): boolean =>
  reply !== undefined && tellsOfNetwork(reply.frame.text);
