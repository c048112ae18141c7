/** A client that gets tokens by its own credentials, without a user (OAuth 2.1 §4.2). */

import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { type JsonObject, parseObject } from '../../spec/json-rpc.js';
import type { WebAnswer } from '../transports/http/side-request.js';
import type { HowToAsk, OAuth } from './client.js';
import { signJwt } from './jwt.js';

export interface SigningKey {
  readonly key: KeyObject;
  readonly algorithm: string;
  /** The name of the key, for the header of JWTs. */
  readonly id?: string;
}

/** A client that is known to an authorization server, with a secret, a key or both. */
export interface MachineClient {
  readonly id: string;
  readonly secret?: string;
  readonly key?: SigningKey;
}

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const curves: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string {
  if (type === 'rsa') return 'RS256';
  if (type === 'ed25519') return 'EdDSA';
  const algorithm = type === 'ec' && curves[details?.namedCurve ?? ''];
  if (!algorithm) throw new Error(`keys of the kind ${type} are not supported`);
  return algorithm;
}

/** @param text a private key as PEM or JWK @throws {Error} when it is no such key */
export function readSigningKey(text: string): SigningKey {
  const jwk = parseObject(text);
  const key = jwk ? createPrivateKey({ key: jwk as never, format: 'jwk' }) : createPrivateKey(text);
  return {
    key,
    algorithm: typeof jwk?.alg === 'string' ? jwk.alg : algorithmOf(key),
    ...(typeof jwk?.kid === 'string' && { id: jwk.kid }),
  };
}

/** A key of the same kind as another one. */
export const anotherKey = ({ algorithm }: SigningKey): KeyObject =>
  algorithm === 'EdDSA'
    ? generateKeyPairSync('ed25519').privateKey
    : /^ES/.test(algorithm)
      ? generateKeyPairSync('ec', {
          namedCurve: { ES384: 'P-384', ES512: 'P-521' }[algorithm] ?? 'P-256',
        }).privateKey
      : generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** The claims of a client assertion that is valid for five minutes. */
export function assertionClaims(id: string, audience: string): JsonObject {
  const now = Math.floor(Date.now() / 1000);
  const jti = randomBytes(12).toString('base64url');
  return { iss: id, sub: id, aud: audience, iat: now, exp: now + 300, jti };
}

export const assertionHeader = ({ algorithm, id }: SigningKey): JsonObject => ({
  alg: algorithm,
  typ: 'JWT',
  ...(id !== undefined && { kid: id }),
});

/** A correct client assertion. @param audience the issuer of the authorization server, or its token endpoint */
export const assertionOf = ({ id }: MachineClient, key: SigningKey, audience: string): string =>
  signJwt(assertionHeader(key), assertionClaims(id, audience), key.key);

/** An identity provider that an authorization server trusts, played by the harness. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly key: SigningKey;
}

export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Sends a request with grant_type=client_credentials. */
export function requestAsMachine(
  oauth: OAuth,
  params: Readonly<Record<string, string>>,
  how?: HowToAsk,
): Promise<WebAnswer> {
  const { resource, scope } = oauth;
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(resource !== undefined && { resource }),
    ...(scope !== undefined && { scope }),
    ...params,
  });
  return oauth.ask(form, how);
}
