/**
 * basic/authorization: expired tokens, refused tokens, and changes of the host or the authorization server.
 */

import { refusal } from '../../../harness/protected-server/authority.js';
import type { Attempt, ProtectedServerState, Served } from '../../../harness/protected-server/script.js';
import type { Script } from '../../../harness/scenario/script.js';
import { asked, isRefresh } from '../../rules/derived/oauth-client.js';
import { says } from '../world.js';
import { judgeVerifiers } from './flow.js';
import {
  calledTool,
  exchangesOf,
  lastSeen,
  type Outcome,
  protectedScenario,
  uses,
} from './protected-scenario.js';

export const calls = (count: number): Script => [
  ['connect'],
  ['list', 'tools'],
  ...Array.from({ length: count }, () => ['call', 'test-tool'] as const),
  ['close'],
];

/** Seconds for which a short-lived token is valid. */
const lifetime = 1;

/** Milliseconds after which such a token has expired. */
const pastLifetime = lifetime * 1_000 + 100;

/** Each token is valid for one tools/call. */
export const expiring = {
  refuse({ message, token }: Attempt, protectedServer: ProtectedServerState) {
    if (calledTool(message) === undefined || !token) return undefined;
    const used = protectedServer.notes.get(token.value) ?? 0;
    protectedServer.notes.set(token.value, used + 1);
    if (used === 0) return undefined;
    token.revoked = true;
    return { why: 'bad token' } as const;
  },
};

/** No token is valid for a tools/call, up to the given number of attempts. */
const refusing = (times: number) => ({
  refuse({ message, token }: Attempt, protectedServer: ProtectedServerState) {
    const refused = protectedServer.notes.get('refused') ?? 0;
    if (calledTool(message) === undefined || !token || refused >= times) return undefined;
    protectedServer.notes.set('refused', refused + 1);
    token.revoked = true;
    return { why: 'bad token' } as const;
  },
});

const oldTokens = (protectedServer: ProtectedServerState) =>
  protectedServer.tokens.filter(({ revoked }) => revoked);

/** Refuses each refresh token: the grant was revoked with its access tokens. */
const noRefresh = (params: URLSearchParams): Served | undefined =>
  params.get('grant_type') === 'refresh_token' ? { answer: refusal(400, 'invalid_grant') } : undefined;

/** Expects that the next authorization server gets no client ID, secret or refresh token of the first one. */
function judgeBinding({
  protectedServer,
  expect,
  main,
}: Pick<
  Outcome<'auth.no-credential-reuse' | 'auth.registration-per-as' | 'auth.reregister'>,
  'protectedServer' | 'expect' | 'main'
>): void {
  const next = protectedServer.authority('next');
  const all = [...next.authorizations, ...next.tokenRequests];
  if (all.length === 0) return;
  const known = all.filter(({ params }) => main.clients.has(params.get('client_id') ?? ''));
  const foreign = [
    ...known,
    ...next.tokenRequests.filter(
      ({ secret, clientId }) =>
        main.clients.has(clientId ?? '') ||
        [...main.clients.values()].some(({ client_secret: one }) => one !== undefined && one === secret),
    ),
  ];
  const evidence = [main.registrations[0]?.exchange, (foreign[0] ?? all[0])?.exchange];
  expect.that('auth.no-credential-reuse', {
    ok: foreign.length === 0,
    expected: 'no client ID or secret of the previous authorization server',
    evidence,
    actual: `client_id=${foreign[0]?.params.get('client_id')}, which the previous authorization server issued`,
  });
  const refreshed = next.tokenRequests.find(
    ({ params, granted }) => params.get('grant_type') === 'refresh_token' && !granted,
  );
  expect.that('auth.registration-per-as', {
    ok: foreign.length === 0 && refreshed === undefined,
    expected: 'client ID, secret and refresh token of this authorization server only',
    evidence: [...evidence, refreshed?.exchange],
    actual: refreshed
      ? 'a refresh token that this authorization server did not issue'
      : `client_id=${foreign[0]?.params.get('client_id')}, which the previous authorization server issued`,
  });
  const [asked] = next.authorizations;
  if (!asked || main.registrations.length === 0) return;
  const id = asked.params.get('client_id') ?? '';
  expect.that('auth.reregister', {
    ok: next.registrations.length > 0 || /^https:/.test(id),
    expected: 'a registration at the next authorization server',
    evidence: [main.registrations[0]?.exchange, asked.exchange],
    actual: `client_id=${id} without a registration there`,
  });
}

