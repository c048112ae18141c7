/** io.modelcontextprotocol/auth/dpop, for clients: tokens that are bound to a key, and the proofs of its possession. */

import { hashOf, isAsymmetric, readProof, sameTarget } from '../../harness/oauth/dpop.js';
import { verifiesWith } from '../../harness/oauth/jwt.js';
import type { Authority } from '../../harness/protected-server/authority.js';
import type { ProtectedServerState, Protection, Refusal } from '../../harness/protected-server/script.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import type { HttpAnswer, HttpCall } from '../../harness/transports/http/server/behaviour.js';
import { asText, type JsonObject } from '../../spec/json-rpc.js';
import { howFar, lastSeen, type Outcome, protectedScenario } from './authorization/protected-scenario.js';
import { calls, expiring } from './authorization/tokens.js';

type TokenRequest = Authority['tokenRequests'][number];

const algorithms = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'];

/** What servers accept (dpop-extension#mcp-server-validation), in seconds. */
const window = 300;

const valuesOf = ({ headers }: Pick<HttpCall, 'headers'>): string[] =>
  headers.filter(([name]) => name.toLowerCase() === 'dpop').map(([, value]) => value);

/** Whether a request has a proof that can be read, without this nonce. */
function lacksNonce(call: HttpCall, nonce: string): boolean {
  const proof = readProof(valuesOf(call).join(', '));
  return proof !== undefined && proof.claims.nonce !== nonce;
}

function challenge(
  protectedServer: ProtectedServerState,
  { why }: Pick<Refusal, 'why'>,
  error = why === 'no token' ? undefined : 'invalid_token',
): string[] {
  const params = {
    ...(error && { error }),
    algs: algorithms.join(' '),
    resource_metadata: protectedServer.metadataUrl,
    scope: 'a:read',
  };
  return [
    `DPoP ${Object.entries(params)
      .map(([name, value]) => `${name}="${value}"`)
      .join(', ')}`,
  ];
}

/** A server and an authorization server that demand proofs; a token is bound where its request has one. */
const bound: Protection = {
  challenge,
  documents: protectedServer => ({
    [new URL(protectedServer.metadataUrl).pathname]: {
      ...protectedServer.metadata,
      dpop_bound_access_tokens_required: true,
      dpop_signing_alg_values_supported: algorithms,
    },
  }),
  authorities: {
    main: {
      metadata: () => ({ dpop_signing_alg_values_supported: algorithms }),
      token: (answer, _, __, request) =>
        valuesOf(request).length > 0 ? { ...answer, token_type: 'DPoP' } : answer,
    },
  },
};

const nonces = { token: 'ct_nonce_of_the_token_endpoint', server: 'ct_nonce_of_the_mcp_server' };

const nonceForToken: HttpAnswer = {
  status: 400,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'DPoP-Nonce': nonces.token },
  body: '{"error":"use_dpop_nonce","error_description":"A nonce is required."}',
};

/** Both demand a nonce in each proof. */
const withNonces: Protection = {
  ...bound,
  authorities: {
    main: {
      ...bound.authorities!.main,
      beforeToken: request => (lacksNonce(request, nonces.token) ? nonceForToken : undefined),
    },
  },
  divert({ call }, protectedServer) {
    if (!lacksNonce(call, nonces.server)) return undefined;
    const lines = challenge(protectedServer, { why: 'bad token' }, 'use_dpop_nonce');
    return {
      status: 401,
      headers: {
        'Content-Type': 'application/json',
        'WWW-Authenticate': lines,
        'DPoP-Nonce': nonces.server,
      },
      body: '{"error":"use_dpop_nonce"}',
    };
  },
};

const proofRows = [
  'ext-dpop.proof-fresh',
  'ext-dpop.proof-type',
  'ext-dpop.proof-alg',
  'ext-dpop.proof-jwk',
  'ext-dpop.proof-signature',
  'ext-dpop.proof-jti',
  'ext-dpop.proof-htm',
  'ext-dpop.proof-htu',
  'ext-dpop.proof-iat',
] as const;

const tokenRows = ['ext-dpop.scheme', 'ext-dpop.proof', 'ext-dpop.proof-ath', 'ext-dpop.proof-key'] as const;

type ProofRow = 'ext-dpop.token-request-proof' | (typeof proofRows)[number] | (typeof tokenRows)[number];

/** A proof, with the request that has it. */
interface Sent {
  readonly text: string;
  readonly method: string;
  readonly url: string;
  /** Seconds since 1970. */
  readonly at: number;
  readonly exchange: HttpExchange;
  /** The access token in the request. */
  readonly token?: string;
  /** Thumbprint of the key in the token request; undefined where it cannot be read. */
  readonly boundTo?: string | undefined;
}

