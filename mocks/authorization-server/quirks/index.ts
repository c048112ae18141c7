/**
 * Legal but unusual behaviours of authorization servers: a finding about one of these is a false positive.
 */

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

/** Writes the host of the redirect URI into the consent page. */
const hostScript = [
  '<script>const asked = new URLSearchParams(document.querySelector("[name=request]").value);',
  'document.querySelector("b:empty").textContent = new URL(asked.get("redirect_uri")).host;</script>',
].join('');

/** All quirks of the mock authorization server. */
export const authorizationQuirks: readonly AuthorizationDeviation[] = [
  quirk(
    'as-metadata-minimal',
    {
      what: 'The authorization server metadata has few optional members.',
      shows: ['auth.as-metadata-document#minimal'],
    },
    without([
      ...['jwks_uri', 'scopes_supported', 'response_modes_supported', 'grant_types_supported'],
      'token_endpoint_auth_methods_supported',
    ]),
  ),
  quirk(
    'as-metadata-charset',
    {
      what: 'The Content-Type of JSON responses has a charset parameter.',
      shows: ['auth.as-metadata-document#charset'],
    },
    headers(['metadata', 'registration', 'token'], { 'Content-Type': 'application/json; charset=UTF-8' }),
  ),
  quirk(
    'as-unknown-members',
    {
      what: 'The metadata, the token response and the registration response have unknown members.',
      shows: [
        'auth.as-metadata-document#unknown-members',
        'auth.as-token-response#unknown-members',
        'auth.dcr-response#more',
      ],
    },
    {
      metadata: document => ({ ...document, x_tenant: { id: 7 } }),
      tokens: answer => ({ ...answer, x_region: 'eu' }),
      registered: answer => ({ ...answer, x_plan: null }),
    },
  ),
  quirk(
    'as-no-consent',
    {
      what: 'An authorization request is granted without a consent page.',
      shows: ['auth.cimd-as-shows-redirect-host#no-page'],
    },
    { asksUser: () => false },
  ),
  quirk(
    'as-host-by-script',
    {
      what: 'A script of the consent page shows the host of the redirect URI.',
      shows: ['auth.cimd-as-shows-redirect-host#script', 'auth.proxy-consent-page#script'],
    },
    {
      reply: (reply, endpoint) =>
        endpoint === 'authorization' && typeof reply.body === 'string'
          ? {
              ...reply,
              headers: {
                ...reply.headers,
                'Content-Security-Policy':
                  "default-src 'none'; script-src 'unsafe-inline'; frame-ancestors 'none'",
              },
              body: reply.body.replace(
                / You will be sent to .*?<\/p>/,
                ` You will be sent to <b></b>.</p>${hostScript}`,
              ),
            }
          : reply,
    },
  ),
  quirk(
    'as-asks-each-time',
    { what: 'The consent page appears for every authorization request.' },
    { asksUser: () => true },
  ),
  quirk(
    'as-no-refresh-tokens',
    { what: 'The token response has no refresh_token.', shows: ['auth.as-refresh-rotation#none'] },
    { issuesRefreshTokens: () => false },
  ),
  quirk(
    'as-token-type-lower-case',
    {
      what: 'The token response has the token_type bearer in lower case.',
      shows: ['auth.as-token-response#any-case'],
    },
    { tokens: answer => ({ ...answer, token_type: 'bearer' }) },
  ),
  quirk(
    'as-opaque-tokens',
    {
      what: 'The token response has an opaque access token.',
      shows: ['auth.as-audience-restriction#opaque'],
    },
    { tokens: answer => ({ ...answer, access_token: 'ct_at_opaque-to-everybody' }) },
  ),
  quirk(
    'as-unknown-scope-refused',
    {
      what: 'An authorization request with an unknown scope is rejected.',
      shows: ['auth.as-scope-reported#refused'],
    },
    { refusesUnknownScopes: () => true },
  ),
  quirk(
    'as-redirects-with-302',
    { what: 'The authorization redirect has status 302.', shows: ['auth.as-no-307#status-302'] },
    { redirectStatus: () => 302 },
  ),
  quirk(
    'as-no-iss',
    {
      what: 'The authorization response has no iss parameter, and the metadata announces none.',
      shows: ['auth.as-iss#not-announced'],
    },
    {
      ...without(['authorization_response_iss_parameter_supported']),
      redirect(target) {
        target.searchParams.delete('iss');
        return target;
      },
    },
  ),
  quirk(
    'as-https-redirects-only',
    {
      what: 'A registration request with an https redirect URI is rejected; only loopback redirect URIs are accepted.',
      shows: ['auth.as-redirect-uri-form#loopback-only'],
    },
    { registrable: uri => lawful.registrable(uri) && uri.startsWith('http:') },
  ),
  quirk(
    'as-registration-closed',
    {
      what: 'The registration endpoint rejects all requests, because clients are registered manually.',
      shows: ['auth.dcr-error#policy', 'auth.dcr-response#refused'],
    },
    { registers: () => false, metadata: document => document },
  ),
  quirk(
    'as-refresh-grace',
    {
      what: 'A replaced refresh token stays valid for 10 seconds, for concurrent requests.',
      shows: ['auth.as-refresh-rotation#grace'],
    },
    { refreshUsable: (token, now) => !token.spent || now - token.spentAt < 10 },
  ),
  quirk(
    'as-documents-trusted-only',
    {
      what: 'Client ID metadata documents are accepted from trusted hosts only, and other hosts get no request.',
      shows: ['auth.cimd-as-advertises#trusted-only', 'auth.cimd-as-fetches#trusted-only'],
    },
    { fetchable: () => false },
  ),
  quirk(
    'as-documents-kept-at-least',
    {
      what: 'A client ID metadata document is cached for at least five minutes, regardless of its Cache-Control header.',
      shows: ['auth.cimd-as-caches#kept-at-least'],
    },
    { keepsDocument: (_, sound) => (sound ? 300 : 0) },
  ),
  quirk(
    'as-documents-back-off',
    {
      what: 'A client ID without a valid metadata document is not fetched again for 30 seconds.',
      shows: ['auth.cimd-as-no-error-cache#back-off'],
    },
    {
      keepsDocument: (cacheControl, sound) => (sound ? lawful.keepsDocument(cacheControl, sound) : 30),
    },
  ),
  quirk(
    'as-documents-redirect-nearby',
    {
      what: 'Only loopback redirect URIs are accepted from client ID metadata documents.',
      shows: ['auth.as-loopback-port#loopback-only', 'auth.cimd-as-redirect#loopback-only'],
    },
    {
      redirectMatches: (given, client) =>
        lawful.redirectMatches(given, client) &&
        (!client.id.startsWith('https:') || given.startsWith('http:')),
    },
  ),
  quirk(
    'as-short-tokens',
    { what: 'Access tokens are valid for one minute.', shows: ['auth.as-short-lived#one-minute'] },
    { accessLifetime: () => 60 },
  ),
];
