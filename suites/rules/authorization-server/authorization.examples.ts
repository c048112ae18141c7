import type { OAuthEndpoint } from '../../../harness/record/event.js';
import type { Json } from '../../../spec/json-rpc.js';
import { clauseIn, requirement } from '../../../spec/requirement.js';
import type { Revision } from '../../../spec/revisions.js';
import { type ExampleTable, tableWith } from '../example.test.util.js';
import type { Line } from '../record.test.util.js';

const issuer = 'https://auth.example';
const json = 'application/json';

interface Shape {
  readonly method?: string;
  readonly url?: string;
  readonly status?: number;
  readonly type?: string;
  readonly sent?: Record<string, string>;
  readonly headers?: Record<string, string>;
  /** The body of the request. */
  readonly form?: string;
}

/** A request to an endpoint and its complete response. */
function at(endpoint: OAuthEndpoint, body: Json | undefined, shape: Shape = {}, exchange = 1): Line[] {
  const { method = 'GET', url = issuer, status = 200, type = json, sent = {}, headers = {}, form } = shape;
  const head = Object.entries({ ...(body !== undefined && { 'Content-Type': type }), ...headers });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return [
    { kind: 'http-request', exchange, method, url, headers: Object.entries(sent), endpoint },
    ...(form === undefined ? [] : [{ kind: 'http-body', of: 'request', exchange, text: form } as const]),
    { kind: 'http-response', exchange, status, headers: head },
    ...(body === undefined ? [] : [{ kind: 'http-body', exchange, text } as const]),
    { kind: 'http-end', exchange, by: 'server' },
  ];
}

const document = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  client_id_metadata_document_supported: true,
};
const places = {
  oauth: `${issuer}/.well-known/oauth-authorization-server`,
  openid: `${issuer}/.well-known/openid-configuration`,
};
const metadata = (changes: object = {}, shape: Shape = {}, kind: keyof typeof places = 'oauth') =>
  at('metadata', { ...document, ...changes } as Json, { url: places[kind], ...shape });

const client = { client_id: 'c1', redirect_uris: ['http://127.0.0.1/cb'] };
const registered = (body: Json, status = 201, type = json) =>
  at('registration', body, { method: 'POST', status, type });

const noStore = { 'Cache-Control': 'no-store' };
const tokens = { access_token: '~12345678', token_type: 'Bearer', expires_in: 3600 };
const granted = (body: Json, headers: Record<string, string> = noStore, status = 200) =>
  at('token', body, { method: 'POST', status, headers });
const refused = (status: number, body: Json = { error: 'invalid_grant' }, type = json) =>
  at('token', body, { method: 'POST', status, type });

const callback = 'http://127.0.0.1:3000/cb';
const asked = (state: string) =>
  `${issuer}/authorize?redirect_uri=${encodeURIComponent(callback)}&state=${encodeURIComponent(state)}`;
const back = (query: string, shape: Shape = {}) =>
  at('authorization', undefined, {
    url: asked('a b'),
    status: 303,
    headers: { Location: `${callback}?${query}` },
    ...shape,
  });
const sentForm = (status: number) =>
  at('page', undefined, { method: 'POST', form: 'user=a', status, headers: { Location: '/next' } });
const crossing = (headers: Record<string, string>) =>
  at('authorization', 'page', { sent: { Origin: 'https://evil.example' }, type: 'text/html', headers });

const isPermittedOnly = ({ id }: Revision) => clauseIn(requirement('auth.dcr-server'), id)?.level === 'MAY';

/** The examples are about authorization servers, and contain no MCP message. */
const about = tableWith({ subject: 'authorization-server', transport: 'streamable-http' });

