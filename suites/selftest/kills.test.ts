/** Each fault fails exactly the rows that it breaks. */

import { expect, test } from 'vitest';
import { defaultRuns } from '../../harness/scenario/generation.js';
import { generatedOnlyFaults } from '../../mocks/server/faults/generated-only.js';
import { faults } from '../../mocks/server/faults/index.js';
import { quirks } from '../../mocks/server/quirks/index.js';
import { faultMatrix, idle } from './fault-matrix.js';
import { explainFindings, tryMock } from './run-mock.js';

/** Faults that need generated values; the others are found faster without them. */
const unusual = new Set(generatedOnlyFaults.map(f => f.id));

test.concurrent.each(faultMatrix(faults, 'stdio'))('$id, $revision.id', async ({ id, revision, breaks }) => {
  const runs = unusual.has(id) ? defaultRuns : 0;
  const { failed, report } = await tryMock(revision, { faults: [id], runs });
  expect([...failed.keys()].sort(), explainFindings(failed.values())).toEqual([...breaks].sort());
  expect(report.summary.error).toBe(0);
});

test('there are at least 40 quirks', () => {
  expect(quirks.length).toBeGreaterThanOrEqual(40);
});

test('there are at least 180 faults on stdio, and each fault shows in some revision', () => {
  expect(faults.length - idle(faults, ['stdio']).length).toBeGreaterThanOrEqual(180);
  expect(idle(faults)).toEqual([]);
});
