/** basic/authorization: faults of clients when they obtain and use tokens. */

import { spawnSync } from 'node:child_process';
import { Agent, fetch as anyFetch } from 'undici';
import { parseChallenges } from '../../../harness/oauth/challenge.js';
import type { Revision } from '../../../spec/revisions.js';
import { showing } from '../../fault.js';
import { hasHandshake } from '../../server/faults/shared.js';
import type { AuthorizationBehaviour } from '../authorization-behaviour.js';
import { type ClientDeviation, clientFault, onBehaviour, onHttpHead } from '../fault.js';
import type { HttpSend } from '../http-message.js';

type Breaks = Parameters<typeof clientFault>[1]['breaks'];

/** A client with one changed authorization decision. @param change receives the correct decisions */
export const authorizing = (
  id: `client-auth-${string}`,
  what: string,
  breaks: Breaks,
  change: (right: AuthorizationBehaviour) => Partial<AuthorizationBehaviour>,
  where?: (revision: Revision) => boolean,
): ClientDeviation =>
  clientFault(
    id,
    { what, breaks, over: ['streamable-http'], ...(where && { where }) },
    onBehaviour(({ authorization }) => {
      const changes = change({ ...authorization });
      Object.defineProperties(authorization, Object.getOwnPropertyDescriptors(changes));
    }),
  );

/** The MCP server is its own authorization server. */
const ownServer = ({ authorization }: Revision): boolean => authorization?.defaultPaths ?? false;

/** Changes or removes parameters of the authorization request. */
const asking =
  (changes: Record<string, string | null>) => (): Pick<AuthorizationBehaviour, 'authorizationRequest'> => ({
    authorizationRequest(url) {
      for (const [name, value] of Object.entries(changes))
        if (value === null) url.searchParams.delete(name);
        else url.searchParams.set(name, value);
      return url;
    },
  });

/** Fails for hosts that do not exist, without a DNS lookup. */
const onThisHost =
  (usual: HttpSend): HttpSend =>
  async (...given) => {
    if (String(given[0]).includes('.invalid')) throw new Error('The host does not exist.');
    return usual(...given);
  };

const root = (server: URL): string => `${server.origin}/.well-known/oauth-protected-resource`;

