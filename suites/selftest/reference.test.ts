/** The reference conforms, and so does the harness in the same conversations. */

import { describe, expect, test } from 'vitest';
import { defaultRuns } from '../../harness/scenario/generation.js';
import { quirks } from '../../mocks/server/quirks/index.js';
import { definedRevisions, latestRevision } from '../../spec/revisions.js';
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
    .filter(q => (isAboutHttp(q) ? 'http' : 'stdio') === carrier);

  test.each(odd)('legal: $id', async ({ id }) => {
    const { report, findings } = await tryMock(revision, { quirks: [id], fixtures: false, transport });
    const grades = report.runs
      .flatMap(r => r.findings)
      .filter(f => f.grade === 'violation' || f.grade === 'error');
    expect(grades.map(f => `${f.requirement}: ${f.actual ?? f.message}`)).toEqual([]);
    expect(findings.length).toBeGreaterThan(100);
    expect(report.unjudged).toBeNull();
  });
});
