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
    location,
  }: {
    verb?: string;
    headers?: Record<string, string>;
    sent?: string;
    answer?: object;
    status?: number;
    location?: string;
  } = {},
): Line[] => [
  { kind: 'http-request', exchange, method: verb, url: to, headers: Object.entries(headers), endpoint },
  ...(sent === undefined
    ? []
    : [{ kind: 'http-body' as const, of: 'request' as const, exchange, text: sent }]),
  {
    kind: 'http-response',
    exchange,
    status,
    headers: [['Content-Type', 'application/json'], ...(location ? [['Location', location] as const] : [])],
  },
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

/** An authorization request. @param more raw parameters after the others @param code of the response */
const authorize = (changes: Params = {}, { exchange = 20, more = '', code = '' } = {}): Line[] =>
  beside(exchange, 'authorization', `${as}/az?${params({ ...asked, ...changes })}${more}`, {
    verb: 'GET',
    status: 302,
    ...(code && { location: `${asked.redirect_uri}?code=${code}` }),
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
  {
    exchange = 21,
    headers = {} as Record<string, string>,
    verb = 'POST',
    sent = '',
    type = 'Bearer',
    to = `${as}/tk`,
    answer = {},
  } = {},
): Line[] =>
  beside(exchange, 'token', to, {
    verb,
    headers: { ...form, ...headers },
    sent: sent || params({ ...redeemed, ...changes }),
    answer: { ...tokens, token_type: type, ...answer },
  });

const refreshing: Params = {
  grant_type: 'refresh_token',
  code: null,
  code_verifier: null,
  redirect_uri: null,
  refresh_token: refreshToken,
};

/** A request with a refresh token, after the first token. */
const renew = (changes: Params = {}, how: Parameters<typeof redeem>[1] = {}): Line[] =>
  redeem({ ...refreshing, ...changes }, { exchange: 25, ...how });

/** The first flow, with or without scopes. */
const flow = (requested: string | null = null, granted?: string, code = '~00000001'): Line[] => [
  ...authorize({ scope: requested }, { code }),
  ...redeem({ code }, { answer: granted === undefined ? {} : { scope: granted } }),
];

/** The metadata of the server. */
const described = (resource: string): Line[] =>
  beside(19, 'resource-metadata', 'http://localhost/.well-known/oauth-protected-resource/mcp', {
    verb: 'GET',
    answer: { resource, authorization_servers: [as] },
  });

const registered = {
  redirect_uris: ['http://localhost:3000/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

const register = (metadata: unknown = registered, type = 'application/json', exchange = 22): Line[] =>
  beside(exchange, 'registration', `${as}/rg`, {
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
  { verb = 'POST', to = url, status = 200, meta = {}, location = '', opens = '' } = {},
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
    {
      kind: 'http-response',
      exchange,
      status,
      headers: [
        ['Content-Type', 'application/json'],
        ...(location ? [['Location', location]] : []),
        ...(opens ? [['Mcp-Session-Id', opens]] : []),
      ],
    },
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

/** Two refreshes with the same token, the second one before the response to the first. */
const refreshedAtOnce = (): Line[] => {
  const [one, other] = [refresh(refreshToken, 'r2', 30), refresh(refreshToken, 'r3', 31)];
  return [...one.slice(0, 2), ...other.slice(0, 2), ...one.slice(2), ...other.slice(2)];
};

const assertion = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const about = tableWith({ transport: 'streamable-http', url });
const local = { ...registered, application_type: 'native' };

const document = 'https://client.example/oauth/client.json';

export const examples: ExampleTable = about({
  'auth.pkce': {
    good: [[...authorize(), ...redeem()]],
    bad: [
      { lines: authorize({ code_challenge: null, code_challenge_method: null }), shows: 'no-challenge' },
      { lines: redeem({ code_verifier: null }), shows: 'no-verifier' },
      [
        ...authorize({ code_challenge: null, code_challenge_method: null }),
        ...authorize(
          { code_challenge: null, code_challenge_method: null, state: 'another' },
          { exchange: 30 },
        ),
      ],
    ],
  },
  'auth.pkce-s256': {
    good: [authorize()],
    bad: [
      { lines: authorize({ code_challenge_method: 'plain' }), shows: 'plain' },
      { lines: authorize({ code_challenge_method: null }), shows: 'unnamed' },
    ],
  },
  'auth.pkce-fresh': {
    good: [
      [...authorize(), ...authorize({ code_challenge: 'x'.repeat(43), state: 'another' }, { exchange: 30 })],
    ],
    legal: [{ lines: [...authorize(), ...authorize({}, { exchange: 30 })], shows: 'reload' }],
    bad: [{ lines: [...authorize(), ...authorize({ state: 'another' }, { exchange: 30 })], shows: 'same' }],
  },
  'auth.response-type-code': {
    good: [authorize()],
    // reported by another row
    legal: [
      {
        lines: beside(20, 'authorization', `${as}/az?tenant=t1?${params(asked)}`, {
          verb: 'GET',
          status: 302,
        }),
        shows: 'query-broken',
      },
      {
        lines: beside(20, 'authorization', `${as}/az?tenant=t1?client_id=x&${params(asked)}`, {
          verb: 'GET',
          status: 302,
        }),
        shows: 'query-broken',
      },
    ],
    bad: [
      { lines: authorize({ response_type: 'token' }), shows: 'token' },
      { lines: authorize({ client_id: null }), shows: 'no-client-id' },
    ],
  },
  'auth.no-repeated-parameters': {
    good: [authorize(), redeem()],
    legal: [{ lines: authorize({}, { more: '&resource=http://localhost' }), shows: 'resource' }],
    bad: [
      { lines: authorize({}, { more: '&response_type=code' }), shows: 'authorization' },
      { lines: redeem({}, { sent: `${params(redeemed)}&code=~00000001` }), shows: 'token' },
    ],
  },
  'auth.redirect-uri-form': {
    good: [
      authorize(),
      { lines: authorize({ redirect_uri: 'https://client.example/cb' }), shows: 'https' },
      { lines: authorize({ redirect_uri: 'http://[::1]:1/cb' }), shows: 'ipv6' },
    ],
    legal: [{ lines: authorize({ redirect_uri: null }), shows: 'none' }, register()],
    bad: [
      { lines: authorize({ redirect_uri: 'http://client.example/cb' }), shows: 'http' },
      { lines: authorize({ redirect_uri: 'http://127.0.0.1/cb#x' }), shows: 'fragment' },
      {
        lines: register({ ...registered, redirect_uris: ['http://client.example/cb'] }),
        shows: 'registered-http',
      },
    ],
  },
  'auth.state-sent': {
    good: [
      authorize(),
      {
        lines: [...authorize(), ...authorize({ code_challenge: 'x'.repeat(43) }, { exchange: 30 })],
        shows: 'same',
      },
    ],
    bad: [
      { lines: authorize({ state: null }), shows: 'missing' },
      { lines: authorize({ state: '' }), shows: 'empty' },
    ],
  },
  'auth.resource-authorization-request': {
    good: [authorize()],
    bad: [
      { lines: authorize({ resource: null }), shows: 'missing' },
      { lines: authorize({ resource: '' }), shows: 'empty' },
    ],
  },
  'auth.resource-token-request': {
    good: [redeem()],
    legal: [
      // an assertion names the resource itself
      redeem({ grant_type: assertion, code: null, resource: null }),
    ],
    bad: [
      { lines: redeem({ resource: null }), shows: 'missing' },
      { lines: renew({ resource: null }), shows: 'missing-in-refresh' },
    ],
  },
  'auth.resource-target': {
    good: [
      authorize(),
      { lines: authorize({ resource: 'http://localhost' }), shows: 'origin' },
      authorize({ resource: 'http://localhost/' }),
      authorize({}, { more: '&resource=https://api.example/' }),
    ],
    legal: [
      // a token exchange goes to an identity provider
      redeem({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        code: null,
        resource: 'https://api.example/',
      }),
    ],
    bad: [
      { lines: authorize({ resource: 'https://api.example/' }), shows: 'other-origin' },
      { lines: authorize({ resource: 'http://localhost/other' }), shows: 'sibling' },
      { lines: authorize({ resource: as }), shows: 'issuer' },
      redeem({ resource: 'https://api.example/' }),
    ],
  },
  'auth.resource-canonical': {
    good: [authorize()],
    bad: [
      { lines: authorize({ resource: 'localhost' }), shows: 'no-scheme' },
      { lines: authorize({ resource: `${url}#x` }), shows: 'fragment' },
      authorize({ resource: 'https://api.example/' }, { more: '&resource=localhost' }),
    ],
  },
  'auth.dcr-request': {
    good: [
      register(),
      { lines: register({ redirect_uris: ['https://client.example/cb'], x: 1 }), shows: 'unknown' },
    ],
    legal: [{ lines: register({ grant_types: ['client_credentials'] }), shows: 'no-code-flow' }],
    bad: [
      { lines: register({ ...registered, redirect_uris: [] }), shows: 'no-redirect' },
      { lines: register({ ...registered, redirect_uris: undefined }), shows: 'redirect-absent' },
      { lines: register('a=b', 'application/x-www-form-urlencoded'), shows: 'form' },
      { lines: register({ ...registered, response_types: ['token'] }), shows: 'combination' },
      { lines: register({ ...registered, grant_types: 'authorization_code' }), shows: 'retyped' },
    ],
  },
  'auth.client-secret-not-in-url': {
    good: [
      redeem({ client_secret: '~00000003' }),
      redeem({ client_id: null }, { headers: { Authorization: 'Basic ~12345678' } }),
    ],
    legal: [{ lines: authorize({ client_secret: '' }), shows: 'empty', isUnobserved: true }],
    bad: [
      { lines: authorize({ client_secret: '~00000003' }), shows: 'authorization' },
      { lines: redeem({}, { to: `${as}/tk?client_secret=~00000003` }), shows: 'token' },
    ],
  },
  'auth.pkce-verifier-hidden': {
    good: [authorize()],
    bad: [{ lines: authorize({ code_verifier: '~00000002' }), shows: 'shown' }],
  },
  'auth.client-authenticates-as-registered': {
    good: [[...flow(), ...renew()]],
    legal: [[...flow(), ...renew({ client_id: null })]],
    bad: [
      [...authorize({}, { code: '~00000001' }), ...redeem({ client_id: 'c2' })],
      [...flow(), ...renew({ client_id: 'c2' })],
    ],
  },
  'auth.resource-specific': {
    good: [[...described(url), ...authorize(), ...redeem()]],
    legal: [
      {
        lines: [...described('http://localhost/'), ...redeem({ resource: 'http://localhost/' })],
        shows: 'metadata',
      },
    ],
    bad: [[...described(url), ...renew({ resource: 'http://localhost' })]],
  },
  'auth.refresh-request': {
    good: [[...flow(), ...renew()]],
    legal: [
      { lines: renew({ client_id: null }), shows: 'no-client' },
      { lines: redeem(), shows: 'never', isUnobserved: true },
    ],
    bad: [
      { lines: renew({}, { headers: { 'Content-Type': 'text/plain' } }), shows: 'other-type' },
      {
        lines: renew(
          {},
          {
            sent: params({ client_id: 'c1', resource: url }),
            to: `${as}/tk?grant_type=refresh_token&refresh_token=~00000009`,
          },
        ),
        shows: 'no-body',
      },
      { lines: [...flow(), ...renew({ refresh_token: token })], shows: 'access-token' },
    ],
  },
  'auth.refresh-scope': {
    good: [[...flow('a b'), ...renew({ scope: 'a b' })]],
    legal: [
      { lines: [...flow('a'), ...renew()], shows: 'none' },
      { lines: [...flow('a b'), ...renew({ scope: 'b' })], shows: 'narrower' },
      { lines: [...flow('a b', 'a'), ...renew({ scope: 'a b' })], shows: 'requested' },
      { lines: [...flow(), ...renew({ scope: 'a' })], shows: 'unknown', isUnobserved: true },
    ],
    bad: [
      { lines: [...flow('a'), ...renew({ scope: 'a c' })], shows: 'wider' },
      [...flow(null, 'a'), ...renew({ scope: 'c' })],
    ],
  },
  'auth.token-request': {
    good: [
      redeem(),
      {
        lines: redeem({ client_id: null }, { headers: { Authorization: 'Basic ~12345678' } }),
        shows: 'basic',
      },
    ],
    legal: [
      { lines: redeem({ redirect_uri: null, x: 'y' }), shows: 'no-redirect' },
      { lines: renew(), shows: 'refresh' },
      redeem({ grant_type: 'client_credentials', code: null }),
    ],
    bad: [
      { lines: redeem({ client_id: null }), shows: 'no-client' },
      { lines: redeem({ code: null }), shows: 'no-code' },
      { lines: redeem({}, { headers: { 'Content-Type': 'text/plain' } }), shows: 'other-type' },
      redeem({ grant_type: null }),
    ],
  },
  'auth.client-single-auth-method': {
    good: [
      redeem(),
      { lines: redeem({}, { headers: { Authorization: 'Basic ~12345678' } }), shows: 'id-beside-basic' },
    ],
    bad: [
      {
        lines: redeem({ client_secret: '~00000003' }, { headers: { Authorization: 'Basic ~12345678' } }),
        shows: 'two',
      },
      redeem({ client_secret: '~00000003', client_assertion: '~00000004' }),
    ],
  },
  'auth.token-in-header': {
    good: [[...redeem(), ...call(30, bearer)]],
    legal: [
      { lines: [...redeem(), ...call(30, { Authorization: `bearer ${token}` })], shows: 'lower-case' },
      // a session that begins with the token of an earlier session, and gets a new token later
      {
        lines: [...call(20, { Authorization: `Bearer ${fingerprint('the one before')}` }), ...redeem()],
        shows: 'earlier-token',
      },
      {
        lines: [...redeem({}, { type: 'DPoP' }), ...call(30, { Authorization: `DPoP ${token}` })],
        shows: 'bound',
      },
    ],
    bad: [
      { lines: [...redeem(), ...call(30, { Authorization: `DPoP ${token}` })], shows: 'other-scheme' },
      {
        lines: [...redeem(), ...call(30, { Authorization: `Bearer ${token}x` }, { status: 401 })],
        shows: 'other-token',
      },
      { lines: [...redeem(), ...call(30, { 'X-Token': token })], shows: 'other-header' },
      { lines: [...redeem(), ...call(30, { Cookie: `t=${token}` })], shows: 'cookie' },
      { lines: [...redeem(), ...call(30, { Authorization: `Token ${token}` })], shows: 'other-scheme' },
      { lines: [...redeem(), ...call(30, bearer, { meta: { token } })], shows: 'body' },
      ...['GET', 'DELETE'].map(verb => [...redeem(), ...call(30, { Cookie: `t=${token}` }, { verb })]),
      // in one request of a session
      [...redeem(), ...call(30, bearer), ...call(31, { 'X-Token': token })],
    ],
  },
  'auth.token-every-request': {
    good: [[...redeem(), ...call(30, bearer), ...call(31, bearer)]],
    legal: [
      {
        lines: [
          ...redeem(),
          ...call(30, bearer),
          ...call(31, bearer, { status: 401 }),
          ...call(32, {}, { status: 401 }),
        ],
        shows: 'refused',
      },
      { lines: call(30, {}), shows: 'no-token' },
      [
        ...redeem(),
        ...call(30, bearer),
        ...call(31, bearer, { status: 401 }),
        ...call(32, {}),
        ...call(33, {}),
      ],
    ],
    bad: [
      { lines: [...redeem(), ...call(30, bearer), ...call(31, {})], shows: 'post' },
      { lines: [...redeem(), ...call(30, bearer), ...call(31, {}, { verb: 'GET' })], shows: 'get' },
      { lines: [...redeem(), ...call(30, bearer), ...call(31, {}, { verb: 'DELETE' })], shows: 'delete' },
      // only the request that opens the session has the token
      [
        ...redeem(),
        ...call(30, { ...bearer, 'Mcp-Session-Id': 'former' }, { opens: 'next' }),
        ...call(31, { 'Mcp-Session-Id': 'next' }),
      ],
      // the client has authenticated again since the refusal
      [
        ...redeem(),
        ...call(30, bearer),
        ...call(31, bearer, { status: 401 }),
        ...call(32, bearer),
        ...call(33, {}),
      ],
    ],
  },
  'auth.token-not-in-query': {
    good: [[...redeem(), ...call(30, bearer)]],
    bad: [
      {
        lines: [...redeem(), ...call(30, bearer, { verb: 'GET', to: `${url}?access_token=${token}` })],
        shows: 'access-token',
      },
      {
        lines: [...redeem(), ...beside(31, 'elsewhere', `${as}/x?token=${refreshToken}`, { verb: 'GET' })],
        also: ['auth.token-not-leaked'],
      },
      {
        lines: [...redeem(), ...call(30, { ...bearer, Referer: `https://client.example/?token=${token}` })],
        also: ['auth.token-in-header'],
      },
    ],
  },
  'auth.token-not-leaked': {
    good: [[...redeem(), ...call(30, bearer)]],
    legal: [
      {
        lines: [
          ...redeem(),
          ...redeem({ grant_type: 'refresh_token', refresh_token: refreshToken }, { exchange: 31 }),
        ],
        shows: 'refresh',
      },
      // an initial access token for the registration
      [
        ...redeem(),
        ...beside(31, 'registration', `${as}/rg`, {
          headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ~0000000a' },
          sent: JSON.stringify(registered),
        }),
      ],
    ],
    bad: [
      {
        lines: [...redeem(), ...beside(31, 'elsewhere', `${as}/mcp`, { headers: bearer, sent: '{}' })],
        shows: 'elsewhere',
      },
      {
        lines: [
          ...redeem(),
          ...beside(31, 'registration', `${as}/rg`, {
            headers: { 'Content-Type': 'application/json' },
            sent: JSON.stringify({ ...registered, x: refreshToken }),
          }),
        ],
        shows: 'refresh-token',
      },
      {
        lines: [
          ...redeem(),
          ...beside(31, 'token', 'http://other.localhost/tk', {
            headers: form,
            sent: params({ grant_type: 'refresh_token', refresh_token: refreshToken, resource: url }),
            status: 400,
          }),
        ],
        shows: 'other-issuer',
      },
      [
        ...redeem(),
        ...call(30, bearer, { status: 307, location: 'http://other.localhost/mcp' }),
        ...beside(31, 'elsewhere', 'http://other.localhost/mcp', { headers: bearer, sent: '{}' }),
      ],
      [...redeem(), ...call(30, bearer, { meta: { token: refreshToken } })],
    ],
  },
  'auth.refresh-rotation-followed': {
    good: [[...refresh(refreshToken, 'r2', 30), ...refresh(fingerprint('r2'), 'r3', 31)]],
    legal: [
      { lines: [...refresh(refreshToken, undefined, 30), ...refresh(refreshToken, 'r2', 31)], shows: 'same' },
      { lines: refreshedAtOnce() },
      // the response was cut off
      [...refresh(refreshToken, 'r2', 30).slice(0, -1), ...refresh(refreshToken, 'r3', 31)],
      [...redeem(), ...redeem({ code: '~00000009' }, { exchange: 31 })],
      [...refresh(fingerprint('r1'), 'r1', 30), ...refresh(fingerprint('r1'), 'r1', 31)],
      beside(30, 'token', `${as}/tk`, {
        headers: form,
        sent: params({
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
          client_id: 'c1',
          resource: url,
        }),
      }),
    ],
    bad: [{ lines: [...refresh(refreshToken, 'r2', 30), ...refresh(refreshToken, 'r3', 31)], shows: 'old' }],
  },
  'auth.redirect-uri-registered': {
    good: [
      {
        lines: [...register(), ...authorize({ redirect_uri: 'http://localhost:4000/callback' })],
        shows: 'other-port',
      },
      [
        ...register({
          ...registered,
          redirect_uris: ['https://client.example/cb', 'http://localhost:3000/callback'],
        }),
        ...authorize({ redirect_uri: 'https://client.example/cb' }),
      ],
    ],
    legal: [{ lines: [...register(), ...authorize({ redirect_uri: null })], shows: 'none' }],
    bad: [
      {
        lines: [...register(), ...authorize({ redirect_uri: 'http://localhost:3000/other' })],
        shows: 'other-path',
      },
      {
        lines: [...register(), ...authorize({ redirect_uri: 'http://127.0.0.1:3000/callback' })],
        shows: 'other-host',
      },
      {
        lines: [...register(), ...authorize({ redirect_uri: 'https://client.example/callback' })],
        shows: 'other-scheme',
      },
    ],
  },
  'auth.cimd-url-form': {
    good: [
      authorize({ client_id: document }),
      { lines: authorize({ client_id: 'https://client.example:8443/c' }), shows: 'port' },
    ],
    legal: [{ lines: authorize(), shows: 'no-url' }, authorize({ client_id: 'urn:client/../1' })],
    bad: [
      { lines: authorize({ client_id: 'http://client.example/c' }), shows: 'http' },
      { lines: authorize({ client_id: 'https://client.example' }), shows: 'no-path' },
      { lines: authorize({ client_id: 'https://client.example/' }), shows: 'slash' },
    ],
  },
  'auth.cimd-url-clean': {
    good: [authorize({ client_id: document })],
    legal: [authorize({ client_id: 'urn:client/../1' }), authorize({ client_id: `${document}?to=/../x` })],
    bad: [
      { lines: authorize({ client_id: `${document}#x` }), shows: 'fragment' },
      { lines: authorize({ client_id: 'https://me@client.example/c' }), shows: 'user' },
      { lines: authorize({ client_id: 'https://client.example/a/../c' }), shows: 'dots' },
      authorize({ client_id: 'https://client.example/a/b/..' }),
      authorize({ client_id: 'https://client.example/a/%2E%2e/c' }),
      authorize({ client_id: 'https://:secret@client.example/c' }),
    ],
  },
  'auth.cimd-no-shared-secret': {
    good: [redeem({ client_id: document })],
    legal: [
      { lines: redeem({ client_secret: '~00000003' }), shows: 'registered' },
      { lines: redeem({ client_id: document, client_secret: '' }), shows: 'empty' },
      // an empty secret is not distinguished from another one
      {
        lines: redeem({ client_id: document }, { headers: { Authorization: 'Basic ~12345678' } }),
        isUnobserved: true,
      },
    ],
    bad: [{ lines: redeem({ client_id: document, client_secret: '~00000003' }), shows: 'secret' }],
  },
  'auth.legacy-version-header': {
    good: [
      beside(23, 'metadata', `${as}/.well-known/oauth-authorization-server`, {
        verb: 'GET',
        headers: { 'MCP-Protocol-Version': 'x' },
      }),
    ],
    bad: [
      {
        lines: beside(23, 'metadata', `${as}/.well-known/oauth-authorization-server`, { verb: 'GET' }),
        shows: 'missing',
      },
    ],
  },
});

/** The registration of a native application, with the redirect URI of its authorization requests. */
const native = (): Line[] =>
  register({ ...registered, redirect_uris: [asked.redirect_uri], application_type: 'native' });
/** The challenge of a second flow. */
const another: Params = { code_challenge: 'another-challenge-of-forty-three-characters' };

const aboutStateless = tableWith({ subject: 'client', era: 'modern', transport: 'streamable-http', url });

/** Rows of revisions without a handshake. */
export const statelessExamples: ExampleTable = aboutStateless({
  'auth.client-id-mechanism': {
    good: [[...native(), ...authorize({}, { exchange: 23 })]],
    legal: [
      // an ID from before the registration, and a metadata document
      [...native(), ...authorize({ client_id: 'given' }, { exchange: 23 })],
      [
        ...native(),
        ...authorize({}, { exchange: 23 }),
        ...authorize({ client_id: 'https://a.example/client.json', ...another }, { exchange: 24 }),
      ],
    ],
    bad: [
      [
        ...native(),
        ...authorize({}, { exchange: 23 }),
        ...authorize({ client_id: 'c2', ...another }, { exchange: 24 }),
      ],
    ],
  },
  'auth.dcr-application-type': {
    good: [
      register(local),
      {
        lines: register({ ...local, application_type: 'web', redirect_uris: ['https://client.example/cb'] }),
        shows: 'web',
      },
    ],
    bad: [
      { lines: register(), shows: 'missing' },
      { lines: register({ ...registered, application_type: 'desktop' }), shows: 'unknown' },
      {
        lines: [
          ...register('a=b', 'application/x-www-form-urlencoded'),
          ...register(registered, 'application/json', 23),
        ],
        also: ['auth.dcr-request'],
      },
    ],
  },
  'auth.dcr-application-type-native': {
    good: [register(local)],
    legal: [
      {
        lines: register({ ...local, application_type: 'web', redirect_uris: ['https://client.example/cb'] }),
        shows: 'https',
      },
      register({ grant_types: ['client_credentials'], application_type: 'web' }),
      register({ grant_types: ['client_credentials'], application_type: 'web', redirect_uris: [] }),
      register({
        ...local,
        application_type: 'web',
        redirect_uris: [...local.redirect_uris, 'https://client.example/cb'],
      }),
    ],
    bad: [{ lines: register({ ...local, application_type: 'web' }), shows: 'web' }],
  },
  'auth.refresh-grant-type': {
    good: [[...register(local), ...refresh(refreshToken, undefined, 30)]],
    legal: [
      { lines: register({ ...local, grant_types: ['authorization_code'] }), shows: 'no-refresh' },
      { lines: refresh(refreshToken, undefined, 30), shows: 'no-registration' },
      [...register({ ...local, grant_types: ['authorization_code'] }), ...redeem()],
      beside(22, 'registration', `${as}/rg`, {
        headers: { 'Content-Type': 'application/json' },
        sent: JSON.stringify(local),
        status: 201,
      }),
    ],
    bad: [
      {
        lines: [
          ...register({ ...local, grant_types: ['authorization_code'] }),
          ...refresh(refreshToken, undefined, 30),
        ],
        shows: 'not-listed',
      },
      {
        lines: [...register({ ...local, grant_types: undefined }), ...refresh(refreshToken, undefined, 30)],
        shows: 'no-list',
      },
      {
        lines: [
          ...register('a=b', 'application/x-www-form-urlencoded'),
          ...refresh(refreshToken, undefined, 30),
        ],
        also: ['auth.dcr-request'],
      },
    ],
  },
  'auth.refresh-confidential': {
    good: [[...redeem(), ...refresh(refreshToken, undefined, 30)]],
    bad: [
      [...redeem(), ...register({ ...local, x: refreshToken })],
      [
        ...redeem(),
        ...beside(31, 'token', 'http://other.localhost/tk', {
          headers: form,
          sent: params({ grant_type: 'refresh_token', refresh_token: refreshToken, resource: url }),
          status: 400,
        }),
      ],
    ].map(lines => ({ lines, also: ['auth.token-not-leaked'] })),
  },
});
