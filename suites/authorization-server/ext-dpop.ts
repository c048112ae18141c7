/** io.modelcontextprotocol/auth/dpop, for authorization servers: tokens that are bound to a key. */

import { type Authorization, clientIn, type OAuth, registrationOf } from '../../harness/oauth/client.js';
import {
  newProofKey,
  type ProofFlaw,
  type ProofKey,
  proofOf,
  thumbprintOf,
  type WrongProof,
  wrongProofs,
} from '../../harness/oauth/dpop.js';
import type { Expect } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { WebAnswer } from '../../harness/transports/http/side-request.js';
import { isObject } from '../../spec/json-rpc.js';
import { claimsOf } from './jwt.js';
import { expectRefused, gotTokens, shown } from './token-answer.js';

const redirectUri = 'http://127.0.0.1:33418/callback';

/** Seconds by which a wrong iat differs: no server accepts a proof of this age, whatever its window is. */
const age = 36_000;

/** Token requests with proofs of one key. The nonce is that of the last response that had one. */
class Prover {
  readonly key: ProofKey = newProofKey();
  /** The response that demanded a nonce. */
  demanded: WebAnswer | undefined;
  nonce: string | undefined;

  constructor(private readonly oauth: OAuth) {}

  get about() {
    return { method: 'POST', url: String(this.oauth.metadata.token), nonce: this.nonce };
  }

  /** Sends a token request with a correct proof, again where a nonce is demanded. */
  async ask(send: (oauth: OAuth) => Promise<WebAnswer>): Promise<WebAnswer> {
    const first = this.noted(await send(this.oauth.withProof(proofOf(this.key, this.about))));
    if (first.json?.error !== 'use_dpop_nonce') return first;
    this.demanded ??= first;
    return this.noted(await send(this.oauth.withProof(proofOf(this.key, this.about))));
  }

  /** Sends a token request with a wrong proof. */
  async askWith(value: string, send: (oauth: OAuth) => Promise<WebAnswer>): Promise<WebAnswer> {
    return this.noted(await send(this.oauth.withProof(value, true)));
  }

  private noted(answer: WebAnswer): WebAnswer {
    this.nonce = answer.header('dpop-nonce') ?? this.nonce;
    return answer;
  }
}

const redeeming = (granted: Authorization) => (oauth: OAuth) => oauth.redeem(granted);

type MetadataRow = 'ext-dpop.as-algs' | 'ext-dpop.as-algs-asymmetric';

function judgeMetadata({ metadata }: OAuth, expect: Expect<MetadataRow>, { exchange }: WebAnswer): void {
  const { dpop_signing_alg_values_supported: listed } = metadata.document;
  const evidence = [exchange];
  expect.that('ext-dpop.as-algs', {
    ok: Array.isArray(listed) && listed.length > 0 && listed.every(one => typeof one === 'string'),
    expected: 'dpop_signing_alg_values_supported with a list of algorithms',
    evidence,
    actual: listed === undefined ? 'no such member' : JSON.stringify(listed),
  });
  if (!Array.isArray(listed))
    expect.notObserved('ext-dpop.as-algs-asymmetric', 'the metadata lists no algorithms');
  else
    expect.that('ext-dpop.as-algs-asymmetric', {
      ok: !listed.some(one => /^(none$|HS)/.test(String(one))),
      expected: 'neither none nor a symmetric algorithm',
      evidence,
      actual: JSON.stringify(listed),
    });
}

const proofRow = (flaw: Exclude<ProofFlaw, 'ath'>) => `ext-dpop.as-proof-${flaw}` as const;

const flaws = ['form', 'type', 'alg', 'signature', 'private-key', 'jti', 'htm', 'htu', 'iat'] as const;

/** Whether the error code of a refusal tells that the proof is wrong; two headers may be an error of the request. */
const namesProof = ({ flaw }: WrongProof): boolean => flaw !== 'form';

