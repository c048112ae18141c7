/** DPoP of the mock authorization server, and of the gate before a protected server: checks of proofs (RFC 9449 §4.3). */

import { hashOf, isAsymmetric, type ProofFlaw, readProof, sameTarget } from '../../harness/oauth/dpop.js';
import { verifiesWith } from '../../harness/oauth/jwt.js';
import type { JsonObject } from '../../spec/json-rpc.js';

type Proof = NonNullable<ReturnType<typeof readProof>> & { readonly text: string };

interface ProofFacts {
  readonly method: string;
  readonly url: string;
  /** Seconds since 1970. */
  readonly now: number;
  /** The access token in the request, with the thumbprint of its key. */
  readonly token?: string;
  readonly boundTo?: string | undefined;
}

type ProofCheck = (proof: Proof, facts: ProofFacts) => boolean | Promise<boolean>;

type Checked = Exclude<ProofFlaw, 'form'> | 'key' | 'nonce';

/** The decisions about proofs, each separate. */
export interface ProofPolicy {
  /** The JWT in a header; undefined for another value; `none` where such a value is ignored. */
  proofIn(header: string): string | 'none' | undefined;
  proofChecks: Readonly<Record<Checked, ProofCheck>>;
  /** The nonce that each proof has to have; undefined: none. */
  wantedNonce(): string | undefined;
  /** The headers of a response that demands a nonce. */
  nonceHeaders(nonce: string): Record<string, string>;
}

const withinMinutes = (proof: Proof, { now }: ProofFacts, minutes: number): boolean =>
  typeof proof.claims.iat === 'number' && Math.abs(proof.claims.iat - now) <= minutes * 60;

export const lawfulProofs: ProofPolicy = {
  proofIn: header => (readProof(header) ? header : undefined),
  proofChecks: {
    type: ({ header }) => header.typ === 'dpop+jwt',
    alg: ({ header }) => isAsymmetric(header.alg),
    signature: async ({ text, header, key }) =>
      !isAsymmetric(header.alg) || (key !== undefined && (await verifiesWith(text, key))),
    'private-key': ({ header }) => !Object.hasOwn(header.jwk as JsonObject, 'd'),
    jti: ({ claims }) => typeof claims.jti === 'string',
    htm: ({ claims }, { method }) => claims.htm === method,
    htu: ({ claims }, { url }) => sameTarget(claims.htu, url),
    iat: (proof, facts) => withinMinutes(proof, facts, 5),
    ath: ({ claims }, { token }) => token === undefined || claims.ath === hashOf(token),
    key: ({ jkt }, { boundTo }) => boundTo === undefined || jkt === boundTo,
    nonce: () => true,
  },
  wantedNonce: () => undefined,
  nonceHeaders: nonce => ({ 'DPoP-Nonce': nonce }),
};

/** The window in which iat is accepted. */
export const withinWindow =
  (minutes: number): ProofCheck =>
  (proof, facts) =>
    withinMinutes(proof, facts, minutes);

/** Proofs need this nonce. */
export const demanding = (nonce: string): Pick<ProofPolicy, 'wantedNonce' | 'proofChecks'> => ({
  wantedNonce: () => nonce,
  proofChecks: { ...lawfulProofs.proofChecks, nonce: ({ claims }) => claims.nonce === nonce },
});

type Proven =
  | { readonly jkt: string | undefined }
  /** No nonce, although one is demanded. */
  | { readonly nonce: string }
  | { readonly flaw: ProofFlaw | 'key' | 'nonce' };

/** Checks the header of a request. */
export async function prove(header: string, facts: ProofFacts, policy: ProofPolicy): Promise<Proven> {
  const text = policy.proofIn(header);
  if (text === 'none') return { jkt: facts.boundTo };
  const proof = text === undefined ? undefined : readProof(text);
  if (!proof || text === undefined) return { flaw: 'form' };
  if (proof.jkt === undefined) return { flaw: 'key' };
  for (const [flaw, check] of Object.entries(policy.proofChecks) as [Checked, ProofCheck][]) {
    const wanted = policy.wantedNonce();
    const lacks = flaw === 'nonce' && wanted !== undefined && proof.claims.nonce === undefined;
    if (lacks) return { nonce: wanted };
    if (!(await check({ ...proof, text }, facts))) return { flaw };
  }
  return { jkt: proof.jkt };
}
