/** io.modelcontextprotocol/oauth-client-credentials, for clients: a token without a user. */

import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readJwt, verifiesWith } from '../../harness/oauth/jwt.js';
import { assertionType } from '../../harness/oauth/machine-client.js';
import type { Authority } from '../../harness/protected-server/authority.js';
import type { AuthorityScript, Protection } from '../../harness/protected-server/script.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import type { Script } from '../../harness/scenario/script.js';
import { asText, type JsonObject } from '../../spec/json-rpc.js';
import {
  howFar,
  lastSeen,
  type Outcome,
  protectedScenario,
  uses,
} from './authorization/protected-scenario.js';
import { calls, expiring } from './authorization/tokens.js';

type TokenRequest = Authority['tokenRequests'][number];

const clientId = 'mcp-conform-machine';
const secret = 'ct_sec_0123456789abcdef';
const algorithms = ['ES256'];

const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** The key of each launch. */
const keys = new WeakMap<object, KeyObject>();
function keyFor(protectedServer: object): KeyObject {
  const key = keys.get(protectedServer) ?? newKey();
  keys.set(protectedServer, key);
  return key;
}

const machinesOnly = (method: string): AuthorityScript => ({
  metadata: () => ({
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: [method],
    ...(method === 'private_key_jwt' && { token_endpoint_auth_signing_alg_values_supported: algorithms }),
  }),
});

/** A client with a key. */
const withKey: Protection = {
  ownGrant: true,
  authorities: { main: machinesOnly('private_key_jwt') },
  context: protectedServer => ({
    client_id: clientId,
    private_key_pem: keyFor(protectedServer).export({ type: 'pkcs8', format: 'pem' }).toString(),
    signing_algorithm: algorithms[0]!,
  }),
};

/** A client with a secret. */
const withSecret: Protection = {
  ownGrant: true,
  authorities: { main: machinesOnly('client_secret_basic') },
  context: () => ({ client_id: clientId, client_secret: secret }),
};

const ofMachine = (main: Authority): TokenRequest[] =>
  main.tokenRequests.filter(({ params }) => params.get('grant_type') === 'client_credentials');

const common = [
  'ext-client-credentials.grant',
  'ext-client-credentials.client-authenticates',
  'ext-client-credentials.no-registration',
] as const;

/** Judges what both kinds of credentials have in common. @returns the requests with client credentials */
function judgeCommon({
  protectedServer,
  expect,
  main,
  scripted,
}: Outcome<(typeof common)[number]>): TokenRequest[] {
  const asked = ofMachine(main);
  const [stray] = uses(main).filter(exchange => !asked.some(one => one.exchange === exchange));
  const [registration] = main.registrations;
  if (asked.length > 0 || stray || scripted)
    expect.that('ext-client-credentials.grant', {
      ok: asked.length > 0,
      expected: 'a token request with grant_type=client_credentials',
      evidence: asked[0] ? [asked[0].exchange] : stray ? [stray] : lastSeen(protectedServer),
      actual: howFar(protectedServer),
    });
  else
    expect.notObserved(
      'ext-client-credentials.grant',
      'the client requests no token, and it is unknown whether it reads MCP_CONFORMANCE_CONTEXT',
    );
  if (asked.length > 0)
    expect.that('ext-client-credentials.no-registration', {
      ok: registration === undefined,
      expected: 'no registration, because the client has an ID',
      evidence: [registration?.exchange ?? asked[0]!.exchange],
      actual: 'a registration request',
    });
  for (const { method, exchange } of asked)
    expect.that('ext-client-credentials.client-authenticates', {
      ok: method !== 'none',
      expected: 'a client_assertion, or the client secret',
      evidence: [exchange],
      actual: 'neither',
    });
  if (asked.length === 0)
    for (const row of common.slice(1)) expect.notObserved(row, 'there is no request with client credentials');
  return asked;
}

const jwtRows = [
  'ext-client-credentials.assertion-type',
  'ext-client-credentials.assertion-single',
  'ext-client-credentials.client-id-same',
] as const;

const claimRows = [
  'ext-client-credentials.assertion-iss',
  'ext-client-credentials.assertion-sub',
  'ext-client-credentials.assertion-aud',
  'ext-client-credentials.assertion-exp',
  'ext-client-credentials.assertion-times',
  'ext-client-credentials.assertion-alg',
  'ext-client-credentials.assertion-signature',
] as const;

type JwtOutcome = Outcome<(typeof jwtRows)[number] | (typeof claimRows)[number]>;

async function judgeAssertion(
  { protectedServer, expect, main }: JwtOutcome,
  { params, exchange, at }: TokenRequest,
): Promise<void> {
  const evidence = [exchange];
  const type = params.get('client_assertion_type');
  expect.that('ext-client-credentials.assertion-type', {
    ok: type === assertionType,
    expected: `client_assertion_type=${assertionType}`,
    evidence,
    actual: type === null ? 'none' : `client_assertion_type=${type}`,
  });
  const id = params.get('client_id');
  expect.that('ext-client-credentials.client-id-same', {
    ok: id === null || id === clientId,
    expected: `client_id=${clientId}, or no client_id`,
    evidence,
    actual: `client_id=${id}`,
  });
  const [text = '', ...more] = params.getAll('client_assertion');
  // an encrypted JWT cannot be read
  if (/^[\w-]+(\.[\w-]*){4}$/.test(text)) return;
  const jwt = readJwt(text);
  expect.that('ext-client-credentials.assertion-single', {
    ok: jwt !== undefined && more.length === 0,
    expected: 'one signed JWT',
    evidence,
    actual: more.length > 0 ? `${more.length + 1} values` : 'a text that is no JWT in compact serialization',
  });
  if (!jwt) return;
  const { header, claims } = jwt;
  judgeClaims(expect, claims, { at, evidence, issuer: main.issuer, endpoint: main.at('token') });
  const listed = algorithms.includes(asText(header.alg));
  expect.that('ext-client-credentials.assertion-alg', {
    ok: listed,
    expected: `alg ${algorithms.join(' or ')}, from the metadata`,
    evidence,
    actual: `alg ${JSON.stringify(header.alg)}`,
  });
  if (listed)
    expect.that('ext-client-credentials.assertion-signature', {
      ok: await verifiesWith(text, createPublicKey(keyFor(protectedServer))),
      expected: 'a signature by the key in MCP_CONFORMANCE_CONTEXT',
      evidence,
      actual: 'a signature that this key does not verify',
    });
}

