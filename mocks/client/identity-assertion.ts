/** The exchange of an ID token for an ID-JAG (RFC 8693), by the reference client. */

import type { JsonObject } from '../../spec/json-rpc.js';

export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const tokenType = 'urn:ietf:params:oauth:token-type:';

/** What the enterprise has arranged for a client. */
export interface EnterpriseContext {
  readonly idp_client_id?: unknown;
  readonly idp_id_token?: unknown;
  readonly idp_token_endpoint?: unknown;
}

export const grantsAssertions = ({ grant_types_supported: grants }: JsonObject): boolean =>
  Array.isArray(grants) && grants.includes(jwtBearer);

/** The request for an ID-JAG. @param about the authorization server and the resource of the MCP server */
export const exchangeOf = (
  { idp_client_id, idp_id_token, idp_token_endpoint }: EnterpriseContext,
  about: { readonly audience: string; readonly resource: string; readonly scope: string | undefined },
) => ({
  method: 'POST',
  url: String(idp_token_endpoint),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  params: new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: `${tokenType}id-jag`,
    audience: about.audience,
    resource: about.resource,
    ...(about.scope !== undefined && { scope: about.scope }),
    subject_token: String(idp_id_token),
    subject_token_type: `${tokenType}id_token`,
    client_id: String(idp_client_id),
  }),
});
