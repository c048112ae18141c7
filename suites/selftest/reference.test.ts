/** The reference conforms, and so does our own end of the conversation. */

import { describe, expect, test } from 'vitest';
import { quirks } from '../../mocks/quirks.js';
import { revisions } from '../../spec/revisions.js';
import { explainFindings, tryMock } from './trial.js';

describe.each(revisions)('$id', revision => {
  test('the reference has no failure, nothing unclear, nothing unexercised', async () => {
    const { findings, report } = await tryMock(revision);
    expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
    expect(report.exitCode).toBe(0);
    expect(report.unjudged).toBeNull();
    expect(report.summary.requirementsJudged).toBeGreaterThan(60);
  });

  test.each(quirks.filter(q => q.where?.(revision) ?? true))('legal: $id', async ({ id }) => {
    const { report, findings } = await tryMock(revision, { quirks: [id], fixtures: false });
    const grades = report.runs
      .flatMap(r => r.findings)
      .filter(f => f.grade === 'violation' || f.grade === 'error');
    expect(grades.map(f => `${f.requirement}: ${f.actual ?? f.message}`)).toEqual([]);
    expect(findings.length).toBeGreaterThan(100);
    expect(report.unjudged).toBeNull();
  });
});
