/** Each fault of clients fails exactly the rows that it breaks. */

import { expect, test } from 'vitest';
import { clientFaults } from '../../mocks/client/faults/index.js';
import { faultsInGroups } from './fault-groups.js';
import { faultMatrix, idle } from './fault-matrix.js';
import { tryMockClient } from './run-mock-client.js';

const shown = faultsInGroups(faultMatrix(clientFaults, 'stdio'), (revision, faults) =>
  tryMockClient(revision, { faults }),
);

test.concurrent.each(shown)('$id, $revision.id', ({ show }) => show());

test('each fault shows in some revision', () => {
  expect(idle(clientFaults)).toEqual([]);
});
