/** One run of all revisions against a server of both eras: what belongs to one era is in no finding of the other. */

import { describe, expect, test } from 'vitest';
import { run } from '../../harness/run/server/run.js';
import { url } from '../../harness/subject/subject.js';
import { mockServer } from '../../mocks/server/server.js';
import { clauseIn, requirement } from '../../spec/requirement.js';
import { definedRevisions, findDefinedRevision, type TransportId } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { observe, patience, reach } from './run-mock.js';

async function judgedAll(transport: TransportId, faults: readonly string[]) {
  const server = mockServer({ delayMs: 2, faults });
  const { subject, close } = await reach(server, transport);
  const timing = { answer: patience, exit: 1_000, quiet: 20 };
  try {
    const options = { subject, transport, suite, fixtures: true, seed: 1, runs: 0, jobs: 8, timing };
    return (await observe(run({ ...options, revision: 'all' }))).report;
  } finally {
    await close();
  }
}

describe.each(['stdio', 'streamable-http'] as const)('on %s', transport => {
  test('all revisions of both eras are judged in one run, without a violation', async () => {
    const { runs } = await judgedAll(transport, []);
    const expected = definedRevisions.filter(r => r.transports.includes(transport)).map(r => r.id);
    expect(runs.map(r => r.revision).sort()).toEqual(expected.sort());
    for (const { revision, findings } of runs) {
      const failed = findings.filter(f => f.grade === 'violation' || f.grade === 'warning');
      expect([revision, failed.map(f => f.requirement)]).toEqual([revision, []]);
    }
    for (const { revision, requirements } of runs) {
      const foreign = requirements.filter(({ id }) => !clauseIn(requirement(id), revision));
      expect([revision, foreign.map(({ id }) => id)]).toEqual([revision, []]);
    }
  });
});

test.each([
  ['unsupported-version-bare', 'modern'],
  ['result-null', 'legacy'],
] as const)('the fault %s shows in the %s era only', async (fault, era) => {
  const { runs } = await judgedAll('stdio', [fault]);
  const failing = runs.filter(r => r.findings.some(f => f.grade === 'violation')).map(r => r.revision);
  expect(failing.sort()).toEqual(definedRevisions.filter(r => r.era === era).map(r => r.id));
  expect(failing.every(id => findDefinedRevision(id)?.era === era)).toBe(true);
});

test('a violation in a handshake of the probe is listed under the revision of that handshake', async () => {
  const mock = mockServer({ delayMs: 2 }).http({ answers: 'json' });
  const fetch = async (request: Request): Promise<Response> => {
    const text = await request.clone().text();
    const response = await mock.fetch(request);
    if (!text.includes('"initialize"') || !text.includes('"2025-06-18"')) return response;
    const body = (await response.text()).replace('"serverInfo":', '"_meta":{"a b/c":1},"serverInfo":');
    return new Response(body, { status: response.status, headers: response.headers });
  };
  const subject = url('http://localhost/mcp', { fetch });
  const timing = { answer: patience, exit: 1_000, quiet: 20 };
  const selected = (name: string) => name.includes('/lifecycle/');
  const options = {
    subject,
    transport: 'streamable-http',
    suite,
    seed: 1,
    runs: 0,
    timing,
    selected,
  } as const;
  const { report } = await observe(run({ ...options, revision: 'all' }));
  mock.close();
  const failing = report.runs.filter(r => r.findings.some(f => f.requirement === 'meta.key-label-syntax'));
  expect(failing.map(r => r.revision)).toEqual(['2025-06-18']);
});