export const scenarios = [
  scenario.authorization('authorization-server/ext-dpop/metadata', {
    title: 'the metadata lists algorithms for proofs, all of them with a key pair',
    verifies: ['ext-dpop.as-algs', 'ext-dpop.as-algs-asymmetric'],
    needs: ['endpoints', 'dpop'],
    async run({ oauth, expect, candidates }) {
      const place = candidates.find(({ answer }) => answer.status === 200 && answer.json);
      if (!place) return;
      judgeMetadata(oauth, expect, await oauth.web.ask({ endpoint: 'metadata', url: place.url }));
    },
  }),

  scenario.authorization('authorization-server/ext-dpop/bound', {
    title: 'a token request with a proof gets a token that is bound to its key',
    verifies: ['ext-dpop.as-token-type', 'ext-dpop.as-token-bound', 'ext-dpop.as-nonce-supplied'],
    needs: ['code', 'dpop'],
    async run({ oauth, expect, clients }) {
      const prover = new Prover(oauth);
      const answer = await prover.ask(redeeming(await oauth.authorize(clients[0]!)));
      const evidence = [answer.exchange];
      const { demanded } = prover;
      if (demanded)
        expect.that('ext-dpop.as-nonce-supplied', {
          ok: demanded.header('dpop-nonce') !== undefined,
          expected: 'the header DPoP-Nonce',
          evidence: [demanded.exchange],
          actual: 'use_dpop_nonce without a nonce',
        });
      else expect.notObserved('ext-dpop.as-nonce-supplied', 'the server demands no nonce');
      const rows = ['ext-dpop.as-token-type', 'ext-dpop.as-token-bound'] as const;
      if (!gotTokens(answer)) {
        const why = `a token request with a correct proof is refused with ${shown(answer)}`;
        for (const row of rows) expect.inconclusive(row, why);
        return;
      }
      const type = answer.json?.token_type;
      const isBound = /^dpop$/i.test(String(type));
      expect.that('ext-dpop.as-token-type', {
        ok: isBound,
        expected: 'token_type DPoP',
        evidence,
        actual: `token_type ${JSON.stringify(type)}`,
      });
      const claims = claimsOf(answer.json?.access_token);
      if (!isBound) expect.notObserved(rows[1], 'the token does not have token_type DPoP');
      else if (!claims) expect.notObserved(rows[1], 'the token is no JWT');
      else {
        const jkt = isObject(claims.cnf) ? claims.cnf.jkt : undefined;
        expect.that(rows[1], {
          ok: jkt === thumbprintOf(prover.key.jwk),
          expected: 'cnf.jkt with the thumbprint of the key of the proof',
          evidence,
          actual: jkt === undefined ? 'no cnf.jkt' : 'another thumbprint',
        });
      }
    },
  }),

  scenario.authorization('authorization-server/ext-dpop/wrong-proofs', {
    title: 'a proof that is wrong in one point gets no token',
    verifies: [...flaws.map(proofRow), 'ext-dpop.as-proof-error'],
    needs: ['code', 'dpop'],
    async run({ oauth, expect, clients }) {
      const prover = new Prover(oauth);
      const control = await prover.ask(redeeming(await oauth.authorize(clients[0]!)));
      if (!gotTokens(control)) {
        const why = `a token request with a correct proof is refused with ${shown(control)}`;
        for (const row of [...flaws.map(proofRow), 'ext-dpop.as-proof-error'] as const)
          expect.inconclusive(row, why);
        return;
      }
      // a nonce may tell the time in place of iat (RFC 9449 §4.3)
      const wrongBy = prover.nonce === undefined ? age : undefined;
      for (const wrong of wrongProofs(prover.key, prover.about, wrongBy)) {
        const granted = await oauth.authorize(clients[0]!);
        const answer = await prover.askWith(wrong.value, redeeming(granted));
        const row = proofRow(wrong.flaw as (typeof flaws)[number]);
        expectRefused(expect, row, answer, `an access token for a proof with ${wrong.what}`);
        if (answer.status === undefined || gotTokens(answer) || !namesProof(wrong)) continue;
        if (answer.json?.error === 'use_dpop_nonce') continue;
        expect.that('ext-dpop.as-proof-error', {
          ok: answer.json?.error === 'invalid_dpop_proof',
          expected: `invalid_dpop_proof for a proof with ${wrong.what}`,
          evidence: [answer.exchange],
          actual: shown(answer),
        });
      }
    },
  }),

  scenario.authorization('authorization-server/ext-dpop/refresh', {
    title: 'a refresh token of a public client gets no token without a proof by its key',
    verifies: ['ext-dpop.as-refresh-bound'],
    needs: ['code', 'refresh token', 'dpop'],
    async run({ oauth, expect, clients }) {
      const row = 'ext-dpop.as-refresh-bound';
      const [client] = clients;
      if (client!.authMethod !== 'none') return expect.notObserved(row, 'the client has a secret');
      const renew = async (by: 'the same key' | 'another key' | 'no key') => {
        const prover = new Prover(oauth);
        const granted = await prover.ask(redeeming(await oauth.authorize(client!)));
        const token = granted.json?.refresh_token;
        if (typeof token !== 'string') return undefined;
        if (by === 'no key') return oauth.refresh(client!, token, true);
        const user = by === 'another key' ? new Prover(oauth) : prover;
        user.nonce = prover.nonce;
        return user.ask(one => one.refresh(client!, token, by === 'another key'));
      };
      const control = await renew('the same key');
      if (!control) return expect.notObserved(row, 'no refresh token was issued');
      if (!gotTokens(control))
        return expect.inconclusive(row, `a refresh with the same key is refused with ${shown(control)}`);
      for (const by of ['another key', 'no key'] as const) {
        const answer = await renew(by);
        if (answer) expectRefused(expect, row, answer, `an access token with a proof by ${by}`);
      }
    },
  }),

  scenario.authorization('authorization-server/ext-dpop/bound-only', {
    title: 'a client that is registered for bound tokens gets no token without a proof',
    verifies: ['ext-dpop.as-bound-only'],
    needs: ['code', 'registration', 'dpop'],
    async run({ oauth, expect }) {
      const row = 'ext-dpop.as-bound-only';
      const metadata = registrationOf('mcp-conform', redirectUri);
      const registered = await oauth.register({ ...metadata, dpop_bound_access_tokens: true });
      const client = clientIn(registered.json, redirectUri);
      if (!client || registered.json?.dpop_bound_access_tokens !== true)
        return expect.notObserved(row, 'no client is registered with dpop_bound_access_tokens');
      const granted = await oauth.authorize(client);
      if (granted.code === undefined) return expect.notObserved(row, 'the client gets no code');
      const answer = await oauth.token(
        client,
        {
          grant_type: 'authorization_code',
          code: granted.code,
          redirect_uri: granted.redirectUri,
          code_verifier: granted.verifier,
          ...(oauth.resource && { resource: oauth.resource }),
        },
        true,
      );
      expectRefused(expect, row, answer, 'an access token without a proof', [
        registered.exchange,
        answer.exchange,
      ]);
    },
  }),
];
