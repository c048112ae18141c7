/** io.modelcontextprotocol/enterprise-managed-authorization: faults of authorization servers. */

import { publicPem, readJwt, signJwt } from '../../../harness/oauth/jwt.js';
import { without } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { type AuthorizationDeviation, authorizationFault } from '../fault.js';
import { lawful, type Policy } from '../policy.js';

/** A fault that shows one form of the breach of one row. */
const enterprise = (
  id: string,
  what: string,
  [row, form]: readonly [string, string],
  policy: Partial<Policy>,
): AuthorizationDeviation =>
  authorizationFault(
    `as-enterprise-${id}`,
    {
      what,
      breaks: [`ext-enterprise.as-${row}` as RequirementId],
      shows: [`ext-enterprise.as-${row}#${form}`],
    },
    policy,
  );

type Check = keyof Policy['idJagChecks'];

/** Replaces one check of an ID-JAG; default: it is left out. */
const checking = (name: Check, check: Policy['idJagChecks'][Check] = () => true): Partial<Policy> => ({
  idJagChecks: { ...lawful.idJagChecks, [name]: check },
});

export const enterpriseFaults: readonly AuthorizationDeviation[] = [
  enterprise(
    'no-profile',
    'The authorization server metadata has no authorization_grant_profiles_supported.',
    ['profile', 'absent'],
    { metadata: document => without(document, 'authorization_grant_profiles_supported') },
  ),
  enterprise('refused', 'The token endpoint refuses each ID-JAG.', ['grant', 'refused'], {
    trustsProviders: () => false,
  }),
  enterprise(
    'own-audience',
    'The aud of an access token for an ID-JAG is the authorization server.',
    ['audience', 'other'],
    { idJagAudience: (_, issuer) => issuer },
  ),
  enterprise(
    'requested-scope',
    'The token endpoint grants all requested scopes, also those that the ID-JAG lacks.',
    ['scope', 'requested'],
    { idJagScope: (asked, inGrant) => (asked.length > 0 ? asked : inGrant) },
  ),
  enterprise(
    'unverified',
    'The token endpoint does not verify the signature of an ID-JAG.',
    ['signature', 'unverified'],
    { idJagVerifies: async (_, { alg }) => alg === 'ES256' },
  ),
  enterprise(
    'alg-mac',
    'The token endpoint accepts an ID-JAG with a MAC whose secret is the public key of the identity provider.',
    ['alg', 'mac'],
    {
      idJagVerifies: async (text, header, key) =>
        header.alg === 'HS256'
          ? text === signJwt(header, readJwt(text)!.claims, publicPem(key))
          : lawful.idJagVerifies(text, header, key),
    },
  ),
  enterprise('alg-none', 'The token endpoint accepts an ID-JAG with alg none.', ['alg-none', 'none'], {
    idJagVerifies: async (text, header, key) =>
      header.alg === 'none' || lawful.idJagVerifies(text, header, key),
  }),
  enterprise(
    'any-iss',
    'The token endpoint does not read the iss of an ID-JAG.',
    ['iss', 'ignored'],
    checking('iss'),
  ),
  enterprise(
    'any-sub',
    'The token endpoint does not read the sub of an ID-JAG.',
    ['sub', 'ignored'],
    checking('sub'),
  ),
  enterprise(
    'any-aud',
    'The token endpoint does not read the aud of an ID-JAG.',
    ['aud', 'ignored'],
    checking('aud'),
  ),
  enterprise(
    'any-exp',
    'The token endpoint accepts an ID-JAG that has expired.',
    ['window', 'ignored'],
    checking('exp', ({ claims }) => claims.exp !== undefined),
  ),
  enterprise(
    'exp-optional',
    'The token endpoint accepts an ID-JAG without exp.',
    ['window', 'optional'],
    checking('exp', about => about.claims.exp === undefined || lawful.idJagChecks.exp(about)),
  ),
  enterprise(
    'replayed',
    'The token endpoint accepts the same ID-JAG several times.',
    ['jti', 'ignored'],
    checking('jti'),
  ),
  enterprise(
    'any-resource',
    'The token endpoint issues tokens for each resource in an ID-JAG.',
    ['resource', 'ignored'],
    checking('resource'),
  ),
  enterprise(
    'any-client',
    'The token endpoint does not read the client_id of an ID-JAG.',
    ['client', 'ignored'],
    checking('client'),
  ),
  enterprise(
    'any-typ',
    'The token endpoint accepts a JWT with another typ as an ID-JAG.',
    ['typ', 'ignored'],
    checking('typ'),
  ),
  enterprise(
    'other-error',
    'The token endpoint refuses a wrong ID-JAG with invalid_request.',
    ['invalid-grant', 'other'],
    { idJagError: () => 'invalid_request' },
  ),
];
