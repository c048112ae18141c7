/** The reference conforms, and so does the harness in the same conversations. */

import { describe, expect, test } from 'vitest';
import { defaultRuns } from '../../harness/scenario/generation.js';
import { quirks } from '../../mocks/server/quirks/index.js';
import { definedRevisions, latestRevision } from '../../spec/revisions.js';
import { expectLegal } from './expect-broken.test.util.js';
import { inGroups } from './fault-groups.js';
import { isAboutHttp, quick } from './fault-matrix.js';
import { explainFindings, tryMock } from './run-mock.js';

const forms = (quick ? [latestRevision, definedRevisions.at(-1)!] : definedRevisions).flatMap(revision =>
  revision.transports.map(transport => ({ revision, id: revision.id, transport })),
);

describe.concurrent.each(forms)('$id, $transport', ({ revision, transport }) => {
  test('the reference has no failure, no inconclusive result and no unexercised row', async () => {
    const { findings, report, wire } = await tryMock(revision, { transport, runs: defaultRuns });
    expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
    expect(report.exitCode).toBe(0);
    // no wait for what has happened already
    expect(wire.filter(({ kind }) => kind === 'deadline')).toEqual([]);
    expect(report.unjudged).toBeNull();
    expect(report.summary.requirementsJudged).toBeGreaterThan(60);
  });

  // a quirk that is not about HTTP is the same over HTTP
  const carrier = transport === 'stdio' ? 'stdio' : 'http';
  const odd = (quick ? [] : quirks)
    .filter(q => q.where?.(revision) ?? true)
    .filter(q => (isAboutHttp(q) ? 'http' : 'stdio') === carrier)
    .map(({ id }) => ({ id, breaks: [] }));

  const legal = inGroups(odd, {
    attempt: group => tryMock(revision, { quirks: group.map(({ id }) => id), fixtures: false, transport }),
    kindOf: () => undefined,
    async expects(_, attempt) {
      const trial = await attempt();
      expectLegal(trial);
      expect(trial.findings.length).toBeGreaterThan(100);
    },
  });

  test.each(legal)('legal: $id', ({ show }) => show());
});
