/** Every fault is killed, exactly: what fails is what the fault says it breaks, no less and no more. */

import { describe, expect, test } from 'vitest';
import { breaksIn } from '../../mocks/fault.js';
import { faults } from '../../mocks/faults/index.js';
import { quirks } from '../../mocks/quirks.js';
import { revisions } from '../../spec/revisions.js';
import { explainFindings, tryMock } from './trial.js';

describe.each(revisions)('$id', revision => {
  const shown = faults
    .map(fault => ({ id: fault.id, breaks: breaksIn(fault, revision, 'stdio') }))
    .filter(({ breaks }) => breaks.length > 0);

  test.each(shown)('$id', async ({ id, breaks }) => {
    const { failed, report } = await tryMock(revision, { faults: [id] });
    expect([...failed.keys()].sort(), explainFindings(failed.values())).toEqual([...breaks].sort());
    expect(report.summary.error).toBe(0);
  });
});

test('the quirks are at least forty', () => {
  expect(quirks.length).toBeGreaterThanOrEqual(40);
});

test('the faults of stdio are at least one hundred and eighty, and each shows in some revision', () => {
  const shown = faults.filter(f => revisions.some(r => breaksIn(f, r, 'stdio').length > 0));
  expect(shown.length).toBeGreaterThanOrEqual(180);
  const idle = faults.filter(f =>
    revisions.every(r => r.transports.every(t => breaksIn(f, r, t).length === 0)),
  );
  expect(idle.map(f => f.id)).toEqual([]);
});
