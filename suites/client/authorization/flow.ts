/** basic/authorization: the plain flow, from the first refusal to the token on every request. */

import { createHash } from 'node:crypto';
import {
  exchangesOf,
  expectEntry,
  howFar,
  lastSeen,
  type Outcome,
  protectedScenario,
  uses,
} from './protected-scenario.js';

/** Expects a client ID from registration, or the URL of a document; any other one may be preregistered. */
function judgeClientId({ expect, main }: Outcome<'auth.client-id-mechanism'>): void {
  const row = 'auth.client-id-mechanism';
  const [asked] = main.authorizations;
  if (!asked) return;
  const id = asked.params.get('client_id') ?? '';
  const hasRegistered = main.clients.size > 0;
  if (id !== '' && !hasRegistered && !/^https:/.test(id)) {
    expect.notObserved(row, 'the client ID did not come from a registration; it may be preregistered');
    return;
  }
  expect.that(row, {
    ok: main.clients.has(id) || /^https:/.test(id),
    expected: 'the client_id of the registration, or the URL of a client ID metadata document',
    evidence: [main.registrations.at(-1)?.exchange, asked.exchange],
    actual: id === '' ? 'no client_id' : `client_id=${id}`,
  });
}

/** Expects that each code_verifier has the defined form, and matches the code_challenge of its authorization request. */
export function judgeVerifiers({ expect, main }: Outcome<'auth.pkce-values'>): void {
  for (const { params, authorization, exchange } of main.tokenRequests) {
    const verifier = params.get('code_verifier');
    const challenge = authorization?.params.get('code_challenge');
    if (verifier === null || challenge === null || challenge === undefined) continue;
    // without the name of a method the transformation of the challenge is not known
    const s256 = authorization?.params.get('code_challenge_method') === 'S256';
    const right = s256 ? createHash('sha256').update(verifier).digest('base64url') : challenge;
    const flaw = !/^[\w.~-]{43,128}$/.test(verifier)
      ? `a verifier of ${verifier.length} characters`
      : right !== challenge
        ? 'a challenge that does not match the verifier'
        : undefined;
    expect.that('auth.pkce-values', {
      ok: flaw === undefined,
      expected: '43 to 128 unreserved characters, and their hash as the challenge',
      evidence: [authorization?.exchange, exchange],
      actual: flaw,
    });
  }
}

export const scenarios = [
  protectedScenario('client/authorization/flow/plain', {
    title: 'a client that is refused with 401 finds the authorization server, gets a token and uses it',
    verifies: [
      'auth.client-reacts-to-401',
      'auth.client-as-metadata',
      'auth.client-uses-prm',
      'auth.pkce',
      'auth.pkce-s256',
      'auth.pkce-values',
      'auth.response-type-code',
      'auth.no-repeated-parameters',
      'auth.redirect-uri-form',
      'auth.state-sent',
      'auth.resource-authorization-request',
      'auth.resource-token-request',
      'auth.resource-target',
      'auth.resource-canonical',
      'auth.token-request',
      'auth.client-single-auth-method',
      'auth.token-in-header',
      'auth.token-every-request',
      'auth.token-not-in-query',
      'auth.token-not-leaked',
      'auth.legacy-version-header',
      'auth.client-id-mechanism',
    ],
    protection: { plain: true },
    does: [['connect'], ['list', 'tools'], ['call', 'test-tool'], ['call', 'test_simple_text'], ['close']],
    judge(outcome) {
      const { protectedServer, expect, main } = outcome;
      const described = protectedServer
        .requests('mcp')
        .filter(({ url }) => url.pathname.includes('/oauth-protected-resource'));
      const found = protectedServer.oauthRequests.filter(
        ({ request }) => request.url.pathname === main.places[0],
      );
      if (!protectedServer.reacted) return;
      // the first missing step is reported, and not the steps after it
      if (protectedServer.revision.authorization?.resourceMetadata) {
        const contacted = protectedServer.requests('main').length > 0;
        expect.that('auth.client-uses-prm', {
          ok: described.length > 0 && contacted,
          expected:
            'the client reads the metadata of the server and uses the authorization server named there',
          evidence: contacted ? exchangesOf(described) : lastSeen(protectedServer),
          actual: howFar(protectedServer),
        });
        if (described.length === 0 || !contacted) return;
      }
      expect.that('auth.client-as-metadata', {
        ok: found.length > 0,
        expected: 'the client reads the metadata of the authorization server',
        evidence: found.length > 0 ? found.map(({ request }) => request.exchange) : lastSeen(protectedServer),
        actual: howFar(protectedServer),
      });
      if (found.length === 0) return;
      const row = 'auth.client-reacts-to-401';
      if (uses(main).length > 0) expectEntry(outcome, row);
      else
        expect.inconclusive(
          row,
          'the client stopped after it had read the metadata of the authorization server: it may have no client ID, and support no way to get one that this server offers',
        );
      judgeClientId(outcome);
      judgeVerifiers(outcome);
    },
  }),

  protectedScenario('client/authorization/flow/unknown-members', {
    title: 'a client ignores unknown members in documents, responses and redirects',
    verifies: ['auth.client-tolerates-unknown-members'],
    protection: { strange: true },
    judge(outcome) {
      expectEntry(
        outcome,
        'auth.client-tolerates-unknown-members',
        'the flow succeeds as without the unknown members',
      );
    },
  }),

  protectedScenario('client/authorization/flow/deep-path', {
    title: 'the resource parameter of a client is as specific as the metadata of the server',
    verifies: ['auth.resource-specific'],
    protection: { path: '/tenant/a/mcp' },
    judge({ protectedServer, expect, main }) {
      const [asked] = main.authorizations;
      const named = asked?.params.get('resource');
      if (!asked || !named || !URL.canParse(named)) return;
      expect.that('auth.resource-specific', {
        ok: new URL(named).pathname !== '/',
        expected: protectedServer.url.href,
        evidence: [asked.exchange],
        actual: named,
      });
    },
  }),

  protectedScenario('client/authorization/flow/endpoints', {
    title: 'a client uses the endpoints that the metadata names, with their query',
    verifies: ['auth.client-endpoint-query-kept', 'auth.client-as-metadata'],
    protection: {
      authorities: {
        main: {
          metadata: authority => ({
            authorization_endpoint: `${authority.at('authorization')}?tenant=t1&x=a%20b`,
          }),
        },
      },
    },
    judge(outcome) {
      const { expect, main, protectedServer } = outcome;
      const [asked] = main.authorizations;
      const guessed = [...protectedServer.requests('main'), ...protectedServer.requests('mcp')].filter(
        ({ url }) => ['/authorize', '/token', '/register'].includes(url.pathname),
      );
      expect.that('auth.client-as-metadata', {
        ok: guessed.length === 0 && asked !== undefined,
        expected: 'requests to the endpoints that the metadata names',
        evidence: guessed.length > 0 ? guessed.map(({ exchange }) => exchange) : lastSeen(protectedServer),
        actual: guessed[0]?.url.pathname ?? howFar(protectedServer),
      });
      if (!asked || guessed.length > 0) return;
      const { params } = asked;
      expect.that('auth.client-endpoint-query-kept', {
        ok: params.get('tenant') === 't1' && params.get('x') === 'a b',
        expected: 'tenant=t1 and x="a b"',
        evidence: [asked.exchange],
        actual: `tenant=${params.get('tenant')} x=${params.get('x')}`,
      });
    },
  }),
];
