/** DPoP (RFC 9449): proofs of the possession of a key, correct ones and wrong ones. */

import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { isObject, type Json, type JsonObject, ownMember } from '../../spec/json-rpc.js';
import { publicPem, readJwt, signJwt } from './jwt.js';

export const dpopExtension = 'io.modelcontextprotocol/auth/dpop';

export interface ProofKey {
  readonly key: KeyObject;
  readonly algorithm: string;
  /** The public key, as in the header of a proof. */
  readonly jwk: JsonObject;
}

type ProofAlgorithm = 'ES256' | 'EdDSA' | 'RS256';

export function newProofKey(algorithm: ProofAlgorithm = 'ES256'): ProofKey {
  const key =
    algorithm === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
      : algorithm === 'EdDSA'
        ? generateKeyPairSync('ed25519').privateKey
        : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  return { key, algorithm, jwk: createPublicKey(key).export({ format: 'jwk' }) as JsonObject };
}

/** An access token with the key to which it is bound. */
export interface BoundToken {
  readonly value: string;
  readonly key: ProofKey;
}

/** A new proof for each request with a bound token, with the nonce that the server gave last. */
export class BoundRequestProofs {
  private nonce: string | undefined;

  constructor(private readonly token: BoundToken) {}

  headersFor(method: string, url: URL) {
    const { key, value } = this.token;
    return [['DPoP', proofOf(key, { method, url, token: value, nonce: this.nonce })]] as const;
  }

  learn(header: (name: string) => string | undefined): void {
    this.nonce = header('dpop-nonce') ?? this.nonce;
  }
}

/** The request for which a proof is made. */
export interface ProofFor {
  readonly method: string;
  readonly url: string | URL;
  /** The access token in the request. */
  readonly token?: string | undefined;
  readonly nonce?: string | undefined;
}

/** Changes to a correct proof; an undefined member is left out. */
export interface ProofChanges {
  readonly header?: Readonly<Record<string, Json | undefined>>;
  readonly claims?: Readonly<Record<string, Json | undefined>>;
  /** What signs instead of the key of the proof. */
  readonly signer?: KeyObject | string;
}

const defined = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

