/** A real authorization server, which nobody here wrote: oidc-provider, certified for OpenID Connect. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runAuthorizationServer } from '../../harness/run/authorization-server/run.js';
import { clauseIn, requirement } from '../../spec/requirement.js';
import { revisions } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { explainFindings, observe } from './run-mock.js';

/** What cannot be seen unless it takes a document of ours. */
const documented = [
  ...['auth.cimd-as-advertises', 'auth.cimd-as-fetches', 'auth.cimd-as-client-id', 'auth.cimd-as-document'],
  ...['auth.cimd-as-redirect', 'auth.cimd-as-caches', 'auth.cimd-as-no-error-cache'],
] as const;

let server: Server;
let issuer: URL;
let documents = '';

/** Where the documents of our clients are, as far as the provider can see. */
const base = new URL('https://clients.example/documents');

beforeAll(async () => {
  // it reminds of each setting that is not made for production
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {});
  server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  issuer = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const provider = new Provider(issuer.origin, {
    features: {
      registration: { enabled: true },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          scope: 'mcp:read mcp:write',
          audience,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
        useGrantedResource: () => true,
      },
    },
    // nothing leaves this host: what is published is brought to our end directly
    fetch: (url, { dispatcher, ...options } = {}) =>
      String(url).startsWith(base.href)
        ? fetch(String(url).replace(base.origin, documents), options)
        : fetch(url, { ...options, ...(dispatcher && { dispatcher }) }),
    scopes: ['openid', 'offline_access', 'mcp:read', 'mcp:write'],
    pkce: { required: () => true },
  });
  server.on('request', provider.callback());
});

afterAll(() => new Promise(resolve => server.close(resolve)));

test.each(revisions.filter(r => r.authorization))(
  '$id: no violation, hardly anything unclear',
  async revision => {
    const listening = (origin: string) => {
      documents = origin;
    };
    const login = { user: 'alice', password: 'anything-will-do' };
    const subject = { issuer, login, documents: { base, listening } };
    const { report, findings } = await observe(runAuthorizationServer({ suite, revision, subject }));
    const failed = findings.filter(f => f.verdict === 'fail');
    // It tells the client of nonsense at once. A client document need not have a name, by the draft. Addresses of its own
    // host are refused only when it is connected to them, before anything is asked.
    const known = ['auth.as-open-redirect', 'auth.cimd-as-client-name', 'auth.cimd-as-ssrf'];
    expect(explainFindings(failed.filter(f => !known.includes(f.requirement)))).toBe('');
    expect(explainFindings(findings.filter(f => f.verdict === 'inconclusive' || f.verdict === 'error'))).toBe(
      '',
    );
    expect(report.summary.violation).toBe(0);
    expect(report.summary.requirementsJudged).toBeGreaterThan(25);
    const judged = new Set(findings.filter(f => f.verdict === 'pass').map(f => f.requirement));
    for (const id of documented)
      expect(judged.has(id), id).toBe(clauseIn(requirement(id), revision.id) !== undefined);
  },
);
