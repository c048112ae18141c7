import type { OAuthEndpoint } from '../../../harness/record/event.js';
import { fingerprint } from '../../../harness/record/redaction.js';
import { type ExampleTable, tableWith } from '../example.test.util.js';
import { body, end, polite } from '../http-events.test.util.js';
import { type Line, request, result } from '../record.test.util.js';

const url = 'http://localhost/mcp';
const as = 'http://as.localhost';
const token = fingerprint('an access token');
const refreshToken = fingerprint('a refresh token');

type Params = Record<string, string | null>;

const params = (all: Params): string =>
  new URLSearchParams(
    Object.entries(all).flatMap(([name, value]) =>
      value === null ? [] : [[name, value] as [string, string]],
    ),
  )
    .toString()
    .replaceAll('%7E', '~');

/** An HTTP request outside of MCP, and its response. */
const beside = (
  exchange: number,
  endpoint: OAuthEndpoint,
  to: string,
  {
    verb = 'POST',
    headers = {},
    sent,
    answer,
    status = 200,
  }: {
    verb?: string;
    headers?: Record<string, string>;
    sent?: string;
    answer?: object;
    status?: number;
  } = {},
): Line[] => [
  { kind: 'http-request', exchange, method: verb, url: to, headers: Object.entries(headers), endpoint },
  ...(sent === undefined
    ? []
    : [{ kind: 'http-body' as const, of: 'request' as const, exchange, text: sent }]),
  { kind: 'http-response', exchange, status, headers: [['Content-Type', 'application/json']] },
  ...(answer ? [{ kind: 'http-body' as const, exchange, text: JSON.stringify(answer) }] : []),
  end(exchange),
];

const asked: Params = {
  response_type: 'code',
  client_id: 'c1',
  redirect_uri: 'http://127.0.0.1:3000/callback',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  state: 'a-state-value',
  resource: url,
};

/** An authorization request. @param more raw parameters after the others */
const authorize = (changes: Params = {}, { exchange = 20, more = '' } = {}): Line[] =>
  beside(exchange, 'authorization', `${as}/az?${params({ ...asked, ...changes })}${more}`, {
    verb: 'GET',
    status: 302,
  });

const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const redeemed: Params = {
  grant_type: 'authorization_code',
  code: '~00000001',
  code_verifier: '~00000002',
  client_id: 'c1',
  redirect_uri: 'http://127.0.0.1:3000/callback',
  resource: url,
};
const tokens = { access_token: token, token_type: 'Bearer', refresh_token: refreshToken };

/** A token request. */
const redeem = (
  changes: Params = {},
  { exchange = 21, headers = {} as Record<string, string>, verb = 'POST', sent = '' } = {},
): Line[] =>
  beside(exchange, 'token', `${as}/tk`, {
    verb,
    headers: { ...form, ...headers },
    sent: sent || params({ ...redeemed, ...changes }),
    answer: tokens,
  });

