/** basic/authorization: discovery of the metadata of an authorization server, and its use. */

import type { Authority } from '../../../harness/protected-server/authority.js';
import type {
  AuthorityScript,
  AuthorityState,
  Protection,
} from '../../../harness/protected-server/script.js';
import type { ProtectedServer } from '../../../harness/protected-server/server.js';
import type { Expect } from '../../../harness/scenario/expect.js';
import type { RequirementId } from '../../../spec/requirement.js';
import {
  exchangesOf,
  expectEntry,
  expectNoUse,
  howFar,
  lastSeen,
  protectedScenario,
  refused,
  uses,
} from './protected-scenario.js';

const main = (script: AuthorityScript): Protection => ({ authorities: { main: script } });

/** Requests for the well-known URLs of an authorization server, in order. */
const lookups = (protectedServer: ProtectedServer, authority: Authority) =>
  protectedServer.requests(authority.name).filter(({ url }) => authority.places.includes(url.pathname));

/** Expects requests for each URL before the one with the document, in order. */
function expectOrder<Id extends RequirementId>(
  { protectedServer, expect }: { protectedServer: ProtectedServer; expect: Expect<Id> },
  id: Id,
  found: number,
): void {
  const authority = protectedServer.authority();
  const asked = lookups(protectedServer, authority);
  const wanted = authority.places.slice(0, found + 1);
  const firsts = wanted.map(place => asked.findIndex(({ url }) => url.pathname === place));
  // without a request for the document another expectation fails
  if (firsts.at(-1) === -1) return;
  const inOrder = firsts.every((at, n) => at !== -1 && (n === 0 || at > firsts[n - 1]!));
  expect.that(id, {
    ok: inOrder,
    expected: wanted.join(', then '),
    evidence: exchangesOf(asked),
    actual: asked.map(({ url }) => url.pathname).join(', ') || 'nothing',
  });
}

/** The document is at one of the three URLs. */
const only = (at: number, path = ''): Protection =>
  main({
    path,
    documents: authority => ({ [authority.places[at]!]: at === 0 ? authority.metadata : authority.openid }),
  });

/** The metadata at each URL, as a document of its kind. */
const atEach = (authority: AuthorityState) =>
  Object.fromEntries(
    authority.places.map((place, n) => [place, n === 0 ? authority.metadata : authority.openid]),
  );

/** A document is at each URL; the first one counts. */
const everywhere = (path = ''): Protection => ({
  authorities: {
    main: {
      path,
      documents: authority =>
        Object.fromEntries(
          authority.places.map((place, n) => [
            place,
            {
              ...(n === 0 ? authority.metadata : authority.openid),
              authorization_endpoint: `${authority.at('authorization')}?place=${n + 1}`,
            },
          ]),
        ),
    },
  },
});

/** The document whose endpoint was used. */
const placeUsed = (authority: Authority): string | undefined =>
  // another row, auth.client-endpoint-query-kept, judges a second question mark in the URL
  authority.authorizations[0]?.params.get('place')?.match(/^\d+/)?.[0];

