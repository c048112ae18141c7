/**
 * basic/authorization: expired tokens, refused tokens, and changes of the host or the authorization server.
 */

import type { Attempt, ProtectedServerState } from '../../../harness/protected-server/script.js';
import type { Script } from '../../../harness/scenario/script.js';
import { calledTool, exchangesOf, howFar, lastSeen, protectedScenario, uses } from './protected-scenario.js';

const calls = (count: number): Script => [
  ['connect'],
  ['list', 'tools'],
  ...Array.from({ length: count }, () => ['call', 'test-tool'] as const),
  ['close'],
];

/** Each token is valid for one tools/call. */
const expiring = {
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
      expect.that(
        'auth.client-reacts-to-401',
        repeated.length <= 3,
        'another token, or no further attempt',
        repeated.flatMap(({ exchange }) => exchange ?? []),
        `the same token ${repeated.length} times`,
      );
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
    verifies: ['auth.pkce-fresh'],
    does: calls(2),
    protection: {
      ...expiring,
      authorities: { main: { token: ({ refresh_token: _, ...answer }) => answer } },
    },
    judge({ expect, main }) {
      if (main.authorizations.length < 2)
        expect.notObserved('auth.pkce-fresh', 'the client sends only one authorization request');
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
      expect.that(
        'auth.client-reacts-to-401',
        times <= 5,
        'at most 5 authorization requests',
        main.authorizations.map(({ exchange }) => exchange),
        `${times} authorization requests`,
      );
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
    verifies: ['auth.client-prm-refreshed', 'auth.token-own-as-only'],
    official: 'auth/authorization-server-migration',
    does: calls(2),
    protection: {
      authorities: { next: {} },
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
        expect.that(
          'auth.client-prm-refreshed',
          old === undefined,
          `GET ${path} before another authorization request`,
          [refusal, old?.exchange, ...exchangesOf(again)],
          'the client uses the previous authorization server',
        );
      const [read] = again;
      if (!read) return;
      const late = protectedServer.mcpRequests.find(
        ({ token, exchange }) => token?.by === main && (exchange?.number ?? 0) > read.exchange.number,
      );
      expect.that(
        'auth.token-own-as-only',
        late === undefined,
        'no token of the previous authorization server',
        [
          read.exchange,
          late?.exchange ?? uses(protectedServer.authority('next'))[0] ?? lastSeen(protectedServer)[0],
        ],
        `${late?.exchange?.request?.method} with such a token; ${howFar(protectedServer)}`,
      );
    },
  }),
];
