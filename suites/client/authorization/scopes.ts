/** basic/authorization: the scopes that a client requests, and its reaction to insufficient scope. */

import type { AuthorizationRequest } from '../../../harness/protected-server/authority.js';
import type {
  AuthorityScript,
  ProtectedServerState,
  Protection,
} from '../../../harness/protected-server/script.js';
import type { ProtectedServer } from '../../../harness/protected-server/server.js';
import { asText } from '../../../spec/json-rpc.js';
import { judgeVerifiers } from './flow.js';
import { calledTool, privileged, protectedScenario, scopesOf } from './protected-scenario.js';

/** A challenge with a scope, or without. */
const challenging = (scope: string | undefined) => (protectedServer: ProtectedServerState) => [
  `Bearer resource_metadata="${protectedServer.metadataUrl}"${scope === undefined ? '' : `, scope="${scope}"`}`,
];

/** Metadata of the server with scopes, or without. */
const supporting = (scopes: readonly string[] | undefined) => (protectedServer: ProtectedServerState) => {
  const { scopes_supported: _, ...document } = protectedServer.metadata;
  return {
    [new URL(protectedServer.metadataUrl).pathname]: {
      ...document,
      ...(scopes && { scopes_supported: [...scopes] }),
    },
  };
};

const same = (asked: readonly string[], wanted: readonly string[]): boolean =>
  [...new Set(asked)].sort().join(' ') === [...wanted].sort().join(' ');

const shown = ({ params }: AuthorizationRequest): string =>
  params.get('scope') === null ? 'no scope' : `scope="${params.get('scope')}"`;

/** An authorization request, and the challenge before it, as the evidence of an expectation about its scope. */
const seenIn = (asked: AuthorizationRequest, protectedServer?: ProtectedServer) => ({
  evidence: [protectedServer?.mcpRequests.find(({ refusal }) => refusal)?.exchange, asked.exchange],
  actual: shown(asked),
});

/** An OpenID provider may require the first two, and the issue of a refresh token the last. */
const beside = ['openid', 'profile', 'offline_access'];

/** A tool requires more scope than the first token has. */
const stepUp = (more: string, refuse?: Protection['refuse']): Protection => ({
  refuse:
    refuse ??
    (({ message, token }) =>
      calledTool(message) === privileged && !token?.scope.includes(more)
        ? { why: 'scope', needed: [more] }
        : undefined),
});

const noRefreshToken: AuthorityScript = { token: ({ refresh_token: _, ...answer }) => answer };

const callPrivileged = [['connect'], ['list', 'tools'], ['call', privileged], ['close']] as const;

/** The authorization requests after the first refusal with insufficient scope. */
function upgrades(protectedServer: ProtectedServer): AuthorizationRequest[] {
  const refusal = protectedServer.mcpRequests.find(({ refusal }) => refusal?.why === 'scope')?.exchange;
  if (!refusal) return [];
  return protectedServer
    .authority()
    .authorizations.filter(({ exchange }) => exchange.number > refusal.number);
}

const refusals = (protectedServer: ProtectedServer) =>
  protectedServer.mcpRequests
    .filter(({ refusal }) => refusal?.why === 'scope')
    .flatMap(({ exchange }) => exchange ?? []);

