/** io.modelcontextprotocol/auth/dpop, for protected servers: requests with a token that is bound to a key. */

import { parseChallenges } from '../../harness/oauth/challenge.js';
import {
  type BoundToken,
  newProofKey,
  type ProofFlaw,
  proofOf,
  wrongProofs,
} from '../../harness/oauth/dpop.js';
import { NotObserved } from '../../harness/peer/deferred.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import type { Expect } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { succeeded } from '../rules/derived/http.js';
import { type AuthorizationContext, requestWithToken } from './authorization.js';
import { isBusy } from './unrelated-refusals.js';

/** Seconds by which a wrong iat differs: twice the window of the text. */
const age = 600;

const challengesIn = (e: HttpExchange) =>
  parseChallenges(
    (e.response?.headers ?? [])
      .filter(([name]) => name.toLowerCase() === 'www-authenticate')
      .map(([, value]) => value),
  ).challenges.filter(({ scheme }) => scheme.toLowerCase() === 'dpop');

const paramIn = (e: HttpExchange, name: string): string | undefined =>
  challengesIn(e).flatMap(({ params }) => params.find(([key]) => key === name)?.[1] ?? [])[0];

const demandsNonce = (e: HttpExchange): boolean => paramIn(e, 'error') === 'use_dpop_nonce';

type ProofRow = `ext-dpop.server-proof-${ProofFlaw | 'key' | 'nonce'}`;

const proofRow = (flaw: ProofFlaw | 'key' | 'nonce'): ProofRow => `ext-dpop.server-proof-${flaw}`;

const proofRows = (
  ['form', 'type', 'alg', 'signature', 'private-key', 'jti', 'htm', 'htu', 'iat', 'ath', 'key'] as const
).map(proofRow);

const refusalRows = [
  'ext-dpop.server-401',
  'ext-dpop.server-challenge',
  'ext-dpop.server-challenge-algs',
] as const;

const all = [
  'ext-dpop.server-proof',
  ...proofRows,
  'ext-dpop.server-proof-nonce',
  'ext-dpop.server-bearer',
  ...refusalRows,
  'ext-dpop.server-nonce-supplied',
] as const;

/** Requests with a bound token, and what they show. */
class BoundRequests {
  /** The response that demanded a nonce. */
  demanded: HttpExchange | undefined;
  private nonce: string | undefined;

  constructor(
    private readonly at: AuthorizationContext,
    readonly token: BoundToken,
  ) {}

  get about() {
    return { method: 'POST', url: this.at.http.url, token: this.token.value, nonce: this.nonce };
  }

  /** A request with a header DPoP, or without one. */
  async send(proof: string | undefined, scheme = 'DPoP'): Promise<HttpExchange> {
    const header = { DPoP: proof ?? null };
    const e = await requestWithToken(this.at, `${scheme} ${this.token.value}`, '', header);
    this.nonce = e.header('dpop-nonce') ?? this.nonce;
    return e;
  }

  correct(): string {
    return proofOf(this.token.key, this.about);
  }

  /** A request with a correct proof, again where a nonce is demanded. */
  async control(): Promise<HttpExchange> {
    const first = await this.send(this.correct());
    if (!demandsNonce(first)) return first;
    this.demanded = first;
    return this.send(this.correct());
  }

  /** Proofs that are wrong in one point. */
  wrong(): { readonly row: ProofRow; readonly what: string; readonly value: string }[] {
    const { about, token } = this;
    return [
      ...wrongProofs(token.key, about, age).map(({ flaw, what, value }) => ({
        row: proofRow(flaw),
        what,
        value,
      })),
      { row: proofRow('key'), what: 'another key', value: proofOf(newProofKey(), about) },
      ...(this.demanded
        ? [
            {
              row: proofRow('nonce'),
              what: 'an invented nonce',
              value: proofOf(token.key, { ...about, nonce: 'mcp-conform-no-such-nonce' }),
            },
          ]
        : []),
    ];
  }
}

type Row = (typeof all)[number];
type Expecting = Expect<Row>;

/** Expects a refusal. @returns true for one */
function judgeRefusal(expect: Expecting, row: Row, e: HttpExchange, what: string): boolean {
  if (isBusy(e)) return false;
  expect.that(row, {
    ok: !succeeded(e),
    expected: `a refusal of ${what}`,
    evidence: [e],
    actual: e.outcome,
  });
  return !succeeded(e);
}

