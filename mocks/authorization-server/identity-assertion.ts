/** Tokens for the ID-JAG of an identity provider that the mock authorization server trusts. */

import type { KeyObject } from 'node:crypto';
import { readJwt, verifiesWith } from '../../harness/oauth/jwt.js';
import { asText, type JsonObject } from '../../spec/json-rpc.js';
import type { HttpReply } from '../server/http/reply.js';
import { oauthError } from './answers.js';
import type { Client, Grant, Records } from './records.js';
import { type Ask, scopeSet } from './request.js';

export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const idJagProfile = 'urn:ietf:params:oauth:grant-profile:id-jag';

export interface IdentityProvider {
  readonly issuer: string;
  readonly key: KeyObject;
}

interface IdJag {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  readonly client: Client;
  readonly provider: IdentityProvider;
  /** Of the authorization server. */
  readonly issuer: string;
  /** Seconds since 1970. */
  readonly now: number;
  readonly knowsResource: (resource: string) => boolean;
  /** The jti of ID-JAGs that were accepted before. */
  readonly seen: ReadonlySet<string>;
}

/** Checks of an ID-JAG, each one separate. */
const idJagChecks = {
  typ: ({ header }: IdJag): boolean => header.typ === 'oauth-id-jag+jwt',
  iss: ({ claims, provider }: IdJag): boolean => claims.iss === provider.issuer,
  sub: ({ claims }: IdJag): boolean => typeof claims.sub === 'string',
  aud: ({ claims, issuer }: IdJag): boolean => [claims.aud ?? []].flat().includes(issuer),
  exp: ({ claims, now }: IdJag): boolean => typeof claims.exp === 'number' && claims.exp > now,
  client: ({ claims, client }: IdJag): boolean => claims.client_id === client.id,
  resource: ({ claims, knowsResource }: IdJag): boolean => knowsResource(asText(claims.resource)),
  jti: ({ claims, seen }: IdJag): boolean => !seen.has(asText(claims.jti)),
};

/** The decisions about an ID-JAG, each separate. */
export interface IdJagPolicy {
  /** Whether the identity provider is trusted. */
  trustsProviders(): boolean;
  idJagChecks: typeof idJagChecks;
  /** Whether the signature of an ID-JAG is valid. @param key of the identity provider */
  idJagVerifies(text: string, header: JsonObject, key: KeyObject): Promise<boolean>;
  /** The error code for a wrong ID-JAG. */
  idJagError(): string;
  /** The granted scopes. @param inGrant of the ID-JAG */
  idJagScope(asked: readonly string[], inGrant: readonly string[]): readonly string[];
  /** The audience of the access token. */
  idJagAudience(resource: string, issuer: string): string;
}

export const lawfulIdJag: IdJagPolicy = {
  trustsProviders: () => true,
  idJagChecks,
  idJagVerifies: async (text, header, key) => header.alg === 'ES256' && verifiesWith(text, key),
  idJagError: () => 'invalid_grant',
  idJagScope: (asked, inGrant) =>
    asked.length === 0 ? inGrant : asked.filter(value => inGrant.includes(value)),
  idJagAudience: resource => resource,
};

interface IdJagSetting {
  readonly policy: IdJagPolicy;
  readonly issuer: string;
  readonly now: () => number;
  readonly knowsResource: (resource: string) => boolean;
  readonly records: Records;
  readonly identityProvider?: IdentityProvider | undefined;
}

/** The grant in an ID-JAG, or a refusal. */
export async function identityGrant(
  ask: Ask,
  client: Client,
  setting: IdJagSetting,
): Promise<Grant | HttpReply> {
  const { policy, issuer, now, knowsResource, identityProvider, records } = setting;
  const text = ask.params.get('assertion');
  if (text === null) return oauthError(400, 'invalid_request', 'assertion is missing.');
  const jwt = readJwt(text);
  if (!jwt || !identityProvider || !policy.trustsProviders())
    return oauthError(400, 'invalid_grant', 'The assertion is no ID-JAG of a trusted identity provider.');
  const { header, claims } = jwt;
  const about = { header, claims, client, provider: identityProvider, issuer, now: now() };
  const all = { ...about, knowsResource, seen: records.assertions };
  const failed = Object.entries(policy.idJagChecks).find(([, check]) => !check(all));
  const isSigned = await policy.idJagVerifies(text, header, identityProvider.key);
  if (failed || !isSigned)
    return oauthError(400, policy.idJagError(), `The ID-JAG is refused: ${failed?.[0] ?? 'its signature'}.`);
  records.assertions.add(asText(claims.jti));
  const asked = scopeSet(ask.params.get('scope'));
  const inGrant = scopeSet(typeof claims.scope === 'string' ? claims.scope : null);
  return {
    user: asText(claims.sub),
    client: client.id,
    scope: policy.idJagScope(asked, inGrant),
    resource: [policy.idJagAudience(asText(claims.resource), issuer)],
    redirectUri: '',
    family: { revoked: false },
  };
}
