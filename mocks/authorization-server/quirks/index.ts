/** Legal oddities of authorization servers: whoever flags one of these is wrong. */

import type { HttpReply } from '../../server/http/reply.js';
import { type AuthorizationDeviation, authorizationQuirk as quirk } from '../fault.js';
import { type EndpointName, lawful, type Policy } from '../policy.js';

const without = (names: readonly string[]): Partial<Policy> => ({
  metadata: document =>
    Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name))),
});

const headers = (endpoints: readonly EndpointName[], more: HttpReply['headers']): Partial<Policy> => ({
  reply: (reply, endpoint) =>
    endpoints.includes(endpoint) ? { ...reply, headers: { ...reply.headers, ...more } } : reply,
});

/** All quirks of the mock authorization server. */
export const authorizationQuirks: readonly AuthorizationDeviation[] = [
  quirk(
    'as-metadata-minimal',
    { what: 'The metadata holds little more than it has to.' },
    without([
      ...['jwks_uri', 'scopes_supported', 'response_modes_supported', 'grant_types_supported'],
      'token_endpoint_auth_methods_supported',
    ]),
  ),
  quirk(
    'as-metadata-charset',
    { what: 'The media type of JSON has a parameter.' },
    headers(['metadata', 'registration', 'token'], { 'Content-Type': 'application/json; charset=UTF-8' }),
  ),
  quirk(
    'as-unknown-members',
    { what: 'Metadata and answers have members nobody knows.' },
    {
      metadata: document => ({ ...document, x_tenant: { id: 7 } }),
      tokens: answer => ({ ...answer, x_region: 'eu' }),
      registered: answer => ({ ...answer, x_plan: null }),
    },
  ),
  quirk('as-no-consent', { what: 'The user is never asked.' }, { asksUser: () => false }),
  quirk('as-asks-each-time', { what: 'The user is asked again for every code.' }, { asksUser: () => true }),
  quirk(
    'as-no-refresh-tokens',
    { what: 'There are no refresh tokens.' },
    { issuesRefreshTokens: () => false },
  ),
  quirk(
    'as-token-type-lower-case',
    { what: 'The token type is written in lower case.' },
    { tokens: answer => ({ ...answer, token_type: 'bearer' }) },
  ),
  quirk(
    'as-opaque-tokens',
    { what: 'Access tokens show nothing of what they are good for.' },
    { tokens: answer => ({ ...answer, access_token: 'ct_at_opaque-to-everybody' }) },
  ),
  quirk(
    'as-unknown-scope-refused',
    { what: 'An unknown scope is an error.' },
    { refusesUnknownScopes: () => true },
  ),
  quirk('as-redirects-with-302', { what: 'Redirects have status 302.' }, { redirectStatus: () => 302 }),
  quirk(
    'as-no-iss',
    { what: 'The issuer is not named in redirects.' },
    {
      redirect(target) {
        target.searchParams.delete('iss');
        return target;
      },
    },
  ),
  quirk(
    'as-https-redirects-only',
    { what: 'Web clients cannot register; redirect URIs are on the user’s own host.' },
    { registrable: uri => lawful.registrable(uri) && uri.startsWith('http:') },
  ),
  quirk(
    'as-registration-closed',
    { what: 'Nobody can register without asking a person first.' },
    { registers: () => false, metadata: document => document },
  ),
  quirk(
    'as-refresh-grace',
    { what: 'The old refresh token works for some seconds more, for requests that crossed.' },
    { refreshUsable: (token, now) => !token.spent || now - token.spentAt < 10 },
  ),
  quirk(
    'as-documents-trusted-only',
    { what: 'Client documents are taken from hosts on a list only, and no other host is asked.' },
    { fetchable: () => false },
  ),
  quirk(
    'as-documents-kept-at-least',
    { what: 'A client document is kept for five minutes at least, whatever it says about that.' },
    { keepsDocument: (_, sound) => (sound ? 300 : 0) },
  ),
  quirk(
    'as-documents-back-off',
    { what: 'An address without a sound client document is left alone for half a minute.' },
    {
      keepsDocument: (cacheControl, sound) => (sound ? lawful.keepsDocument(cacheControl, sound) : 30),
    },
  ),
  quirk(
    'as-documents-redirect-nearby',
    { what: 'Only redirect URIs on this host are taken from client documents.' },
    {
      redirectMatches: (given, client) =>
        lawful.redirectMatches(given, client) &&
        (!client.id.startsWith('https:') || given.startsWith('http:')),
    },
  ),
  quirk('as-short-tokens', { what: 'Access tokens live for a minute.' }, { accessLifetime: () => 60 }),
];
