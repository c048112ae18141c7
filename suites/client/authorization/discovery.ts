/**
 * basic/authorization: discovery of the metadata of a server, and of the authorization server named there.
 */

import type { ProtectedServerState, Protection, Served } from '../../../harness/protected-server/script.js';
import { insertedPath } from '../../../harness/protected-server/server.js';
import {
  exchangesOf,
  expectEntry,
  expectNoUse,
  howFar,
  lastSeen,
  type Outcome,
  protectedScenario,
  refused,
  uses,
} from './protected-scenario.js';

const oddPlace = '/prm-9f3.json';
const root = '/.well-known/oauth-protected-resource';

/** Metadata of the server that names another authorization server. */
const naming = (protectedServer: ProtectedServerState, authority: string, changes: object = {}): Served => ({
  ...protectedServer.metadata,
  authorization_servers: [protectedServer.authority(authority).issuer],
  ...changes,
});

/** The document is only at the URL of the challenge. */
const announced = (challenge: (url: string) => readonly string[]): Protection => ({
  documents: protectedServer => ({ [oddPlace]: protectedServer.metadata }),
  challenge: protectedServer => challenge(protectedServer.url.origin + oddPlace),
});

/** Valid challenges, by their unusual part. */
const challenges: Readonly<Record<string, (url: string) => readonly string[]>> = {
  alone: url => [`Bearer resource_metadata="${url}"`],
  'among-others': url => [
    `Bearer realm="a, \\"b\\" = c", error="invalid_token", resource_metadata="${url}", scope="a:read"`,
  ],
  'no-space': url => [`Bearer scope="a:read",resource_metadata="${url}"`],
  'unknown-parameter': url => [`Bearer x_new=1, resource_metadata="${url}"`],
  'lower-case': url => [`bearer resource_metadata="${url}"`],
  'upper-case-name': url => [`Bearer RESOURCE_METADATA="${url}"`],
  // RFC 9110 §5.6.3: a recipient has to accept white space around the equals sign
  blanks: url => [`Bearer resource_metadata = "${url}"`],
  'behind-basic': url => [`Basic realm="a", Bearer resource_metadata="${url}"`],
  'second-line': url => ['Negotiate dG9rZW4=', `Bearer resource_metadata="${url}"`],
};

