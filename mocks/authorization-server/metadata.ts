/**
 * The metadata documents of the mock authorization server (RFC 8414, OpenID Connect Discovery), and their
 * paths.
 */

import type { JsonObject } from '../../spec/json-rpc.js';
import { idJagProfile, jwtBearer } from './identity-assertion.js';

interface Endpoints {
  readonly authorization: string;
  readonly token: string;
  readonly registration: string;
  readonly jwks: string;
}

interface Described {
  readonly issuer: string;
  readonly endpoints: Endpoints;
  readonly scopes: readonly string[];
  readonly registration: boolean;
  readonly documents: boolean;
  readonly challengeMethods: readonly string[];
  /** Some clients get tokens by their own credentials. */
  readonly machines: boolean;
  /** There is a trusted identity provider. */
  readonly enterprise: boolean;
  /** Tokens can be bound to keys. */
  readonly dpop: boolean;
  readonly mint?: string;
}

/** The endpoint where the harness requests arbitrary tokens; other authorization servers have none. */
const mintMember = 'x_mcp_conform_mint_endpoint';

export function document(kind: 'oauth' | 'openid', about: Described): JsonObject {
  const { issuer, endpoints } = about;
  const shared = {
    issuer,
    authorization_endpoint: endpoints.authorization,
    token_endpoint: endpoints.token,
    ...(about.registration && { registration_endpoint: endpoints.registration }),
    jwks_uri: endpoints.jwks,
    scopes_supported: [...about.scopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      ...['authorization_code', 'refresh_token'],
      ...(about.machines ? ['client_credentials'] : []),
      ...(about.enterprise ? [jwtBearer] : []),
    ],
    token_endpoint_auth_methods_supported: [
      ...['none', 'client_secret_basic', 'client_secret_post'],
      ...(about.machines ? ['private_key_jwt'] : []),
    ],
    ...(about.enterprise && { authorization_grant_profiles_supported: [idJagProfile] }),
    ...(about.machines && { token_endpoint_auth_signing_alg_values_supported: ['ES256'] }),
    ...(about.dpop && { dpop_signing_alg_values_supported: ['ES256', 'EdDSA', 'RS256'] }),
    code_challenge_methods_supported: [...about.challengeMethods],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: about.documents,
    ...(about.mint && { [mintMember]: about.mint }),
  };
  if (kind === 'oauth') return shared;
  return { ...shared, subject_types_supported: ['public'], id_token_signing_alg_values_supported: ['ES256'] };
}

/** Paths of the documents of an issuer; `path` is the path of the issuer, without a trailing slash. */
export const wellKnown = (path: string): Readonly<Record<string, 'oauth' | 'openid'>> => ({
  [`/.well-known/oauth-authorization-server${path}`]: 'oauth',
  [`/.well-known/openid-configuration${path}`]: 'openid',
  [`${path}/.well-known/openid-configuration`]: 'openid',
});
