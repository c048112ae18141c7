/**
 * The reference over HTTP: the same scenarios in every mode of response, and no remaining sessions or
 * connections.
 */

import { describe, expect, test } from 'vitest';
import type { Finding } from '../../harness/judge/finding.js';
import type { RunEvent } from '../../harness/report/run-event.js';
import { run } from '../../harness/run/server/run.js';
import { url } from '../../harness/subject/subject.js';
import { host } from '../../mocks/host.js';
import type { HttpOptions } from '../../mocks/server/http.js';
import { mockServer } from '../../mocks/server/server.js';
import { definedRevisions, latestRevision, newestFirst, type Revision } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { explainFindings, observe, offeredFor, patience, tryMock } from './run-mock.js';

/** Legal choices of a server: none leaves a requirement inconclusive, although the well-known fixtures are claimed. */
const modes: readonly { name: string; http?: HttpOptions; quirks?: string[] }[] = [
  { name: 'JSON', http: { answers: 'json' } },
  { name: 'polled streams', http: { polling: true } },
  { name: 'streams without resumption', http: { resumable: false } },
  { name: 'streams, no sessions', http: { sessions: false } },
  { name: 'JSON, no sessions', http: { answers: 'json', sessions: false } },
  { name: 'no GET stream', quirks: ['no-get-stream'] },
  { name: 'JSON, no GET stream', http: { answers: 'json' }, quirks: ['no-get-stream'] },
];

/** Without a handshake there is no session, no GET stream and no resumption. */
const modesOf = ({ era }: Revision) => (era === 'modern' ? modes.filter(m => m.name === 'JSON') : modes);

const trials = definedRevisions
  .filter(r => r.transports.includes('streamable-http'))
  .flatMap(revision => modesOf(revision).map(mode => ({ id: revision.id, revision, ...mode })));

const unwelcome = (findings: readonly Finding[]) =>
  explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'));

describe.concurrent('in this process', () => {
  test.each(trials)('$id, $name: nothing fails', async ({ revision, ...mode }) => {
    const { findings, report } = await tryMock(revision, { transport: 'streamable-http', ...mode });
    expect(unwelcome(findings)).toBe('');
    expect(report).toMatchObject({ exitCode: 0, unjudged: null, summary: { inconclusive: 0 } });
    expect(report.summary.requirementsJudged).toBeGreaterThan(60);
  });
});

/** One revision of each era. */
const eras = [...new Map(trials.map(trial => [trial.revision.era, trial.revision])).values()];

test.each(eras.map(revision => ({ id: revision.id, revision })))(
  '$id, through a handler of the Fetch standard: nothing fails',
  async ({ revision }) => {
    const mock = mockServer({ delayMs: 2, revisions: offeredFor(revision) }).http();
    const subject = url(`http://localhost${mock.paths.mcp}`, { fetch: request => mock.fetch(request) });
    const paced = { ...timing, answer: patience };
    const { findings, report } = await observe(
      run({ subject, suite, revision, fixtures: true, timing: paced }),
    );
    mock.close();
    expect(unwelcome(findings)).toBe('');
    expect(report).toMatchObject({ exitCode: 0, unjudged: null, summary: { inconclusive: 0 } });
  },
);

test('status 409 for a GET after a closed stream is no result', async () => {
  const mock = mockServer().http();
  let gets = 0;
  const fetch = async (request: Request) =>
    request.method === 'GET' && gets++ > 0 ? new Response(null, { status: 409 }) : mock.fetch(request);
  const subject = url(`http://localhost${mock.paths.mcp}`, { fetch });
  const selected = (name: string) => name.endsWith('/server/streamable-http/stream-with-get');
  const { findings } = await observe(run({ subject, suite, revision: latestRevision, selected, timing }));
  mock.close();
  expect(unwelcome(findings)).toBe('');
  expect(findings.map(f => f.message)).toContainEqual(expect.stringContaining('still open'));
});

const timing = { answer: 6_000, exit: 1_000, quiet: 40 };

describe.each(['streamable-http', 'http-sse'] as const)('%s over sockets', transport => {
  test('nothing fails, and no session, stream or connection remains', async () => {
    const mock = mockServer({ delayMs: 2 }).http();
    const { origin, close, connections } = await host(mock.fetch);
    const revision = newestFirst().find(r => r.transports.includes(transport))!;
    const subject = url(origin + (transport === 'http-sse' ? mock.paths.sse : mock.paths.mcp));
    const findings: Finding[] = [];
    for await (const event of run({ subject, transport, suite, revision, fixtures: true, timing }))
      if (event.kind === 'finding') findings.push(event.finding);
    expect(unwelcome(findings)).toBe('');
    await expect.poll(() => [mock.sessions.ids.length, mock.sessions.older]).toEqual([0, 0]);
    await expect.poll(connections).toBe(0);
    await close();
  });
});

test('a thousand cases in one session leave no session and no connection', async () => {
  const mock = mockServer().http();
  const { origin, close, connections } = await host(mock.fetch);
  const ping = suite.scenarios.find(s => s.name === 'server/ping/plain')!;
  const scenarios = Array.from({ length: 1_000 }, (_, n) => ({ ...ping, name: `server/ping/again-${n}` }));
  const exchanges: string[] = [];
  let report: RunEvent | undefined;
  for await (const event of run({
    subject: url(origin + mock.paths.mcp),
    suite: { ...suite, scenarios },
    revision: latestRevision,
    timing,
  })) {
    if (event.kind === 'wire' && event.event.kind === 'http-request') exchanges.push(event.event.method);
    report = event;
  }
  expect(report).toMatchObject({ kind: 'run-end', exitCode: 0 });
  const times = (method: string) => exchanges.filter(m => m === method).length;
  expect(times('POST')).toBeGreaterThan(2_000);
  // the session of the probe is the shared one
  expect(times('DELETE')).toBe(times('GET'));
  expect(times('DELETE')).toBeLessThan(5);
  expect(mock.sessions.ids).toEqual([]);
  await expect.poll(connections).toBe(0);
  await close();
});
