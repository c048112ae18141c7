/** io.modelcontextprotocol/auth/dpop: faults of authorization servers. */

import type { ProofFlaw } from '../../../harness/oauth/dpop.js';
import { without } from '../../../spec/json-rpc.js';
import { demanding } from '../dpop.js';
import { type AuthorizationDeviation, authorizationFault } from '../fault.js';
import type { Policy } from '../policy.js';
import { checkingProofs, proofFlaws } from './proof-flaws.js';

type Row =
  | `proof-${Exclude<ProofFlaw, 'ath'> | 'error'}`
  | 'algs'
  | 'algs-asymmetric'
  | 'bound-only'
  | 'token-type'
  | 'token-bound'
  | 'refresh-bound'
  | 'nonce-supplied';

/** A fault that shows a form of the breach of one row, and possibly breaks another one too. */
const binding = (
  id: string,
  what: string,
  [row, form, ...more]: readonly [Row, string, ...Row[]],
  policy: Partial<Policy>,
): AuthorizationDeviation =>
  authorizationFault(
    `as-dpop-${id}`,
    {
      what,
      breaks: [`ext-dpop.as-${row}`, ...more.map(one => `ext-dpop.as-${one}` as const)],
      shows: [`ext-dpop.as-${row}#${form}`],
    },
    policy,
  );

/** The metadata with another value of the member. */
const listing = (value: string | readonly string[]): Partial<Policy> => ({
  metadata: document => ({ ...document, dpop_signing_alg_values_supported: value as string }),
});

export const dpopFaults: readonly AuthorizationDeviation[] = [
  binding('algorithms-absent', 'The metadata lists no algorithms for proofs.', ['algs', 'absent'], {
    metadata: document => without(document, 'dpop_signing_alg_values_supported'),
  }),
  binding('algorithms-empty', 'The list of algorithms for proofs is empty.', ['algs', 'empty'], listing([])),
  binding('algorithms-text', 'The algorithms for proofs are a text.', ['algs', 'text'], listing('ES256')),
  binding(
    'algorithms-none',
    'The metadata lists the algorithm none for proofs.',
    ['algs-asymmetric', 'none'],
    listing(['ES256', 'none']),
  ),
  binding(
    'algorithms-mac',
    'The metadata lists the algorithm HS256 for proofs.',
    ['algs-asymmetric', 'mac'],
    listing(['ES256', 'HS256']),
  ),
  binding(
    'bound-only-ignored',
    'A client that is registered for bound tokens gets a token without a proof.',
    ['bound-only', 'ignored'],
    { enforcesBoundOnly: () => false },
  ),
  binding('type-bearer', 'The token_type of a bound token is Bearer.', ['token-type', 'bearer'], {
    tokenType: () => 'Bearer',
  }),
  binding('cnf-missing', 'A token with token_type DPoP has no cnf.', ['token-bound', 'missing'], {
    confirmation: () => ({}),
  }),
  binding('cnf-other', 'The cnf of a token is the thumbprint of another key.', ['token-bound', 'other'], {
    confirmation: () => ({ cnf: { jkt: 'x7hW4rPz0cG8H3wDkq1v2yQmJt5nB6sLfE9aUoKdZiM' } }),
  }),
  ...proofFlaws.map(({ id, what, shows, policy }) => binding(id, what, shows, policy)),
  binding(
    'any-iat',
    'The iat of a proof is not compared with the time.',
    ['proof-iat', 'old'],
    checkingProofs('iat'),
  ),
  binding('error-other', 'A wrong proof is refused with invalid_request.', ['proof-error', 'other'], {
    proofError: () => 'invalid_request',
  }),
  binding(
    'refresh-unbound',
    'A refresh token of a public client is bound to no key.',
    ['refresh-bound', 'unbound'],
    { refreshableWith: () => true },
  ),
  binding(
    'nonce-withheld',
    'The token endpoint demands a nonce once, and does not supply it.',
    ['nonce-supplied', 'absent'],
    { ...demanding('n'), nonceHeaders: () => ({}) },
  ),
];