const shown = (object: JsonObject, name: string): string =>
  object[name] === undefined ? `no ${name}` : `${name} ${JSON.stringify(object[name])}`;

/** Judges proofs in the order in which they were sent. */
class ProofJudge {
  private readonly texts = new Set<string>();
  private readonly ids = new Set<unknown>();

  constructor(private readonly expect: Outcome<ProofRow>['expect']) {}

  async judge(sent: Sent): Promise<void> {
    const proof = readProof(sent.text);
    if (!proof) return;
    const { header, claims, key, jkt } = proof;
    const evidence = [sent.exchange];
    const that = (row: ProofRow, ok: boolean, expected: string, actual: string) =>
      this.expect.that(row, { ok, expected, evidence, actual });
    const { jti, htm, htu, iat, ath } = claims;
    that('ext-dpop.proof-type', header.typ === 'dpop+jwt', 'typ dpop+jwt', shown(header, 'typ'));
    const signed = isAsymmetric(header.alg);
    that('ext-dpop.proof-alg', signed, 'an algorithm with a key pair', shown(header, 'alg'));
    const isPrivate = key !== undefined && Object.hasOwn(header.jwk as JsonObject, 'd');
    const flaw = isPrivate ? 'a private key' : 'no public key';
    that('ext-dpop.proof-jwk', key !== undefined && !isPrivate, 'jwk with a public key', flaw);
    if (signed && key) {
      const verified = await verifiesWith(sent.text, key);
      that('ext-dpop.proof-signature', verified, 'a signature by the key in jwk', 'another signature');
    }
    const named = typeof jti === 'string' && jti !== '';
    that('ext-dpop.proof-jti', named, 'a jti', shown(claims, 'jti'));
    that('ext-dpop.proof-htm', htm === sent.method, `htm ${sent.method}`, shown(claims, 'htm'));
    const place = sent.url.replace(/[?#].*$/s, '');
    const right = sameTarget(htu, sent.url) && !/[?#]/.test(asText(htu));
    that('ext-dpop.proof-htu', right, `htu ${place}`, shown(claims, 'htu'));
    const timely = typeof iat === 'number' && Math.abs(iat - sent.at) <= window;
    that('ext-dpop.proof-iat', timely, `iat near ${Math.floor(sent.at)}`, shown(claims, 'iat'));
    this.judgeFresh(sent, named ? jti : undefined);
    if (sent.token === undefined) return;
    const hash = hashOf(sent.token);
    that('ext-dpop.proof-ath', ath === hash, 'ath with the hash of the token', shown(claims, 'ath'));
    if (sent.boundTo === undefined || jkt === undefined) return;
    const own = jkt === sent.boundTo;
    that('ext-dpop.proof-key', own, 'the key of the token request', 'another key in jwk');
  }

  private judgeFresh({ text, exchange }: Sent, jti: string | undefined): void {
    const same = this.texts.has(text);
    if (this.texts.size > 0)
      this.expect.that('ext-dpop.proof-fresh', {
        ok: !same && (jti === undefined || !this.ids.has(jti)),
        expected: 'a new proof with a new jti',
        evidence: [exchange],
        actual: same ? 'the proof of an earlier request' : `jti ${JSON.stringify(jti)} again`,
      });
    this.texts.add(text);
    if (jti !== undefined) this.ids.add(jti);
  }
}

/** The proof of a token request; a text with a comma is two of them. */
function proofIn(exchange: HttpExchange): string | undefined {
  const values = valuesOf({ headers: exchange.request?.headers ?? [] });
  return values.length === 0 ? undefined : values.join(', ');
}

const sentForToken = ({ exchange, at }: TokenRequest): Sent => ({
  text: proofIn(exchange) ?? '',
  method: 'POST',
  url: exchange.request?.url ?? '',
  at,
  exchange,
});

/** Judges the requests to the MCP endpoint that have a bound token. */
async function judgeUse(
  { protectedServer, expect, main }: Outcome<ProofRow>,
  judge: ProofJudge,
  granted: readonly TokenRequest[],
): Promise<number> {
  let used = 0;
  for (const { call, token, exchange, at } of protectedServer.mcpRequests) {
    const nth = token && main.tokens.indexOf(token as (typeof main.tokens)[number]);
    const request = nth === undefined ? undefined : granted[nth];
    const proven = request && proofIn(request.exchange);
    // a token without a proof is a Bearer token
    if (!token || !exchange || proven === undefined) continue;
    used++;
    const evidence = [exchange];
    const header = call.header('authorization') ?? '';
    expect.that('ext-dpop.scheme', {
      ok: /^dpop +\S+$/i.test(header) && header.endsWith(token.value),
      expected: 'Authorization: DPoP with the token',
      evidence,
      actual: header === '' ? 'no Authorization header' : `the scheme ${header.split(' ')[0]}`,
    });
    const values = valuesOf(call);
    const text = values.join(', ');
    expect.that('ext-dpop.proof', {
      ok: readProof(text) !== undefined,
      expected: 'one proof in the header DPoP',
      evidence,
      actual: values.length === 0 ? 'no proof' : text.includes(',') ? 'two proofs' : 'a text that is no JWT',
    });
    const { method, url } = call;
    const boundTo = readProof(proven)?.jkt;
    await judge.judge({ text, method, url: url.href, at, exchange, token: token.value, boundTo });
  }
  return used;
}

const unsent: Readonly<Record<string, string>> = {
  token: 'the client sends no token request',
  use: 'the client sends no request with a bound token',
};

function judgeNonce(
  expect: Outcome<'ext-dpop.nonce-token' | 'ext-dpop.nonce-server'>['expect'],
  row: 'ext-dpop.nonce-token' | 'ext-dpop.nonce-server',
  requests: readonly { readonly nonce: unknown; readonly exchange: HttpExchange }[],
  wanted: string,
): void {
  const [first] = requests;
  if (!first) {
    expect.notObserved(row, 'no request has a proof that a nonce was demanded for');
    return;
  }
  const right = requests.find(({ nonce }) => nonce === wanted);
  const later = requests.slice(1);
  expect.that(row, {
    ok: right !== undefined,
    expected: 'the request again, with the nonce in its proof',
    evidence: [first.exchange, (right ?? later[0])?.exchange],
    actual: later.length === 0 ? 'no further request' : 'a request without the nonce',
  });
}

export const scenarios = [
  protectedScenario('client/ext-dpop/proofs', {
    title: 'a client gets a token that is bound to its key, and sends a proof with each request',
    verifies: ['ext-dpop.token-request-proof', ...proofRows, ...tokenRows],
    official: 'auth/dpop',
    does: calls(2),
    // a refresh has a proof as well
    protection: { ...bound, ...expiring },
    async judge(outcome) {
      const { protectedServer, expect, main, scripted } = outcome;
      const judge = new ProofJudge(expect);
      const all = main.tokenRequests;
      for (const { exchange } of all)
        expect.that('ext-dpop.token-request-proof', {
          ok: proofIn(exchange) !== undefined,
          expected: 'a proof in the header DPoP',
          evidence: [exchange],
          actual: 'no proof',
        });
      const proven = all.filter(({ exchange }) => proofIn(exchange) !== undefined);
      for (const request of proven) await judge.judge(sentForToken(request));
      const used = await judgeUse(
        outcome,
        judge,
        all.filter(({ granted }) => granted),
      );
      if (all.length === 0 && scripted)
        expect.that('ext-dpop.token-request-proof', {
          ok: false,
          expected: 'a token request with a proof',
          evidence: lastSeen(protectedServer),
          actual: howFar(protectedServer),
        });
      else if (all.length === 0) expect.notObserved('ext-dpop.token-request-proof', unsent.token!);
      if (proven.length === 0) for (const row of proofRows) expect.notObserved(row, unsent.use!);
      if (used === 0) for (const row of tokenRows) expect.notObserved(row, unsent.use!);
    },
  }),

  protectedScenario('client/ext-dpop/nonces', {
    title: 'a client repeats a request with the nonce that the response demands',
    verifies: ['ext-dpop.nonce-token', 'ext-dpop.nonce-server'],
    official: 'auth/dpop-nonce',
    protection: withNonces,
    judge({ protectedServer, expect, main }) {
      const forToken = main.tokenRequests.flatMap(({ exchange }) => {
        const proof = readProof(proofIn(exchange) ?? '');
        return proof ? [{ nonce: proof.claims.nonce, exchange }] : [];
      });
      judgeNonce(expect, 'ext-dpop.nonce-token', forToken, nonces.token);
      const forServer = protectedServer.mcpRequests.flatMap(({ call, token, exchange }) => {
        const proof = readProof(valuesOf(call).join(', '));
        return token && exchange && proof ? [{ nonce: proof.claims.nonce, exchange }] : [];
      });
      judgeNonce(expect, 'ext-dpop.nonce-server', forServer, nonces.server);
    },
  }),
];