interface Arrival {
  /** Seconds since 1970. */
  readonly at: number;
  readonly evidence: readonly HttpExchange[];
  readonly issuer: string;
  readonly endpoint: string;
}

const withoutSlash = (text: unknown): string => asText(text).replace(/\/+$/, '');
const shown = (claims: JsonObject, name: string): string =>
  claims[name] === undefined ? `no ${name}` : `${name} ${JSON.stringify(claims[name])}`;

function judgeClaims(
  expect: JwtOutcome['expect'],
  claims: JsonObject,
  { at, evidence, issuer, endpoint }: Arrival,
): void {
  for (const name of ['iss', 'sub'] as const)
    expect.that(`ext-client-credentials.assertion-${name}`, {
      ok: claims[name] === clientId,
      expected: `${name} ${clientId}`,
      evidence,
      actual: shown(claims, name),
    });
  const audience = [claims.aud ?? []].flat().map(withoutSlash);
  expect.that('ext-client-credentials.assertion-aud', {
    ok: audience.includes(withoutSlash(issuer)) || audience.includes(endpoint),
    expected: `aud ${issuer} (the issuer) or ${endpoint} (the token endpoint)`,
    evidence,
    actual: shown(claims, 'aud'),
  });
  const { exp } = claims;
  expect.that('ext-client-credentials.assertion-exp', {
    ok: typeof exp === 'number' && exp > at - 60,
    expected: `exp after the request (${Math.floor(at)})`,
    evidence,
    actual: shown(claims, 'exp'),
  });
  const wrong = ['iat', 'nbf'].find(name => {
    const time = claims[name];
    return time !== undefined && !(typeof time === 'number' && time < at + 300);
  });
  expect.that('ext-client-credentials.assertion-times', {
    ok: wrong === undefined,
    expected: `iat and nbf that are numbers, not after the request (${Math.floor(at)})`,
    evidence,
    actual: shown(claims, wrong ?? 'iat'),
  });
}

const unsent = 'the client sends no client_assertion';

export const scenarios = [
  protectedScenario('client/ext-client-credentials/jwt', {
    title: 'a client with a private key gets a token by a signed assertion',
    verifies: [...common, ...jwtRows, ...claimRows],
    official: 'auth/client-credentials-jwt',
    protection: withKey,
    async judge(outcome) {
      const sent = judgeCommon(outcome).filter(({ params }) => params.has('client_assertion'));
      for (const request of sent) await judgeAssertion(outcome, request);
      if (sent.length === 0)
        for (const row of [...jwtRows, ...claimRows]) outcome.expect.notObserved(row, unsent);
      else if (sent.every(({ params }) => !readJwt(params.get('client_assertion') ?? '')))
        for (const row of claimRows) outcome.expect.notObserved(row, 'the client_assertion cannot be read');
    },
  }),

  protectedScenario('client/ext-client-credentials/jwt-again', {
    title: 'a client whose token has expired gets another one by its own credentials',
    verifies: ['ext-client-credentials.assertion-jti'],
    official: 'auth/client-credentials-jwt',
    does: calls(3) satisfies Script,
    protection: { ...withKey, ...expiring },
    judge({ expect, main }) {
      const row = 'ext-client-credentials.assertion-jti';
      const seen = new Map<unknown, { text: string; exchange: HttpExchange }>();
      for (const { params, exchange } of ofMachine(main)) {
        const text = params.get('client_assertion') ?? '';
        const jti = readJwt(text)?.claims.jti;
        if (jti === undefined) continue;
        const before = seen.get(jti);
        if (before || seen.size > 0)
          expect.that(row, {
            ok: before === undefined || before.text === text,
            expected: 'another jti in another assertion',
            evidence: before ? [before.exchange, exchange] : [exchange],
            actual: `jti ${JSON.stringify(jti)} again`,
          });
        if (!before) seen.set(jti, { text, exchange });
      }
      if (seen.size === 0) expect.notObserved(row, 'no client_assertion has a jti');
      else if (ofMachine(main).length < 2) expect.notObserved(row, 'the client requests only one token');
    },
  }),

  protectedScenario('client/ext-client-credentials/secret', {
    title: 'a client with a secret gets a token by its secret',
    verifies: [...common, 'ext-client-credentials.secret-as-arranged'],
    official: 'auth/client-credentials-basic',
    protection: withSecret,
    judge(outcome) {
      const { expect } = outcome;
      const row = 'ext-client-credentials.secret-as-arranged';
      const sent = judgeCommon(outcome).filter(({ method }) => /^client_secret_/.test(method));
      for (const { clientId: id, secret: said, exchange } of sent) {
        const other = id !== clientId ? `client ID ${id ?? 'none'}` : 'another secret';
        expect.that(row, {
          ok: id === clientId && said === secret,
          expected: `client ID ${clientId}, and the secret in MCP_CONFORMANCE_CONTEXT`,
          evidence: [exchange],
          actual: other,
        });
      }
      if (sent.length === 0) expect.notObserved(row, 'the client sends no secret');
    },
  }),
];
