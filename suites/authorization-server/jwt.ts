/** Information in an access token that is a JWT. */

import type { WebAnswer } from '../../harness/transports/http/side-request.js';
import { type JsonObject, parseObject } from '../../spec/json-rpc.js';

/**
 * The claims of a JWT; undefined for other tokens. The signature is not verified: the token came from its
 * issuer.
 */
export function claimsOf(token: unknown): JsonObject | undefined {
  const [, payload, signature] = typeof token === 'string' ? token.split('.') : [];
  if (payload === undefined || signature === undefined) return undefined;
  return parseObject(Buffer.from(payload, 'base64url').toString('utf8'));
}

/** The scopes in a token; undefined when it contains none. */
export function grantedScopes({ json }: WebAnswer): readonly string[] | undefined {
  const scope = claimsOf(json?.access_token)?.scope;
  return typeof scope === 'string' ? scope.split(' ').filter(Boolean) : undefined;
}