export const scenarios = [
  protectedScenario('client/authorization/scopes/challenged', {
    title: 'a client requests the scopes of the challenge',
    verifies: ['auth.scope-from-challenge', 'auth.scope-authoritative'],
    official: 'auth/scope-from-www-authenticate',
    protection: {
      challenge: challenging('a:read b:write'),
      documents: supporting(['a:read', 'b:write', 'c:admin']),
    },
    judge({ protectedServer, expect, main }) {
      const [asked] = main.authorizations;
      if (!asked) return;
      const scopes = scopesOf(asked).filter(scope => !beside.includes(scope));
      expect.that('auth.scope-from-challenge', {
        ok: same(scopes, ['a:read', 'b:write']),
        expected: 'scope="a:read b:write", as in the challenge',
        ...seenIn(asked, protectedServer),
      });
      expect.that('auth.scope-authoritative', {
        ok: ['a:read', 'b:write'].every(scope => scopes.includes(scope)),
        expected: 'a:read and b:write, the scopes of the challenge, among the scopes',
        ...seenIn(asked, protectedServer),
      });
    },
  }),

  protectedScenario('client/authorization/scopes/supported', {
    title: 'a client requests the scopes of the metadata when the challenge names none',
    verifies: ['auth.scope-from-metadata', 'auth.scope-least-privilege'],
    official: 'auth/scope-from-scopes-supported',
    protection: { challenge: challenging(undefined), documents: supporting(['a:read', 'b:write']) },
    judge({ expect, main }) {
      const [asked] = main.authorizations;
      if (!asked) return;
      const scopes = scopesOf(asked).filter(scope => !beside.includes(scope));
      expect.that('auth.scope-from-metadata', {
        ok: same(scopes, ['a:read', 'b:write']),
        expected: 'scope="a:read b:write", the scopes_supported of the resource metadata',
        ...seenIn(asked),
      });
      expect.that('auth.scope-least-privilege', {
        ok: scopes.every(scope => ['a:read', 'b:write'].includes(scope)),
        expected: 'no other scopes than a:read and b:write',
        ...seenIn(asked),
      });
    },
  }),

  protectedScenario('client/authorization/scopes/none', {
    title: 'a client omits the scope when neither the challenge nor the metadata names any',
    verifies: ['auth.scope-omitted'],
    official: 'auth/scope-omitted-when-undefined',
    protection: { challenge: challenging(undefined), documents: supporting(undefined) },
    judge({ expect, main }) {
      const [asked] = main.authorizations;
      if (!asked) return;
      expect.that('auth.scope-omitted', {
        ok: asked.params.get('scope') === null,
        expected: 'no scope parameter',
        ...seenIn(asked),
      });
    },
  }),

  protectedScenario('client/authorization/scopes/unrelated', {
    title: 'a client requests scopes of the challenge that are in no metadata',
    verifies: ['auth.scope-no-relation-assumed'],
    official: 'auth/scope-from-www-authenticate',
    protection: { challenge: challenging('z:one z:two'), documents: supporting(['a:read']) },
    judge({ protectedServer, expect, main }) {
      const [asked] = main.authorizations;
      const scopes = asked ? scopesOf(asked) : [];
      // a request without any scope is not judged here, unlike a request with some of them
      if (asked && scopes.length === 0) return;
      expect.that('auth.scope-no-relation-assumed', {
        ok: ['z:one', 'z:two'].every(scope => scopes.includes(scope)),
        expected: 'z:one and z:two, the scopes of the challenge, among the scopes',
        evidence: protectedServer.requests('main').map(({ exchange }) => exchange),
        actual: 'no authorization request',
        ...(asked && seenIn(asked, protectedServer)),
      });
    },
  }),

  ...(
    [
      // a refresh adds no scopes, and does not help
      ['with-refresh-token', {}],
      ['afresh', noRefreshToken],
    ] as const
  ).map(([slug, authority]) =>
    protectedScenario(`client/authorization/scopes/step-up-${slug}`, {
      title: 'a client whose token has insufficient scope requests more, and repeats the request',
      verifies: ['auth.step-up', 'auth.scope-authoritative', 'auth.pkce-values'],
      official: 'auth/scope-step-up',
      does: callPrivileged,
      protection: { ...stepUp('b:write'), authorities: { main: authority } },
      judge(outcome) {
        const { protectedServer, expect } = outcome;
        judgeVerifiers(outcome);
        const refused = refusals(protectedServer);
        if (refused.length === 0) return;
        const [upgrade] = upgrades(protectedServer);
        if (!upgrade)
          expect.notObserved('auth.scope-authoritative', 'the client sends no second authorization request');
        else
          expect.that('auth.scope-authoritative', {
            ok: scopesOf(upgrade).includes('b:write'),
            expected: 'b:write among the scopes',
            evidence: [refused[0], upgrade.exchange],
            actual: shown(upgrade),
          });
        if (protectedServer.authority().authorizations.length === 0)
          return expect.notObserved('auth.step-up', 'the client got its token without a user');
        const done = protectedServer.admitted.find(({ message }) => calledTool(message) === privileged);
        expect.that('auth.step-up', {
          ok: done !== undefined || (upgrade !== undefined && !scopesOf(upgrade).includes('b:write')),
          expected: 'another authorization request with b:write and a repeated call',
          evidence: [...refused, upgrade?.exchange],
          actual: upgrade ? 'the call is not repeated' : 'no second authorization request',
        });
      },
    }),
  ),

  protectedScenario('client/authorization/scopes/step-up-twice', {
    title: 'a client requests the scopes that it has together with those of the challenge',
    verifies: ['auth.scope-union'],
    official: 'auth/scope-step-up',
    does: [['connect'], ['list', 'tools'], ['call', privileged], ['call', 'test_simple_text'], ['close']],
    protection: {
      refuse({ message, token }) {
        const needed = { [privileged]: 'b:write', test_simple_text: 'c:admin' }[calledTool(message) ?? ''];
        return needed !== undefined && !token?.scope.includes(needed)
          ? { why: 'scope', needed: [needed] }
          : undefined;
      },
      authorities: { main: noRefreshToken },
    },
    judge({ protectedServer, expect, main }) {
      const [first] = main.authorizations;
      const again = upgrades(protectedServer);
      if (!first || again.length === 0)
        return expect.notObserved('auth.scope-union', 'the client sends no second authorization request');
      let had = scopesOf(first);
      for (const asked of again) {
        const scopes = scopesOf(asked);
        const lost = had.filter(scope => !scopes.includes(scope) && !beside.includes(scope));
        expect.that('auth.scope-union', {
          ok: lost.length === 0,
          expected: `${[...had].join(' ')}, together with the scopes of the challenge`,
          evidence: [first.exchange, ...refusals(protectedServer), asked.exchange],
          actual: shown(asked),
        });
        had = [...new Set([...had, ...scopes])];
      }
    },
  }),

  protectedScenario('client/authorization/scopes/never-enough', {
    title: 'a client stops requesting scopes that are never sufficient',
    verifies: ['auth.retry-limit'],
    official: 'auth/scope-retry-limit',
    does: callPrivileged,
    protection: {
      refuse({ message }, protectedServer) {
        // only the first operation: a client has the same number of attempts for each
        const operation = asText(message?.method);
        const known = protectedServer.notes.has(operation);
        if (!operation.startsWith('tools/') || (protectedServer.notes.size > 0 && !known)) return undefined;
        const times = (protectedServer.notes.get(operation) ?? 0) + 1;
        protectedServer.notes.set(operation, times);
        // ends an endless loop
        return times <= 10 ? { why: 'scope', needed: ['b:write'] } : undefined;
      },
      authorities: { main: noRefreshToken },
    },
    judge({ protectedServer, expect }) {
      const refused = refusals(protectedServer);
      if (refused.length === 0) return;
      const again = upgrades(protectedServer);
      expect.that('auth.retry-limit', {
        ok: again.length <= 3,
        expected: 'at most 3 attempts',
        evidence: [...refused, ...again.map(({ exchange }) => exchange)],
        actual: `${again.length} authorization requests for one operation`,
      });
    },
  }),

  protectedScenario('client/authorization/scopes/in-vain-before', {
    title: 'a client whose request for more scope failed does not start again with the next call',
    verifies: ['auth.upgrade-tracking'],
    official: 'auth/scope-retry-limit',
    does: [['connect'], ['list', 'tools'], ['call', privileged], ['call', privileged], ['close']],
    protection: {
      ...stepUp('b:write', ({ message }, protectedServer) => {
        if (calledTool(message) !== privileged) return undefined;
        // ends an endless loop
        const times = (protectedServer.notes.get('refused') ?? 0) + 1;
        protectedServer.notes.set('refused', times);
        return times <= 20 ? { why: 'scope', needed: ['b:write'] } : undefined;
      }),
      authorities: { main: noRefreshToken },
    },
    judge({ protectedServer, expect }) {
      const row = 'auth.upgrade-tracking';
      const refused = protectedServer.mcpRequests.filter(({ refusal }) => refusal?.why === 'scope');
      const again = refused.find(({ message }) => message?.id !== refused[0]?.message?.id)?.exchange;
      const [first, ...all] = upgrades(protectedServer);
      if (!again || !first)
        return expect.notObserved(row, 'the client does not request more scope and then call again');
      const later = [first, ...all].filter(({ exchange }) => exchange.number > again.number);
      // the user may have requested one more attempt
      expect.that(row, {
        ok: later.length <= 1,
        expected: 'at most one more attempt',
        evidence: [first.exchange, again, ...later.map(({ exchange }) => exchange)],
        actual: `${later.length} authorization requests for the second call`,
      });
    },
  }),
];
