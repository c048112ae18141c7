/** Every fault is killed, exactly: what fails is what the fault says it breaks, no less and no more. */

import { expect, test } from 'vitest';
import { breaksIn } from '../../mocks/fault.js';
import { faults } from '../../mocks/faults/index.js';
import { quirks } from '../../mocks/quirks.js';
import { newestFirst, revisions } from '../../spec/revisions.js';
import { explainFindings, tryMock } from './trial.js';

/** Each fault once for every set of rows it breaks, in the newest such revision; in every revision on request. */
const everywhere = process.env.MCP_CONFORM_ALL_REVISIONS !== undefined;

const shown = faults.flatMap(fault => {
  const seen = new Set<string>();
  return newestFirst()
    .map(revision => ({ id: fault.id, revision, breaks: breaksIn(fault, revision, 'stdio') }))
    .filter(({ breaks }) => breaks.length > 0)
    .filter(({ breaks }) => everywhere || (!seen.has(breaks.join()) && seen.add(breaks.join())));
});

test.each(shown)('$id, $revision.id', async ({ id, revision, breaks }) => {
  const { failed, report } = await tryMock(revision, { faults: [id] });
  expect([...failed.keys()].sort(), explainFindings(failed.values())).toEqual([...breaks].sort());
  expect(report.summary.error).toBe(0);
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
