/** basic/authorization: how clients spoil the way to a token, and what they do with it. */

import { spawnSync } from 'node:child_process';
import { Agent, fetch as anyFetch } from 'undici';
import { parseChallenges } from '../../../harness/oauth/challenge.js';
import type { Revision } from '../../../spec/revisions.js';
import type { AuthorizationHabits } from '../authorization.js';
import { type ClientDeviation, clientFault, onHabits, onHttpHead } from '../fault.js';

type Breaks = Parameters<typeof clientFault>[1]['breaks'];

/** A client of which one decision about authorization is another one. @param change given the right decisions */
export const authorizing = (
  id: `client-auth-${string}`,
  what: string,
  breaks: Breaks,
  change: (right: AuthorizationHabits) => Partial<AuthorizationHabits>,
  where?: (revision: Revision) => boolean,
): ClientDeviation =>
  clientFault(
    id,
    { what, breaks, over: ['streamable-http'], ...(where && { where }) },
    onHabits(({ authorization }) => {
      const changes = change({ ...authorization });
      Object.defineProperties(authorization, Object.getOwnPropertyDescriptors(changes));
    }),
  );

/** The MCP server is its own authorization server. */
const ownServer = ({ authorization }: Revision): boolean => authorization?.defaultPaths ?? false;

/** A parameter of the authorization request is another one, or is missing. */
const asking =
  (changes: Record<string, string | null>) => (): Pick<AuthorizationHabits, 'authorizationRequest'> => ({
    authorizationRequest(url) {
      for (const [name, value] of Object.entries(changes))
        if (value === null) url.searchParams.delete(name);
        else url.searchParams.set(name, value);
      return url;
    },
  });

/** Nobody looks for hosts that are not there. */
const onThisHost =
  (usual: typeof fetch): typeof fetch =>
  async (...given) => {
    if (String(given[0]).includes('.invalid')) throw new Error('There is no such host.');
    return usual(...given);
  };

const root = (server: URL): string => `${server.origin}/.well-known/oauth-protected-resource`;