const registered = {
  redirect_uris: ['http://localhost:3000/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

const register = (metadata: unknown = registered, type = 'application/json', verb = 'POST'): Line[] =>
  beside(22, 'registration', `${as}/rg`, {
    verb,
    headers: { 'Content-Type': type },
    sent: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
    answer: { client_id: 'c1' },
    status: 201,
  });

const session = { 'Mcp-Session-Id': 's1' };
const bearer = { Authorization: `Bearer ${token}` };

/** A request to the MCP endpoint. */
const call = (
  exchange: number,
  headers: Record<string, string>,
  { verb = 'POST', to = url, status = 200, meta = {} } = {},
): Line[] => {
  const ask = request(exchange, 'ping', { _meta: meta });
  const stream = verb === 'GET' ? ('get' as const) : ('post' as const);
  return [
    ...(verb === 'POST'
      ? [{ kind: 'frame' as const, by: 'client' as const, text: JSON.stringify(ask), exchange, stream }]
      : []),
    {
      kind: 'http-request',
      exchange,
      method: verb,
      url: to,
      headers: Object.entries({ ...polite, ...session, ...headers }),
      ...(verb !== 'DELETE' && { stream }),
    },
    { kind: 'http-response', exchange, status, headers: [['Content-Type', 'application/json']] },
    ...(verb === 'POST' && status === 200 ? [body(exchange, result(exchange))] : []),
    end(exchange),
  ] as Line[];
};

/** A request with a refresh token; the response contains a new refresh token or none. */
const refresh = (used: string, next: string | undefined, exchange: number): Line[] =>
  beside(exchange, 'token', `${as}/tk`, {
    headers: form,
    sent: params({ grant_type: 'refresh_token', refresh_token: used, client_id: 'c1', resource: url }),
    answer: { access_token: token, token_type: 'Bearer', ...(next && { refresh_token: fingerprint(next) }) },
  });

const about = tableWith({ transport: 'streamable-http', url });
const local = { ...registered, application_type: 'native' };

const document = 'https://client.example/oauth/client.json';

export const examples: ExampleTable = about({
  'auth.pkce': {
    good: [[...authorize(), ...redeem()]],
    bad: [authorize({ code_challenge: null, code_challenge_method: null }), redeem({ code_verifier: null })],
  },
  'auth.pkce-s256': {
    good: [authorize()],
    bad: [authorize({ code_challenge_method: 'plain' }), authorize({ code_challenge_method: null })],
  },
  'auth.pkce-fresh': {
    good: [
      [...authorize(), ...authorize({ code_challenge: 'x'.repeat(43), state: 'another' }, { exchange: 30 })],
    ],
    legal: [[...authorize(), ...authorize({}, { exchange: 30 })]],
    bad: [[...authorize(), ...authorize({ state: 'another' }, { exchange: 30 })]],
  },
  'auth.response-type-code': {
    good: [authorize()],
    // reported by another row
    legal: [beside(20, 'authorization', `${as}/az?tenant=t1?${params(asked)}`, { verb: 'GET', status: 302 })],
    bad: [authorize({ response_type: 'token' }), authorize({ client_id: null })],
  },
  'auth.no-repeated-parameters': {
    good: [authorize(), redeem()],
    legal: [authorize({}, { more: '&resource=http://localhost' })],
    bad: [
      authorize({}, { more: '&response_type=code' }),
      redeem({}, { sent: `${params(redeemed)}&code=~00000001` }),
    ],
  },
  'auth.redirect-uri-form': {
    good: [
      authorize(),
      authorize({ redirect_uri: 'https://client.example/cb' }),
      authorize({ redirect_uri: 'http://[::1]:1/cb' }),
    ],
    legal: [authorize({ redirect_uri: null }), register()],
    bad: [
      authorize({ redirect_uri: 'http://client.example/cb' }),
      authorize({ redirect_uri: 'http://127.0.0.1/cb#x' }),
      register({ ...registered, redirect_uris: ['http://client.example/cb'] }),
    ],
  },
  'auth.state-sent': { good: [authorize()], bad: [authorize({ state: null }), authorize({ state: '' })] },
  'auth.resource-authorization-request': {
    good: [authorize()],
    bad: [authorize({ resource: null }), authorize({ resource: '' })],
  },
  'auth.resource-token-request': {
    good: [redeem()],
    bad: [redeem({ resource: null }), redeem({ grant_type: 'refresh_token', resource: null })],
  },
  'auth.resource-target': {
    good: [
      authorize(),
      authorize({ resource: 'http://localhost' }),
      authorize({ resource: 'http://localhost/' }),
    ],
    bad: [
      authorize({ resource: 'https://api.example/' }),
      authorize({ resource: 'http://localhost/other' }),
      authorize({ resource: as }),
    ],
  },
  'auth.resource-canonical': {
    good: [authorize()],
    bad: [authorize({ resource: 'localhost' }), authorize({ resource: `${url}#x` })],
  },
  'auth.dcr-request': {
    good: [register(), register({ redirect_uris: ['https://client.example/cb'], x: 1 })],
    legal: [register({ grant_types: ['client_credentials'] })],
    bad: [
      register({ ...registered, redirect_uris: [] }),
      register({ ...registered, redirect_uris: undefined }),
      register('a=b', 'application/x-www-form-urlencoded'),
      register({ ...registered, response_types: ['token'] }),
      register({ ...registered, grant_types: 'authorization_code' }),
    ],
  },
  'auth.token-request': {
    good: [redeem(), redeem({ client_id: null }, { headers: { Authorization: 'Basic ~12345678' } })],
    legal: [redeem({ redirect_uri: null, x: 'y' }), redeem({ grant_type: 'refresh_token', code: null })],
    bad: [
      redeem({ client_id: null }),
      redeem({ code: null }),
      redeem({}, { headers: { 'Content-Type': 'text/plain' } }),
    ],
  },
  'auth.client-single-auth-method': {
    good: [redeem(), redeem({}, { headers: { Authorization: 'Basic ~12345678' } })],
    bad: [redeem({ client_secret: '~00000003' }, { headers: { Authorization: 'Basic ~12345678' } })],
  },
  'auth.token-in-header': {
    good: [[...redeem(), ...call(30, bearer)]],
    legal: [
      [...redeem(), ...call(30, { Authorization: `bearer ${token}` })],
      // a session that begins with the token of an earlier session, and gets a new token later
      [...call(20, { Authorization: `Bearer ${fingerprint('the one before')}` }), ...redeem()],
    ],
    bad: [
      [...redeem(), ...call(30, { Authorization: `Bearer ${token}x` }, { status: 401 })],
      [...redeem(), ...call(30, { 'X-Token': token })],
      [...redeem(), ...call(30, { Cookie: `t=${token}` })],
      [...redeem(), ...call(30, { Authorization: `Token ${token}` })],
      [...redeem(), ...call(30, bearer, { meta: { token } })],
    ],
  },
  'auth.token-every-request': {
    good: [[...redeem(), ...call(30, bearer), ...call(31, bearer)]],
    legal: [
      [
        ...redeem(),
        ...call(30, bearer),
        ...call(31, bearer, { status: 401 }),
        ...call(32, {}, { status: 401 }),
      ],
      call(30, {}),
    ],
    bad: [
      [...redeem(), ...call(30, bearer), ...call(31, {})],
      [...redeem(), ...call(30, bearer), ...call(31, {}, { verb: 'GET' })],
      [...redeem(), ...call(30, bearer), ...call(31, {}, { verb: 'DELETE' })],
    ],
  },
  'auth.token-not-in-query': {
    good: [[...redeem(), ...call(30, bearer)]],
    bad: [[...redeem(), ...call(30, bearer, { verb: 'GET', to: `${url}?access_token=${token}` })]],
  },
  'auth.token-not-leaked': {
    good: [[...redeem(), ...call(30, bearer)]],
    legal: [
      [
        ...redeem(),
        ...redeem({ grant_type: 'refresh_token', refresh_token: refreshToken }, { exchange: 31 }),
      ],
    ],
    bad: [
      [...redeem(), ...beside(31, 'elsewhere', `${as}/mcp`, { headers: bearer, sent: '{}' })],
      [
        ...redeem(),
        ...beside(31, 'registration', `${as}/rg`, {
          headers: { 'Content-Type': 'application/json' },
          sent: JSON.stringify({ ...registered, x: refreshToken }),
        }),
      ],
      [
        ...redeem(),
        ...beside(31, 'token', 'http://other.localhost/tk', {
          headers: form,
          sent: params({ grant_type: 'refresh_token', refresh_token: refreshToken, resource: url }),
          status: 400,
        }),
      ],
    ],
  },
  'auth.refresh-rotation-followed': {
    good: [[...refresh(refreshToken, 'r2', 30), ...refresh(fingerprint('r2'), 'r3', 31)]],
    legal: [[...refresh(refreshToken, undefined, 30), ...refresh(refreshToken, 'r2', 31)]],
    bad: [[...refresh(refreshToken, 'r2', 30), ...refresh(refreshToken, 'r3', 31)]],
  },
  'auth.redirect-uri-registered': {
    good: [[...register(), ...authorize({ redirect_uri: 'http://localhost:4000/callback' })]],
    legal: [[...register(), ...authorize({ redirect_uri: null })]],
    bad: [
      [...register(), ...authorize({ redirect_uri: 'http://localhost:3000/other' })],
      [...register(), ...authorize({ redirect_uri: 'http://127.0.0.1:3000/callback' })],
      [...register(), ...authorize({ redirect_uri: 'https://client.example/callback' })],
    ],
  },
  'auth.cimd-url-form': {
    good: [authorize({ client_id: document }), authorize({ client_id: 'https://client.example:8443/c' })],
    legal: [authorize()],
    bad: [
      authorize({ client_id: 'http://client.example/c' }),
      authorize({ client_id: 'https://client.example' }),
      authorize({ client_id: 'https://client.example/' }),
    ],
  },
  'auth.cimd-url-clean': {
    good: [authorize({ client_id: document })],
    bad: [
      authorize({ client_id: `${document}#x` }),
      authorize({ client_id: 'https://me@client.example/c' }),
      authorize({ client_id: 'https://client.example/a/../c' }),
    ],
  },
  'auth.cimd-no-shared-secret': {
    good: [redeem({ client_id: document })],
    legal: [redeem({ client_secret: '~00000003' })],
    bad: [
      redeem({ client_id: document, client_secret: '~00000003' }),
      redeem({ client_id: document }, { headers: { Authorization: 'Basic ~12345678' } }),
    ],
  },
  'auth.legacy-version-header': {
    good: [
      beside(23, 'metadata', `${as}/.well-known/oauth-authorization-server`, {
        verb: 'GET',
        headers: { 'MCP-Protocol-Version': 'x' },
      }),
    ],
    bad: [beside(23, 'metadata', `${as}/.well-known/oauth-authorization-server`, { verb: 'GET' })],
  },
});

const aboutStateless = tableWith({ subject: 'client', era: 'modern', transport: 'streamable-http', url });

/** Rows of revisions without a handshake. */
export const statelessExamples: ExampleTable = aboutStateless({
  'auth.dcr-application-type': {
    good: [
      register(local),
      register({ ...local, application_type: 'web', redirect_uris: ['https://client.example/cb'] }),
    ],
    bad: [register(), register({ ...registered, application_type: 'desktop' })],
  },
  'auth.dcr-application-type-native': {
    good: [register(local)],
    legal: [register({ ...local, application_type: 'web', redirect_uris: ['https://client.example/cb'] })],
    bad: [register({ ...local, application_type: 'web' })],
  },
  'auth.refresh-grant-type': {
    good: [[...register(local), ...refresh(refreshToken, undefined, 30)]],
    legal: [
      register({ ...local, grant_types: ['authorization_code'] }),
      refresh(refreshToken, undefined, 30),
    ],
    bad: [
      [
        ...register({ ...local, grant_types: ['authorization_code'] }),
        ...refresh(refreshToken, undefined, 30),
      ],
      [...register({ ...local, grant_types: undefined }), ...refresh(refreshToken, undefined, 30)],
    ],
  },
  'auth.refresh-confidential': {
    good: [[...redeem(), ...refresh(refreshToken, undefined, 30)]],
    bad: [[...redeem(), ...register({ ...local, x: refreshToken })]].map(lines => ({
      lines,
      also: ['auth.token-not-leaked'],
    })),
  },
});
