/** Faults of the authorization server. */

import { isObject, type JsonObject, parseObject, without } from '../../../spec/json-rpc.js';
import type { HttpReply } from '../../server/http/reply.js';
import { type AuthorizationDeviation, authorizationFault as fault } from '../fault.js';
import { type EndpointName, lawful, type Policy } from '../policy.js';
import type { Client } from '../records.js';
import { parseUrl } from '../request.js';
import { redirectHidden } from './proxy.js';

/** Changes the responses of some endpoints. */
const answers = (
  endpoints: readonly EndpointName[],
  change: (reply: HttpReply, body: JsonObject) => HttpReply,
): Partial<Policy> => ({
  reply: (reply, endpoint) =>
    endpoints.includes(endpoint) ? change(reply, parseObject(String(reply.body)) ?? {}) : reply,
});

const succeeded = ({ status }: HttpReply): boolean => status < 300;

/** Metadata of one kind without the challenge methods. */
const withoutMethods = (of: 'oauth' | 'openid'): Partial<Policy> => ({
  metadata: (document, kind) =>
    kind === of ? without(document, 'code_challenge_methods_supported') : document,
});

const metadata: readonly AuthorizationDeviation[] = [
  fault(
    'as-metadata-missing',
    {
      what: 'No authorization server metadata is published at any well-known URL.',
      breaks: ['auth.as-metadata-published'],
      shows: ['auth.as-metadata-published#none'],
      where: revision => !revision.authorization?.defaultPaths,
    },
    { metadata: () => undefined },
  ),
  fault(
    'as-metadata-openid-only',
    {
      what: 'Authorization server metadata is published for OpenID Connect only, although the revision requires RFC 8414.',
      breaks: ['auth.as-metadata-published'],
      shows: ['auth.as-metadata-published#openid-only'],
      where: revision => revision.authorization?.metadata.includes('openid') === false,
    },
    { metadata: (document, kind) => (kind === 'openid' ? document : undefined) },
  ),
  fault(
    'as-metadata-below-path',
    {
      what: 'Authorization server metadata is published only below the path of the MCP server.',
      breaks: ['auth.legacy-metadata-at-root', 'auth.as-metadata-published'],
      shows: ['auth.as-metadata-published#below-path', 'auth.legacy-metadata-at-root#below-path'],
      where: revision => revision.authorization?.defaultPaths === true,
    },
    { places: () => ({ '/mcp/.well-known/oauth-authorization-server': 'oauth' }) },
  ),
  fault(
    'as-issuer-of-another',
    {
      what: 'The authorization server metadata names the issuer of another server.',
      breaks: ['auth.as-metadata-document', 'auth.as-iss-value'],
      shows: ['auth.as-iss-value#other-issuer', 'auth.as-metadata-document#other-issuer'],
    },
    { metadata: document => ({ ...document, issuer: 'https://honest.example' }) },
  ),
  fault(
    'as-metadata-without-response-types',
    {
      what: 'The authorization server metadata has no response_types_supported.',
      breaks: ['auth.as-metadata-document'],
      shows: ['auth.as-metadata-document#no-response-types'],
    },
    { metadata: document => without(document, 'response_types_supported') },
  ),
  fault(
    'as-metadata-as-text',
    {
      what: 'The authorization server metadata has the media type text/plain.',
      breaks: ['auth.as-metadata-document'],
      shows: ['auth.as-metadata-document#other-type'],
    },
    answers(['metadata'], reply => ({
      ...reply,
      headers: { ...reply.headers, 'Content-Type': 'text/plain' },
    })),
  ),
  fault(
    'as-metadata-without-pkce',
    {
      what: 'The RFC 8414 metadata has no code_challenge_methods_supported.',
      breaks: ['auth.as-pkce-field'],
      shows: ['auth.as-pkce-field#missing'],
    },
    withoutMethods('oauth'),
  ),
  fault(
    'as-openid-without-pkce',
    {
      what: 'The OpenID Connect metadata has no code_challenge_methods_supported.',
      breaks: ['auth.as-oidc-pkce-field'],
      shows: ['auth.as-oidc-pkce-field#missing'],
    },
    withoutMethods('openid'),
  ),
  fault(
    'as-endpoints-over-http',
    {
      what: 'The authorization server metadata lists a public endpoint with an http URL.',
      breaks: ['auth.as-https'],
      shows: ['auth.as-https#public-http'],
    },
    { metadata: document => ({ ...document, revocation_endpoint: 'http://auth.example/revoke' }) },
  ),
  fault(
    'as-no-client-documents',
    {
      what: 'The authorization server does not support client ID metadata documents.',
      breaks: ['auth.cimd-server'],
      shows: ['auth.cimd-server#not-announced'],
    },
    {
      metadata: document => without(document, 'client_id_metadata_document_supported'),
      fetchable: () => false,
    },
  ),
  fault(
    'as-no-registration',
    {
      what: 'The authorization server metadata has no registration_endpoint.',
      breaks: ['auth.dcr-server'],
      shows: ['auth.dcr-server#none'],
      where: revision => revision.authorization?.metadata.length === 1,
    },
    { metadata: document => without(document, 'registration_endpoint') },
  ),
  fault(
    'as-default-paths-missing',
    {
      what: 'The authorization server has no metadata and no authorization endpoint at the default path.',
      breaks: ['auth.legacy-default-paths-served', 'auth.as-metadata-published'],
      shows: ['auth.as-metadata-published#none', 'auth.legacy-default-paths-served#missing'],
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
    {
      what: 'The response to a registration request has status 200 instead of 201.',
      breaks: ['auth.dcr-response'],
      shows: ['auth.dcr-response#status-200'],
    },
    answers(['registration'], reply => (succeeded(reply) ? { ...reply, status: 200 } : reply)),
  ),
  fault(
    'as-secret-without-expiry',
    {
      what: 'The response to a registration request has a client secret without client_secret_expires_at.',
      breaks: ['auth.dcr-response'],
      shows: ['auth.dcr-response#secret-without-expiry'],
    },
    { registered: answer => without(answer, 'client_secret_expires_at') },
  ),
  fault(
    'as-registration-not-echoed',
    {
      what: 'The response to a registration request has no redirect_uris.',
      breaks: ['auth.dcr-response'],
      shows: ['auth.dcr-response#not-echoed'],
    },
    { registered: answer => without(answer, 'redirect_uris') },
  ),
  fault(
    'as-registers-fragments',
    {
      what: 'A registration request with a fragment in its redirect URI succeeds.',
      breaks: ['auth.dcr-error'],
      shows: ['auth.dcr-error#registered'],
    },
    { registrable: uri => lawful.registrable(uri.replace(/#.*/, '')) },
  ),
  fault(
    'as-registration-error-500',
    {
      what: 'The response to an invalid registration request has status 500.',
      breaks: ['auth.dcr-error'],
      shows: ['auth.dcr-error#server-error'],
    },
    answers(['registration'], reply => (reply.status === 400 ? { ...reply, status: 500 } : reply)),
  ),
  fault(
    'as-registration-error-as-text',
    {
      what: 'The response to an invalid registration request is text without an error code.',
      breaks: ['auth.dcr-error'],
      shows: ['auth.dcr-error#no-json'],
    },
    answers(['registration'], reply => (reply.status === 400 ? { ...reply, body: 'bad request' } : reply)),
  ),
  fault(
    'as-registers-scripts',
    {
      what: 'A registration request with a javascript: redirect URI succeeds.',
      breaks: ['auth.as-redirect-uri-form'],
      shows: ['auth.as-redirect-uri-form#script'],
    },
    { registrable: uri => lawful.registrable(uri) || uri.startsWith('javascript:') },
  ),
];

/** Compares redirect URIs less strictly than required. */
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
      what: 'An authorization request with the challenge method S256 is rejected.',
      breaks: ['auth.as-pkce-s256', 'auth.as-oidc-pkce-field', 'auth.as-pkce-field'],
      shows: ['auth.as-oidc-pkce-field#no-s256', 'auth.as-pkce-field#no-s256', 'auth.as-pkce-s256#refused'],
    },
    { challengeMethods: () => ['plain'] },
  ),
  fault(
    'as-pkce-optional',
    {
      what: 'An authorization request of a public client without code_challenge gets a code.',
      breaks: ['auth.as-pkce-required'],
      shows: ['auth.as-pkce-required#code-issued'],
    },
    { needsChallenge: () => false },
  ),
  fault(
    'as-state-lost',
    {
      what: 'The authorization response has no state.',
      breaks: ['auth.as-state-returned'],
      shows: ['auth.as-state-returned#missing'],
    },
    {
      redirect(target) {
        target.searchParams.delete('state');
        return target;
      },
    },
  ),
  fault(
    'as-state-decoded-twice',
    {
      what: 'The authorization response contains the state decoded twice.',
      breaks: ['auth.as-state-returned'],
      shows: ['auth.as-state-returned#altered'],
    },
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
      what: 'An authorization request with a redirect URI that only starts with a registered one is accepted.',
      breaks: ['auth.as-redirect-exact', 'auth.cimd-as-redirect'],
      shows: ['auth.as-redirect-exact#prefix', 'auth.cimd-as-redirect#prefix'],
    },
    matching((given, registered) => given.href.startsWith(registered.href)),
  ),
  fault(
    'as-redirect-any-port',
    {
      what: 'An authorization request with another port in any registered redirect URI is accepted.',
      breaks: ['auth.as-redirect-exact'],
      shows: ['auth.as-redirect-exact#port'],
    },
    matching(
      (given, registered) =>
        given.protocol === registered.protocol &&
        given.hostname === registered.hostname &&
        given.username === '' &&
        given.href.slice(given.origin.length) === registered.href.slice(registered.origin.length),
    ),
  ),
  fault(
    'as-redirect-host-only',
    {
      what: 'An authorization request with any redirect URI on a registered host is accepted.',
      breaks: ['auth.as-redirect-exact', 'auth.cimd-as-redirect'],
      shows: ['auth.as-redirect-exact#host', 'auth.cimd-as-redirect#not-listed'],
    },
    matching((given, registered) => given.hostname === registered.hostname),
  ),
  fault(
    'as-redirect-loopback-any-path',
    {
      what: 'An authorization request with any path on a registered loopback address is accepted.',
      breaks: ['auth.as-redirect-exact', 'auth.cimd-as-redirect'],
      shows: ['auth.as-redirect-exact#loopback'],
    },
    matching(
      (given, registered) => registered.hostname === '127.0.0.1' && given.hostname === registered.hostname,
    ),
  ),
  fault(
    'as-redirects-errors-anywhere',
    {
      what: 'An authorization error is sent to the redirect URI of the request although the URI is not registered.',
      breaks: ['auth.as-no-redirect-on-bad-uri'],
      shows: ['auth.as-no-redirect-on-bad-uri#redirects'],
    },
    { redirectsAnyway: () => true },
  ),
  fault(
    'as-loopback-port-fixed',
    {
      what: 'An authorization request with another port in a loopback redirect URI is rejected.',
      breaks: ['auth.as-loopback-port'],
      shows: ['auth.as-loopback-port#fixed'],
    },
    { redirectMatches: (given, client) => client.redirectUris.includes(given) },
  ),
  fault(
    'as-cors-at-authorization',
    {
      what: 'The authorization endpoint allows scripts of all sites with Access-Control-Allow-Origin.',
      breaks: ['auth.as-no-cors-authorize'],
      shows: ['auth.as-no-cors-authorize#allowed'],
    },
    answers(['authorization'], reply => ({
      ...reply,
      headers: { ...reply.headers, 'Access-Control-Allow-Origin': '*' },
    })),
  ),
  fault(
    'as-open-redirector',
    {
      what: 'An authorization error of a client that is unknown to the user is redirected immediately.',
      breaks: ['auth.as-open-redirect'],
      shows: ['auth.as-open-redirect#immediate'],
    },
    { redirectsErrorsAtOnce: () => true },
  ),
  fault(
    'as-unknown-parameters-refused',
    {
      what: 'An authorization request with an unknown parameter is rejected.',
      breaks: ['auth.as-unknown-parameters'],
      shows: ['auth.as-unknown-parameters#refused'],
    },
    { refusesUnknownParameters: () => true },
  ),
  fault(
    'as-redirects-forms-with-307',
    {
      what: 'The redirect after the consent form has status 307, so that the browser sends the form to the client.',
      breaks: ['auth.as-no-307'],
      shows: ['auth.as-no-307#status-307'],
    },
    { redirectStatus: afterForm => (afterForm ? 307 : 303) },
  ),
];

