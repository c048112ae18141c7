/** Each fault of clients fails exactly the rows that it breaks. */

import { expect, test } from 'vitest';
import { clientFaults } from '../../mocks/client/faults/index.js';
import { expectBroken } from './expect-broken.test.util.js';
import { faultMatrix, idle } from './fault-matrix.js';
import { tryMockClient } from './run-mock-client.js';

test.concurrent.each(faultMatrix(clientFaults, 'stdio'))(
  '$id, $revision.id',
  async ({ id, revision, breaks }) => {
    await expectBroken(breaks, () => tryMockClient(revision, { faults: [id] }));
  },
);

test('each fault shows in some revision', () => {
  expect(idle(clientFaults)).toEqual([]);
});
