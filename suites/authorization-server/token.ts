/** basic/authorization: the exchange of codes for tokens (OAuth 2.1 §3.2 and §4.1.3). */

import { clientIn, pkce, registrationOf } from '../../harness/oauth/client.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { claimsOf, grantedScopes } from './jwt.js';
import { expectRefused, gotTokens, shown, unreachable } from './token-answer.js';

const nobody = 'mcp-conform-no-such-code';

export const scenarios = [
  scenario.authorization('authorization-server/token/verifier', {
    title: 'a token request without the correct code verifier is refused',
    verifies: ['auth.as-pkce-verified'],
    needs: ['code'],
    async run({ oauth, expect, clients }) {
      const verifiers = {
        'no verifier': () => null,
        'another verifier': () => pkce().verifier,
        'the challenge as verifier': ({ challenge }: { challenge: string }) => challenge,
      };
      for (const [what, verifier] of Object.entries(verifiers)) {
        const granted = await oauth.authorize(clients[0]!);
        const answer = await oauth.redeem(granted, { code_verifier: verifier(granted) });
        const evidence = [...granted.evidence, answer.exchange];
        expectRefused(expect, 'auth.as-pkce-verified', answer, `tokens for ${what}`, evidence);
      }
    },
  }),

  scenario.authorization('authorization-server/token/code-twice', {
    title: 'a code is valid once, and a second use revokes its tokens',
    verifies: ['auth.as-code-once', 'auth.as-code-reuse-revokes'],
    needs: ['code'],
    async run({ oauth, expect, clients }) {
      const granted = await oauth.authorize(clients[0]!);
      const first = await oauth.redeem(granted);
      const again = await oauth.token(clients[0]!, replay(granted), true);
      const evidence = [first.exchange, again.exchange];
      expectRefused(expect, 'auth.as-code-once', again, 'tokens', evidence);
      const { refresh_token: token } = first.json ?? {};
      const row = 'auth.as-code-reuse-revokes';
      if (typeof token !== 'string') return expect.notObserved(row, 'no refresh token was issued');
      const later = await oauth.refresh(clients[0]!, token, true);
      expectRefused(expect, row, later, 'tokens for the refresh token of the reused code', [
        ...evidence,
        later.exchange,
      ]);

      function replay({ code = '', verifier, redirectUri: redirect_uri }: typeof granted) {
        return { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier };
      }
    },
  }),

  scenario.authorization('authorization-server/token/code-of-another', {
    title: 'a code is valid for its own client only',
    verifies: ['auth.as-code-client-bound'],
    needs: ['code', 'two clients'],
    async run({ oauth, expect, clients }) {
      const granted = await oauth.authorize(clients[0]!);
      const answer = await oauth.redeem(granted, {}, clients[1]!);
      const evidence = [...granted.evidence, answer.exchange];
      expectRefused(expect, 'auth.as-code-client-bound', answer, 'tokens', evidence);
    },
  }),

  scenario.authorization('authorization-server/token/bad-requests', {
    title: 'invalid token requests are refused with an error code',
    verifies: ['auth.as-token-error'],
    needs: ['client'],
    async run({ oauth, expect, clients }) {
      const redirect_uri = clients[0]!.redirectUri;
      const code_verifier = pkce().verifier;
      const bad = [
        { grant_type: 'urn:example:no-such-grant' },
        { grant_type: 'authorization_code', code: nobody, redirect_uri, code_verifier },
        { grant_type: 'refresh_token', refresh_token: nobody },
        { grant_type: 'authorization_code' },
        {},
      ];
      for (const params of bad) {
        const answer = await oauth.token(clients[0]!, params, true);
        if (answer.status === undefined)
          return expect.inconclusive('auth.as-token-error', unreachable(answer));
        expect.that('auth.as-token-error', {
          ok: answer.status >= 400,
          expected: 'the token request to be refused with an error',
          evidence: [answer.exchange],
          actual: shown(answer),
        });
      }
    },
  }),

  scenario.authorization('authorization-server/token/wrong-secret', {
    title: 'an incorrect secret in the Authorization header is refused with status 401',
    verifies: ['auth.as-token-error'],
    needs: ['registration'],
    async run({ oauth, expect }) {
      const row = 'auth.as-token-error';
      const redirectUri = 'http://127.0.0.1:33418/callback';
      const metadata = registrationOf('mcp-conform', redirectUri);
      const registered = await oauth.register({
        ...metadata,
        token_endpoint_auth_method: 'client_secret_basic',
      });
      const client = clientIn(registered.json, redirectUri);
      if (client?.authMethod !== 'client_secret_basic')
        return expect.notObserved(row, 'a client with a secret is not accepted at registration');
      const params = { grant_type: 'refresh_token', refresh_token: nobody };
      const answer = await oauth.token({ ...client, secret: 'mcp-conform-wrong-secret' }, params, true);
      if (answer.status === undefined) return expect.inconclusive(row, unreachable(answer));
      expect.that(row, {
        ok: answer.status === 401,
        expected: 'status 401',
        evidence: [answer.exchange],
        actual: shown(answer),
      });
    },
  }),

  scenario.authorization('authorization-server/token/less-scope', {
    title: 'a token response contains the scope when it is less than the requested scope',
    verifies: ['auth.as-scope-reported'],
    needs: ['code'],
    async run({ oauth, expect, clients }) {
      const row = 'auth.as-scope-reported';
      const unknown = 'mcp-conform-no-such-scope';
      const scope = [oauth.scope, unknown].filter(Boolean).join(' ');
      const granted = await oauth.authorize(clients[0]!, { changes: { scope }, deliberate: false });
      if (granted.code === undefined) return expect.noViolation(row, granted.evidence);
      const answer = await oauth.redeem(granted);
      const evidence = [...granted.evidence, answer.exchange];
      // auth.as-token-response judges the type of the member
      if (answer.json?.scope !== undefined) return expect.noViolation(row, evidence);
      const scopes = grantedScopes(answer);
      if (!scopes)
        return expect.inconclusive(
          row,
          'the response contains no scope, and the token does not show the granted scope',
        );
      const got = scopes.length > 0 ? scopes.join(' ') : 'no scope';
      expect.that(row, {
        ok: scopes.includes(unknown),
        expected: 'the scope in the response',
        evidence,
        actual: `${got}, without scope in the response`,
      });
    },
  }),

  scenario.authorization('authorization-server/token/audience', {
    title: 'a token is valid for the requested resource',
    verifies: ['auth.as-audience-restriction'],
    needs: ['code'],
    async run({ oauth, expect, clients }) {
      const row = 'auth.as-audience-restriction';
      if (!oauth.resource) return expect.notObserved(row, 'the resource is unknown; set --resource');
      const granted = await oauth.authorize(clients[0]!);
      const answer = await oauth.redeem(granted);
      const { refresh_token: token } = answer.json ?? {};
      const later = typeof token === 'string' ? [await oauth.refresh(clients[0]!, token)] : [];
      const wanted = oauth.resource.replace(/\/$/, '');
      for (const { json, exchange } of [answer, ...later.filter(gotTokens)]) {
        const claims = claimsOf(json?.access_token);
        if (!claims) return expect.notObserved(row, 'the token does not show its audience');
        const right = [claims.aud].flat().some(one => String(one).replace(/\/$/, '') === wanted);
        const actual = `aud ${JSON.stringify(claims.aud)}`;
        expect.that(row, { ok: right, expected: `aud ${oauth.resource}`, evidence: [exchange], actual });
      }
    },
  }),

  scenario.authorization('authorization-server/token/old-code', {
    title: 'a code is no longer valid after eleven minutes',
    verifies: ['auth.as-code-lifetime'],
    needs: ['code', 'patience'],
    async run({ oauth, expect, clients, pause }) {
      const granted = await oauth.authorize(clients[0]!);
      await pause(11 * 60_000);
      const answer = await oauth.redeem(granted);
      const evidence = [...granted.evidence, answer.exchange];
      expectRefused(expect, 'auth.as-code-lifetime', answer, 'tokens', evidence);
    },
  }),
];