export const scenarios = [
  protectedScenario('client/authorization/metadata/path-oauth', {
    title: 'a client inserts the well-known string before the path of an issuer',
    verifies: ['auth.client-as-path-insertion'],
    official: 'auth/metadata-var2',
    protection: only(0, '/tenant1'),
    judge({ protectedServer, expect, main: authority }) {
      const asked = lookups(protectedServer, authority);
      expect.that('auth.client-as-path-insertion', {
        ok: asked.some(({ url }) => url.pathname === authority.places[0]),
        expected: `GET ${authority.places[0]}`,
        evidence: asked.length > 0 ? exchangesOf(asked) : lastSeen(protectedServer),
        actual: asked.map(({ url }) => url.pathname).join(', ') || howFar(protectedServer),
      });
    },
  }),

  protectedScenario('client/authorization/metadata/path-openid-inserted', {
    title: 'a client then tries the OpenID URL with the well-known string before the path',
    verifies: ['auth.client-several-well-knowns', 'auth.client-as-order-with-path'],
    official: 'auth/metadata-var2',
    protection: only(1, '/tenant1'),
    judge(outcome) {
      expectEntry(outcome, 'auth.client-several-well-knowns', 'the second well-known URL is tried');
      expectOrder(outcome, 'auth.client-as-order-with-path', 1);
    },
  }),

  protectedScenario('client/authorization/metadata/path-openid-appended', {
    title: 'a client then tries the OpenID URL with the well-known string after the path',
    verifies: ['auth.client-as-order-with-path'],
    official: 'auth/metadata-var3',
    protection: only(2, '/a/b'),
    judge(outcome) {
      const { protectedServer, expect } = outcome;
      if (
        lookups(protectedServer, protectedServer.authority()).some(
          ({ url }) => url.pathname === protectedServer.authority().places[2],
        )
      )
        expectOrder(outcome, 'auth.client-as-order-with-path', 2);
      // another row judges a client that tries one URL only
      else if (lookups(protectedServer, protectedServer.authority()).length > 1)
        expect.that('auth.client-as-order-with-path', {
          ok: false,
          expected: 'the third well-known URL is tried',
          evidence: exchangesOf(lookups(protectedServer, protectedServer.authority())),
          actual: howFar(protectedServer),
        });
    },
  }),

  protectedScenario('client/authorization/metadata/path-everywhere', {
    title: 'a client uses the first of three documents',
    verifies: ['auth.client-as-order-with-path'],
    official: 'auth/metadata-var2',
    protection: everywhere('/tenant1'),
    judge({ expect, main: authority }) {
      const used = placeUsed(authority);
      if (used === undefined) return;
      expect.that('auth.client-as-order-with-path', {
        ok: used === '1',
        expected: `the document at ${authority.places[0]}`,
        evidence: uses(authority),
        actual: `the document at ${authority.places[Number(used) - 1]}`,
      });
    },
  }),

  protectedScenario('client/authorization/metadata/openid-only', {
    title: 'a client supports OpenID Connect discovery',
    verifies: ['auth.client-oidc-discovery', 'auth.client-as-order-without-path'],
    official: 'auth/metadata-var1',
    protection: only(1),
    judge(outcome) {
      expectEntry(outcome, 'auth.client-oidc-discovery', 'the OpenID document is found and used');
      expectOrder(outcome, 'auth.client-as-order-without-path', 1);
    },
  }),

  // a status of 500 or more can be a failure of the server, after which a client may stop
  ...([400, 405] as const).map(status =>
    protectedScenario(`client/authorization/metadata/first-${status}`, {
      title: `a client goes on to the OpenID URL after status ${status} for the OAuth URL`,
      verifies: ['auth.client-several-well-knowns'],
      official: 'auth/metadata-var1',
      protection: main({
        documents: authority => ({
          [authority.places[0]!]: refused(status),
          [authority.places[1]!]: authority.openid,
        }),
      }),
      judge(outcome) {
        expectEntry(outcome, 'auth.client-several-well-knowns', 'the second well-known URL is tried');
      },
    }),
  ),

  protectedScenario('client/authorization/metadata/both', {
    title: 'a client prefers the OAuth document to the OpenID document',
    verifies: ['auth.client-as-order-without-path'],
    protection: everywhere(),
    judge({ expect, main: authority }) {
      const used = placeUsed(authority);
      if (used === undefined) return;
      expect.that('auth.client-as-order-without-path', {
        ok: used === '1',
        expected: `the document at ${authority.places[0]}`,
        evidence: uses(authority),
        actual: `the document at ${authority.places[Number(used) - 1]}`,
      });
    },
  }),

  ...(
    [
      ['stranger', () => 'https://honest.example'],
      [
        'other-server',
        (authority: AuthorityState) => authority.origin.replace(/\d+$/, port => `${Number(port) - 1}`),
      ],
      ['other-path', (authority: AuthorityState) => `${authority.origin}/elsewhere`],
    ] as const
  ).map(([slug, issuer]) =>
    protectedScenario(`client/authorization/metadata/foreign-issuer-${slug}`, {
      title: 'a client does not use metadata whose issuer differs from the expected issuer',
      verifies: ['auth.client-issuer-match', 'auth.client-mismatched-metadata-unused'],
      official: 'auth/metadata-issuer-mismatch',
      // a client that refuses the first document may go on to the next one
      protection: main({
        metadata: authority => ({ issuer: issuer(authority) }),
        documents: atEach,
      }),
      judge(outcome) {
        const { protectedServer } = outcome;
        const seen = protectedServer.oauthRequests
          .map(({ request }) => request)
          .filter(({ url }) => url.pathname === outcome.main.places[0]);
        for (const row of ['auth.client-issuer-match', 'auth.client-mismatched-metadata-unused'] as const)
          expectNoUse(outcome, row, outcome.main, {
            seen,
            what: 'no request to the endpoints of that document',
          });
      },
    }),
  ),

  ...(
    [
      ['oauth', 0, 'auth.pkce-refuse-oauth'],
      ['openid', 1, 'auth.pkce-refuse-oidc'],
    ] as const
  ).map(([slug, at, id]) =>
    protectedScenario(`client/authorization/metadata/no-pkce-${slug}`, {
      title: 'a client stops at an authorization server that does not declare support for PKCE',
      verifies: [id, 'auth.pkce-support-checked'],
      protection: main({
        metadata: () => ({ code_challenge_methods_supported: undefined }),
        documents: authority => ({
          [authority.places[at]!]: at === 0 ? authority.metadata : authority.openid,
        }),
      }),
      judge({ protectedServer, expect, main: authority }) {
        const [asked] = authority.authorizations;
        const read = lookups(protectedServer, authority).filter(
          ({ url }) => url.pathname === authority.places[at],
        );
        if (!asked && read.length === 0) return;
        for (const row of [id, 'auth.pkce-support-checked'] as const)
          expect.that(row, {
            ok: asked === undefined,
            expected: 'no authorization request, because code_challenge_methods_supported is missing',
            evidence: [...exchangesOf(read), asked?.exchange],
            actual: 'an authorization request',
          });
      },
    }),
  ),
];
