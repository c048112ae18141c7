/** The JWT by which the reference client authenticates at a token endpoint (RFC 7523). */

import { randomBytes } from 'node:crypto';
import { signJwt } from '../../harness/oauth/jwt.js';
import type { JsonObject } from '../../spec/json-rpc.js';

/** A client that signs. */
interface Signing {
  readonly id: string;
  /** A private key as PEM. */
  readonly key?: string;
  readonly algorithm?: string;
  /** The authorization server. */
  readonly audience?: string;
}

interface AssertionChanges {
  readonly header?: JsonObject;
  /** Members that replace or add claims; undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Default: the key of the client. */
  readonly key?: string;
}

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** A new assertion of a client, valid for five minutes. @throws {Error} when the key does not fit the algorithm */
export function clientAssertion(
  { id, key = '', algorithm = 'ES256', audience = '' }: Signing,
  changes: AssertionChanges = {},
): string {
  const now = Math.floor(Date.now() / 1000);
  const plain = { iss: id, sub: id, aud: audience, iat: now, exp: now + 300 };
  const all = { ...plain, jti: randomBytes(12).toString('base64url'), ...changes.claims };
  const claims = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return signJwt({ alg: algorithm, typ: 'JWT', ...changes.header }, claims as JsonObject, changes.key ?? key);
}
