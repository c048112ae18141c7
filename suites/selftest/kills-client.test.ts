/** Each fault of clients fails exactly the rows that it breaks. */

import { expect, test } from 'vitest';
import { clientFaults } from '../../mocks/client/faults/index.js';
import { faultMatrix, idle } from './fault-matrix.js';
import { explainFindings } from './run-mock.js';
import { tryMockClient } from './run-mock-client.js';

test.concurrent.each(faultMatrix(clientFaults, 'stdio'))(
  '$id, $revision.id',
  async ({ id, revision, breaks }) => {
    const { failed, report } = await tryMockClient(revision, { faults: [id] });
    expect([...failed.keys()].sort(), explainFindings(failed.values())).toEqual([...breaks].sort());
    expect(report.summary.error).toBe(0);
  },
);

test('each fault shows in some revision', () => {
  expect(idle(clientFaults)).toEqual([]);
});
