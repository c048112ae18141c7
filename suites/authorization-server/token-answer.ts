/** What the token endpoint of an authorization server answered. */

import type { Expect } from '../../harness/scenario/expect.js';
import type { WebAnswer } from '../../harness/transports/http/side-request.js';
import type { RequirementId } from '../../spec/requirements.generated.js';

export const gotTokens = ({ json }: WebAnswer): boolean => typeof json?.access_token === 'string';

/** The answer in words, for a finding. */
export const shown = ({ status, failure, json }: WebAnswer): string =>
  json?.error === undefined
    ? `status ${status ?? failure}`
    : `status ${status} ${JSON.stringify(json.error)}`;

/** Why a token request without a response shows nothing. */
export const unreachable = ({ failure, url }: WebAnswer): string =>
  `the token endpoint ${url.href} gives no response: ${failure ?? 'no status'}`;

/**
 * Judges a token request that has to be refused. Without a response it shows nothing.
 * @param tokens what a granted request brings, in words
 */
export function expectRefused<Row extends RequirementId>(
  expect: Pick<Expect<Row>, 'that' | 'inconclusive'>,
  row: Row,
  answer: WebAnswer,
  tokens: string,
  evidence = [answer.exchange],
): void {
  if (answer.status === undefined) expect.inconclusive(row, unreachable(answer));
  else
    expect.that(row, {
      ok: !gotTokens(answer),
      expected: 'the token request to be refused',
      evidence,
      actual: tokens,
    });
}
