/** A real authorization server, which nobody here wrote: oidc-provider, certified for OpenID Connect. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runAuthorizationServer } from '../../harness/authorization-server/run.js';
import { revisions } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { explainFindings, observe } from './trial.js';

let server: Server;
let issuer: URL;

beforeAll(async () => {
  // it reminds of each setting that is not made for production
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {});
  server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  issuer = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const provider = new Provider(issuer.origin, {
    features: {
      registration: { enabled: true },
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
    scopes: ['openid', 'offline_access', 'mcp:read', 'mcp:write'],
    pkce: { required: () => true },
  });
  server.on('request', provider.callback());
});

afterAll(() => new Promise(resolve => server.close(resolve)));

test.each(revisions.filter(r => r.authorization))(
  '$id: no violation, hardly anything unclear',
  async revision => {
    const subject = { issuer, login: { user: 'alice', password: 'anything-will-do' } };
    const { report, findings } = await observe(runAuthorizationServer({ suite, revision, subject }));
    const failed = findings.filter(f => f.verdict === 'fail');
    // it tells the client of nonsense at once, and takes no client documents unless told to
    const known = ['auth.as-open-redirect', 'auth.cimd-server'];
    expect(explainFindings(failed.filter(f => !known.includes(f.requirement)))).toBe('');
    expect(explainFindings(findings.filter(f => f.verdict === 'inconclusive' || f.verdict === 'error'))).toBe(
      '',
    );
    expect(report.summary.violation).toBe(0);
    expect(report.summary.requirementsJudged).toBeGreaterThan(25);
  },
);