export const authorizationFaults = [
  showing(
    ['auth.client-reacts-to-401#unused'],
    authorizing(
      'client-auth-token-unused',
      'The client obtains a token and sends no request with it.',
      ['auth.client-reacts-to-401'],
      () => ({ carries: ask => ask }),
    ),
  ),

  showing(
    ['auth.client-uses-prm#own-origin'],
    authorizing(
      'client-auth-same-origin',
      'The client uses the origin of the MCP server as authorization server and ignores the protected resource metadata.',
      ['auth.client-uses-prm'],
      () => ({ resourceMetadataUrls: () => [] }),
    ),
  ),

  showing(
    ['auth.client-as-metadata#guessed'],
    authorizing(
      'client-auth-guessed-endpoints',
      'The client uses /authorize, /token and /register and ignores the endpoints in the authorization server metadata.',
      ['auth.client-as-metadata'],
      () => ({
        endpoint(metadata, name) {
          const path = { authorization_endpoint: '/authorize', token_endpoint: '/token' }[name as string];
          return new URL(path ?? '/register', String(metadata[name])).href;
        },
      }),
    ),
  ),

  showing(
    ['auth.client-endpoint-query-kept#lost'],
    authorizing(
      'client-auth-endpoint-query-lost',
      'The client removes the query of the authorization endpoint from the authorization request.',
      ['auth.client-endpoint-query-kept'],
      right => ({ endpoint: (metadata, name) => right.endpoint(metadata, name).replace(/\?.*/, '') }),
    ),
  ),

  showing(
    ['auth.client-tolerates-unknown-members#stops'],
    authorizing(
      'client-auth-fears-unknown-members',
      'The client stops authorization when a metadata document has an unknown member.',
      ['auth.client-tolerates-unknown-members'],
      () => ({
        understands(document) {
          if ('x_unknown' in document) throw new Error('The member x_unknown is unknown.');
          return document;
        },
      }),
    ),
  ),

  showing(
    ['auth.legacy-version-header#missing'],
    authorizing(
      'client-auth-no-version-on-metadata',
      'The client sends no MCP-Protocol-Version header in metadata requests.',
      ['auth.legacy-version-header'],
      () => ({ documentHeaders: { accept: 'application/json' } }),
    ),
  ),

  showing(
    ['auth.client-parses-challenge#naive'],
    authorizing(
      'client-auth-naive-challenge',
      'The client reads resource_metadata only where it is the first parameter of the WWW-Authenticate header.',
      ['auth.client-parses-challenge'],
      right => ({
        reads(lines) {
          const plain = lines.every(
            line => line.startsWith('Bearer resource_metadata') || !line.includes('prm-'),
          );
          return plain ? right.reads(lines) : parseChallenges([]);
        },
      }),
    ),
  ),

  showing(
    ['auth.client-parses-challenge#spelling'],
    authorizing(
      'client-auth-challenge-by-pattern',
      'The client reads the first WWW-Authenticate header only if it begins with "Bearer" and has no blanks around equals signs.',
      ['auth.client-parses-challenge'],
      right => ({
        reads: ([line = '']) =>
          right.reads(
            /^Bearer /.test(line) && !/ = "http/.test(line) ? [line.replace('RESOURCE_', 'other_')] : [],
          ),
      }),
    ),
  ),

  showing(
    ['auth.client-challenge-url-first#well-known-only', 'auth.client-parses-challenge#ignored'],
    authorizing(
      'client-auth-well-known-only',
      'The client requests the well-known metadata URLs and ignores the URL in the WWW-Authenticate header.',
      ['auth.client-parses-challenge', 'auth.client-challenge-url-first'],
      right => ({ resourceMetadataUrls: server => right.resourceMetadataUrls(server, undefined) }),
    ),
  ),

  showing(
    ['auth.client-challenge-url-first#challenge-last'],
    authorizing(
      'client-auth-challenge-last',
      'The client requests the well-known metadata URLs before the URL in the WWW-Authenticate header.',
      ['auth.client-challenge-url-first'],
      right => ({
        resourceMetadataUrls: (server, named) => [
          ...right.resourceMetadataUrls(server, undefined),
          ...(named === undefined ? [] : [named]),
        ],
      }),
    ),
  ),

  showing(
    ['auth.client-prm-fallback#none'],
    authorizing(
      'client-auth-no-fallback',
      'The client requests no well-known metadata URL when the WWW-Authenticate header names no URL.',
      ['auth.client-prm-fallback'],
      () => ({ resourceMetadataUrls: (_, named) => (named === undefined ? [] : [named]) }),
    ),
  ),

  showing(
    ['auth.client-prm-fallback#root-only', 'auth.client-prm-fallback-order#root-only'],
    authorizing(
      'client-auth-root-only',
      'The client never requests the well-known metadata URL with the path of the server.',
      ['auth.client-prm-fallback', 'auth.client-prm-fallback-order'],
      () => ({ resourceMetadataUrls: (server, named) => [named ?? root(server)] }),
    ),
  ),

  showing(
    ['auth.client-prm-fallback-order#root-first'],
    authorizing(
      'client-auth-root-first',
      'The client requests the well-known metadata URL without a path before the one with the path of the server.',
      ['auth.client-prm-fallback-order'],
      right => ({
        resourceMetadataUrls: (server, named) => [...right.resourceMetadataUrls(server, named)].reverse(),
      }),
    ),
  ),

  showing(
    ['auth.client-prm-resource-checked#used'],
    authorizing(
      'client-auth-any-resource',
      'The client accepts protected resource metadata with the resource of another server.',
      ['auth.client-prm-resource-checked'],
      () => ({ acceptsResource: () => true, resource: server => server.href }),
    ),
  ),

  showing(
    ['auth.client-prm-resource-checked#beginning'],
    authorizing(
      'client-auth-resource-by-its-beginning',
      'The client accepts protected resource metadata whose resource is the beginning of the URL of the server as a text.',
      ['auth.client-prm-resource-checked'],
      right => ({
        acceptsResource: (document, server) =>
          right.acceptsResource(document, server) || server.href.startsWith(String(document.resource)),
        resource: server => server.href,
      }),
    ),
  ),

  showing(
    ['auth.uri-case-tolerance#client'],
    authorizing(
      'client-auth-resource-letter-by-letter',
      'The client compares the resource in the metadata with the URL of the server as strings.',
      ['auth.uri-case-tolerance'],
      () => ({
        acceptsResource: ({ resource }, server) => [server.href, server.origin].includes(String(resource)),
      }),
    ),
  ),

  showing(
    ['auth.resource-trailing-slash#request'],
    authorizing(
      'client-auth-resource-with-slash',
      'The client adds a trailing slash to the resource parameter.',
      ['auth.resource-trailing-slash'],
      right => ({ resource: (...known) => right.resource(...known).replace(/\/?$/, '/') }),
    ),
  ),

  showing(
    ['auth.pkce#no-challenge'],
    authorizing(
      'client-auth-no-pkce',
      'The client sends no code_challenge and no code_verifier.',
      ['auth.pkce'],
      () => ({
        ...asking({ code_challenge: null, code_challenge_method: null })(),
        tokenRequest(ask) {
          ask.params.delete('code_verifier');
          return ask;
        },
      }),
    ),
  ),

  showing(
    ['auth.pkce#no-verifier'],
    authorizing(
      'client-auth-no-verifier',
      'The client sends a code_challenge, but no code_verifier in the token request.',
      ['auth.pkce'],
      () => ({
        tokenRequest(ask) {
          ask.params.delete('code_verifier');
          return ask;
        },
      }),
    ),
  ),

  showing(
    ['auth.pkce-s256#plain'],
    authorizing(
      'client-auth-plain-pkce',
      'The client uses the challenge method plain, with the verifier as code_challenge.',
      ['auth.pkce-s256'],
      right => ({
        ...asking({ code_challenge_method: 'plain' })(),
        pkce() {
          const { verifier } = right.pkce();
          return { verifier, challenge: verifier };
        },
      }),
    ),
  ),

  showing(
    ['auth.pkce-s256#unnamed'],
    authorizing(
      'client-auth-unnamed-method',
      'The client sends no code_challenge_method in the authorization request.',
      ['auth.pkce-s256'],
      asking({ code_challenge_method: null }),
    ),
  ),

  showing(
    ['auth.pkce-values#other-verifier'],
    authorizing(
      'client-auth-wrong-verifier',
      'The client sends a code_verifier that does not match the code_challenge.',
      ['auth.pkce-values'],
      right => ({ pkce: () => ({ ...right.pkce(), verifier: right.pkce().verifier }) }),
    ),
  ),

  showing(
    ['auth.pkce-values#short'],
    authorizing(
      'client-auth-short-verifier',
      'The client sends a code_verifier of 12 characters.',
      ['auth.pkce-values'],
      right => ({
        tokenRequest(ask) {
          ask.params.set('code_verifier', (ask.params.get('code_verifier') ?? '').slice(0, 12));
          return ask;
        },
        pkce: right.pkce,
      }),
    ),
  ),

  showing(
    ['auth.response-type-code#token'],
    authorizing(
      'client-auth-implicit',
      'The client sends the response_type token in the authorization request.',
      ['auth.response-type-code'],
      asking({ response_type: 'token' }),
    ),
  ),

  showing(
    ['auth.no-repeated-parameters#authorization'],
    authorizing(
      'client-auth-repeats-parameters',
      'The client sends response_type twice in the authorization request.',
      ['auth.no-repeated-parameters'],
      () => ({
        authorizationRequest(url) {
          url.searchParams.append('response_type', 'code');
          return url;
        },
      }),
    ),
  ),

  showing(
    ['auth.redirect-uri-form#http'],
    authorizing(
      'client-auth-plain-http-redirect',
      'The client uses a redirect URI with http on a host that is not loopback.',
      ['auth.redirect-uri-form'],
      () => ({ redirectUri: 'http://client.example/callback' }),
    ),
  ),

  showing(
    ['auth.state-sent#missing'],
    authorizing(
      'client-auth-no-state',
      'The client sends no state in the authorization request.',
      ['auth.state-sent'],
      asking({ state: null }),
    ),
  ),

  showing(
    ['auth.resource-authorization-request#missing'],
    authorizing(
      'client-auth-no-resource-asked',
      'The client sends no resource in the authorization request.',
      ['auth.resource-authorization-request'],
      asking({ resource: null }),
    ),
  ),

  showing(
    ['auth.resource-token-request#missing'],
    authorizing(
      'client-auth-no-resource-redeemed',
      'The client sends no resource in the token request.',
      ['auth.resource-token-request'],
      () => ({
        tokenRequest(ask) {
          ask.params.delete('resource');
          return ask;
        },
      }),
    ),
  ),

  showing(
    ['auth.resource-target#other-origin'],
    authorizing(
      'client-auth-resource-elsewhere',
      'The client sends the resource of another server in the authorization request and the token request.',
      ['auth.resource-target'],
      () => ({ resource: () => 'https://api.example/v1' }),
    ),
  ),

  showing(
    ['auth.resource-canonical#fragment'],
    authorizing(
      'client-auth-resource-fragment',
      'The client sends a resource with a fragment.',
      ['auth.resource-canonical'],
      () => ({ resource: server => `${server.href}#mcp` }),
    ),
  ),

  showing(
    ['auth.resource-canonical#no-scheme'],
    authorizing(
      'client-auth-resource-bare-host',
      'The client sends a resource that is only a host name.',
      ['auth.resource-canonical'],
      () => ({ resource: server => server.hostname }),
    ),
  ),

  showing(
    ['auth.token-request#json'],
    authorizing(
      'client-auth-json-token-request',
      'The client sends the token request as JSON.',
      ['auth.token-request', 'auth.refresh-request'],
      () => ({
        tokenRequest: ask => ({
          ...ask,
          headers: { ...ask.headers, 'content-type': 'application/json' },
          body: JSON.stringify(Object.fromEntries(ask.params)),
        }),
      }),
    ),
  ),

  showing(
    ['auth.client-single-auth-method#two'],
    authorizing(
      'client-auth-two-methods',
      'The client sends its secret in the Authorization header and in the body of the token request.',
      ['auth.client-single-auth-method'],
      right => ({
        authenticates(ask, identity) {
          right.authenticates(ask, identity);
          if (identity.method === 'client_secret_basic')
            ask.params.set('client_secret', identity.secret ?? '');
        },
      }),
    ),
  ),

  showing(
    ['auth.token-in-header#other-header'],
    authorizing(
      'client-auth-token-in-cookie',
      'The client sends its token in an X-Token header instead of the Authorization header.',
      ['auth.token-in-header'],
      () => ({ carries: (ask, token) => ({ ...ask, headers: { ...ask.headers, 'x-token': token } }) }),
    ),
  ),

  showing(
    ['auth.token-every-request#get'],
    authorizing(
      'client-auth-token-on-posts-only',
      'The client sends its token in POST requests only.',
      ['auth.token-every-request'],
      right => ({
        carries: (ask, token, first) => (ask.method === 'POST' ? right.carries(ask, token, first) : ask),
      }),
      hasHandshake,
    ),
  ),

  showing(
    ['auth.token-not-in-query#access-token'],
    authorizing(
      'client-auth-token-in-query',
      'The client also sends its token in the query of GET requests.',
      ['auth.token-not-in-query'],
      right => ({
        carries(ask, token, first) {
          const sent = right.carries(ask, token, first);
          return ask.method === 'GET' ? { ...sent, url: `${ask.url}?access_token=${token}` } : sent;
        },
      }),
      hasHandshake,
    ),
  ),

  showing(
    ['auth.client-oidc-discovery#oauth-only', 'auth.client-several-well-knowns#first-only'],
    authorizing(
      'client-auth-oauth-metadata-only',
      'The client requests authorization server metadata at one well-known URL only.',
      ['auth.client-several-well-knowns', 'auth.client-oidc-discovery'],
      right => ({ metadataUrls: issuer => right.metadataUrls(issuer).slice(0, 1) }),
    ),
  ),

  showing(
    ['auth.client-several-well-knowns#other-status', 'auth.client-prm-fallback#other-status'],
    authorizing(
      'client-auth-goes-on-after-404-only',
      'The client tries the next well-known URL after status 404 only.',
      ['auth.client-several-well-knowns', 'auth.client-prm-fallback'],
      () => ({ goesOnAfter: status => status === 404 }),
    ),
  ),

  showing(
    ['auth.client-as-order-with-path#third-missing'],
    authorizing(
      'client-auth-openid-never-appended',
      'The client never requests the OpenID Connect metadata at a URL appended to the path of the issuer.',
      ['auth.client-as-order-with-path'],
      right => ({ metadataUrls: issuer => right.metadataUrls(issuer).slice(0, 2) }),
    ),
  ),

  showing(
    ['auth.client-as-order-with-path#other-order', 'auth.client-as-order-without-path#other-order'],
    authorizing(
      'client-auth-openid-first',
      'The client requests OpenID Connect metadata before OAuth metadata.',
      ['auth.client-as-order-with-path', 'auth.client-as-order-without-path'],
      right => ({ metadataUrls: issuer => [...right.metadataUrls(issuer)].reverse() }),
    ),
  ),

  showing(
    ['auth.client-as-order-with-path#other-place', 'auth.client-as-path-insertion#appended'],
    authorizing(
      'client-auth-oauth-appended',
      'The client appends the well-known OAuth path to the path of the issuer.',
      ['auth.client-as-path-insertion', 'auth.client-as-order-with-path'],
      right => ({
        metadataUrls(issuer) {
          const [, ...others] = right.metadataUrls(issuer);
          const path = issuer.pathname.replace(/\/$/, '');
          return [new URL(`${path}/.well-known/oauth-authorization-server`, issuer), ...others];
        },
      }),
    ),
  ),

  showing(
    ['auth.client-issuer-match#used', 'auth.client-mismatched-metadata-unused#used'],
    authorizing(
      'client-auth-any-issuer',
      'The client accepts authorization server metadata with another issuer.',
      ['auth.client-issuer-match', 'auth.client-mismatched-metadata-unused'],
      () => ({ acceptsMetadata: () => true }),
    ),
  ),

  showing(
    ['auth.client-issuer-match#openid', 'auth.client-mismatched-metadata-unused#openid'],
    authorizing(
      'client-auth-any-openid-issuer',
      'The client accepts OpenID Connect metadata with another issuer.',
      ['auth.client-issuer-match', 'auth.client-mismatched-metadata-unused'],
      right => ({
        acceptsMetadata: (document, issuer) =>
          'jwks_uri' in document || right.acceptsMetadata(document, issuer),
      }),
    ),
  ),

  showing(
    ['auth.pkce-refuse-oauth#goes-on', 'auth.pkce-refuse-oidc#goes-on', 'auth.pkce-support-checked#oauth'],
    authorizing(
      'client-auth-any-pkce',
      'The client accepts authorization server metadata without code_challenge_methods_supported.',
      ['auth.pkce-refuse-oauth', 'auth.pkce-refuse-oidc', 'auth.pkce-support-checked'],
      () => ({ acceptsPkce: () => true }),
    ),
  ),

  showing(
    ['auth.pkce-refuse-oidc#goes-on', 'auth.pkce-support-checked#openid'],
    authorizing(
      'client-auth-any-openid-pkce',
      'The client accepts OpenID Connect metadata without code_challenge_methods_supported.',
      ['auth.pkce-refuse-oidc', 'auth.pkce-support-checked'],
      right => ({ acceptsPkce: metadata => 'jwks_uri' in metadata || right.acceptsPkce(metadata) }),
    ),
  ),

  showing(
    ['auth.client-as-metadata#below-path', 'auth.legacy-base-url#below-path'],
    authorizing(
      'client-auth-metadata-below-path',
      'The client requests authorization server metadata only below the path of the MCP endpoint.',
      ['auth.legacy-base-url', 'auth.client-as-metadata'],
      () => ({ ownIssuer: server => server.href }),
      ownServer,
    ),
  ),

  showing(
    ['auth.legacy-default-paths#stops'],
    authorizing(
      'client-auth-no-default-paths',
      'The client stops authorization when the server has no authorization server metadata.',
      ['auth.legacy-default-paths'],
      () => ({ takesDefaults: false }),
    ),
  ),

  showing(
    ['auth.legacy-base-url#not-requested', 'auth.legacy-metadata-first#defaults-first'],
    authorizing(
      'client-auth-defaults-at-once',
      'The client uses the default paths without a metadata request when the MCP endpoint has a path of several segments.',
      ['auth.legacy-base-url', 'auth.legacy-metadata-first'],
      right => {
        let path = '';
        return {
          ownIssuer(server) {
            path = server.pathname;
            return right.ownIssuer(server);
          },
          metadataUrls: issuer => (path.lastIndexOf('/') > 0 ? [] : right.metadataUrls(issuer)),
        };
      },
      ownServer,
    ),
  ),

  showing(
    ['auth.dcr-request#no-redirect'],
    authorizing(
      'client-auth-registers-no-redirect',
      'The client sends a registration request without redirect_uris.',
      ['auth.dcr-request'],
      right => ({
        registration(uri) {
          const { redirect_uris: _, ...others } = right.registration(uri);
          return others;
        },
      }),
    ),
  ),

  showing(
    ['auth.dcr-request#form'],
    authorizing(
      'client-auth-registers-by-form',
      'The client sends a registration request as a form.',
      ['auth.dcr-request'],
      () => ({
        registrationAsk: ask => ({
          ...ask,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
      }),
    ),
  ),

  showing(
    ['auth.redirect-uri-registered#other-path'],
    authorizing(
      'client-auth-unregistered-redirect',
      'The client sends an authorization request with an unregistered redirect_uri.',
      ['auth.redirect-uri-registered'],
      asking({ redirect_uri: 'http://127.0.0.1:3000/other' }),
    ),
  ),

  showing(
    ['auth.client-authenticates-as-registered#no-secret'],
    authorizing(
      'client-auth-no-secret',
      'The client sends a token request without its client secret.',
      ['auth.client-authenticates-as-registered'],
      () => ({ authenticates: ({ params }, { id }) => params.set('client_id', id) }),
    ),
  ),

  showing(
    ['auth.client-authenticates-as-registered#other-method'],
    authorizing(
      'client-auth-secret-in-body',
      'The client sends its secret in the body of the token request, regardless of the registered method.',
      ['auth.client-authenticates-as-registered'],
      right => ({
        authenticates: (ask, identity) =>
          right.authenticates(ask, {
            ...identity,
            method: identity.method === 'none' ? 'none' : 'client_secret_post',
          }),
      }),
    ),
  ),

  showing(
    ['auth.client-basic-form-encoded#raw'],
    authorizing(
      'client-auth-secret-unencoded',
      'The client does not form-encode its ID and its secret for the Authorization header.',
      ['auth.client-basic-form-encoded'],
      right => ({
        authenticates(ask, identity) {
          right.authenticates(ask, identity);
          const { id, secret, method } = identity;
          if (method === 'client_secret_basic')
            ask.headers.authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
        },
      }),
    ),
  ),

  showing(
    ['auth.dcr-client#invented'],
    authorizing(
      'client-auth-never-registers',
      'The client uses an invented client ID and sends no registration request.',
      ['auth.dcr-client'],
      () => ({ usesDocument: () => true, documentUrl: 'my-client' }),
      ({ authorization }) => !authorization?.bareRefusal,
    ),
  ),

  showing(
    ['auth.cimd-client#none'],
    authorizing(
      'client-auth-no-document',
      'The client uses no client ID metadata document.',
      ['auth.cimd-client'],
      () => ({ usesDocument: () => false }),
    ),
  ),

  showing(
    ['auth.cimd-capability-check#unasked'],
    authorizing(
      'client-auth-documents-everywhere',
      'The client uses the URL of its metadata document as client ID although the server does not support such documents.',
      ['auth.cimd-capability-check'],
      () => ({ usesDocument: () => true }),
      ({ authorization }) => authorization?.bareRefusal ?? false,
    ),
  ),

  showing(
    ['auth.cimd-url-form#http'],
    authorizing(
      'client-auth-document-in-the-clear',
      'The client uses an http URL for its metadata document.',
      ['auth.cimd-url-form'],
      () => ({ documentUrl: 'http://client.example/client.json' }),
    ),
  ),

  showing(
    ['auth.cimd-url-clean#fragment'],
    authorizing(
      'client-auth-document-fragment',
      'The client uses a URL with a fragment for its metadata document.',
      ['auth.cimd-url-clean'],
      () => ({ documentUrl: 'https://client.example/client.json#me' }),
    ),
  ),

  showing(
    ['auth.cimd-no-shared-secret#secret'],
    authorizing(
      'client-auth-document-secret',
      'The client uses a metadata document and sends a client secret in the token request.',
      ['auth.cimd-no-shared-secret'],
      right => ({
        authenticates(ask, identity) {
          right.authenticates(ask, identity);
          if (identity.id.startsWith('https:')) ask.params.set('client_secret', 'made-up-secret');
        },
      }),
    ),
  ),

  showing(
    ['auth.cimd-no-shared-secret#basic'],
    authorizing(
      'client-auth-document-basic',
      'The client uses a metadata document and sends its ID and a secret in the Authorization header only.',
      ['auth.cimd-no-shared-secret'],
      right => ({
        authenticates: (ask, identity) =>
          right.authenticates(
            ask,
            identity.id.startsWith('https:')
              ? { ...identity, method: 'client_secret_basic', secret: 'made-up-secret' }
              : identity,
          ),
      }),
    ),
  ),

  showing(
    ['auth.cimd-hosted-https#missing'],
    authorizing(
      'client-auth-document-missing',
      'The client uses the URL of a metadata document that does not exist.',
      ['auth.cimd-hosted-https'],
      () => ({ document: () => undefined }),
    ),
  ),

  showing(
    ['auth.cimd-document-fields#nameless'],
    authorizing(
      'client-auth-document-nameless',
      'The client has a metadata document without client_name.',
      ['auth.cimd-document-fields'],
      right => ({
        document(...given) {
          const { client_name: _, ...others } = right.document(...given) ?? {};
          return others;
        },
      }),
    ),
  ),

  showing(
    ['auth.cimd-document-client-id#other'],
    authorizing(
      'client-auth-document-of-another',
      'The client has a metadata document with the client_id of another URL.',
      ['auth.cimd-document-client-id'],
      right => ({ document: (url, redirectUri) => right.document(`${url}/`, redirectUri) }),
    ),
  ),

  showing(
    ['auth.cimd-no-shared-secret#in-document'],
    authorizing(
      'client-auth-document-with-secret',
      'The client has a metadata document with the method client_secret_post.',
      ['auth.cimd-no-shared-secret'],
      right => ({
        document: (...given) => ({
          ...right.document(...given),
          token_endpoint_auth_method: 'client_secret_post',
        }),
      }),
    ),
  ),

  showing(
    ['auth.redirect-uri-registered#not-in-document'],
    authorizing(
      'client-auth-document-of-other-redirect',
      'The client has a metadata document whose redirect_uris lack its redirect URI.',
      ['auth.redirect-uri-registered'],
      right => ({ document: (url, redirectUri) => right.document(url, `${redirectUri}/other`) }),
    ),
  ),

  showing(
    ['auth.preregistered-client#ignored', 'auth.registration-priority#arranged-ignored'],
    authorizing(
      'client-auth-arranged-ignored',
      'The client registers although a client ID is preconfigured.',
      ['auth.preregistered-client', 'auth.registration-priority'],
      () => ({ usesArranged: false }),
    ),
  ),

  showing(
    [
      'auth.scope-from-challenge#of-authority',
      'auth.scope-from-metadata#of-authority',
      'auth.scope-least-privilege#of-authority',
      'auth.scope-no-relation-assumed#of-authority',
      'auth.scope-omitted#of-authority',
    ],
    authorizing(
      'client-auth-scopes-of-authority',
      'The client requests all scopes of the authorization server metadata.',
      [
        'auth.scope-from-challenge',
        'auth.scope-from-metadata',
        'auth.scope-least-privilege',
        'auth.scope-omitted',
        'auth.scope-no-relation-assumed',
      ],
      () => ({
        scope: (_challenged, _supported, { scopes_supported: all }) =>
          Array.isArray(all) ? all.join(' ') : undefined,
      }),
    ),
  ),

  showing(
    ['auth.scope-authoritative#fewer', 'auth.scope-from-challenge#fewer'],
    authorizing(
      'client-auth-first-scope',
      'The client requests only the first of two scopes in the WWW-Authenticate header.',
      ['auth.scope-from-challenge', 'auth.scope-authoritative'],
      right => ({
        scope: (challenged, supported, authority) =>
          challenged === 'a:read b:write' ? 'a:read' : right.scope(challenged, supported, authority),
      }),
    ),
  ),

  showing(
    ['auth.scope-no-relation-assumed#filtered'],
    authorizing(
      'client-auth-known-scopes-only',
      'The client requests only challenged scopes that are also in the protected resource metadata.',
      ['auth.scope-no-relation-assumed'],
      right => ({
        scope(challenged, supported, authority) {
          const known = challenged?.split(' ').filter(scope => supported?.includes(scope) ?? true);
          return known?.length ? known.join(' ') : right.scope(undefined, supported, authority);
        },
      }),
    ),
  ),

  showing(
    ['auth.scope-omitted#empty'],
    authorizing(
      'client-auth-empty-scope',
      'The client sends an empty scope in the authorization request.',
      ['auth.scope-omitted'],
      right => ({ scope: (...given) => right.scope(...given) ?? '' }),
    ),
  ),

  showing(
    ['auth.scope-from-metadata#more', 'auth.scope-least-privilege#more'],
    authorizing(
      'client-auth-one-scope-more',
      'The client requests an additional scope that neither the challenge nor the metadata names.',
      ['auth.scope-from-metadata', 'auth.scope-least-privilege'],
      right => ({
        scope: (challenged, supported, authority) =>
          right.scope(challenged, supported && [...supported, 'x:more'], authority),
      }),
    ),
  ),

  showing(
    ['auth.upgrade-tracking#forgotten'],
    authorizing(
      'client-auth-forgets-failures',
      'The client requests more scopes again after each 403 response, although the last authorization was not sufficient.',
      ['auth.upgrade-tracking'],
      () => ({ remembersFailures: false }),
    ),
  ),

  showing(
    ['auth.client-reacts-to-401#endless', 'auth.retry-limit#endless'],
    authorizing(
      'client-auth-never-gives-up',
      'The client starts authorization up to nine times for one request.',
      ['auth.client-reacts-to-401', 'auth.retry-limit'],
      () => ({ mostTries: 9 }),
    ),
  ),

  showing(
    ['auth.refresh-rotation-followed#old'],
    authorizing(
      'client-auth-old-refresh-token',
      'The client sends its first refresh token in every refresh request.',
      ['auth.refresh-rotation-followed'],
      right => ({ nextRefreshToken: (used, given) => used || right.nextRefreshToken(used, given) }),
    ),
  ),

  showing(
    ['auth.pkce-fresh#same'],
    authorizing(
      'client-auth-same-verifier',
      'The client sends the same code_challenge in every authorization request.',
      ['auth.pkce-fresh'],
      right => {
        const same = right.pkce();
        return { pkce: () => same };
      },
    ),
  ),

  showing(
    ['auth.token-not-leaked#metadata'],
    authorizing(
      'client-auth-token-for-everybody',
      'The client sends its token in metadata requests.',
      ['auth.token-not-leaked'],
      right => {
        let last: string | undefined;
        return {
          carries(ask, token, first) {
            last = token;
            return right.carries(ask, token, first);
          },
          get documentHeaders() {
            return { ...right.documentHeaders, ...(last && { authorization: `Bearer ${last}` }) };
          },
        };
      },
      // a server that is its own authorization server already has the token
      revision => !ownServer(revision),
    ),
  ),

  showing(
    ['auth.token-not-leaked#elsewhere'],
    authorizing(
      'client-auth-token-goes-elsewhere',
      'The client sends its token to the target of any redirect.',
      ['auth.token-not-leaked'],
      () => ({ followsRedirects: true }),
    ),
  ),

  showing(
    ['auth.client-prm-refreshed#not-again'],
    authorizing(
      'client-auth-remembers-the-server',
      'The client does not request the protected resource metadata again after another 401 response.',
      ['auth.client-prm-refreshed'],
      () => ({ asksAgain: false }),
    ),
  ),

  showing(
    [
      'auth.client-reacts-to-401#first-token',
      'auth.step-up#first-token',
      'auth.token-own-as-only#first-token',
    ],
    authorizing(
      'client-auth-first-token',
      'The client obtains further tokens and sends the first one in every request.',
      ['auth.client-reacts-to-401', 'auth.token-own-as-only', 'auth.step-up'],
      right => ({ carries: (ask, _, first) => right.carries(ask, first, first) }),
    ),
  ),

  showing(
    ['auth.state-checked#accepted'],
    authorizing(
      'client-auth-any-state',
      'The client accepts an authorization response with another state.',
      ['auth.state-checked'],
      () => ({ acceptsAnswer: () => true }),
    ),
  ),

  showing(
    ['auth.client-authorization-url-scheme#opened', 'auth.client-https-urls#opened'],
    authorizing(
      'client-auth-opens-anything',
      'The client opens an authorization endpoint with any URL scheme.',
      ['auth.client-authorization-url-scheme', 'auth.client-https-urls'],
      right => ({ opens: () => true, fetch: onThisHost(right.fetch) }),
    ),
  ),

  showing(
    ['auth.client-https-urls#opened'],
    authorizing(
      'client-auth-opens-in-the-clear',
      'The client opens an authorization endpoint with an http URL on a host that is not loopback.',
      ['auth.client-https-urls'],
      right => ({ opens: ({ protocol }) => /^https?:$/.test(protocol), fetch: onThisHost(right.fetch) }),
    ),
  ),

  showing(
    ['auth.client-url-sanitised#opened'],
    authorizing(
      'client-auth-opens-unparsed',
      'The client opens an authorization endpoint that is not a valid URL.',
      ['auth.client-url-sanitised'],
      () => ({ opensUnparsed: true }),
    ),
  ),

  showing(
    ['auth.client-no-shell#shell'],
    authorizing(
      'client-auth-opens-by-shell',
      'The client passes the authorization URL to a shell.',
      ['auth.client-no-shell'],
      () => ({
        opener(address, open) {
          spawnSync('sh', ['-c', `: "${address}"`]);
          open(address);
        },
      }),
    ),
  ),

  showing(
    ['auth.tls-certificate-checked#not-checked'],
    authorizing(
      'client-auth-any-certificate',
      'The client does not verify TLS certificates.',
      ['auth.tls-certificate-checked'],
      () => {
        const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
        // that fetch rejects some signals of this one
        const careless = (input: string, { signal: _, ...init }: RequestInit) =>
          anyFetch(input, { ...(init as object), dispatcher });
        return { fetch: careless as never };
      },
    ),
  ),

  showing(
    ['auth.resource-specific#origin'],
    authorizing(
      'client-auth-resource-origin',
      'The client sends the origin of the server as resource.',
      ['auth.resource-specific'],
      () => ({ resource: server => server.origin }),
    ),
  ),

  clientFault(
    'client-auth-shows-403',
    {
      what: 'The client shows its user the error of a 403 response, and requests no further scope.',
      breaks: ['auth.step-up'],
      shows: ['auth.step-up#no-request'],
      over: ['streamable-http'],
    },
    onHttpHead((head, _ask, context) => {
      if (head.status !== 403) return head;
      context.warn('403 Forbidden: insufficient_scope');
      context.exit(1);
      return head;
    }),
  ),

  clientFault(
    'client-auth-dies-of-403',
    {
      what: 'The client exits without a message after a 403 response.',
      breaks: ['auth.step-up'],
      shows: ['auth.step-up#no-request'],
      over: ['streamable-http'],
    },
    onHttpHead((head, _ask, context) => {
      if (head.status === 403) context.exit(0);
      return head;
    }),
  ),
] satisfies readonly ClientDeviation[];