function judgeStatus(expect: Expecting, e: HttpExchange, what: string): void {
  expect.that('ext-dpop.server-401', {
    ok: e.status === 401,
    expected: `status 401 for ${what}`,
    evidence: [e],
    actual: e.outcome,
  });
}

function judgeChallenge(expect: Expecting, e: HttpExchange): void {
  if (e.status !== 401) return;
  const told = e.header('www-authenticate') ?? 'no challenge';
  const has = challengesIn(e).length > 0;
  expect.that('ext-dpop.server-challenge', {
    ok: paramIn(e, 'error') !== undefined,
    expected: 'a DPoP challenge with error',
    evidence: [e],
    actual: told,
  });
  if (has)
    expect.that('ext-dpop.server-challenge-algs', {
      ok: paramIn(e, 'algs') !== undefined,
      expected: 'a DPoP challenge with algs',
      evidence: [e],
      actual: told,
    });
}

export const scenarios = [
  scenario.http('server/ext-dpop/proofs', {
    title: 'a token that is bound to a key is accepted with a correct proof only',
    verifies: all,
    isolation: 'uninitialized',
    withoutAccess: true,
    async run(at) {
      const { expect, access } = at;
      const token = await access.boundToken();
      if (!('value' in token)) throw new NotObserved(token.why);
      const requests = new BoundRequests(at, token);
      const control = await requests.control();
      const { demanded } = requests;
      if (demanded)
        expect.that('ext-dpop.server-nonce-supplied', {
          ok: demanded.header('dpop-nonce') !== undefined,
          expected: 'the header DPoP-Nonce',
          evidence: [demanded],
          actual: 'use_dpop_nonce without a nonce',
        });
      else
        expect.notObserved(
          ['ext-dpop.server-nonce-supplied', 'ext-dpop.server-proof-nonce'],
          'the server demands no nonce',
        );
      if (!succeeded(control)) {
        const why = `the server refuses a bound token with a correct proof (${control.outcome}): possibly it does not support DPoP, or knows another URL of itself`;
        for (const row of all) if (row !== 'ext-dpop.server-nonce-supplied') expect.inconclusive(row, why);
        return;
      }
      const bare = await requests.send(undefined);
      if (judgeRefusal(expect, 'ext-dpop.server-proof', bare, 'a bound token without a proof'))
        judgeStatus(expect, bare, 'a bound token without a proof');
      for (const { row, what, value } of requests.wrong()) {
        const e = await requests.send(value);
        if (!judgeRefusal(expect, row, e, `a proof with ${what}`)) continue;
        judgeStatus(expect, e, `a proof with ${what}`);
        judgeChallenge(expect, e);
      }
      for (const [what, proof] of [
        ['without a proof', undefined],
        ['with a proof', requests.correct()],
      ] as const) {
        const e = await requests.send(proof, 'Bearer');
        judgeRefusal(expect, 'ext-dpop.server-bearer', e, `a bound token after Bearer, ${what}`);
      }
    },
  }),

  scenario.http('server/ext-dpop/another-audience', {
    title: 'a bound token that was issued for another server is refused',
    verifies: ['ext-dpop.server-audience'],
    isolation: 'uninitialized',
    withoutAccess: true,
    async run(at) {
      const { expect, access, http } = at;
      const row = 'ext-dpop.server-audience';
      const own = await access.mintBound(http.url);
      if (!own)
        throw new NotObserved(
          'no token for another server is available; a server that trusts `mcp-conform mock authorization-server` can be tested with one',
        );
      const control = await new BoundRequests(at, own).control();
      if (!succeeded(control))
        return expect.inconclusive(row, `the server refuses such a token for itself (${control.outcome})`);
      const foreign = await access.mintBound('https://other.example/mcp');
      if (!foreign) return;
      const e = await new BoundRequests(at, foreign).control();
      expect.that(row, {
        ok: !succeeded(e),
        expected: 'a refusal of a bound token with aud https://other.example/mcp',
        evidence: [e],
        actual: e.outcome,
      });
    },
  }),
];
