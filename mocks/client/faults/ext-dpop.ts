/** io.modelcontextprotocol/auth/dpop: faults of clients whose tokens are bound to a key. */

import { createHash } from 'node:crypto';
import { newProofKey, type ProofChanges, type ProofFor, proofOf } from '../../../harness/oauth/dpop.js';
import { publicPem } from '../../../harness/oauth/jwt.js';
import type { JsonObject } from '../../../spec/json-rpc.js';
import type { DpopBehaviour } from '../dpop.js';
import { type ClientDeviation, clientFault, onBehaviour } from '../fault.js';

type Row =
  | 'token-request-proof'
  | 'scheme'
  | 'proof'
  | `proof-${'fresh' | 'type' | 'alg' | 'jwk' | 'signature' | 'jti' | 'htm' | 'htu' | 'iat' | 'ath' | 'key'}`
  | `nonce-${'token' | 'server'}`;

/** A client with one changed decision; it shows one form of the breach of one row. */
const prover = (
  id: string,
  what: string,
  [row, form]: readonly [Row, string],
  change: () => Partial<DpopBehaviour>,
): ClientDeviation =>
  clientFault(
    `client-dpop-${id}`,
    { what, breaks: [`ext-dpop.${row}`], shows: [`ext-dpop.${row}#${form}`], over: ['streamable-http'] },
    onBehaviour(({ authorization }) => {
      Object.assign(authorization.dpop, change());
    }),
  );

type Change = (about: ProofFor, own: Parameters<typeof proofOf>[0]) => ProofChanges;

const proving = (change: Change) => (): Pick<DpopBehaviour, 'proof'> => ({
  proof: (own, about) => proofOf(own, about, change(about, own)),
});
const claiming = (claims: NonNullable<ProofChanges['claims']>) => proving(() => ({ claims }));
const heading = (header: NonNullable<ProofChanges['header']>) => proving(() => ({ header }));

const seconds = (): number => Math.floor(Date.now() / 1000);

