/** Legal variations of clients whose tokens are bound to a key. */

import { newProofKey, proofOf } from '../../../harness/oauth/dpop.js';
import type { DpopBehaviour } from '../dpop.js';
import { type ClientDeviation, clientQuirk, onBehaviour } from '../fault.js';

const prover = (id: string, what: string, shows: string, change: Partial<DpopBehaviour>): ClientDeviation =>
  clientQuirk(
    `client-dpop-${id}`,
    { what, shows: [`ext-dpop.${shows}`], over: ['streamable-http'] },
    onBehaviour(({ authorization }) => {
      Object.assign(authorization.dpop, change);
    }),
  );

export const dpopQuirks: readonly ClientDeviation[] = [
  prover('eddsa', 'The client signs its proofs with EdDSA.', 'proof-alg#eddsa', {
    newKey: () => newProofKey('EdDSA'),
  }),
  prover('rs256', 'The client signs its proofs with RS256.', 'proof-alg#rs256', {
    newKey: () => newProofKey('RS256'),
  }),
  prover('scheme-lower', 'The client writes the scheme dpop in lower case.', 'scheme#any-case', {
    presents: token => `dpop ${token}`,
  }),
  prover('htu-upper', 'The scheme of the URL in htu is in upper case.', 'proof-htu#spelling', {
    proof: (own, about) =>
      proofOf(own, about, {
        claims: { htu: new URL(about.url).href.replace(/^https?/, scheme => scheme.toUpperCase()) },
      }),
  }),
];
