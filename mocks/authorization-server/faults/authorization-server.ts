/** What a careless authorization server does. */

import { type JsonObject, parseObject, without } from '../../../spec/json-rpc.js';
import type { HttpReply } from '../../server/http/reply.js';
import { type AuthorizationDeviation, authorizationFault as fault } from '../fault.js';
import { type EndpointName, lawful, type Policy } from '../policy.js';
import type { Client } from '../records.js';
import { parseUrl } from '../request.js';
import { redirectHidden } from './proxy.js';

/** Changes the answers of some endpoints. */
const answers = (
  endpoints: readonly EndpointName[],
  change: (reply: HttpReply, body: JsonObject) => HttpReply,
): Partial<Policy> => ({
  reply: (reply, endpoint) =>
    endpoints.includes(endpoint) ? change(reply, parseObject(String(reply.body)) ?? {}) : reply,
});

const succeeded = ({ status }: HttpReply): boolean => status < 300;

const metadata: readonly AuthorizationDeviation[] = [
  fault(
    'as-metadata-missing',
    {
      what: 'Metadata is published nowhere.',
      breaks: ['auth.as-metadata-published'],
      where: revision => !revision.authorization?.defaultPaths,
    },
    { metadata: () => undefined },
  ),
  fault(
    'as-metadata-openid-only',
    {
      what: 'Metadata is published for OpenID Connect only, where RFC 8414 is asked for.',
      breaks: ['auth.as-metadata-published'],
      where: revision => revision.authorization?.metadata.includes('openid') === false,
    },
    { metadata: (document, kind) => (kind === 'openid' ? document : undefined) },
  ),
  fault(
    'as-metadata-below-path',
    {
      what: 'Metadata stands below the path of the MCP server only.',
      breaks: ['auth.legacy-metadata-at-root', 'auth.as-metadata-published'],
      where: revision => revision.authorization?.defaultPaths === true,
    },
    { places: () => ({ '/mcp/.well-known/oauth-authorization-server': 'oauth' }) },
  ),
  fault(
    'as-issuer-of-another',
    { what: 'The metadata names another issuer.', breaks: ['auth.as-metadata-document'] },
    { metadata: document => ({ ...document, issuer: 'https://honest.example' }) },
  ),
  fault(
    'as-metadata-without-response-types',
    { what: 'The metadata lists no response types.', breaks: ['auth.as-metadata-document'] },
    { metadata: document => without(document, 'response_types_supported') },
  ),
  fault(
    'as-metadata-as-text',
    { what: 'The metadata is sent as plain text.', breaks: ['auth.as-metadata-document'] },
    answers(['metadata'], reply => ({
      ...reply,
      headers: { ...reply.headers, 'Content-Type': 'text/plain' },
    })),
  ),
  fault(
    'as-openid-without-pkce',
    {
      what: 'The OpenID Connect document does not say that PKCE is there.',
      breaks: ['auth.as-oidc-pkce-field'],
    },
    {
      metadata: (document, kind) =>
        kind === 'openid' ? without(document, 'code_challenge_methods_supported') : document,
    },
  ),
  fault(
    'as-endpoints-over-http',
    { what: 'Endpoints on the internet are served over http.', breaks: ['auth.as-https'] },
    { metadata: document => ({ ...document, revocation_endpoint: 'http://auth.example/revoke' }) },
  ),
  fault(
    'as-no-client-documents',
    { what: 'Client metadata documents are not supported.', breaks: ['auth.cimd-server'] },
    {
      metadata: document => without(document, 'client_id_metadata_document_supported'),
      fetchable: () => false,
    },
  ),
  fault(
    'as-no-registration',
    {
      what: 'Clients cannot register.',
      breaks: ['auth.dcr-server'],
      where: revision => revision.authorization?.metadata.length === 1,
    },
    { metadata: document => without(document, 'registration_endpoint') },
  ),
  fault(
    'as-default-paths-missing',
    {
      what: 'Without metadata there is no authorization endpoint at its default path.',
      breaks: ['auth.legacy-default-paths-served', 'auth.as-metadata-published'],
      where: revision => revision.authorization?.defaultPaths === true,
    },
    {
      metadata: () => undefined,
      reply: (reply, endpoint) => (endpoint === 'authorization' ? { status: 404, headers: {} } : reply),
    },
  ),
];

