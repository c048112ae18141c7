/** io.modelcontextprotocol/auth/dpop: faults and legal variations of the gate before a protected server. */

import type { ProofFlaw } from '../../../harness/oauth/dpop.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { fault, quirk } from '../../fault.js';
import { demanding, lawfulProofs, type ProofPolicy, withinWindow } from '../dpop.js';
import { type GatePolicy, lawfulGate, written } from '../gate.js';
import type { GateDeviation } from './gate.js';
import { checkingProofs, proofFlaws } from './proof-flaws.js';

type Row =
  | 'proof'
  | `proof-${ProofFlaw | 'key' | 'nonce'}`
  | 'bearer'
  | '401'
  | 'challenge'
  | 'challenge-algs'
  | 'nonce-supplied'
  | 'audience';

const binding = (
  id: string,
  what: string,
  [row, form]: readonly [Row, string],
  gate: Partial<GatePolicy>,
): GateDeviation => ({
  ...fault(`rs-dpop-${id}`, {
    what,
    breaks: [`ext-dpop.server-${row}` as RequirementId],
    shows: [`ext-dpop.server-${row}#${form}`],
  }),
  gate,
});

const proofs = (changes: Partial<ProofPolicy>): Partial<GatePolicy> => ({
  proofs: { ...lawfulProofs, ...changes },
});

const checking = (...check: Parameters<typeof checkingProofs>): Partial<GatePolicy> =>
  proofs(checkingProofs(...check));

const seconds = (): number => Math.floor(Date.now() / 1000);

export const dpopGateFaults: readonly GateDeviation[] = [
  binding('proof-optional', 'A bound token is accepted without a proof.', ['proof', 'optional'], {
    needsProof: () => false,
  }),
  ...proofFlaws.map(({ id, what, shows, policy }) => binding(id, what, shows, proofs(policy))),
  binding(
    'iat-old',
    'A proof with an old iat is accepted.',
    ['proof-iat', 'old'],
    checking('iat', ({ claims }) => typeof claims.iat === 'number' && claims.iat < seconds() + 300),
  ),
  binding(
    'iat-future',
    'A proof with an iat in the future is accepted.',
    ['proof-iat', 'future'],
    checking('iat', ({ claims }) => typeof claims.iat === 'number' && claims.iat > seconds() - 300),
  ),
  binding('any-ath', 'The ath of a proof is not read.', ['proof-ath', 'ignored'], checking('ath')),
  binding('any-key', 'A proof by any key is accepted.', ['proof-key', 'ignored'], checking('key')),
  binding(
    'any-nonce',
    'A nonce is demanded, and each one is accepted.',
    ['proof-nonce', 'any'],
    proofs({
      ...demanding('n'),
      proofChecks: { ...lawfulProofs.proofChecks, nonce: ({ claims }) => claims.nonce !== undefined },
    }),
  ),
  binding('as-bearer', 'A bound token is accepted as a Bearer token.', ['bearer', 'accepted'], {
    takesBoundAsBearer: () => true,
  }),
  binding('status-400', 'The status for a wrong proof is 400.', ['401', 'other'], { proofStatus: () => 400 }),
  binding(
    'bearer-challenge',
    'The challenge for a wrong proof is a Bearer challenge.',
    ['challenge', 'absent'],
    { proofChallenge: params => written('Bearer', params) },
  ),
  binding('no-error', 'The challenge for a wrong proof has no error.', ['challenge', 'no-error'], {
    proofChallenge: ({ error: _, error_description: _d, ...params }) => written('DPoP', params),
  }),
  binding('no-algs', 'The challenge for a wrong proof has no algs.', ['challenge-algs', 'absent'], {
    proofChallenge: ({ algs: _, ...params }) => written('DPoP', params),
  }),
  binding(
    'nonce-withheld',
    'A nonce is demanded, and not supplied.',
    ['nonce-supplied', 'absent'],
    proofs({ ...demanding('n'), nonceHeaders: () => ({}) }),
  ),
  binding('any-audience', 'The audience of a bound token is not read.', ['audience', 'ignored'], {
    isForUs: (token, resource) => token.jkt !== undefined || lawfulGate.isForUs(token, resource),
  }),
];

const legal = (id: string, what: string, gate: Partial<GatePolicy>, shows?: string): GateDeviation => ({
  ...quirk(`rs-dpop-${id}`, { what, ...(shows && { shows: [`ext-dpop.${shows}`] }) }),
  gate,
});

const seen = new Set<unknown>();

const boundOnly: Partial<GatePolicy> = {
  isBearer: () => false,
  write: params => written('DPoP', params),
};

export const dpopGateQuirks: readonly GateDeviation[] = [
  legal('bound-only', 'The server accepts bound tokens only.', boundOnly),
  legal(
    'nonce',
    'The server demands a nonce in each proof.',
    proofs(demanding('ct_nonce_of_the_mock')),
    'server-proof-nonce#required',
  ),
  legal(
    'short-window',
    'The server accepts proofs of the last minute only.',
    checking('iat', withinWindow(1)),
    'server-proof-iat#shorter',
  ),
  legal(
    'no-replay',
    'The server refuses a proof whose jti it has seen.',
    checking('jti', ({ claims }) => {
      const isNew = typeof claims.jti === 'string' && !seen.has(claims.jti);
      seen.add(claims.jti);
      return isNew;
    }),
  ),
];