const tokens: readonly AuthorizationDeviation[] = [
  fault(
    'as-verifier-ignored',
    {
      what: 'A token request with an invalid code_verifier succeeds.',
      breaks: ['auth.as-pkce-verified'],
      shows: ['auth.as-pkce-verified#wrong'],
    },
    { verifies: () => true },
  ),
  fault(
    'as-verifier-optional',
    {
      what: 'A token request without code_verifier succeeds.',
      breaks: ['auth.as-pkce-verified'],
      shows: ['auth.as-pkce-verified#missing'],
    },
    { verifies: (grant, verifier) => verifier === null || lawful.verifies(grant, verifier) },
  ),
  fault(
    'as-challenge-is-verifier',
    {
      what: 'A token request with the code challenge as code_verifier succeeds.',
      breaks: ['auth.as-pkce-verified'],
      shows: ['auth.as-pkce-verified#challenge'],
    },
    { verifies: (grant, verifier) => verifier === grant.challenge || lawful.verifies(grant, verifier) },
  ),
  fault(
    'as-code-reusable',
    {
      what: 'A token request with a code that was used before succeeds.',
      breaks: ['auth.as-code-once', 'auth.as-code-reuse-revokes'],
      shows: ['auth.as-code-once#twice', 'auth.as-code-reuse-revokes#reusable'],
    },
    { codeUsable: () => true },
  ),
  fault(
    'as-replay-unpunished',
    {
      what: 'Tokens stay valid after a second token request with their code.',
      breaks: ['auth.as-code-reuse-revokes'],
      shows: ['auth.as-code-reuse-revokes#unpunished'],
    },
    { revokesOnReplay: () => false },
  ),
  fault(
    'as-code-for-anybody',
    {
      what: 'A token request with a code or a refresh token of another client succeeds.',
      breaks: ['auth.as-code-client-bound', 'auth.as-refresh-client-bound'],
      shows: ['auth.as-code-client-bound#other-client', 'auth.as-refresh-client-bound#other-client'],
    },
    { ownGrant: () => true },
  ),
  fault(
    'as-code-lives-long',
    {
      what: 'An authorization code is valid for one day.',
      breaks: ['auth.as-code-lifetime'],
      shows: ['auth.as-code-lifetime#long'],
    },
    { codeLifetime: () => 86_400 },
  ),
  fault(
    'as-tokens-cacheable',
    {
      what: 'The token response has a Cache-Control header that allows storage.',
      breaks: ['auth.as-token-response'],
      shows: ['auth.as-token-response#cacheable'],
    },
    answers(['token'], reply => ({ ...reply, headers: { ...reply.headers, 'Cache-Control': 'max-age=60' } })),
  ),
  fault(
    'as-tokens-without-type',
    {
      what: 'The token response has no token_type.',
      breaks: ['auth.as-token-response'],
      shows: ['auth.as-token-response#no-type'],
    },
    { tokens: answer => without(answer, 'token_type') },
  ),
  fault(
    'as-scope-as-list',
    {
      what: 'The token response has an array as scope.',
      breaks: ['auth.as-token-response'],
      shows: ['auth.as-token-response#member-no-text'],
    },
    { tokens: answer => ({ ...answer, scope: String(answer.scope ?? '').split(' ') }) },
  ),
  fault(
    'as-expiry-as-text',
    {
      what: 'The token response has a string as expires_in.',
      breaks: ['auth.as-token-response', 'auth.as-short-lived'],
      shows: ['auth.as-short-lived#unnamed', 'auth.as-token-response#expiry-no-number'],
    },
    { tokens: answer => ({ ...answer, expires_in: '3600' }) },
  ),
  fault(
    'as-tokens-for-a-year',
    {
      what: 'Access tokens are valid for one year.',
      breaks: ['auth.as-short-lived'],
      shows: ['auth.as-short-lived#long'],
    },
    { accessLifetime: () => 365 * 86_400 },
  ),
  fault(
    'as-token-errors-500',
    {
      what: 'The response to an invalid token request has status 500.',
      breaks: ['auth.as-token-error'],
      shows: ['auth.as-token-error#server-error'],
    },
    answers(['token'], reply => (reply.status === 400 ? { ...reply, status: 500 } : reply)),
  ),
  fault(
    'as-token-errors-200',
    {
      what: 'The response to an invalid token request has status 200 and an error.',
      breaks: ['auth.as-token-error'],
      shows: ['auth.as-token-error#status-200'],
    },
    answers(['token'], reply => (reply.status === 400 ? { ...reply, status: 200 } : reply)),
  ),
  fault(
    'as-token-errors-as-page',
    {
      what: 'The response to an invalid token request is an HTML page.',
      breaks: ['auth.as-token-error'],
      shows: ['auth.as-token-error#no-json'],
    },
    answers(['token'], reply =>
      succeeded(reply)
        ? reply
        : { ...reply, headers: { 'Content-Type': 'text/html' }, body: '<h1>Something went wrong</h1>' },
    ),
  ),
  fault(
    'as-wrong-secret-400',
    {
      what: 'The response to a token request with an invalid secret in the Authorization header has status 400 instead of 401.',
      breaks: ['auth.as-token-error'],
      shows: ['auth.as-token-error#wrong-secret'],
    },
    answers(['token'], reply => (reply.status === 401 ? { ...reply, status: 400 } : reply)),
  ),
  fault(
    'as-scope-cut-silently',
    {
      what: 'The token response has no scope although some scopes were not granted.',
      breaks: ['auth.as-scope-reported'],
      shows: ['auth.as-scope-reported#silent'],
    },
    { tokens: answer => without(answer, 'scope') },
  ),
  fault(
    'as-audience-ignored',
    {
      what: 'Access tokens do not have the requested resource as audience.',
      breaks: ['auth.as-audience-restriction'],
      shows: ['auth.as-audience-restriction#ignored'],
    },
    { audience: () => [] },
  ),
  fault(
    'as-audience-lost-at-refresh',
    {
      what: 'Access tokens of a refresh do not have the requested resource as audience.',
      breaks: ['auth.as-audience-restriction'],
      shows: ['auth.as-audience-restriction#refresh'],
    },
    { audience: audienceOfFirst() },
  ),
];