const registration: readonly AuthorizationDeviation[] = [
  fault(
    'as-registers-with-200',
    { what: 'A registration is answered with 200.', breaks: ['auth.dcr-response'] },
    answers(['registration'], reply => (succeeded(reply) ? { ...reply, status: 200 } : reply)),
  ),
  fault(
    'as-secret-without-expiry',
    { what: 'A client secret comes without its expiry.', breaks: ['auth.dcr-response'] },
    { registered: answer => without(answer, 'client_secret_expires_at') },
  ),
  fault(
    'as-registration-not-echoed',
    { what: 'The registered redirect URIs are not told.', breaks: ['auth.dcr-response'] },
    { registered: answer => without(answer, 'redirect_uris') },
  ),
  fault(
    'as-registers-fragments',
    { what: 'Redirect URIs with a fragment are registered.', breaks: ['auth.dcr-error'] },
    { registrable: uri => lawful.registrable(uri.replace(/#.*/, '')) },
  ),
  fault(
    'as-registration-error-500',
    { what: 'A bad registration is answered with 500.', breaks: ['auth.dcr-error'] },
    answers(['registration'], reply => (reply.status === 400 ? { ...reply, status: 500 } : reply)),
  ),
  fault(
    'as-registration-error-as-text',
    { what: 'A bad registration is refused without a code.', breaks: ['auth.dcr-error'] },
    answers(['registration'], reply => (reply.status === 400 ? { ...reply, body: 'bad request' } : reply)),
  ),
  fault(
    'as-registers-scripts',
    { what: 'A redirect URI may be a script.', breaks: ['auth.as-redirect-uri-form'] },
    { registrable: uri => lawful.registrable(uri) || uri.startsWith('javascript:') },
  ),
];

/** Redirect URIs compared in one of the ways that are too generous. */
const matching = (fits: (given: URL, registered: URL) => boolean): Partial<Policy> => ({
  redirectMatches(given, client) {
    const url = parseUrl(given);
    return (
      lawful.redirectMatches(given, client) ||
      (url !== undefined && client.redirectUris.some(uri => fits(url, new URL(uri))))
    );
  },
});

const authorize: readonly AuthorizationDeviation[] = [
  fault(
    'as-s256-refused',
    {
      what: 'The challenge method S256 is refused.',
      breaks: ['auth.as-pkce-s256', 'auth.as-oidc-pkce-field'],
    },
    { challengeMethods: () => ['plain'] },
  ),
  fault(
    'as-pkce-optional',
    { what: 'A public client gets a code without a challenge.', breaks: ['auth.as-pkce-required'] },
    { needsChallenge: () => false },
  ),
  fault(
    'as-state-lost',
    { what: 'The state does not come back.', breaks: ['auth.as-state-returned'] },
    {
      redirect(target) {
        target.searchParams.delete('state');
        return target;
      },
    },
  ),
  fault(
    'as-state-decoded-twice',
    { what: 'The state is decoded once too often.', breaks: ['auth.as-state-returned'] },
    {
      redirect(target) {
        const state = target.searchParams.get('state');
        if (state !== null) target.searchParams.set('state', state.replaceAll('+', ' '));
        return target;
      },
    },
  ),
  fault(
    'as-redirect-prefix',
    {
      what: 'A redirect URI only has to begin like a registered one.',
      breaks: ['auth.as-redirect-exact'],
    },
    matching((given, registered) => given.href.startsWith(registered.href)),
  ),
  fault(
    'as-redirect-host-only',
    {
      what: 'Any path on a registered host will do.',
      breaks: ['auth.as-redirect-exact', 'auth.cimd-as-redirect'],
    },
    matching((given, registered) => given.hostname === registered.hostname),
  ),
  fault(
    'as-redirects-errors-anywhere',
    {
      what: 'The error goes to the redirect URI of the request, also when it is not registered.',
      breaks: ['auth.as-no-redirect-on-bad-uri'],
    },
    { redirectsAnyway: () => true },
  ),
  fault(
    'as-loopback-port-fixed',
    { what: 'The port of a loopback redirect URI has to match.', breaks: ['auth.as-loopback-port'] },
    { redirectMatches: (given, client) => client.redirectUris.includes(given) },
  ),
  fault(
    'as-cors-at-authorization',
    {
      what: 'Scripts of any site may use the authorization endpoint.',
      breaks: ['auth.as-no-cors-authorize'],
    },
    answers(['authorization'], reply => ({
      ...reply,
      headers: { ...reply.headers, 'Access-Control-Allow-Origin': '*' },
    })),
  ),
  fault(
    'as-open-redirector',
    { what: 'Errors of unknown clients are redirected at once.', breaks: ['auth.as-open-redirect'] },
    { redirectsErrorsAtOnce: () => true },
  ),
  fault(
    'as-unknown-parameters-refused',
    { what: 'A parameter nobody knows is an error.', breaks: ['auth.as-unknown-parameters'] },
    { refusesUnknownParameters: () => true },
  ),
  fault(
    'as-redirects-forms-with-307',
    { what: 'The browser is told to send the form on to the client.', breaks: ['auth.as-no-307'] },
    { redirectStatus: afterForm => (afterForm ? 307 : 303) },
  ),
];

const tokens: readonly AuthorizationDeviation[] = [
  fault(
    'as-verifier-ignored',
    { what: 'The code verifier is not looked at.', breaks: ['auth.as-pkce-verified'] },
    { verifies: () => true },
  ),
  fault(
    'as-verifier-optional',
    { what: 'Without a verifier a code is redeemed all the same.', breaks: ['auth.as-pkce-verified'] },
    { verifies: (grant, verifier) => verifier === null || lawful.verifies(grant, verifier) },
  ),
  fault(
    'as-challenge-is-verifier',
    { what: 'The challenge itself is taken for the verifier.', breaks: ['auth.as-pkce-verified'] },
    { verifies: (grant, verifier) => verifier === grant.challenge || lawful.verifies(grant, verifier) },
  ),
  fault(
    'as-code-reusable',
    {
      what: 'A code works as often as one likes.',
      breaks: ['auth.as-code-once', 'auth.as-code-reuse-revokes'],
    },
    { codeUsable: () => true },
  ),
  fault(
    'as-replay-unpunished',
    { what: 'Tokens live on when their code is tried again.', breaks: ['auth.as-code-reuse-revokes'] },
    { revokesOnReplay: () => false },
  ),
  fault(
    'as-code-for-anybody',
    {
      what: 'Any client can redeem a code.',
      breaks: ['auth.as-code-client-bound', 'auth.as-refresh-client-bound'],
    },
    { ownGrant: () => true },
  ),
  fault(
    'as-code-lives-long',
    { what: 'A code can be redeemed for a day.', breaks: ['auth.as-code-lifetime'] },
    { codeLifetime: () => 86_400 },
  ),
  fault(
    'as-tokens-cacheable',
    { what: 'Answers with tokens may be stored.', breaks: ['auth.as-token-response'] },
    answers(['token'], reply => ({ ...reply, headers: { ...reply.headers, 'Cache-Control': 'max-age=60' } })),
  ),
  fault(
    'as-tokens-without-type',
    { what: 'The token answer lacks the token type.', breaks: ['auth.as-token-response'] },
    { tokens: answer => without(answer, 'token_type') },
  ),
  fault(
    'as-expiry-as-text',
    {
      what: 'The lifetime of a token is a text.',
      breaks: ['auth.as-token-response', 'auth.as-short-lived'],
    },
    { tokens: answer => ({ ...answer, expires_in: '3600' }) },
  ),
  fault(
    'as-tokens-for-a-year',
    { what: 'Access tokens live for a year.', breaks: ['auth.as-short-lived'] },
    { accessLifetime: () => 365 * 86_400 },
  ),
  fault(
    'as-token-errors-500',
    { what: 'A bad token request is answered with 500.', breaks: ['auth.as-token-error'] },
    answers(['token'], reply => (reply.status === 400 ? { ...reply, status: 500 } : reply)),
  ),
  fault(
    'as-token-errors-200',
    {
      what: 'A bad token request is answered with 200 and an error.',
      breaks: ['auth.as-token-error'],
    },
    answers(['token'], reply => (reply.status === 400 ? { ...reply, status: 200 } : reply)),
  ),
  fault(
    'as-token-errors-as-page',
    { what: 'A bad token request is answered with a page.', breaks: ['auth.as-token-error'] },
    answers(['token'], reply =>
      succeeded(reply)
        ? reply
        : { ...reply, headers: { 'Content-Type': 'text/html' }, body: '<h1>Something went wrong</h1>' },
    ),
  ),
  fault(
    'as-wrong-secret-400',
    { what: 'A wrong secret in the header is answered with 400.', breaks: ['auth.as-token-error'] },
    answers(['token'], reply => (reply.status === 401 ? { ...reply, status: 400 } : reply)),
  ),
  fault(
    'as-scope-cut-silently',
    { what: 'The answer does not say that scopes were left out.', breaks: ['auth.as-scope-reported'] },
    { tokens: answer => without(answer, 'scope') },
  ),
  fault(
    'as-audience-ignored',
    {
      what: 'Tokens are not made for the resource that was asked for.',
      breaks: ['auth.as-audience-restriction'],
    },
    { audience: () => [] },
  ),
];

const refresh: readonly AuthorizationDeviation[] = [
  fault(
    'as-refresh-not-rotated',
    { what: 'A public client keeps its refresh token.', breaks: ['auth.as-refresh-rotation'] },
    {
      rotates: () => false,
      tokens: (answer, ask) => {
        const used = ask.params.get('refresh_token');
        return used === null ? answer : { ...answer, refresh_token: used };
      },
    },
  ),
  fault(
    'as-old-refresh-token-works',
    { what: 'The refresh token that was replaced goes on working.', breaks: ['auth.as-refresh-rotation'] },
    { refreshUsable: () => true },
  ),
];

/** Whether a client is one whose ID is the URL of a document. */
const hasDocument = ({ id }: Client): boolean => id.startsWith('https:');

const anyRedirect: Partial<Policy> = {
  redirectMatches: (given, client) => hasDocument(client) || lawful.redirectMatches(given, client),
};

const documents: readonly AuthorizationDeviation[] = [
  fault(
    'as-documents-unannounced',
    {
      what: 'Client metadata documents are taken without a word about it in the metadata.',
      breaks: ['auth.cimd-as-advertises', 'auth.cimd-server'],
    },
    { metadata: document => without(document, 'client_id_metadata_document_supported') },
  ),
  fault(
    'as-documents-unread',
    {
      what: 'Any URL is taken for a client ID, and nobody looks at what is there.',
      breaks: [
        'auth.cimd-as-fetches',
        'auth.cimd-as-client-id',
        'auth.cimd-as-document',
        'auth.cimd-as-client-name',
        'auth.cimd-as-redirect',
      ],
    },
    { ...anyRedirect, readsDocuments: () => false },
  ),
  fault(
    'as-documents-of-another',
    {
      what: 'A document may be about another URL than its own.',
      breaks: ['auth.cimd-as-client-id'],
    },
    {
      documentFlaw: (document, url) =>
        lawful.documentFlaw(document.client_id ? { ...document, client_id: url } : document, url),
    },
  ),
  fault(
    'as-documents-without-name',
    { what: 'A document need not name its client.', breaks: ['auth.cimd-as-client-name'] },
    { documentFlaw: (document, url) => lawful.documentFlaw({ client_name: 'nameless', ...document }, url) },
  ),
  fault(
    'as-documents-lists',
    { what: 'A document that is a list of documents will do.', breaks: ['auth.cimd-as-document'] },
    { readDocument: text => [lawful.readDocument(text)].flat()[0] ?? null },
  ),
  fault(
    'as-documents-any-redirect',
    {
      what: 'The redirect URIs in a document are not looked at.',
      breaks: ['auth.cimd-as-redirect'],
    },
    anyRedirect,
  ),
  fault(
    'as-documents-not-kept',
    {
      what: 'A document is asked for again each time, however long it may be kept.',
      breaks: ['auth.cimd-as-caches'],
    },
    { keepsDocument: () => 0 },
  ),
  fault(
    'as-documents-errors-kept',
    {
      what: 'That there was no document is kept in mind for as long as one would be.',
      breaks: ['auth.cimd-as-no-error-cache'],
    },
    { keepsDocument: cacheControl => lawful.keepsDocument(cacheControl, true) },
  ),
  fault(
    'as-documents-redirect-hidden',
    {
      what: 'The page that asks the user does not say where the answer goes.',
      breaks: ['auth.cimd-as-shows-redirect-host'],
    },
    redirectHidden,
  ),
  fault(
    'as-documents-inside',
    {
      what: 'Documents are asked for at addresses of its own host and network, too.',
      breaks: ['auth.cimd-as-ssrf'],
    },
    { fetchable: url => url.protocol === 'https:' },
  ),
];

/** All faults of the mock authorization server. */
export const authorizationFaults: readonly AuthorizationDeviation[] = [
  ...metadata,
  ...registration,
  ...authorize,
  ...tokens,
  ...refresh,
  ...documents,
];
