/** What an access token shows by itself, when it is a JWT. */

import type { WebAnswer } from '../../harness/oauth/web.js';
import { isObject, type JsonObject } from '../../spec/json-rpc.js';

/** The claims of a JWT; undefined when it is none. Nothing is verified: the token came from its issuer. */
export function claimsOf(token: unknown): JsonObject | undefined {
  const [, payload, signature] = typeof token === 'string' ? token.split('.') : [];
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}

/** The scopes a token has, as far as it says so. */
export function grantedScopes({ json }: WebAnswer): readonly string[] | undefined {
  const scope = claimsOf(json?.access_token)?.scope;
  return typeof scope === 'string' ? scope.split(' ').filter(Boolean) : undefined;
}
