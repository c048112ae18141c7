/** Tokens, codes, verifiers and secrets are in no report: each format, over runs that contain all of them. */

import { expect, test } from 'vitest';
import type { RunEvent } from '../../harness/report/run-event.js';
import { runAuthorizationServer } from '../../harness/run/authorization-server/run.js';
import { runClient } from '../../harness/run/client/run.js';
import { inProcessClient } from '../../harness/run/client/subject.js';
import { run } from '../../harness/run/server/run.js';
import { url } from '../../harness/subject/subject.js';
import { gateFaults } from '../../mocks/authorization-server/faults/gate.js';
import { protectedMock } from '../../mocks/authorization-server/protected-server.js';
import type { Records } from '../../mocks/authorization-server/records.js';
import { mockAuthorizationServer } from '../../mocks/authorization-server/server.js';
import { mockClient } from '../../mocks/client/client.js';
import { host } from '../../mocks/host.js';
import { mockServer } from '../../mocks/server/server.js';
import { reporters } from '../../reports/reporters.js';
import { latestRevision } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { collect, reportsOf } from './reports-of.test.util.js';
import { openProxy, somewhere } from './run-mock-authorization-server.js';

const password = 'correct-horse-battery';

/** All secrets that the authorization server issued. */
const secretsIn = (records: Records): string[] =>
  [
    ...records.codes.keys(),
    ...records.refreshTokens.keys(),
    ...records.accessTokens.keys(),
    ...records.sessions.keys(),
    ...[...records.clients.values()].map(client => client.secret ?? ''),
  ].filter(secret => secret !== '');

async function look(events: readonly RunEvent[], secrets: readonly string[]): Promise<void> {
  expect(secrets.length).toBeGreaterThan(3);
  const reports = await reportsOf(events);
  expect(Object.keys(reports).sort()).toEqual(Object.keys(reporters).sort());
  for (const [name, text] of Object.entries(reports)) {
    expect(text.length, name).toBeGreaterThan(100);
    const written = (secret: string) => [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
    ];
    const leaked = secrets.filter(secret => written(secret).some(form => text.includes(form)));
    expect(leaked, name).toEqual([]);
    // only the harness knows a verifier, so the secrets of the mock do not contain it
    expect(/code_verifier(=|":\s*")(?!~)[\w-]{20}/.exec(text)?.[0], name).toBeUndefined();
  }
}

test('reports about an authorization server contain no secrets', async () => {
  // so that the reports also contain failures with their evidence
  const policy = [{ codeUsable: () => true, refreshUsable: () => true, verifies: () => true }];
  const { documents, fetchDocument } = somewhere();
  const mock = mockAuthorizationServer({
    policy: [...policy, { documentFlaw: () => undefined }],
    fetchDocument,
  });
  const served = await host(request => mock.fetch(request));
  const subject = { issuer: new URL(served.origin), login: { user: 'alice', password }, documents };
  const pause = async () => {};
  const events = await collect(runAuthorizationServer({ suite, subject, revision: latestRevision, pause }));
  await served.close();
  expect(events.some(e => e.kind === 'finding' && e.finding.verdict === 'fail')).toBe(true);
  await look(events, [...secretsIn(mock.records), password]);
});

test('reports about a proxy contain no secrets of the proxy and of the third party', async () => {
  const policy = { consentHolds: () => true, keepsStates: () => true, needsFormToken: () => false };
  const { subject, records, close } = await openProxy([policy]);
  const login = { user: 'alice', password };
  const options = { suite, subject: { ...subject, login }, revision: latestRevision };
  const events = await collect(runAuthorizationServer(options));
  await close();
  const failed = events.flatMap(e =>
    e.kind === 'finding' && e.finding.verdict === 'fail' ? [e.finding] : [],
  );
  expect(new Set(failed.map(f => f.requirement))).toContain('auth.proxy-state');
  await look(events, [...records.flatMap(secretsIn), password]);
});

test('reports about a protected server contain no secrets, with a token of the user and with one from the flow', async () => {
  for (const given of [false, true]) {
    const inner = mockServer({ delayMs: 2 }).http();
    const gate = gateFaults.filter(f => f.id === 'rs-takes-query-tokens').map(f => f.gate);
    const mock = protectedMock(inner, { gate, authorizationServer: { mints: true } });
    const address = 'http://127.0.0.1:4711/mcp';
    const mint = async (sub: string): Promise<string> => {
      const body = JSON.stringify({ aud: address, sub, scope: 'mcp:read mcp:write' });
      const answer = await mock.fetch(new Request(new URL('/mint', address), { method: 'POST', body }));
      return ((await answer.json()) as { access_token: string }).access_token;
    };
    const headers = given ? { Authorization: `Bearer ${await mint('alice')}`, 'X-Api-Key': password } : {};
    const subject = url(address, { headers, fetch: request => mock.fetch(request) });
    const credentials = { tokens: { second: await mint('bob') }, login: { password } };
    const selected = (name: string) => /\/server\/(authorization|resource-metadata|authorized)\//.test(name);
    const options = { subject, suite, revision: latestRevision, runs: 0, selected, credentials };
    const events = await collect(run(options));
    inner.close();
    expect(events.some(e => e.kind === 'finding' && e.finding.verdict === 'fail')).toBe(true);
    await look(events, [...secretsIn(mock.authorizationServer.records), password]);
  }
});

test('reports about a client of protected servers contain no secrets', async () => {
  // with failures of all kinds, so that the reports also contain their evidence
  const faults = ['client-auth-token-in-query', 'client-auth-any-issuer', 'client-auth-no-secret'];
  const client = mockClient({ faults });
  const subject = inProcessClient((task, streams) => client.perform(task, streams));
  const selected = (name: string) => name.includes('/client/authorization/');
  const transport = 'streamable-http';
  const events = await collect(runClient({ subject, transport, suite, revision: latestRevision, selected }));
  expect(events.filter(e => e.kind === 'finding' && e.finding.verdict === 'fail').length).toBeGreaterThan(3);
  for (const [name, text] of Object.entries(await reportsOf(events))) {
    expect(text.length, name).toBeGreaterThan(100);
    expect(/ct_(at|rt|code|sec)_[\w-]{6}|pre-registered-secret/.exec(text)?.[0], name).toBeUndefined();
    expect(/code_verifier(=|":\s*")(?!~)[\w-]{20}/.exec(text)?.[0], name).toBeUndefined();
    // the prefixes of client IDs in the encoding of HTTP Basic
    expect(/Basic (Y3Rf|cHJl)/.exec(text)?.[0], name).toBeUndefined();
  }
});
