/**
 * Each fault of clients about authorization fails exactly its rows; each one is shown once for every set of
 * rows it breaks.
 */

import { describe, expect, test } from 'vitest';
import { authorizationFaults } from '../../mocks/client/faults/authorization.js';
import { clientAuthorizationQuirks } from '../../mocks/client/quirks/authorization.js';
import { latestRevision, revisions } from '../../spec/revisions.js';
import { faultMatrix } from './fault-matrix.js';
import { explainFindings } from './run-mock.js';
import { tryMockClient } from './run-mock-client.js';

const transport = 'streamable-http';
const selected = (name: string) => name.includes('/client/authorization/');

test.concurrent.each(faultMatrix(authorizationFaults, transport))(
  '$id, $revision.id',
  { timeout: 60_000 },
  async ({ id, revision, breaks }) => {
    const { failed, report } = await tryMockClient(revision, { transport, faults: [id], selected });
    expect([...failed.keys()].sort(), explainFindings(failed.values())).toEqual([...breaks].sort());
    expect(report.summary.error).toBe(0);
  },
);

test.concurrent.each(clientAuthorizationQuirks.map(({ id }) => id))(
  'legal: %s',
  { timeout: 60_000 },
  async quirk => {
    const { report, findings } = await tryMockClient(latestRevision, {
      transport,
      selected,
      quirks: [quirk],
    });
    const wrong = report.runs
      .flatMap(r => r.findings)
      .filter(f => f.grade === 'violation' || f.grade === 'warning' || f.grade === 'error');
    expect(wrong.map(f => `${f.requirement}: ${f.actual ?? f.message}`)).toEqual([]);
    expect(report.unjudged).toBeNull();
    expect(findings.filter(f => f.verdict === 'pass').length).toBeGreaterThan(500);
  },
);

const guarded = revisions.filter(r => r.authorization).map(revision => ({ id: revision.id, revision }));

describe.concurrent.each(guarded)('$id', ({ revision }) => {
  test('the reference gets access wherever access is allowed', { timeout: 60_000 }, async () => {
    const { findings, report } = await tryMockClient(revision, { transport, selected });
    expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
    expect(report.exitCode).toBe(0);
  });

  test.each(['client-without-authorization', 'refusal-is-taken-for-age'])(
    'a client without support for authorization has no failure: %s',
    { timeout: 60_000 },
    async quirk => {
      const { failed, report } = await tryMockClient(revision, { transport, selected, quirks: [quirk] });
      expect([...failed.keys()]).toEqual([]);
      expect(report.runs[0]?.notApplicable.map(n => n.id)).toContain('auth.token-in-header');
      expect(report.summary.inconclusive).toBe(0);
    },
  );
});