const withoutQuery = (url: string | URL): string => new URL(url).href.replace(/[?#].*$/s, '');

const seconds = (): number => Math.floor(Date.now() / 1000);

/** A proof: correct, except for the changes. */
export function proofOf(own: ProofKey, { method, url, token, nonce }: ProofFor, changes: ProofChanges = {}) {
  const header = { typ: 'dpop+jwt', alg: own.algorithm, jwk: own.jwk, ...changes.header };
  const claims = {
    jti: randomBytes(12).toString('base64url'),
    htm: method,
    htu: withoutQuery(url),
    iat: seconds(),
    ath: token === undefined ? undefined : hashOf(token),
    nonce,
    ...changes.claims,
  };
  return signJwt(defined(header), defined(claims), changes.signer ?? own.key);
}

/** The members of a public key that its thumbprint covers (RFC 7638 §3.2), in order. */
const essential: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};

/** The SHA-256 thumbprint of a key, as in `cnf.jkt`; undefined for a key that is not public. */
export function thumbprintOf(jwk: unknown): string | undefined {
  if (!isObject(jwk)) return undefined;
  const names = ownMember(essential, jwk.kty);
  if (!names?.every(name => typeof jwk[name] === 'string')) return undefined;
  return hashOf(JSON.stringify(Object.fromEntries(names.map(name => [name, jwk[name]!]))));
}

/** The key in the header of a proof; undefined where it is no public key. */
function keyIn(jwk: unknown): KeyObject | undefined {
  if (thumbprintOf(jwk) === undefined) return undefined;
  const { d: _, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...open } = jwk as JsonObject;
  try {
    return createPublicKey({ key: open as never, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** Whether an algorithm is one with a key pair. */
export const isAsymmetric = (alg: unknown): boolean =>
  typeof alg === 'string' && /^(ES|RS|PS)(256|384|512)$|^ES256K$|^Ed(DSA|25519|448)$|^ML-DSA-/.test(alg);

/** The points in which a proof can be wrong. */
export type ProofFlaw =
  | 'form'
  | 'type'
  | 'alg'
  | 'signature'
  | 'private-key'
  | 'jti'
  | 'htm'
  | 'htu'
  | 'iat'
  | 'ath';

export interface WrongProof {
  readonly flaw: ProofFlaw;
  /** What is wrong, in words. */
  readonly what: string;
  /** The value of the header. */
  readonly value: string;
}

/**
 * Proofs that are wrong in one point, for a request.
 * @param age seconds by which iat is wrong; undefined: iat may have any value
 */
export function wrongProofs(own: ProofKey, about: ProofFor, age: number | undefined): WrongProof[] {
  const wrong: WrongProof[] = [];
  const add = (flaw: ProofFlaw, what: string, changes: ProofChanges) =>
    wrong.push({ flaw, what, value: proofOf(own, about, changes) });
  const right = () => proofOf(own, about);
  const [head, , signature] = right().split('.');
  const [, body] = right().split('.');
  const url = new URL(withoutQuery(about.url));
  const elsewhere = new URL(url.pathname, 'https://other.example').href;
  wrong.push({ flaw: 'form', what: 'two proofs', value: `${right()}, ${right()}` });
  wrong.push({ flaw: 'form', what: 'a text that is no JWT', value: 'mcp-conform-no-proof' });
  add('type', 'typ JWT', { header: { typ: 'JWT' } });
  add('type', 'no typ', { header: { typ: undefined } });
  add('alg', 'alg none', { header: { alg: 'none' } });
  add('alg', 'alg HS256 with the public key as secret', {
    header: { alg: 'HS256' },
    signer: publicPem(own.key),
  });
  add('signature', 'the signature of another key', { signer: newProofKey(own.algorithm as 'ES256').key });
  wrong.push({
    flaw: 'signature',
    what: 'a payload that was changed after it was signed',
    value: `${head}.${body}.${signature}`,
  });
  add('private-key', 'the private key in its header', {
    header: { jwk: own.key.export({ format: 'jwk' }) as JsonObject },
  });
  add('jti', 'no jti', { claims: { jti: undefined } });
  add('htm', 'htm GET in a POST request', { claims: { htm: 'GET' } });
  add('htm', 'no htm', { claims: { htm: undefined } });
  add('htu', `htu ${elsewhere}`, { claims: { htu: elsewhere } });
  add('htu', 'the htu of another path', { claims: { htu: `${url.href.replace(/\/$/, '')}/other` } });
  add('htu', 'no htu', { claims: { htu: undefined } });
  if (age !== undefined) add('iat', `an iat ${age} seconds ago`, { claims: { iat: seconds() - age } });
  add('iat', 'no iat', { claims: { iat: undefined } });
  if (about.token === undefined) return wrong;
  if (age !== undefined) add('iat', `an iat in ${age} seconds`, { claims: { iat: seconds() + age } });
  add('ath', 'the ath of another token', { claims: { ath: hashOf('mcp-conform') } });
  add('ath', 'no ath', { claims: { ath: undefined } });
  return wrong;
}

/** Whether two URLs are the same without query and fragment (RFC 9449 §4.3), and without a slash at the end. */
export function sameTarget(one: unknown, other: string | URL): boolean {
  if (typeof one !== 'string' || !URL.canParse(one)) return false;
  const bare = (url: string | URL) => withoutQuery(url).replace(/\/$/, '');
  return bare(one) === bare(other);
}

/** Header and claims of a proof, with its key; undefined for a text that is no JWT. */
export function readProof(text: string) {
  const jwt = readJwt(text);
  return jwt && { ...jwt, key: keyIn(jwt.header.jwk), jkt: thumbprintOf(jwt.header.jwk) };
}
