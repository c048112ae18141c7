/** What the token endpoint of an authorization server answered. */

import type { WebAnswer } from '../../harness/transports/http/side-request.js';

export const gotTokens = ({ json }: WebAnswer): boolean => typeof json?.access_token === 'string';

/** The answer in words, for a finding. */
export const shown = ({ status, failure, json }: WebAnswer): string =>
  json?.error === undefined
    ? `status ${status ?? failure}`
    : `status ${status} ${JSON.stringify(json.error)}`;

/** Why a token request without a response shows nothing. */
export const unreachable = ({ failure, url }: WebAnswer): string =>
  `the token endpoint ${url.href} gives no response: ${failure ?? 'no status'}`;

/** The judgement of a token request that has to be refused. @param tokens what a granted one means, in words */
export const refusal = (answer: WebAnswer, tokens: string, evidence = [answer.exchange]) => ({
  ok: !gotTokens(answer),
  expected: 'the token request to be refused',
  evidence,
  actual: tokens,
});