export const dpopFaults: readonly ClientDeviation[] = [
  prover(
    'token-unproven',
    'The client sends no proof in its token request.',
    ['token-request-proof', 'missing'],
    () => ({ proof: (own, about) => (about.token === undefined ? undefined : proofOf(own, about)) }),
  ),
  prover(
    'refresh-unproven',
    'The client sends a proof in its first token request only.',
    ['token-request-proof', 'refresh'],
    () => {
      let isLater = false;
      return {
        proof(own, about) {
          if (about.token !== undefined || about.nonce !== undefined) return proofOf(own, about);
          const first = !isLater;
          isLater = true;
          return first ? proofOf(own, about) : undefined;
        },
      };
    },
  ),
  prover('as-bearer', 'The client sends a bound token as a Bearer token.', ['scheme', 'bearer'], () => ({
    presents: token => `Bearer ${token}`,
  })),
  prover('unproven', 'The client sends a bound token without a proof.', ['proof', 'missing'], () => ({
    proof: (own, about) => (about.token === undefined ? proofOf(own, about) : undefined),
  })),
  prover('two', 'The client sends two proofs with its token.', ['proof', 'two'], () => ({
    proof: (own, about) =>
      about.token === undefined ? proofOf(own, about) : `${proofOf(own, about)}, ${proofOf(own, about)}`,
  })),
  prover(
    'reused',
    'The client sends its first proof for a method and a URL with each request.',
    ['proof-fresh', 'reused'],
    () => {
      const first = new Map<string, string>();
      return {
        proof(own, about) {
          const key = [about.method, about.url, about.token, about.nonce].join(' ');
          const proof = first.get(key) ?? proofOf(own, about);
          first.set(key, proof);
          return proof;
        },
      };
    },
  ),
  prover('same-jti', 'Each proof has the same jti.', ['proof-fresh', 'same-jti'], claiming({ jti: 'one' })),
  prover('typ-jwt', 'The typ of a proof is JWT.', ['proof-type', 'jwt'], heading({ typ: 'JWT' })),
  prover('typ-missing', 'A proof has no typ.', ['proof-type', 'missing'], heading({ typ: undefined })),
  prover(
    'alg-none',
    'A proof has alg none and no signature.',
    ['proof-alg', 'none'],
    heading({ alg: 'none' }),
  ),
  prover(
    'alg-mac',
    'A proof has a MAC with HS256.',
    ['proof-alg', 'mac'],
    proving((_, own) => ({ header: { alg: 'HS256' }, signer: publicPem(own.key) })),
  ),
  prover('jwk-missing', 'A proof has no jwk.', ['proof-jwk', 'missing'], heading({ jwk: undefined })),
  prover(
    'jwk-private',
    'The jwk of a proof has the private key.',
    ['proof-jwk', 'private'],
    proving((_, own) => ({ header: { jwk: own.key.export({ format: 'jwk' }) as JsonObject } })),
  ),
  prover(
    'other-signer',
    'A proof is signed with another key than the one in jwk.',
    ['proof-signature', 'other-key'],
    proving(() => ({ signer: newProofKey().key })),
  ),
  prover('jti-missing', 'A proof has no jti.', ['proof-jti', 'missing'], claiming({ jti: undefined })),
  prover('htm-missing', 'A proof has no htm.', ['proof-htm', 'missing'], claiming({ htm: undefined })),
  prover('htm-other', 'The htm of a proof is PUT.', ['proof-htm', 'other'], claiming({ htm: 'PUT' })),
  prover('htu-missing', 'A proof has no htu.', ['proof-htu', 'missing'], claiming({ htu: undefined })),
  prover(
    'htu-origin',
    'The htu of a proof is the origin of the server.',
    ['proof-htu', 'other'],
    proving(({ url }) => ({ claims: { htu: new URL(url).origin } })),
  ),
  prover(
    'htu-query',
    'The htu of a proof has a query.',
    ['proof-htu', 'query'],
    proving(({ url }) => ({ claims: { htu: `${url}?x=1` } })),
  ),
  prover('iat-missing', 'A proof has no iat.', ['proof-iat', 'missing'], claiming({ iat: undefined })),
  prover(
    'iat-old',
    'The iat of a proof is an hour ago.',
    ['proof-iat', 'old'],
    proving(() => ({ claims: { iat: seconds() - 3_600 } })),
  ),
  prover(
    'iat-milliseconds',
    'The iat of a proof is in milliseconds.',
    ['proof-iat', 'milliseconds'],
    proving(() => ({ claims: { iat: Date.now() } })),
  ),
  prover('ath-missing', 'A proof has no ath.', ['proof-ath', 'missing'], claiming({ ath: undefined })),
  prover(
    'ath-hex',
    'The ath of a proof is the hash in hexadecimal.',
    ['proof-ath', 'hex'],
    proving(({ token }) => ({
      claims: token === undefined ? {} : { ath: createHash('sha256').update(token).digest('hex') },
    })),
  ),
  prover('key-each', 'Each proof for the MCP server has a key of its own.', ['proof-key', 'other'], () => ({
    keyOf: () => newProofKey(),
  })),
  prover(
    'token-nonce-refused',
    'The client gives up when the token endpoint demands a nonce.',
    ['nonce-token', 'ignored'],
    () => ({ takesNonce: place => (place === 'token' ? 'no' : 'with') }),
  ),
  prover(
    'token-nonce-left-out',
    'The client repeats a token request without the nonce that was demanded.',
    ['nonce-token', 'without'],
    () => ({ takesNonce: place => (place === 'token' ? 'without' : 'with') }),
  ),
  prover(
    'server-nonce-refused',
    'The client gives up when the MCP server demands a nonce.',
    ['nonce-server', 'ignored'],
    () => ({ takesNonce: place => (place === 'server' ? 'no' : 'with') }),
  ),
  prover(
    'server-nonce-left-out',
    'The client repeats a request to the MCP server without the nonce that was demanded.',
    ['nonce-server', 'without'],
    () => ({ takesNonce: place => (place === 'server' ? 'without' : 'with') }),
  ),
];
