/**
 * Each fault of clients about authorization fails exactly its rows; each one is shown once for every set of
 * rows it breaks.
 */

import { describe, expect, test } from 'vitest';
import { clientAuthorizationFaults } from '../../mocks/client/faults/index.js';
import { clientAuthorizationQuirks } from '../../mocks/client/quirks/authorization.js';
import { definedRevisions, latestRevision } from '../../spec/revisions.js';
import { expectLegal } from './expect-broken.test.util.js';
import { faultsInGroups } from './fault-groups.js';
import { faultMatrix } from './fault-matrix.js';
import { explainFindings } from './run-mock.js';
import { tryMockClient } from './run-mock-client.js';

const transport = 'streamable-http';
const selected = (name: string) => name.includes('/client/authorization/');

const shown = faultsInGroups(faultMatrix(clientAuthorizationFaults, transport), (revision, faults) =>
  tryMockClient(revision, { transport, faults, selected }),
);

test.concurrent.each(shown)('$id, $revision.id', ({ show }) => show());

test.concurrent.each(clientAuthorizationQuirks.map(({ id }) => id))('legal: %s', async quirk => {
  const trial = await tryMockClient(latestRevision, {
    transport,
    selected,
    quirks: [quirk],
  });
  expectLegal(trial, 'warning');
  expect(trial.findings.filter(f => f.verdict === 'pass').length).toBeGreaterThan(500);
});

const guarded = definedRevisions
  .filter(r => r.authorization)
  .map(revision => ({ id: revision.id, revision }));

describe.concurrent.each(guarded)('$id', ({ revision }) => {
  test('the reference gets access wherever access is allowed', async () => {
    const { findings, report } = await tryMockClient(revision, { transport, selected });
    expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
    expect(report.exitCode).toBe(0);
  });

  test.each(['client-without-authorization', 'refusal-is-taken-for-age'])(
    'a client without support for authorization has no failure: %s',
    async quirk => {
      const { failed, report } = await tryMockClient(revision, { transport, selected, quirks: [quirk] });
      expect([...failed.keys()]).toEqual([]);
      expect(report.runs[0]?.notApplicable.map(n => n.id)).toContain('auth.token-in-header');
      expect(report.summary.inconclusive).toBe(0);
    },
  );
});
