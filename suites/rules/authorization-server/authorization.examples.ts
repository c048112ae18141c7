import type { OAuthEndpoint } from '../../../harness/record/event.js';
import type { Json } from '../../../spec/json-rpc.js';
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

/** The examples are about authorization servers, and contain no MCP message. */
const about = tableWith({ subject: 'authorization-server', transport: 'streamable-http' });

export const examples: ExampleTable = about({
  'auth.as-metadata-document': {
    good: [
      metadata(),
      metadata({ x_unknown: { a: [] } }, { type: 'application/json;charset=UTF-8' }),
      metadata({ issuer: `${issuer}/` }),
      metadata({ issuer: `${issuer}/a` }, { url: `${places.oauth}/a` }),
    ],
    legal: [
      at('metadata', 'Not found', { url: places.oauth, status: 404, type: 'text/plain' }),
      metadata(
        { issuer: 'https://other.example' },
        { url: `${issuer}/mcp/.well-known/oauth-authorization-server` },
      ),
    ],
    bad: [
      metadata({ issuer: 'https://other.example' }),
      metadata({ issuer: null }),
      metadata({ issuer }, { url: `${places.oauth}/a` }),
      metadata({ token_endpoint: '/token' }),
      metadata({ authorization_endpoint: undefined }),
      metadata({ response_types_supported: 'code' }),
      metadata({}, { type: 'text/html' }),
    ],
  },
  'auth.as-oidc-pkce-field': {
    good: [metadata({}, {}, 'openid')],
    legal: [metadata({ code_challenge_methods_supported: undefined })],
    bad: [
      metadata({ code_challenge_methods_supported: undefined }, {}, 'openid'),
      metadata({ code_challenge_methods_supported: ['plain'] }, {}, 'openid'),
    ],
  },
  'auth.as-https': {
    good: [metadata()],
    legal: [
      metadata({ revocation_endpoint: 'http://127.0.0.1:1/revoke' }),
      metadata({ service_documentation: 'http://docs.example' }),
    ],
    bad: [metadata({ revocation_endpoint: 'http://auth.example/revoke' })],
  },
  'auth.cimd-server': {
    good: [metadata()],
    bad: [metadata({ client_id_metadata_document_supported: false })],
  },
  'auth.dcr-server': {
    good: [metadata()],
    bad: [
      {
        lines: metadata({ registration_endpoint: undefined }),
        when: revision => revision.authorization?.metadata.length === 1,
      },
    ],
  },
  'auth.dcr-response': {
    good: [
      registered(client),
      registered({ ...client, client_secret: '~12345678', client_secret_expires_at: 0 }),
    ],
    legal: [registered({ error: 'access_denied' }, 403)],
    bad: [
      registered(client, 200),
      registered({ ...client, client_id: 7 }),
      registered({ ...client, client_secret: '~12345678' }),
      registered({ client_id: 'c1' }),
      registered(client, 201, 'text/plain'),
    ],
  },
  'auth.dcr-error': {
    good: [registered({ error: 'invalid_redirect_uri' }, 400)],
    legal: [registered({ error: 'no' }, 401), registered('Later', 429, 'text/plain'), registered(client)],
    bad: [
      registered('Bad Request', 400, 'text/plain'),
      registered({ error: 'invalid_redirect_uri' }, 500),
      registered({ error: 'invalid_redirect_uri' }, 422),
    ],
  },
  'auth.as-token-response': {
    good: [
      granted(tokens),
      granted({ ...tokens, token_type: 'bearer', x: 1 }, { 'Cache-Control': 'private, no-store' }),
    ],
    legal: [refused(400)],
    bad: [
      granted(tokens, {}),
      granted(tokens, noStore, 201),
      granted({ ...tokens, token_type: null }),
      granted({ ...tokens, access_token: null }),
      { lines: granted({ ...tokens, expires_in: '3600' }), also: ['auth.as-short-lived'] },
    ],
  },
  'auth.as-token-error': {
    good: [refused(400), refused(401, { error: 'invalid_client' })],
    legal: [granted(tokens), refused(429, 'Later', 'text/plain'), refused(503, 'Later', 'text/plain')],
    bad: [
      refused(200),
      refused(500),
      refused(403),
      refused(400, 'Bad Request', 'text/plain'),
      refused(400, { error: 'invalid_grant' }, 'text/html'),
    ],
  },
  'auth.as-short-lived': {
    good: [granted(tokens)],
    bad: [
      granted({ ...tokens, expires_in: 31_536_000 }),
      granted({ access_token: '~12345678', token_type: 'Bearer' }),
    ],
  },
  'auth.as-state-returned': {
    good: [back('code=~12345678&state=a+b'), back('error=access_denied&state=a%20b')],
    legal: [
      back('code=~12345678', { url: `${issuer}/authorize?redirect_uri=${encodeURIComponent(callback)}` }),
      back('', { headers: { Location: 'https://login.example/?state=other' } }),
      at('authorization', 'page', { url: asked('a b'), type: 'text/html' }),
    ],
    bad: [
      back('code=~12345678'),
      back('code=~12345678&state=a'),
      [
        ...at('authorization', 'page', { url: asked('a b'), type: 'text/html' }),
        ...at(
          'page',
          undefined,
          { method: 'POST', status: 302, headers: { Location: `${callback}?code=1` } },
          2,
        ),
      ],
    ],
  },
  'auth.as-no-307': {
    good: [sentForm(303), sentForm(302)],
    legal: [at('page', undefined, { status: 307, headers: { Location: '/next' } })],
    bad: [sentForm(307), sentForm(308)],
  },
  'auth.as-no-cors-authorize': {
    good: [crossing({ Vary: 'Origin' })],
    legal: [
      at('authorization', 'page', { type: 'text/html', headers: { 'Access-Control-Allow-Origin': '*' } }),
    ],
    bad: [crossing({ 'Access-Control-Allow-Origin': 'https://evil.example' })],
  },
});
