/** An independent authorization server: oidc-provider, certified for OpenID Connect. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runAuthorizationServer } from '../../harness/run/authorization-server/run.js';
import { clauseIn, requirement } from '../../spec/requirement.js';
import { revisions } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { explainFindings, observe } from './run-mock.js';

/** Rows that are visible only when the server accepts a client document of the harness. */
const documented = [
  ...['auth.cimd-as-advertises', 'auth.cimd-as-fetches', 'auth.cimd-as-client-id', 'auth.cimd-as-document'],
  ...['auth.cimd-as-redirect', 'auth.cimd-as-caches', 'auth.cimd-as-no-error-cache'],
] as const;

let server: Server;
let issuer: URL;
let documents = '';
/** The token endpoint demands a nonce in proofs (DPoP). */
let nonces = false;

/** The URL of the client documents, as the provider sees it. */
const base = new URL('https://clients.example/documents');

beforeAll(async () => {
  // the provider warns about each setting that is not suitable for production
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {});
  server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  issuer = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const provider = new Provider(issuer.origin, {
    features: {
      registration: { enabled: true },
      dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 7), requireNonce: () => nonces },
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
    // no request leaves this host: documents are fetched directly from the harness
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
  '$id: no violation, and no failure except the known ones',
  async revision => {
    const listening = (origin: string) => {
      documents = origin;
    };
    const login = { user: 'alice', password: 'anything-will-do' };
    const subject = { issuer, login, documents: { base, listening } };
    const { report, findings } = await observe(runAuthorizationServer({ suite, revision, subject }));
    const failed = findings.filter(f => f.verdict === 'fail');
    // The provider reports invalid requests to the client immediately. By the draft, a client document need
    // not have a name. URLs of the provider's own host are refused only after the connection, before any
    // request.
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

test.each([false, true])('bound tokens, a nonce demanded: %s', async nonce => {
  nonces = nonce;
  const subject = { issuer, login: { user: 'alice', password: 'anything-will-do' } };
  const revision = revisions.find(({ id }) => clauseIn(requirement('ext-dpop.as-token-bound'), id))!;
  const selected = (name: string) => name.includes('/ext-dpop/');
  const { report, findings } = await observe(
    runAuthorizationServer({ suite, revision, subject, selected }),
  ).finally(() => {
    nonces = false;
  });
  expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
  const open = report.runs[0]!.requirements.filter(
    ({ id, grade }) => id.startsWith('ext-dpop.') && grade !== 'pass',
  );
  expect(open.map(({ id }) => id)).toEqual(nonce ? [] : ['ext-dpop.as-nonce-supplied']);
});
