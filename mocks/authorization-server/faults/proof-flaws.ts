/** Checks of DPoP proofs that are left out or wrong, at an authorization server or at the gate before a protected server. */

import { type ProofFlaw, readProof } from '../../../harness/oauth/dpop.js';
import { lawfulProofs, type ProofPolicy } from '../dpop.js';

type Check = keyof ProofPolicy['proofChecks'];

/** Replaces one check of proofs; default: it is left out. */
export const checkingProofs = (
  name: Check,
  check: ProofPolicy['proofChecks'][Check] = () => true,
): Partial<ProofPolicy> => ({ proofChecks: { ...lawfulProofs.proofChecks, [name]: check } });

/** The row that the flaw breaks, and the form of the breach. */
type Shows = readonly [row: `proof-${Exclude<ProofFlaw, 'ath'>}`, form: string];

const flaw = (id: string, what: string, shows: Shows, policy: Partial<ProofPolicy>) => ({
  id,
  what,
  shows,
  policy,
});

export const proofFlaws = [
  flaw('first-proof', 'Of two proofs the first one counts.', ['proof-form', 'two'], {
    proofIn: header => lawfulProofs.proofIn(header.split(/, */)[0]!),
  }),
  flaw('text-ignored', 'A DPoP header that is no JWT is ignored.', ['proof-form', 'text'], {
    proofIn: header => (readProof(header) || header.includes(',') ? lawfulProofs.proofIn(header) : 'none'),
  }),
  flaw('any-type', 'The typ of a proof is not read.', ['proof-type', 'ignored'], checkingProofs('type')),
  flaw(
    'no-type',
    'A proof without typ is accepted.',
    ['proof-type', 'optional'],
    checkingProofs(
      'type',
      (proof, facts) => proof.header.typ === undefined || lawfulProofs.proofChecks.type(proof, facts),
    ),
  ),
  flaw(
    'alg-none',
    'A proof with alg none is accepted.',
    ['proof-alg', 'none'],
    checkingProofs(
      'alg',
      (proof, facts) => proof.header.alg === 'none' || lawfulProofs.proofChecks.alg(proof, facts),
    ),
  ),
  flaw(
    'alg-mac',
    'A proof with a MAC is accepted.',
    ['proof-alg', 'mac'],
    checkingProofs(
      'alg',
      (proof, facts) => proof.header.alg === 'HS256' || lawfulProofs.proofChecks.alg(proof, facts),
    ),
  ),
  flaw(
    'unverified',
    'The signature of a proof is not verified.',
    ['proof-signature', 'unverified'],
    checkingProofs('signature'),
  ),
  flaw(
    'private-key',
    'A proof with a private key is accepted.',
    ['proof-private-key', 'accepted'],
    checkingProofs('private-key'),
  ),
  flaw('no-jti', 'A proof without jti is accepted.', ['proof-jti', 'optional'], checkingProofs('jti')),
  flaw('any-htm', 'The htm of a proof is not read.', ['proof-htm', 'ignored'], checkingProofs('htm')),
  flaw('any-htu', 'The htu of a proof is not read.', ['proof-htu', 'ignored'], checkingProofs('htu')),
];