export const examples: ExampleTable = about({
  'auth.as-metadata-document': {
    good: [
      metadata(),
      {
        lines: metadata({ x_unknown: { a: [] } }, { type: 'application/json;charset=UTF-8' }),
        shows: 'unknown-members',
      },
      { lines: metadata({ issuer: `${issuer}/` }), shows: 'slash' },
      { lines: metadata({ issuer: `${issuer}/a` }, { url: `${places.oauth}/a` }), shows: 'path' },
      {
        lines: metadata(
          { issuer: 'http://127.0.0.1:1' },
          { url: 'http://127.0.0.1:1/.well-known/oauth-authorization-server' },
        ),
      },
    ],
    legal: [
      {
        lines: at('metadata', 'Not found', { url: places.oauth, status: 404, type: 'text/plain' }),
        shows: 'not-found',
      },
      {
        lines: metadata(
          { issuer: 'https://other.example' },
          { url: `${issuer}/mcp/.well-known/oauth-authorization-server` },
        ),
        shows: 'other-place',
      },
      { lines: metadata({}, { status: 404 }), isUnobserved: true },
    ],
    bad: [
      { lines: metadata({ issuer: 'https://other.example' }), shows: 'other-issuer' },
      { lines: metadata({ issuer: null }), shows: 'no-issuer' },
      { lines: metadata({ issuer }, { url: `${places.oauth}/a` }), shows: 'issuer-without-path' },
      { lines: metadata({ token_endpoint: '/token' }), shows: 'relative' },
      { lines: metadata({ authorization_endpoint: undefined }), shows: 'no-endpoint' },
      { lines: metadata({ response_types_supported: 'code' }), shows: 'no-response-types' },
      { lines: metadata({}, { type: 'text/html' }), shows: 'other-type' },
    ],
  },
  'auth.as-oidc-pkce-field': {
    good: [
      metadata({}, {}, 'openid'),
      metadata({ issuer: `${issuer}/a` }, { url: `${issuer}/a/.well-known/openid-configuration` }),
    ],
    legal: [
      {
        lines: metadata({ code_challenge_methods_supported: ['plain', 'S256'] }, {}, 'openid'),
        shows: 'more-methods',
      },
    ],
    bad: [
      { lines: metadata({ code_challenge_methods_supported: undefined }, {}, 'openid'), shows: 'missing' },
      { lines: metadata({ code_challenge_methods_supported: ['plain'] }, {}, 'openid'), shows: 'no-s256' },
    ],
  },
  'auth.as-pkce-field': {
    good: [metadata()],
    legal: [
      { lines: metadata({ code_challenge_methods_supported: ['plain', 'S256'] }), shows: 'more-methods' },
    ],
    bad: [
      { lines: metadata({ code_challenge_methods_supported: undefined }), shows: 'missing' },
      { lines: metadata({ code_challenge_methods_supported: ['plain'] }), shows: 'no-s256' },
    ],
  },
  'auth.as-https': {
    good: [metadata()],
    legal: [
      { lines: metadata({ revocation_endpoint: 'http://127.0.0.1:1/revoke' }), shows: 'loopback' },
      { lines: metadata({ service_documentation: 'http://docs.example' }), shows: 'documentation' },
      // names that are only similar to those of endpoints
      metadata({
        x_endpoint_docs: 'http://docs.example',
        x_issuer: 'http://docs.example',
        issuer_x: 'http://docs.example',
        x_jwks_uri: 'http://docs.example',
        jwks_uri_x: 'http://docs.example',
      }),
    ],
    bad: [{ lines: metadata({ revocation_endpoint: 'http://auth.example/revoke' }), shows: 'public-http' }],
  },
  'auth.cimd-server': {
    good: [metadata()],
    bad: [{ lines: metadata({ client_id_metadata_document_supported: false }), shows: 'not-announced' }],
  },
  'auth.dcr-server': {
    good: [metadata()],

    legal: [
      { lines: metadata({ registration_endpoint: undefined }), when: isPermittedOnly, isUnobserved: true },
    ],
    bad: [
      {
        lines: metadata({ registration_endpoint: undefined }),
        when: revision => revision.authorization?.metadata.length === 1,
        shows: 'none',
      },
    ],
  },
  'auth.dcr-response': {
    good: [
      registered(client),
      {
        lines: registered({ ...client, client_secret: '~12345678', client_secret_expires_at: 0 }),
        shows: 'secret',
      },
    ],
    legal: [{ lines: registered({ error: 'access_denied' }, 403), shows: 'refused' }],
    bad: [
      { lines: registered(client, 200), shows: 'status-200' },
      { lines: registered({ ...client, client_id: 7 }), shows: 'no-client-id' },
      { lines: registered({ ...client, client_secret: '~12345678' }), shows: 'secret-without-expiry' },
      { lines: registered({ client_id: 'c1' }), shows: 'not-echoed' },
      { lines: registered(client, 201, 'text/plain'), shows: 'other-type' },
      registered({ ...client, redirect_uris: [7] }),
      registered('c1'),
    ],
  },
  'auth.dcr-error': {
    good: [registered({ error: 'invalid_redirect_uri' }, 400)],
    legal: [
      { lines: registered({ error: 'no' }, 401), shows: 'policy' },
      { lines: registered('Later', 429, 'text/plain'), shows: 'busy' },
      { lines: registered(client), shows: 'success' },
    ],
    bad: [
      { lines: registered('Bad Request', 400, 'text/plain'), shows: 'no-json' },
      { lines: registered({ error: 'invalid_redirect_uri' }, 500), shows: 'server-error' },
      { lines: registered({ error: 'invalid_redirect_uri' }, 422), shows: 'other-status' },
    ],
  },
  'auth.as-token-response': {
    good: [
      granted(tokens),
      {
        lines: granted({ ...tokens, token_type: 'bearer', x: 1 }, { 'Cache-Control': 'private, no-store' }),
        shows: 'any-case',
      },
    ],
    legal: [{ lines: refused(400), shows: 'refused' }],
    bad: [
      { lines: granted(tokens, {}), shows: 'cacheable' },
      { lines: granted(tokens, noStore, 201), shows: 'other-status' },
      { lines: granted({ ...tokens, token_type: null }), shows: 'no-type' },
      { lines: granted({ ...tokens, access_token: null }), shows: 'no-token' },
      { lines: granted({ ...tokens, scope: ['mcp:read'] }), shows: 'member-no-text' },
      {
        lines: granted({ ...tokens, expires_in: '3600' }),
        also: ['auth.as-short-lived'],
        shows: 'expiry-no-number',
      },
      {
        lines: at('token', 'access_token=1', {
          method: 'POST',
          type: 'application/x-www-form-urlencoded',
          headers: noStore,
        }),
        also: ['auth.as-short-lived'],
      },
      at('token', tokens, { method: 'POST', type: 'text/html', headers: noStore }),
    ],
  },
  'auth.as-token-error': {
    good: [refused(400), refused(401, { error: 'invalid_client' })],
    legal: [
      { lines: granted(tokens), shows: 'success' },
      { lines: refused(429, 'Later', 'text/plain'), shows: 'busy' },
      refused(503, 'Later', 'text/plain'),
    ],
    bad: [
      { lines: refused(200), shows: 'status-200' },
      { lines: refused(500), shows: 'server-error' },
      { lines: refused(403), shows: 'other-status' },
      { lines: refused(400, 'Bad Request', 'text/plain'), shows: 'no-json' },
      { lines: refused(400, { error: 'invalid_grant' }, 'text/html'), shows: 'other-type' },
      refused(400, { message: 'no' }),
    ],
  },
  'auth.as-short-lived': {
    good: [granted(tokens), granted({ ...tokens, expires_in: 86_400 })],
    bad: [
      { lines: granted({ ...tokens, expires_in: 31_536_000 }), shows: 'long' },
      { lines: granted({ access_token: '~12345678', token_type: 'Bearer' }), shows: 'unnamed' },
    ],
  },
  'auth.as-state-returned': {
    good: [
      back('code=~12345678&state=a+b'),
      { lines: back('error=access_denied&state=a%20b'), shows: 'errors' },
    ],
    legal: [
      {
        lines: back('code=~12345678', {
          url: `${issuer}/authorize?redirect_uri=${encodeURIComponent(callback)}`,
        }),
        shows: 'no-state',
        isUnobserved: true,
      },
      {
        lines: back('', { headers: { Location: 'https://login.example/?state=other' } }),
        shows: 'elsewhere',
      },
      { lines: at('authorization', 'page', { url: asked('a b'), type: 'text/html' }), shows: 'page' },
    ],
    bad: [
      { lines: back('code=~12345678'), shows: 'missing' },
      { lines: back('code=~12345678&state=a'), shows: 'altered' },
      {
        lines: [
          ...at('authorization', 'page', { url: asked('a b'), type: 'text/html' }),
          ...at(
            'page',
            undefined,
            { method: 'POST', status: 302, headers: { Location: `${callback}?code=1` } },
            2,
          ),
        ],
        shows: 'lost-after-form',
      },
    ],
  },
  'auth.as-no-307': {
    good: [sentForm(303), { lines: sentForm(302), shows: 'status-302' }],
    legal: [{ lines: at('page', undefined, { status: 307, headers: { Location: '/next' } }), shows: 'get' }],
    bad: [
      { lines: sentForm(307), shows: 'status-307' },
      { lines: sentForm(308), shows: 'status-308' },
    ],
  },
  'auth.as-no-cors-authorize': {
    good: [crossing({ Vary: 'Origin' })],
    legal: [
      {
        lines: at('authorization', 'page', {
          type: 'text/html',
          headers: { 'Access-Control-Allow-Origin': '*' },
        }),
        shows: 'no-origin',
      },
    ],
    bad: [{ lines: crossing({ 'Access-Control-Allow-Origin': 'https://evil.example' }), shows: 'allowed' }],
  },
});
