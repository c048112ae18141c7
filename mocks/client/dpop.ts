/** DPoP of the reference client (RFC 9449): its decisions, each one separate, and its keys and nonces. */

import { newProofKey, type ProofFor, type ProofKey, proofOf } from '../../harness/oauth/dpop.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import type { HttpAsk, HttpHead } from './http-message.js';

/** The two places that can require a nonce. */
type NoncePlace = 'token' | 'server';

export interface DpopBehaviour {
  /** Whether the client asks for bound tokens. @param metadata of the authorization server */
  uses: (metadata: JsonObject) => boolean;
  newKey: () => ProofKey;
  /** The key of a proof for the MCP server. @param own the key of the token request */
  keyOf: (own: ProofKey) => ProofKey;
  /** The value of the header; undefined: no header. */
  proof: (key: ProofKey, about: ProofFor) => string | undefined;
  /** The value of the Authorization header. */
  presents: (token: string) => string;
  /** What the client does with a nonce: repeats the request with it, without it, or gives up. */
  takesNonce: (place: NoncePlace) => 'with' | 'without' | 'no';
}

export const dpopBehaviour = (): DpopBehaviour => ({
  uses: ({ dpop_signing_alg_values_supported: algorithms }) => Array.isArray(algorithms),
  newKey: newProofKey,
  keyOf: own => own,
  proof: proofOf,
  presents: token => `DPoP ${token}`,
  takesNonce: () => 'with',
});

export class Dpop {
  private key: ProofKey | undefined;
  /** Nonces by origin. */
  private readonly nonces = new Map<string, string>();

  constructor(private readonly habits: DpopBehaviour) {}

  /** The header with the proof for a token request. */
  forToken(ask: Pick<HttpAsk, 'method' | 'url'>): Record<string, string> {
    return this.header(this.ownKey, ask);
  }

  /** A request with a bound token and its proof. */
  carry(ask: HttpAsk, token: string): HttpAsk {
    const proof = this.header(this.habits.keyOf(this.ownKey), ask, token);
    return { ...ask, headers: { ...ask.headers, authorization: this.habits.presents(token), ...proof } };
  }

  /**
   * Whether a refusal only requires a nonce that is new, and the request is repeated.
   * @param body of a response of the token endpoint
   * @throws {Error} when the client gives up
   */
  repeats(place: NoncePlace, url: string | URL, { headers }: Pick<HttpHead, 'headers'>, body = ''): boolean {
    const { origin } = new URL(url);
    const nonce = headers.get('dpop-nonce');
    const said = place === 'token' ? body : (headers.get('www-authenticate') ?? '');
    if (nonce === null || !said.includes('use_dpop_nonce') || this.nonces.get(origin) === nonce) return false;
    const how = this.habits.takesNonce(place);
    if (how === 'no') throw new Error('A nonce is required, which the client does not support.');
    this.nonces.set(origin, nonce);
    return true;
  }

  private get ownKey(): ProofKey {
    this.key ??= this.habits.newKey();
    return this.key;
  }

  private header(key: ProofKey, { method, url }: Pick<HttpAsk, 'method' | 'url'>, token?: string) {
    const place = token === undefined ? 'token' : 'server';
    const known = this.nonces.get(new URL(url).origin);
    const nonce = this.habits.takesNonce(place) === 'with' ? known : undefined;
    const proof = this.habits.proof(key, { method, url, token, nonce });
    return proof === undefined ? {} : { dpop: proof };
  }
}
