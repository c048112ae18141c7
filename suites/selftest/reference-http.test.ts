/** The reference over HTTP: the same scenarios, both transports, every way of answering. */

import { afterEach, expect, test } from 'vitest';
import type { Finding } from '../../harness/finding.js';
import { run } from '../../harness/run.js';
import { url } from '../../harness/subject.js';
import { Summary } from '../../harness/summary.js';
import { host } from '../../mocks/host.js';
import type { HttpOptions } from '../../mocks/http.js';
import { mockServer } from '../../mocks/server.js';
import { type Revision, revisions, type TransportId } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { explainFindings } from './trial.js';

const timing = { answer: 2_000, exit: 500, quiet: 20 };

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0)) await act();
});

const over = (transport: TransportId) => revisions.filter(r => r.transports.includes(transport));
interface Trial {
  readonly name: string;
  readonly revision: Revision;
  readonly transport: TransportId;
  readonly http: HttpOptions;
}
const trials: Trial[] = [
  ...over('http-sse').map(revision => ({ name: '', revision, transport: 'http-sse' as const, http: {} })),
  ...over('streamable-http').flatMap(revision =>
    (
      [
        ['streams', {}],
        ['JSON', { answers: 'json' }],
        ['polled streams', { polling: true }],
      ] as const
    ).map(([name, http]) => ({ name, revision, transport: 'streamable-http' as const, http })),
  ),
];

test.each(trials)('$revision.id over $transport $name: nothing fails', async trial => {
  const { revision, transport, http } = trial;
  const mock = mockServer({ delayMs: 2 }).http(http);
  const { origin, close, connections } = await host(mock.fetch);
  cleanUp.push(close);
  const path = transport === 'http-sse' ? mock.paths.sse : mock.paths.mcp;
  const summary = new Summary();
  const findings: Finding[] = [];
  const subject = url(origin + path);
  for await (const event of run({ subject, transport, suite, revision, fixtures: true, timing })) {
    summary.add(event);
    if (event.kind === 'finding') findings.push(event.finding);
  }
  expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
  expect(summary.report()).toMatchObject({ exitCode: 0, unjudged: null });
  expect(summary.report().summary.requirementsJudged).toBeGreaterThan(60);
  await expect.poll(() => [mock.sessions.ids.length, mock.sessions.older]).toEqual([0, 0]);
  await expect.poll(connections).toBe(0);
});
