/** Every fault is killed, exactly: what fails is what the fault says it breaks, no less and no more. */

import { expect, test } from 'vitest';
import { faults } from '../../mocks/faults/index.js';
import { quirks } from '../../mocks/quirks.js';
import { idle, showings } from './showings.js';
import { explainFindings, tryMock } from './trial.js';

test.each(showings(faults, 'stdio'))('$id, $revision.id', async ({ id, revision, breaks }) => {
  const { failed, report } = await tryMock(revision, { faults: [id] });
  expect([...failed.keys()].sort(), explainFindings(failed.values())).toEqual([...breaks].sort());
  expect(report.summary.error).toBe(0);
});

test('the quirks are at least forty', () => {
  expect(quirks.length).toBeGreaterThanOrEqual(40);
});

test('the faults of stdio are at least one hundred and eighty, and each shows in some revision', () => {
  expect(faults.length - idle(faults, ['stdio']).length).toBeGreaterThanOrEqual(180);
  expect(idle(faults)).toEqual([]);
});