export const scenarios = [
  protectedScenario('client/authorization/tokens/expired', {
    title: 'a client gets another token each time its token is no longer valid',
    verifies: ['auth.client-reacts-to-401', 'auth.resource-token-request'],
    does: calls(3),
    protection: expiring,
    judge({ protectedServer, expect }) {
      const refused = protectedServer.mcpRequests.filter(({ token, refusal }) => token && refusal);
      const [first] = refused;
      if (!first?.exchange) return;
      const repeated = refused.filter(({ token }) => token === first.token);
      expect.that('auth.client-reacts-to-401', {
        ok: repeated.length <= 3,
        expected: 'another token, or no further attempt',
        evidence: repeated.flatMap(({ exchange }) => exchange ?? []),
        actual: `the same token ${repeated.length} times`,
      });
    },
  }),

  protectedScenario('client/authorization/tokens/lifetime-over', {
    title: 'a client whose token has passed its lifetime sends the resource in the refresh',
    verifies: ['auth.resource-token-request'],
    does: calls(3),
    // some clients refresh a token only by its lifetime, and respond to a 401 with a new authorization
    serve: {
      'tools/call': async (_, { peer }) => {
        const requests = asked(peer.conversation, 'token');
        if (requests.length === 2 && !requests.some(isRefresh)) await peer.pause(pastLifetime);
        return says('Late, but here.');
      },
    },
    lasts: pastLifetime,
    protection: {
      ...expiring,
      authorities: { main: { token: answer => ({ ...answer, expires_in: lifetime }) } },
    },
  }),

  protectedScenario('client/authorization/tokens/refresh-rotated', {
    title: 'a client uses the refresh token that it received last',
    verifies: ['auth.refresh-rotation-followed'],
    does: calls(4),
    protection: expiring,
    judge({ expect, main }) {
      const refreshes = main.tokenRequests.filter(
        ({ params }) => params.get('grant_type') === 'refresh_token',
      );
      if (refreshes.length < 2)
        expect.notObserved(
          'auth.refresh-rotation-followed',
          'the client does not refresh its tokens several times',
        );
    },
  }),

  protectedScenario('client/authorization/tokens/authorized-again', {
    title: 'a client without a refresh token requests authorization again, with a new code_challenge',
    verifies: ['auth.pkce-fresh', 'auth.pkce-values', 'auth.refresh-not-assumed'],
    does: calls(2),
    protection: {
      ...expiring,
      authorities: { main: { token: ({ refresh_token: _, ...answer }) => answer } },
    },
    judge(outcome) {
      const { protectedServer, expect, main } = outcome;
      judgeVerifiers(outcome);
      if (main.authorizations.length < 2)
        expect.notObserved('auth.pkce-fresh', 'the client sends only one authorization request');
      const refused = protectedServer.mcpRequests.find(({ token, refusal }) => token && refusal)?.exchange;
      if (!refused) return;
      const invented = main.tokenRequests.find(({ params }) => params.get('grant_type') === 'refresh_token');
      expect.that('auth.refresh-not-assumed', {
        ok: invented === undefined,
        expected: 'no token request with a refresh token, because none was issued',
        evidence: [refused, invented?.exchange],
        actual: `grant_type=refresh_token with refresh_token=${invented?.params.get('refresh_token') || 'nothing'}`,
      });
    },
  }),

  protectedScenario('client/authorization/tokens/refused-for-good', {
    title: 'a client gives up when no token is sufficient',
    verifies: ['auth.client-reacts-to-401'],
    does: calls(1),
    protection: refusing(12),
    judge({ protectedServer, expect, main }) {
      const refused = protectedServer.mcpRequests.filter(({ token, refusal }) => token && refusal);
      if (refused.length === 0) return;
      const times = main.authorizations.length;
      expect.that('auth.client-reacts-to-401', {
        ok: times <= 5,
        expected: 'at most 5 authorization requests',
        evidence: main.authorizations.map(({ exchange }) => exchange),
        actual: `${times} authorization requests`,
      });
    },
  }),

  protectedScenario('client/authorization/tokens/redirected', {
    title: 'a client that is redirected to another host does not send its token there',
    verifies: ['auth.token-not-leaked'],
    does: calls(1),
    protection: {
      authorities: { decoy: {} },
      divert: ({ message }, protectedServer) =>
        calledTool(message) === undefined
          ? undefined
          : { status: 307, headers: { Location: `${protectedServer.authority('decoy').origin}/mcp` } },
    },
    judge({ protectedServer, expect }) {
      const call = protectedServer.admitted.find(({ message }) => calledTool(message) !== undefined);
      if (call?.exchange) expect.noViolation('auth.token-not-leaked', [call.exchange]);
    },
  }),

  protectedScenario('client/authorization/tokens/other-server', {
    title: 'a client reads the server metadata again, and uses no token of the previous authorization server',
    verifies: [
      'auth.client-prm-refreshed',
      'auth.token-own-as-only',
      'auth.no-credential-reuse',
      'auth.registration-per-as',
      'auth.reregister',
    ],
    official: 'auth/authorization-server-migration',
    does: calls(2),
    protection: {
      authorities: { main: { grant: noRefresh }, next: {} },
      documents: protectedServer => ({
        [new URL(protectedServer.metadataUrl).pathname]: {
          ...protectedServer.metadata,
          authorization_servers: [
            protectedServer.authority(oldTokens(protectedServer).length > 0 ? 'next' : 'main').issuer,
          ],
        },
      }),
      refuse({ message, token }, protectedServer) {
        if (calledTool(message) === undefined || token?.by !== protectedServer.authority()) return undefined;
        for (const one of protectedServer.authority().tokens) one.revoked = true;
        return { why: 'bad token' };
      },
    },
    judge({ protectedServer, expect, main }) {
      const refusal = protectedServer.mcpRequests.find(({ token, refusal }) => token && refusal)?.exchange;
      if (!refusal) return;
      const path = new URL(protectedServer.metadataUrl).pathname;
      const again = protectedServer
        .requests('mcp', path)
        .filter(({ exchange }) => exchange.number > refusal.number);
      // one refresh before that is valid
      const [old] = main.authorizations.filter(({ exchange }) => exchange.number > refusal.number);
      if (old || again.length > 0)
        expect.that('auth.client-prm-refreshed', {
          ok: old === undefined,
          expected: `GET ${path} before another authorization request`,
          evidence: [refusal, old?.exchange, ...exchangesOf(again)],
          actual: 'the client uses the previous authorization server',
        });
      const [read] = again;
      if (!read) return;
      const late = protectedServer.mcpRequests.find(
        ({ token, exchange }) => token?.by === main && (exchange?.number ?? 0) > read.exchange.number,
      );
      expect.that('auth.token-own-as-only', {
        ok: late === undefined,
        expected: 'no token of the previous authorization server',
        evidence: [
          read.exchange,
          late?.exchange ?? uses(protectedServer.authority('next'))[0] ?? lastSeen(protectedServer)[0],
        ],
        actual: `${late?.exchange?.request?.method} with such a token`,
      });
      judgeBinding({ protectedServer, expect, main });
    },
  }),
];
