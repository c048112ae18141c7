/**
 * basic/authorization: the metadata of an authorization server, and its replacement in servers without
 * metadata.
 */

import { isPublished } from '../../harness/oauth/discovery.js';
import { scenario } from '../../harness/scenario/scenario.js';

const json = { Accept: 'application/json' };

export const scenarios = [
  scenario.authorization('authorization-server/metadata/published', {
    title: 'metadata is published at a well-known URL where clients look for it',
    verifies: ['auth.as-metadata-published'],
    needs: [],
    async run({ oauth, expect, candidates }) {
      const answers = [];
      for (const { url } of candidates)
        answers.push(await oauth.web.ask({ endpoint: 'metadata', url, headers: json }));
      const places = candidates.map(c => c.url.href).join(' or ');
      const found = answers.some(a => a.status === 200 && a.json);
      const seen = answers.map(a => a.status ?? a.failure).join(', ');
      const evidence = answers.map(a => a.exchange);
      expect.that('auth.as-metadata-published', {
        ok: found,
        expected: `a document at ${places}`,
        evidence,
        actual: seen,
      });
    },
  }),

  scenario.authorization('authorization-server/metadata/at-the-root', {
    title: 'metadata is published at the root of the origin, whatever the path of the server',
    verifies: ['auth.legacy-metadata-at-root'],
    needs: [],
    async run({ oauth, expect, issuer, target }) {
      const row = 'auth.legacy-metadata-at-root';
      const name = '/.well-known/oauth-authorization-server';
      const ask = (path: string) =>
        oauth.web.ask({ endpoint: 'metadata', url: new URL(path, issuer.origin), headers: json });
      const root = await ask(name);
      if (root.status === 200 && root.json) return expect.noViolation(row, [root.exchange]);
      const path = target.pathname.replace(/\/$/, '');
      for (const place of [`${path}${name}`, `${name}${path}`]) {
        const other = await ask(place);
        const elsewhere = other.status === 200 && other.json !== undefined;
        expect.that(row, {
          ok: !elsewhere,
          expected: `metadata at ${name}`,
          evidence: [root.exchange, other.exchange],
          actual: `only at ${place}`,
        });
      }
    },
  }),

  scenario.authorization('authorization-server/metadata/default-paths', {
    title: 'without metadata the endpoints respond at their default paths',
    verifies: ['auth.legacy-default-paths-served'],
    needs: [],
    async run({ oauth, expect, issuer, candidates }) {
      const row = 'auth.legacy-default-paths-served';
      if (candidates.some(isPublished)) return expect.notObserved(row, 'metadata is published');
      const at = (path: string) => new URL(path, issuer.origin);
      const authorize = await oauth.web.ask({ endpoint: 'authorization', url: at('/authorize') });
      const form = new URLSearchParams();
      const token = await oauth.web.ask({ endpoint: 'token', url: at('/token'), form, deliberate: true });
      for (const answer of [authorize, token])
        expect.that(row, {
          ok: answer.status !== undefined && answer.status !== 404,
          expected: `an endpoint at ${answer.url.pathname}`,
          evidence: [answer.exchange],
          actual: `${answer.status ?? answer.failure}`,
        });
    },
  }),
];