export const scenarios = [
  ...Object.entries(challenges).map(([slug, challenge]) =>
    protectedScenario(`client/authorization/discovery/challenge-${slug}`, {
      title: 'a client finds the metadata URL in a challenge',
      verifies: ['auth.client-parses-challenge'],
      protection: announced(challenge),
      official: 'auth/metadata-var3',
      judge(outcome) {
        const { protectedServer, expect } = outcome;
        const asked = protectedServer.requests('mcp', oddPlace);
        const refusal = protectedServer.mcpRequests.find(request => request.refusal)?.exchange;
        expect.that('auth.client-parses-challenge', {
          ok: asked.length > 0,
          expected: `GET ${oddPlace}, as named in the challenge`,
          evidence: asked.length > 0 ? exchangesOf(asked) : [refusal, ...lastSeen(protectedServer)],
          actual: `${howFar(protectedServer)}, after WWW-Authenticate: ${challenge('…').join(' | ')}`,
        });
      },
    }),
  ),

  protectedScenario('client/authorization/discovery/challenge-wins', {
    title: 'a client uses the metadata that the challenge names, not the metadata at the well-known URLs',
    verifies: ['auth.client-challenge-url-first'],
    official: 'auth/metadata-var3',
    protection: {
      authorities: { decoy: {} },
      documents: protectedServer => ({
        [oddPlace]: protectedServer.metadata,
        [insertedPath(protectedServer.url)]: naming(protectedServer, 'decoy'),
        [root]: naming(protectedServer, 'decoy'),
      }),
      challenge: protectedServer => [
        `Bearer resource_metadata="${protectedServer.url.origin}${oddPlace}", scope="a:read"`,
      ],
    },
    judge({ protectedServer, expect }) {
      const [wrong] = uses(protectedServer.authority('decoy'));
      const asked = protectedServer.requests('mcp', oddPlace);
      expect.that('auth.client-challenge-url-first', {
        ok: wrong === undefined && asked.length > 0,
        expected: 'the metadata that the challenge names, and use of its authorization server',
        evidence: wrong ? [wrong] : asked.length > 0 ? exchangesOf(asked) : lastSeen(protectedServer),
        actual: wrong
          ? 'the client uses the authorization server of another document'
          : howFar(protectedServer),
      });
    },
  }),

  ...(['nothing', 'realm', 'basic'] as const).map(slug =>
    protectedScenario(`client/authorization/discovery/unannounced-${slug}`, {
      title: 'a client requests the well-known URL when the refusal names no metadata',
      verifies: ['auth.client-prm-fallback', 'auth.client-prm-fallback-order'],
      official: 'auth/metadata-var1',
      protection: {
        path: slug === 'realm' ? '/tenant/a/mcp' : '/mcp',
        challenge: () =>
          ({
            nothing: [],
            realm: ['Bearer realm="x"'],
            basic: ['Basic realm="x"'],
          })[slug],
      },
      judge(outcome) {
        expectEntry(outcome, 'auth.client-prm-fallback', 'the document at the well-known URL with the path');
        judgeOrder(outcome as never);
      },
    }),
  ),

  ...([404, 401] as const).map(status =>
    protectedScenario(
      `client/authorization/discovery/unannounced-root${status === 404 ? '' : `-${status}`}`,
      {
        title: `a client requests the well-known URL without a path last, after status ${status} for the one with the path`,
        verifies: ['auth.client-prm-fallback', 'auth.client-prm-fallback-order'],
        official: 'auth/metadata-var2',
        protection: {
          challenge: () => [],
          // RFC 9728 §3.3 requires a document at this URL to name the origin, and some clients check this
          documents: protectedServer => ({
            ...(status !== 404 && { [insertedPath(protectedServer.url)]: refused(status) }),
            [root]: { ...protectedServer.metadata, resource: protectedServer.url.origin },
          }),
        },
        judge(outcome) {
          expectEntry(
            outcome,
            'auth.client-prm-fallback',
            'the document at the well-known URL without a path',
          );
          judgeOrder(outcome as never);
        },
      },
    ),
  ),

  protectedScenario('client/authorization/discovery/unannounced-both', {
    title: 'a client prefers the metadata at the well-known URL with the path',
    verifies: ['auth.client-prm-fallback-order'],
    official: 'auth/metadata-var1',
    protection: {
      authorities: { decoy: {} },
      challenge: () => [],
      documents: protectedServer => ({
        [insertedPath(protectedServer.url)]: protectedServer.metadata,
        [root]: naming(protectedServer, 'decoy', { resource: protectedServer.url.href }),
      }),
    },
    judge({ protectedServer, expect, main }) {
      const [wrong] = uses(protectedServer.authority('decoy'));
      if (!wrong && uses(main).length === 0) return;
      expect.that('auth.client-prm-fallback-order', {
        ok: wrong === undefined,
        expected: 'the document at the well-known URL with the path',
        evidence: wrong ? [wrong] : uses(main),
        actual: 'the client uses the authorization server of the document at the root',
      });
    },
  }),

  ...(
    [
      ['elsewhere', protectedServer => `${protectedServer.authority('decoy').origin}/mcp`],
      // one URL begins with the other, but neither path is below the other
      ['shorter', protectedServer => protectedServer.url.href.slice(0, -1)],
      ['longer', protectedServer => `${protectedServer.url.href}-other`],
    ] as const satisfies readonly (readonly [string, (protectedServer: ProtectedServerState) => string])[]
  ).map(([slug, resource]) =>
    protectedScenario(`client/authorization/discovery/foreign-resource-${slug}`, {
      title: 'a client does not use metadata of another server',
      verifies: ['auth.client-prm-resource-checked'],
      official: 'auth/resource-mismatch',
      protection: {
        authorities: { decoy: {} },
        documents: protectedServer => ({
          [insertedPath(protectedServer.url)]: {
            ...protectedServer.metadata,
            resource: resource(protectedServer),
          },
        }),
      },
      judge(outcome) {
        const { protectedServer, main } = outcome;
        expectNoUse(outcome, 'auth.client-prm-resource-checked', main, {
          seen: protectedServer.requests('mcp', insertedPath(protectedServer.url)),
          what: 'no use of the authorization server of that document',
        });
      },
    }),
  ),

  protectedScenario('client/authorization/discovery/resource-in-capitals', {
    title: 'a client accepts a resource identifier with its scheme in upper case',
    verifies: ['auth.uri-case-tolerance'],
    protection: {
      documents: protectedServer => ({
        [insertedPath(protectedServer.url)]: {
          ...protectedServer.metadata,
          resource: protectedServer.url.href.replace('http:', 'HTTP:'),
        },
      }),
    },
    judge(outcome) {
      const read =
        outcome.protectedServer.requests('mcp', insertedPath(outcome.protectedServer.url)).length > 0;
      if (read) expectEntry(outcome, 'auth.uri-case-tolerance');
    },
  }),
];

/** The fallback begins with the first 401: a client may look for metadata before that. */
function judgeOrder({ protectedServer, expect }: Outcome<'auth.client-prm-fallback-order'>): void {
  const refused = protectedServer.mcpRequests.find(({ refusal }) => refusal)?.exchange;
  const asked = protectedServer
    .requests('mcp')
    .filter(({ exchange }) => refused !== undefined && exchange.number > refused.number)
    .filter(({ url }) => [root, insertedPath(protectedServer.url)].includes(url.pathname));
  const [first] = asked;
  if (!first || protectedServer.admitted.length === 0) return;
  expect.that('auth.client-prm-fallback-order', {
    ok: first.url.pathname !== root,
    expected: `${insertedPath(protectedServer.url)} before ${root}`,
    evidence: exchangesOf(asked),
    actual: asked.map(({ url }) => url.pathname).join(', '),
  });
}
