/** Dynamic client registration (RFC 7591). */

import { isObject, type JsonObject, parseJson } from '../../spec/json-rpc.js';
import type { HttpReply } from '../server/http/reply.js';
import { json, oauthError } from './answers.js';
import type { Policy } from './policy.js';
import { type Client, type Records, unguessable } from './records.js';

export function register(body: string, policy: Policy, records: Records): HttpReply {
  if (!policy.registers()) return oauthError(403, 'access_denied', 'Clients are registered manually here.');
  const metadata = parseJson(body);
  if (!isObject(metadata))
    return oauthError(400, 'invalid_client_metadata', 'The body is not a JSON object.');
  const flaw = policy.soundMetadata(metadata);
  if (flaw) return oauthError(400, flaw, 'The client metadata is invalid.');
  const uris = metadata.redirect_uris as string[];
  if (!uris.every(uri => policy.registrable(uri)))
    return oauthError(
      400,
      'invalid_redirect_uri',
      'A redirect URI must be https, or http on a loopback address.',
    );
  const client = clientOf(metadata, unguessable('ct_client_'));
  records.clients.set(client.id, client);
  return json(201, policy.registered(describe(metadata, client), client));
}

/** A client with its metadata, and the defaults of RFC 7591 §2 for missing members. */
export function clientOf(metadata: JsonObject, id: string): Client {
  const authMethod = (metadata.token_endpoint_auth_method ?? 'client_secret_basic') as Client['authMethod'];
  return {
    id,
    ...(authMethod !== 'none' && { secret: unguessable('ct_sec_') }),
    authMethod,
    redirectUris: metadata.redirect_uris as string[],
    name: typeof metadata.client_name === 'string' ? metadata.client_name : id,
    ...(metadata.dpop_bound_access_tokens === true && { boundOnly: true }),
    grantTypes: (metadata.grant_types as string[] | undefined) ?? ['authorization_code'],
  };
}

const describe = (metadata: JsonObject, client: Client): JsonObject => ({
  ...metadata,
  client_id: client.id,
  client_id_issued_at: Math.floor(Date.now() / 1000),
  ...(client.secret !== undefined && { client_secret: client.secret, client_secret_expires_at: 0 }),
  redirect_uris: [...client.redirectUris],
  grant_types: [...client.grantTypes],
  response_types: ['code'],
  token_endpoint_auth_method: client.authMethod,
});
