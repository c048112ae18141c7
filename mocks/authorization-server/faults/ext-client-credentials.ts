/** io.modelcontextprotocol/oauth-client-credentials: faults of authorization servers. */

import { createPublicKey } from 'node:crypto';
import { publicPem, readJwt, signJwt, verifiesWith } from '../../../harness/oauth/jwt.js';
import { isObject, without } from '../../../spec/json-rpc.js';
import { type AuthorizationDeviation, authorizationFault } from '../fault.js';
import { lawful, type Policy } from '../policy.js';

type Row =
  | `as-assertion-${'signature' | 'key' | 'alg' | 'iss' | 'sub' | 'aud' | 'exp' | 'nbf'}`
  | `as-${'auth-methods' | 'signing-algs' | 'signing-algs-none' | 'grant' | 'no-refresh-token' | 'confidential' | 'secret'}`;

/** A fault that shows a form of the breach of one row, and possibly breaks another one too. */
const machine = (
  id: string,
  what: string,
  [row, form, ...more]: readonly [Row, string, ...Row[]],
  policy: Partial<Policy>,
): AuthorizationDeviation =>
  authorizationFault(
    `as-credentials-${id}`,
    {
      what,
      breaks: [`ext-client-credentials.${row}`, ...more.map(one => `ext-client-credentials.${one}` as const)],
      shows: [`ext-client-credentials.${row}#${form}`],
    },
    policy,
  );

type Check = keyof Policy['assertionChecks'];

/** Replaces one check of the claims; default: it is left out. */
const checking = (name: Check, check: Policy['assertionChecks'][Check] = () => true): Partial<Policy> => ({
  assertionChecks: { ...lawful.assertionChecks, [name]: check },
});

export const clientCredentialsFaults: readonly AuthorizationDeviation[] = [
  machine(
    'methods-absent',
    'The authorization server metadata has no token_endpoint_auth_methods_supported.',
    ['as-auth-methods', 'absent'],
    { metadata: document => without(document, 'token_endpoint_auth_methods_supported') },
  ),
  machine(
    'methods-other',
    'The authorization server metadata lists client_secret_post as the only authentication method.',
    ['as-auth-methods', 'other'],
    {
      metadata: document => ({
        ...document,
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      }),
    },
  ),
  machine(
    'algorithms-absent',
    'The authorization server metadata lists private_key_jwt and no algorithms.',
    ['as-signing-algs', 'absent'],
    { metadata: document => without(document, 'token_endpoint_auth_signing_alg_values_supported') },
  ),
  machine(
    'algorithms-none',
    'The authorization server metadata lists the algorithm none.',
    ['as-signing-algs-none', 'listed'],
    {
      metadata: document => ({
        ...document,
        token_endpoint_auth_signing_alg_values_supported: ['ES256', 'none'],
      }),
    },
  ),
  machine(
    'refused',
    'The token endpoint refuses client_credentials for each client.',
    ['as-grant', 'refused'],
    { allowsMachine: () => false },
  ),
  machine(
    'refreshable',
    'The response to client_credentials has a refresh token.',
    ['as-no-refresh-token', 'issued'],
    {
      tokens: (answer, { params }) =>
        params.get('grant_type') === 'client_credentials'
          ? { ...answer, refresh_token: 'ct_rt_one' }
          : answer,
    },
  ),
  machine(
    'public',
    'The token endpoint issues a token for the client ID alone.',
    ['as-confidential', 'id-alone'],
    { needsMachineCredentials: () => false },
  ),
  machine(
    'any-secret',
    'The token endpoint accepts each secret in the Authorization header.',
    ['as-secret', 'ignored'],
    { secretMatches: client => client.secret !== undefined },
  ),
  machine(
    'unverified',
    'The token endpoint does not verify the signature of a client_assertion.',
    ['as-assertion-signature', 'unverified', 'as-assertion-key'],
    { assertionVerifies: async (_, { alg }) => alg === 'ES256' },
  ),
  machine(
    'embedded-key',
    'The token endpoint verifies a client_assertion with the key in its header.',
    ['as-assertion-key', 'embedded'],
    {
      assertionVerifies: (text, header, key) =>
        isObject(header.jwk)
          ? verifiesWith(text, createPublicKey({ key: header.jwk as never, format: 'jwk' }))
          : lawful.assertionVerifies(text, header, key),
    },
  ),
  machine(
    'alg-none',
    'The token endpoint accepts a client_assertion with alg none.',
    ['as-assertion-alg', 'none'],
    {
      assertionVerifies: async (text, header, key) =>
        header.alg === 'none' || lawful.assertionVerifies(text, header, key),
    },
  ),
  machine(
    'alg-mac',
    'The token endpoint accepts a MAC with the public key of the client as the secret.',
    ['as-assertion-alg', 'mac'],
    {
      assertionVerifies: async (text, header, key) =>
        header.alg === 'HS256'
          ? text === signJwt(header, readJwt(text)!.claims, publicPem(key))
          : lawful.assertionVerifies(text, header, key),
    },
  ),
  machine(
    'any-iss',
    'The token endpoint does not read the iss of a client_assertion.',
    ['as-assertion-iss', 'ignored'],
    checking('iss'),
  ),
  machine(
    'any-sub',
    'The token endpoint takes the client from iss and does not read sub.',
    ['as-assertion-sub', 'ignored'],
    { assertionClient: claims => claims.iss },
  ),
  machine(
    'any-aud',
    'The token endpoint does not read the aud of a client_assertion.',
    ['as-assertion-aud', 'ignored'],
    checking('aud'),
  ),
  machine(
    'any-exp',
    'The token endpoint accepts a client_assertion that has expired.',
    ['as-assertion-exp', 'ignored'],
    checking('exp', ({ exp }) => exp !== undefined),
  ),
  machine(
    'exp-optional',
    'The token endpoint accepts a client_assertion without exp.',
    ['as-assertion-exp', 'optional'],
    checking('exp', (claims, facts) => claims.exp === undefined || lawful.assertionChecks.exp(claims, facts)),
  ),
  machine(
    'any-nbf',
    'The token endpoint does not read the nbf of a client_assertion.',
    ['as-assertion-nbf', 'ignored'],
    checking('nbf'),
  ),
];
