/**
 * basic/authorization in the first revision with authorization: the MCP server is its own authorization
 * server.
 */

import { exchangesOf, expectEntry, howFar, lastSeen, protectedScenario } from './protected-scenario.js';

const place = '/.well-known/oauth-authorization-server';
const authorityMetadata = /\/\.well-known\/(oauth-authorization-server|openid-configuration)/;
const defaults = ['/authorize', '/token', '/register'];

export const scenarios = [
  protectedScenario('client/authorization/legacy/base-url', {
    title: 'a client requests the metadata at the root of the server, whatever the path of the endpoint',
    verifies: ['auth.legacy-base-url'],
    official: 'auth/2025-03-26-oauth-metadata-backcompat',
    protection: { path: '/v1/mcp' },
    judge({ protectedServer, expect }) {
      const asked = protectedServer.requests('mcp', place);
      expect.that('auth.legacy-base-url', {
        ok: asked.length > 0,
        expected: `GET ${place}`,
        evidence: asked.length > 0 ? exchangesOf(asked) : lastSeen(protectedServer),
        actual: howFar(protectedServer),
      });
    },
  }),

  protectedScenario('client/authorization/legacy/default-paths', {
    title: 'a client uses the default paths only when it finds no metadata',
    verifies: ['auth.legacy-default-paths', 'auth.legacy-metadata-first'],
    official: 'auth/2025-03-26-oauth-endpoint-fallback',
    protection: { path: '/v1/mcp', authorities: { main: { documents: () => ({}) } } },
    judge(outcome) {
      const { protectedServer, expect } = outcome;
      expectEntry(outcome, 'auth.legacy-default-paths', `${defaults.join(', ')} at the root of the server`);
      const seen = protectedServer.requests('mcp');
      const first = seen.findIndex(({ url }) => defaults.includes(url.pathname));
      if (first === -1) return;
      expect.that('auth.legacy-metadata-first', {
        ok: seen.slice(0, first).some(({ url }) => authorityMetadata.test(url.pathname)),
        expected: 'a request for metadata before',
        evidence: exchangesOf(seen.slice(0, first + 1)),
        actual: `${seen[first]!.url.pathname} first`,
      });
    },
  }),
];