/** The audience of the first token of a consent; none for its later tokens. */
function audienceOfFirst(): Policy['audience'] {
  const seen = new WeakSet<object>();
  return (grant, asked) => {
    if (seen.has(grant.family)) return [];
    seen.add(grant.family);
    return lawful.audience(grant, asked);
  };
}

const refresh: readonly AuthorizationDeviation[] = [
  fault(
    'as-refresh-not-rotated',
    {
      what: 'The response to a refresh request of a public client contains the same refresh token.',
      breaks: ['auth.as-refresh-rotation'],
      shows: ['auth.as-refresh-rotation#not-replaced'],
    },
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
    {
      what: 'A refresh request with a replaced refresh token succeeds.',
      breaks: ['auth.as-refresh-rotation'],
      shows: ['auth.as-refresh-rotation#old-accepted'],
    },
    { refreshUsable: () => true },
  ),
];

/** Whether the client ID is the URL of a document. */
const hasDocument = ({ id }: Client): boolean => id.startsWith('https:');

const anyRedirect: Partial<Policy> = {
  redirectMatches: (given, client) => hasDocument(client) || lawful.redirectMatches(given, client),
};

const documents: readonly AuthorizationDeviation[] = [
  fault(
    'as-documents-unannounced',
    {
      what: 'Client ID metadata documents are accepted although the metadata does not announce their support.',
      breaks: ['auth.cimd-as-advertises', 'auth.cimd-server'],
      shows: ['auth.cimd-as-advertises#unannounced', 'auth.cimd-server#not-announced'],
    },
    { metadata: document => without(document, 'client_id_metadata_document_supported') },
  ),
  fault(
    'as-documents-unread',
    {
      what: 'Any URL is accepted as client ID, and the document is never fetched.',
      breaks: [
        'auth.cimd-as-fetches',
        'auth.cimd-as-client-id',
        'auth.cimd-as-document',
        'auth.cimd-as-client-name',
        'auth.cimd-as-redirect',
      ],
      shows: [
        'auth.cimd-as-client-id#unread',
        'auth.cimd-as-client-name#unread',
        'auth.cimd-as-document#unread',
        'auth.cimd-as-fetches#unread',
        'auth.cimd-as-redirect#unread',
      ],
    },
    { ...anyRedirect, readsDocuments: () => false },
  ),
  fault(
    'as-documents-of-another',
    {
      what: 'A client ID metadata document with the client_id of another URL is accepted.',
      breaks: ['auth.cimd-as-client-id'],
      shows: ['auth.cimd-as-client-id#other-client-id'],
    },
    {
      documentFlaw: (document, url) =>
        lawful.documentFlaw(document.client_id ? { ...document, client_id: url } : document, url),
    },
  ),
  fault(
    'as-documents-without-name',
    {
      what: 'A client ID metadata document without client_name is accepted.',
      breaks: ['auth.cimd-as-client-name'],
      shows: ['auth.cimd-as-client-name#nameless'],
    },
    { documentFlaw: (document, url) => lawful.documentFlaw({ client_name: 'nameless', ...document }, url) },
  ),
  fault(
    'as-documents-lists',
    {
      what: 'A client ID metadata document that is an array of documents is accepted.',
      breaks: ['auth.cimd-as-document'],
      shows: ['auth.cimd-as-document#no-object'],
    },
    { readDocument: text => [lawful.readDocument(text)].flat()[0] ?? null },
  ),
  fault(
    'as-documents-text-for-list',
    {
      what: 'A client ID metadata document with a text in place of its list of redirect URIs is accepted.',
      breaks: ['auth.cimd-as-document'],
      shows: ['auth.cimd-as-document#text-for-list'],
    },
    {
      readDocument: text => {
        const document = lawful.readDocument(text);
        return isObject(document) && typeof document.redirect_uris === 'string'
          ? { ...document, redirect_uris: [document.redirect_uris] }
          : document;
      },
    },
  ),
  fault(
    'as-documents-any-redirect',
    {
      what: 'A redirect URI that is not in the client ID metadata document is accepted.',
      breaks: ['auth.cimd-as-redirect'],
      shows: ['auth.cimd-as-redirect#not-listed'],
    },
    anyRedirect,
  ),
  fault(
    'as-documents-not-kept',
    {
      what: 'The client ID metadata document is fetched for every request, although Cache-Control allows storage.',
      breaks: ['auth.cimd-as-caches'],
      shows: ['auth.cimd-as-caches#not-kept'],
    },
    { keepsDocument: () => 0 },
  ),
  fault(
    'as-documents-errors-kept',
    {
      what: 'An invalid or missing client ID metadata document is cached like a valid one.',
      breaks: ['auth.cimd-as-no-error-cache'],
      shows: ['auth.cimd-as-no-error-cache#kept'],
    },
    { keepsDocument: cacheControl => lawful.keepsDocument(cacheControl, true) },
  ),
  fault(
    'as-documents-redirect-hidden',
    {
      what: 'The consent page for a client with a metadata document does not show the host of the redirect URI.',
      breaks: ['auth.cimd-as-shows-redirect-host'],
      shows: ['auth.cimd-as-shows-redirect-host#hidden'],
    },
    redirectHidden,
  ),
  fault(
    'as-documents-inside',
    {
      what: 'Client ID metadata documents are fetched from loopback and private addresses.',
      breaks: ['auth.cimd-as-ssrf'],
      shows: ['auth.cimd-as-ssrf#connects'],
    },
    { fetchable: url => url.protocol === 'https:' },
  ),
];

