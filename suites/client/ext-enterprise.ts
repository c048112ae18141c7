/** io.modelcontextprotocol/enterprise-managed-authorization, for clients: a token by an ID-JAG of the enterprise. */

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { namesServer } from '../../harness/oauth/discovery.js';
import { signJwt } from '../../harness/oauth/jwt.js';
import { jwtBearer } from '../../harness/oauth/machine-client.js';
import type { Authority } from '../../harness/protected-server/authority.js';
import type { AuthorityState, Protection } from '../../harness/protected-server/script.js';
import type { ProtectedServer } from '../../harness/protected-server/server.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import type { HttpCall } from '../../harness/transports/http/server/behaviour.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import {
  howFar,
  lastSeen,
  type Outcome,
  protectedScenario,
  uses,
} from './authorization/protected-scenario.js';

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const tokenType = 'urn:ietf:params:oauth:token-type:';
const clientId = 'mcp-conform-enterprise';
const secret = 'ct_sec_fedcba9876543210';
const clientAtIdp = 'mcp-conform-sso';
const lifetime = 300;
/** Tokens are valid from this time on, in seconds since 1970: a year before this text was written. */
const issuedAt = 1_764_000_000;
const validUntil = 4_102_444_800;

/** What the identity provider of a launch has issued. */
interface Issued {
  readonly idToken: string;
  readonly grants: string[];
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const sign = (typ: string, claims: JsonObject): string =>
  signJwt({ alg: 'ES256', typ, kid: 'idp' }, claims, privateKey);
const unique = (): string => randomBytes(12).toString('base64url');
const times = { iat: issuedAt, exp: validUntil };

const issuedFor = new WeakMap<object, Issued>();
function issuedBy(idp: AuthorityState): Issued {
  const known = issuedFor.get(idp) ?? {
    idToken: sign('JWT', { iss: idp.issuer, sub: 'alice', aud: clientAtIdp, ...times, jti: unique() }),
    grants: [],
  };
  issuedFor.set(idp, known);
  return known;
}

/** An ID-JAG for whatever was asked for, so that a mistake is found by its own row. */
function grantFor(params: URLSearchParams, idp: AuthorityState, audience: string): JsonObject {
  const scope = params.get('scope');
  const grant = sign('oauth-id-jag+jwt', {
    iss: idp.issuer,
    sub: 'alice',
    aud: params.get('audience') ?? audience,
    client_id: clientId,
    resource: params.get('resource') ?? '',
    ...(scope !== null && { scope }),
    ...times,
    jti: unique(),
  });
  issuedBy(idp).grants.push(grant);
  return {
    issued_token_type: `${tokenType}id-jag`,
    access_token: grant,
    token_type: 'N_A',
    expires_in: lifetime,
  };
}

const enterprise: Protection = {
  ownGrant: true,
  authorities: {
    main: {
      metadata: () => ({
        grant_types_supported: [jwtBearer],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
        authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
      }),
    },
    idp: {
      metadata: () => ({ grant_types_supported: [exchangeGrant] }),
      grant: (params, idp, protectedServer) => grantFor(params, idp, protectedServer.authority().issuer),
    },
  },
  context(protectedServer) {
    const idp = protectedServer.authority('idp');
    return {
      client_id: clientId,
      client_secret: secret,
      idp_client_id: clientAtIdp,
      idp_id_token: issuedBy(idp).idToken,
      idp_issuer: idp.issuer,
      idp_token_endpoint: idp.at('token'),
    };
  },
};

const exchangeRows = [
  'ext-enterprise.exchange-request',
  'ext-enterprise.exchange-subject',
  'ext-enterprise.exchange-audience',
] as const;
const exchangeResource = 'ext-enterprise.exchange-resource';
const bearerRows = ['ext-enterprise.bearer-request', 'ext-enterprise.client-authenticates'] as const;
const assertionRow = 'ext-enterprise.assertion-unchanged';
const placeRows = ['ext-enterprise.not-in-url', 'ext-enterprise.not-leaked'] as const;

type TokenRequest = Authority['tokenRequests'][number];
type Row =
  | 'ext-enterprise.flow'
  | (typeof exchangeRows)[number]
  | typeof exchangeResource
  | (typeof bearerRows)[number]
  | typeof assertionRow
  | (typeof placeRows)[number];

const withoutSlash = (text: string | null): string => (text ?? '').replace(/\/+$/, '');
const shown = (params: URLSearchParams, name: string): string =>
  params.has(name) ? `${name}=${params.get(name)}` : `no ${name}`;

function judgeExchange(
  { protectedServer, expect, main }: Outcome<Row>,
  idToken: string,
  { params, exchange }: TokenRequest,
): void {
  const evidence = [exchange];
  const grant = params.get('grant_type');
  const wanted = params.get('requested_token_type');
  expect.that('ext-enterprise.exchange-request', {
    ok: grant === exchangeGrant && wanted === `${tokenType}id-jag`,
    expected: `grant_type=${exchangeGrant} and requested_token_type=${tokenType}id-jag`,
    evidence,
    actual: shown(params, grant === exchangeGrant ? 'requested_token_type' : 'grant_type'),
  });
  const isSame = params.get('subject_token') === idToken;
  expect.that('ext-enterprise.exchange-subject', {
    ok: isSame && params.get('subject_token_type') === `${tokenType}id_token`,
    expected: `the ID token as subject_token, and subject_token_type=${tokenType}id_token`,
    evidence,
    actual: isSame ? shown(params, 'subject_token_type') : 'a subject_token that is not the ID token',
  });
  expect.that('ext-enterprise.exchange-audience', {
    ok: withoutSlash(params.get('audience')) === withoutSlash(main.issuer),
    expected: `audience=${main.issuer}, the issuer of the authorization server`,
    evidence,
    actual: shown(params, 'audience'),
  });
  const resource = params.get('resource');
  if (resource === null) expect.notObserved(exchangeResource, 'the token exchange has no resource');
  else
    expect.that(exchangeResource, {
      ok: namesServer(resource, protectedServer.url),
      expected: `resource=${protectedServer.url.href}, the MCP server`,
      evidence,
      actual: shown(params, 'resource'),
    });
}

function judgeBearer(
  { expect }: Outcome<Row>,
  grants: readonly string[],
  { params, exchange, method }: TokenRequest,
): void {
  const evidence = [exchange];
  const assertion = params.get('assertion');
  const isBearer = params.get('grant_type') === jwtBearer;
  expect.that('ext-enterprise.bearer-request', {
    ok: isBearer && assertion !== null,
    expected: `grant_type=${jwtBearer} and assertion`,
    evidence,
    actual: shown(params, isBearer ? 'assertion' : 'grant_type'),
  });
  expect.that('ext-enterprise.client-authenticates', {
    ok: method !== 'none',
    expected: 'the credentials of the client',
    evidence,
    actual: 'none',
  });
  if (assertion !== null)
    expect.that(assertionRow, {
      ok: grants.includes(assertion),
      expected: 'the ID-JAG that the identity provider issued',
      evidence,
      actual: 'another value',
    });
}

/** Requests outside of the token endpoint of the authorization server that have an ID-JAG, or have it in the URL. */
function judgePlaces({ protectedServer, expect, main }: Outcome<Row>, grants: readonly string[]): void {
  const has = (text: string) => grants.some(grant => text.includes(grant));
  const all: { call: HttpCall; exchange: HttpExchange | undefined; isHome: boolean }[] = [
    ...protectedServer.mcpRequests.map(({ call, exchange }) => ({ call, exchange, isHome: false })),
    ...protectedServer.oauthRequests.map(({ host, request }) => ({
      call: request,
      exchange: request.exchange,
      isHome: host === main.name,
    })),
  ];
  const evidence = main.tokenRequests.map(({ exchange }) => exchange);
  const inUrl = all.find(({ call }) => has(call.url.href));
  expect.that('ext-enterprise.not-in-url', {
    ok: inUrl === undefined,
    expected: 'no ID-JAG in a URL',
    evidence: inUrl?.exchange ? [inUrl.exchange] : evidence,
    actual: 'an ID-JAG in the query',
  });
  const stray = all.find(
    ({ call, isHome }) => !isHome && has([call.body, ...call.headers.map(([, value]) => value)].join('\n')),
  );
  expect.that('ext-enterprise.not-leaked', {
    ok: stray === undefined,
    expected: 'the ID-JAG in requests to the authorization server only',
    evidence: stray?.exchange ? [stray.exchange] : evidence,
    actual: `the ID-JAG in a request to ${stray?.call.url.origin}`,
  });
}

/** Rows without a request to judge. */
const without = (wasSent: boolean, rows: readonly Row[]): readonly Row[] => (wasSent ? [] : rows);

function judge(outcome: Outcome<Row>): void {
  const { protectedServer, expect, main, scripted } = outcome;
  const idp = protectedServer.authority('idp');
  const { idToken, grants } = issuedBy(idp);
  const [exchanged] = idp.tokenRequests;
  const [stray] = uses(main).filter(e => (exchanged?.exchange.number ?? Number.POSITIVE_INFINITY) > e.number);
  const bearers = main.tokenRequests.filter(
    ({ params }) => params.has('assertion') || exchanged !== undefined,
  );
  if (exchanged || stray || scripted)
    expect.that('ext-enterprise.flow', {
      ok: exchanged !== undefined && bearers.length > 0,
      expected: 'a token exchange at the identity provider, and a token request with the ID-JAG',
      evidence: exchanged
        ? [exchanged.exchange]
        : stray
          ? [stray]
          : lastSeen(protectedServer as ProtectedServer),
      actual: howFar(protectedServer),
    });
  else
    expect.notObserved(
      'ext-enterprise.flow',
      'the client requests no ID-JAG, and it is unknown whether it reads MCP_CONFORMANCE_CONTEXT',
    );
  for (const request of idp.tokenRequests) judgeExchange(outcome, idToken, request);
  for (const request of exchanged ? main.tokenRequests : []) judgeBearer(outcome, grants, request);
  if (grants.length > 0) judgePlaces(outcome, grants);
  const unsent: readonly Row[] = [
    ...without(exchanged !== undefined, [...exchangeRows, exchangeResource, ...placeRows]),
    ...without(exchanged !== undefined && main.tokenRequests.length > 0, bearerRows),
    ...without(exchanged !== undefined && main.tokenRequests.some(({ params }) => params.has('assertion')), [
      assertionRow,
    ]),
  ];
  for (const row of unsent) expect.notObserved(row, 'the client does not send this request');
}

export const scenarios = [
  protectedScenario('client/ext-enterprise/id-jag', {
    title: 'a client exchanges an ID token for an ID-JAG, and that for a token',
    verifies: [
      'ext-enterprise.flow',
      ...exchangeRows,
      exchangeResource,
      ...bearerRows,
      assertionRow,
      ...placeRows,
    ],
    official: 'auth/enterprise-managed-authorization',
    protection: enterprise,
    judge,
  }),
];