export const authorizationFaults = [
  authorizing(
    'client-auth-token-unused',
    'The client gets a token and forgets it.',
    ['auth.client-reacts-to-401'],
    () => ({ carries: ask => ask }),
  ),

  authorizing(
    'client-auth-same-origin',
    'The client takes the MCP server for its own authorization server, whatever the metadata says.',
    ['auth.client-uses-prm'],
    () => ({ resourceMetadataUrls: () => [] }),
  ),

  authorizing(
    'client-auth-guessed-endpoints',
    'The client goes to /authorize, /token and /register, whatever the metadata says.',
    ['auth.client-as-metadata'],
    () => ({
      endpoint(metadata, name) {
        const path = { authorization_endpoint: '/authorize', token_endpoint: '/token' }[name as string];
        return new URL(path ?? '/register', String(metadata[name])).href;
      },
    }),
  ),

  authorizing(
    'client-auth-endpoint-query-lost',
    'The client throws the query of the authorization endpoint away.',
    ['auth.client-endpoint-query-kept'],
    right => ({ endpoint: (metadata, name) => right.endpoint(metadata, name).replace(/\?.*/, '') }),
  ),

  authorizing(
    'client-auth-fears-unknown-members',
    'The client gives up when a document has a member that it does not know.',
    ['auth.client-tolerates-unknown-members'],
    () => ({
      understands(document) {
        if ('x_unknown' in document) throw new Error('What is x_unknown?');
        return document;
      },
    }),
  ),

  authorizing(
    'client-auth-no-version-on-metadata',
    'The client does not say which revision it speaks when it asks for metadata.',
    ['auth.legacy-version-header'],
    () => ({ documentHeaders: { accept: 'application/json' } }),
  ),

  authorizing(
    'client-auth-naive-challenge',
    'The client finds the metadata URL only where it comes first in the challenge.',
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

  authorizing(
    'client-auth-well-known-only',
    'The client looks for metadata at the well-known places, whatever the challenge says.',
    ['auth.client-parses-challenge', 'auth.client-challenge-url-first'],
    right => ({ resourceMetadataUrls: server => right.resourceMetadataUrls(server, undefined) }),
  ),

  authorizing(
    'client-auth-challenge-last',
    'The client looks at the well-known places first, and then where the challenge says.',
    ['auth.client-challenge-url-first'],
    right => ({
      resourceMetadataUrls: (server, named) => [
        ...right.resourceMetadataUrls(server, undefined),
        ...(named === undefined ? [] : [named]),
      ],
    }),
  ),

  authorizing(
    'client-auth-no-fallback',
    'The client looks for metadata only where a challenge says.',
    ['auth.client-prm-fallback'],
    () => ({ resourceMetadataUrls: (_, named) => (named === undefined ? [] : [named]) }),
  ),

  authorizing(
    'client-auth-root-only',
    'The client never looks at the well-known place with the path.',
    ['auth.client-prm-fallback', 'auth.client-prm-fallback-order'],
    () => ({ resourceMetadataUrls: (server, named) => [named ?? root(server)] }),
  ),

  authorizing(
    'client-auth-root-first',
    'The client looks at the well-known place without path first.',
    ['auth.client-prm-fallback-order'],
    right => ({
      resourceMetadataUrls: (server, named) => [...right.resourceMetadataUrls(server, named)].reverse(),
    }),
  ),

  authorizing(
    'client-auth-any-resource',
    'The client does not look which server the metadata is about.',
    ['auth.client-prm-resource-checked'],
    () => ({ acceptsResource: () => true, resource: server => server.href }),
  ),

  authorizing(
    'client-auth-resource-letter-by-letter',
    'The client compares the identifier of the server with its URL letter by letter.',
    ['auth.uri-case-tolerance'],
    () => ({ acceptsResource: ({ resource }, server) => server.href.startsWith(String(resource)) }),
  ),

  authorizing(
    'client-auth-resource-with-slash',
    'The client puts a slash behind the identifier of the server.',
    ['auth.resource-trailing-slash'],
    right => ({ resource: (...known) => right.resource(...known).replace(/\/?$/, '/') }),
  ),

  authorizing('client-auth-no-pkce', 'The client does without PKCE.', ['auth.pkce'], () => ({
    ...asking({ code_challenge: null, code_challenge_method: null })(),
    tokenRequest(ask) {
      ask.params.delete('code_verifier');
      return ask;
    },
  })),

  authorizing(
    'client-auth-no-verifier',
    'The client sends a challenge, and never the verifier.',
    ['auth.pkce'],
    () => ({
      tokenRequest(ask) {
        ask.params.delete('code_verifier');
        return ask;
      },
    }),
  ),

  authorizing(
    'client-auth-plain-pkce',
    'The client sends the verifier as its own challenge.',
    ['auth.pkce-s256'],
    right => ({
      ...asking({ code_challenge_method: 'plain' })(),
      pkce() {
        const { verifier } = right.pkce();
        return { verifier, challenge: verifier };
      },
    }),
  ),

  authorizing(
    'client-auth-unnamed-method',
    'The client does not say how the challenge is made.',
    ['auth.pkce-s256'],
    asking({ code_challenge_method: null }),
  ),

  authorizing(
    'client-auth-wrong-verifier',
    'The verifier has nothing to do with the challenge.',
    ['auth.pkce-values'],
    right => ({ pkce: () => ({ ...right.pkce(), verifier: right.pkce().verifier }) }),
  ),

  authorizing(
    'client-auth-short-verifier',
    'The verifier has twelve characters.',
    ['auth.pkce-values'],
    right => ({
      tokenRequest(ask) {
        ask.params.set('code_verifier', (ask.params.get('code_verifier') ?? '').slice(0, 12));
        return ask;
      },
      pkce: right.pkce,
    }),
  ),

  authorizing(
    'client-auth-implicit',
    'The client asks for a token in the redirect.',
    ['auth.response-type-code'],
    asking({ response_type: 'token' }),
  ),

  authorizing(
    'client-auth-repeats-parameters',
    'The client says the scope twice.',
    ['auth.no-repeated-parameters'],
    () => ({
      authorizationRequest(url) {
        url.searchParams.append('response_type', 'code');
        return url;
      },
    }),
  ),

  authorizing(
    'client-auth-plain-http-redirect',
    'The user is sent back to another host, in the clear.',
    ['auth.redirect-uri-form'],
    () => ({ redirectUri: 'http://client.example/callback' }),
  ),

  authorizing(
    'client-auth-no-state',
    'The client sends no state.',
    ['auth.state-sent'],
    asking({ state: null }),
  ),

  authorizing(
    'client-auth-no-resource-asked',
    'The authorization request does not say which server the token is for.',
    ['auth.resource-authorization-request'],
    asking({ resource: null }),
  ),

  authorizing(
    'client-auth-no-resource-redeemed',
    'The token request does not say which server the token is for.',
    ['auth.resource-token-request'],
    () => ({
      tokenRequest(ask) {
        ask.params.delete('resource');
        return ask;
      },
    }),
  ),

  authorizing(
    'client-auth-resource-elsewhere',
    'The client asks for a token for another server.',
    ['auth.resource-target'],
    () => ({ resource: () => 'https://api.example/v1' }),
  ),

  authorizing(
    'client-auth-resource-fragment',
    'The client names the server with a fragment.',
    ['auth.resource-canonical'],
    () => ({ resource: server => `${server.href}#mcp` }),
  ),

  authorizing(
    'client-auth-resource-bare-host',
    'The client names the server by its host alone.',
    ['auth.resource-canonical'],
    () => ({ resource: server => server.hostname }),
  ),

  authorizing(
    'client-auth-json-token-request',
    'The client redeems the code by a JSON body.',
    ['auth.token-request'],
    () => ({
      tokenRequest: ask => ({
        ...ask,
        headers: { ...ask.headers, 'content-type': 'application/json' },
        body: JSON.stringify(Object.fromEntries(ask.params)),
      }),
    }),
  ),

  authorizing(
    'client-auth-two-methods',
    'The client says who it is by a header and in the body.',
    ['auth.client-single-auth-method'],
    right => ({
      authenticates(ask, identity) {
        right.authenticates(ask, identity);
        if (identity.method === 'client_secret_basic') ask.params.set('client_secret', identity.secret ?? '');
      },
    }),
  ),

  authorizing(
    'client-auth-token-in-cookie',
    'The token travels in a cookie.',
    ['auth.token-in-header'],
    () => ({ carries: (ask, token) => ({ ...ask, headers: { ...ask.headers, 'x-token': token } }) }),
  ),

  authorizing(
    'client-auth-token-on-posts-only',
    'The token is left out where there is no message.',
    ['auth.token-every-request'],
    right => ({
      carries: (ask, token, first) => (ask.method === 'POST' ? right.carries(ask, token, first) : ask),
    }),
  ),

  authorizing(
    'client-auth-token-in-query',
    'The token is in the URL of the stream as well.',
    ['auth.token-not-in-query'],
    right => ({
      carries(ask, token, first) {
        const sent = right.carries(ask, token, first);
        return ask.method === 'GET' ? { ...sent, url: `${ask.url}?access_token=${token}` } : sent;
      },
    }),
  ),

  authorizing(
    'client-auth-oauth-metadata-only',
    'The client knows one place for the metadata of an authorization server.',
    ['auth.client-several-well-knowns', 'auth.client-oidc-discovery'],
    right => ({ metadataUrls: issuer => right.metadataUrls(issuer).slice(0, 1) }),
  ),

  authorizing(
    'client-auth-openid-never-appended',
    'The client never looks behind the path of an issuer.',
    ['auth.client-as-order-with-path'],
    right => ({ metadataUrls: issuer => right.metadataUrls(issuer).slice(0, 2) }),
  ),

  authorizing(
    'client-auth-openid-first',
    'The client looks for an OpenID document first.',
    ['auth.client-as-order-with-path', 'auth.client-as-order-without-path'],
    right => ({ metadataUrls: issuer => [...right.metadataUrls(issuer)].reverse() }),
  ),

  authorizing(
    'client-auth-oauth-appended',
    'The client puts the well-known string behind the path of an issuer.',
    ['auth.client-as-path-insertion', 'auth.client-as-order-with-path'],
    right => ({
      metadataUrls(issuer) {
        const [, ...others] = right.metadataUrls(issuer);
        const path = issuer.pathname.replace(/\/$/, '');
        return [new URL(`${path}/.well-known/oauth-authorization-server`, issuer), ...others];
      },
    }),
  ),

  authorizing(
    'client-auth-any-issuer',
    'The client does not look whose metadata it has.',
    ['auth.client-issuer-match'],
    () => ({ acceptsMetadata: () => true }),
  ),

  authorizing(
    'client-auth-any-pkce',
    'The client does not look whether the authorization server knows PKCE.',
    ['auth.pkce-refuse-oauth', 'auth.pkce-refuse-oidc', 'auth.pkce-support-checked'],
    () => ({ acceptsPkce: () => true }),
  ),

  authorizing(
    'client-auth-any-openid-pkce',
    'The client takes it for granted that OpenID providers know PKCE.',
    ['auth.pkce-refuse-oidc', 'auth.pkce-support-checked'],
    right => ({ acceptsPkce: metadata => 'jwks_uri' in metadata || right.acceptsPkce(metadata) }),
  ),

  authorizing(
    'client-auth-metadata-below-path',
    'The client looks for metadata below the path of the MCP endpoint only.',
    ['auth.legacy-base-url', 'auth.client-as-metadata'],
    () => ({ ownIssuer: server => server.href }),
    ownServer,
  ),

  authorizing(
    'client-auth-no-default-paths',
    'The client gives up when there is no metadata.',
    ['auth.legacy-default-paths'],
    () => ({ takesDefaults: false }),
  ),

  authorizing(
    'client-auth-defaults-at-once',
    'The client goes to the default paths at once when the endpoint has a longer path.',
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

  authorizing(
    'client-auth-registers-no-redirect',
    'The client registers no redirect URI.',
    ['auth.dcr-request'],
    right => ({
      registration(uri) {
        const { redirect_uris: _, ...others } = right.registration(uri);
        return others;
      },
    }),
  ),

  authorizing(
    'client-auth-registers-by-form',
    'The client registers by a form.',
    ['auth.dcr-request'],
    () => ({
      registrationAsk: ask => ({
        ...ask,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    }),
  ),

  authorizing(
    'client-auth-unregistered-redirect',
    'The user is sent back to a place that was never registered.',
    ['auth.redirect-uri-registered'],
    asking({ redirect_uri: 'http://127.0.0.1:3000/other' }),
  ),

  authorizing(
    'client-auth-no-secret',
    'The client never shows the secret that it was given.',
    ['auth.client-authenticates-as-registered'],
    () => ({ authenticates: ({ params }, { id }) => params.set('client_id', id) }),
  ),

  authorizing(
    'client-auth-secret-in-body',
    'The client sends its secret in the body, whatever was agreed.',
    ['auth.client-authenticates-as-registered'],
    right => ({
      authenticates: (ask, identity) =>
        right.authenticates(ask, {
          ...identity,
          method: identity.method === 'none' ? 'none' : 'client_secret_post',
        }),
    }),
  ),

  authorizing(
    'client-auth-never-registers',
    'The client has a name for itself and does not ask whether anybody knows it.',
    ['auth.dcr-client'],
    () => ({ usesDocument: () => true, documentUrl: 'my-client' }),
    ({ authorization }) => !authorization?.bareRefusal,
  ),

  authorizing(
    'client-auth-no-document',
    'The client has no metadata document.',
    ['auth.cimd-client'],
    () => ({ usesDocument: () => false }),
  ),

  authorizing(
    'client-auth-documents-everywhere',
    'The client gives the URL of its document, whether such are taken or not.',
    ['auth.cimd-capability-check'],
    () => ({ usesDocument: () => true }),
    ({ authorization }) => authorization?.bareRefusal ?? false,
  ),

  authorizing(
    'client-auth-document-in-the-clear',
    'The document of the client is not encrypted on its way.',
    ['auth.cimd-url-form'],
    () => ({ documentUrl: 'http://client.example/client.json' }),
  ),

  authorizing(
    'client-auth-document-fragment',
    'The URL of the document has a fragment.',
    ['auth.cimd-url-clean'],
    () => ({ documentUrl: 'https://client.example/client.json#me' }),
  ),

  authorizing(
    'client-auth-document-secret',
    'The client has a document and sends a secret as well.',
    ['auth.cimd-no-shared-secret'],
    right => ({
      authenticates(ask, identity) {
        right.authenticates(ask, identity);
        if (identity.id.startsWith('https:')) ask.params.set('client_secret', 'made-up-secret');
      },
    }),
  ),

  authorizing(
    'client-auth-document-missing',
    'There is nothing where the document of the client is to be.',
    ['auth.cimd-hosted-https'],
    () => ({ document: () => undefined }),
  ),

  authorizing(
    'client-auth-document-nameless',
    'The document does not say what the client is called.',
    ['auth.cimd-document-fields'],
    right => ({
      document(...given) {
        const { client_name: _, ...others } = right.document(...given) ?? {};
        return others;
      },
    }),
  ),

  authorizing(
    'client-auth-document-of-another',
    'The document is about a client at another URL.',
    ['auth.cimd-document-client-id'],
    right => ({ document: (url, redirectUri) => right.document(`${url}/`, redirectUri) }),
  ),

  authorizing(
    'client-auth-arranged-ignored',
    'The client does not use the client ID that was arranged for it.',
    ['auth.preregistered-client', 'auth.registration-priority'],
    () => ({ usesArranged: false }),
  ),

  authorizing(
    'client-auth-scopes-of-authority',
    'The client asks for all the authorization server has.',
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

  authorizing(
    'client-auth-first-scope',
    'The client asks for the first of two scopes.',
    ['auth.scope-from-challenge', 'auth.scope-authoritative'],
    right => ({
      scope: (challenged, supported, authority) =>
        challenged === 'a:read b:write' ? 'a:read' : right.scope(challenged, supported, authority),
    }),
  ),

  authorizing(
    'client-auth-known-scopes-only',
    'The client asks for challenged scopes that stand in the metadata as well.',
    ['auth.scope-no-relation-assumed'],
    right => ({
      scope(challenged, supported, authority) {
        const known = challenged?.split(' ').filter(scope => supported?.includes(scope) ?? true);
        return known?.length ? known.join(' ') : right.scope(undefined, supported, authority);
      },
    }),
  ),

  authorizing(
    'client-auth-empty-scope',
    'The client asks for no scope in so many words.',
    ['auth.scope-omitted'],
    right => ({ scope: (...given) => right.scope(...given) ?? '' }),
  ),

  authorizing(
    'client-auth-one-scope-more',
    'The client asks for a scope that nobody named.',
    ['auth.scope-from-metadata', 'auth.scope-least-privilege'],
    right => ({
      scope: (challenged, supported, authority) =>
        right.scope(challenged, supported && [...supported, 'x:more'], authority),
    }),
  ),

  authorizing(
    'client-auth-forgets-failures',
    'The client asks for more scopes anew with each call, however often that was in vain.',
    ['auth.upgrade-tracking'],
    () => ({ remembersFailures: false }),
  ),

  authorizing(
    'client-auth-never-gives-up',
    'The client asks for authorization again and again.',
    ['auth.client-reacts-to-401', 'auth.retry-limit'],
    () => ({ mostTries: 9 }),
  ),

  authorizing(
    'client-auth-old-refresh-token',
    'The client goes on with its first refresh token.',
    ['auth.refresh-rotation-followed'],
    right => ({ nextRefreshToken: (used, given) => used || right.nextRefreshToken(used, given) }),
  ),

  authorizing(
    'client-auth-same-verifier',
    'The client has one verifier for all flows.',
    ['auth.pkce-fresh'],
    right => {
      const same = right.pkce();
      return { pkce: () => same };
    },
  ),

  authorizing(
    'client-auth-token-for-everybody',
    'The client shows its token to whoever it asks for metadata.',
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
    // a server that is its own authorization server is shown what it knows
    revision => !ownServer(revision),
  ),

  authorizing(
    'client-auth-token-goes-elsewhere',
    'The client shows its token to wherever it is redirected.',
    ['auth.token-not-leaked'],
    () => ({ followsRedirects: true }),
  ),

  authorizing(
    'client-auth-remembers-the-server',
    'The client asks once which authorization server there is.',
    ['auth.client-prm-refreshed'],
    () => ({ asksAgain: false }),
  ),

  authorizing(
    'client-auth-first-token',
    'The client gets other tokens, and goes on with the first one.',
    ['auth.client-reacts-to-401', 'auth.token-own-as-only', 'auth.step-up'],
    right => ({ carries: (ask, _, first) => right.carries(ask, first, first) }),
  ),

  authorizing(
    'client-auth-any-state',
    'The client does not look whose answer it gets.',
    ['auth.state-checked'],
    () => ({ acceptsAnswer: () => true }),
  ),

  authorizing(
    'client-auth-opens-anything',
    'The client opens whatever address it is given.',
    ['auth.client-authorization-url-scheme', 'auth.client-https-urls'],
    right => ({ opens: () => true, fetch: onThisHost(right.fetch) }),
  ),

  authorizing(
    'client-auth-opens-in-the-clear',
    'The client sends the user to other hosts without encryption.',
    ['auth.client-https-urls'],
    right => ({ opens: ({ protocol }) => /^https?:$/.test(protocol), fetch: onThisHost(right.fetch) }),
  ),

  authorizing(
    'client-auth-opens-unparsed',
    'The client opens what it is told without a look at it.',
    ['auth.client-url-sanitised'],
    () => ({ opensUnparsed: true }),
  ),

  authorizing(
    'client-auth-opens-by-shell',
    'The client has a shell open addresses.',
    ['auth.client-no-shell'],
    () => ({
      opener(address, open) {
        spawnSync('sh', ['-c', `: "${address}"`]);
        open(address);
      },
    }),
  ),

  authorizing(
    'client-auth-any-certificate',
    'The client does not look at certificates.',
    ['auth.tls-certificate-checked'],
    () => {
      const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
      // that fetch does not take every signal of this one's
      const careless = (input: string, { signal: _, ...init }: RequestInit) =>
        anyFetch(input, { ...(init as object), dispatcher });
      return { fetch: careless as never };
    },
  ),

  authorizing(
    'client-auth-resource-origin',
    'The client names the server by its origin.',
    ['auth.resource-specific'],
    () => ({ resource: server => server.origin }),
  ),

  clientFault(
    'client-auth-dies-of-403',
    {
      what: 'The client goes without a word when its token is not enough.',
      breaks: ['auth.step-up'],
      over: ['streamable-http'],
    },
    onHttpHead((head, _ask, context) => {
      if (head.status === 403) context.exit(0);
      return head;
    }),
  ),
] satisfies readonly ClientDeviation[];