/** Changes or removes the iss of authorization responses. */
const issuing = (iss: (issuer: string, response: URLSearchParams) => string | null): Partial<Policy> => ({
  redirect(target, ask) {
    const { searchParams } = lawful.redirect(target, ask);
    const changed = iss(searchParams.get('iss') ?? '', searchParams);
    if (changed === null) searchParams.delete('iss');
    else searchParams.set('iss', changed);
    return target;
  },
});

const unannounced: Partial<Policy> = {
  metadata: document => without(document, 'authorization_response_iss_parameter_supported'),
};

const issuers: readonly AuthorizationDeviation[] = [
  fault(
    'as-iss-nowhere',
    {
      what: 'Authorization responses have no iss, and the metadata announces none.',
      breaks: ['auth.as-iss'],
      shows: ['auth.as-iss#none'],
    },
    { ...unannounced, ...issuing(() => null) },
  ),
  fault(
    'as-iss-unannounced',
    {
      what: 'Authorization responses have an iss that the metadata does not announce.',
      breaks: ['auth.as-iss-advertised'],
      shows: ['auth.as-iss-advertised#unannounced'],
    },
    unannounced,
  ),
  fault(
    'as-iss-promised',
    {
      what: 'Authorization responses have no iss, although the metadata announces it.',
      breaks: ['auth.as-iss-value'],
      shows: ['auth.as-iss-value#missing'],
    },
    issuing(() => null),
  ),
  fault(
    'as-iss-with-slash',
    {
      what: 'The iss of authorization responses has a slash at its end that the issuer lacks.',
      breaks: ['auth.as-iss-value'],
      shows: ['auth.as-iss-value#slash'],
    },
    issuing(issuer => `${issuer}/`),
  ),
  fault(
    'as-iss-not-in-errors',
    {
      what: 'Authorization responses with an error have no iss.',
      breaks: ['auth.as-iss-value'],
      shows: ['auth.as-iss-value#missing-in-errors'],
    },
    issuing((issuer, response) => (response.has('error') ? null : issuer)),
  ),
];

/** All faults of the mock authorization server. */
export const authorizationFaults: readonly AuthorizationDeviation[] = [
  ...metadata,
  ...registration,
  ...authorize,
  ...issuers,
  ...tokens,
  ...refresh,
  ...documents,
];
