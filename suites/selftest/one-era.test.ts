/**
 * The behaviours of the mocks that exist in the era without a handshake only. The tests `kills*` show each fault with exactly the rows that it
 * breaks (`npm run prove -- --modern`), the tests `reference*` each quirk without a violation.
 */

import { expect, test } from 'vitest';
import { clientFaults } from '../../mocks/client/faults/index.js';
import { clientQuirks } from '../../mocks/client/quirks/index.js';
import { faults } from '../../mocks/server/faults/index.js';
import { quirks } from '../../mocks/server/quirks/index.js';
import { onlyIn } from './fault-matrix.js';

test.each([
  ['faults of servers', onlyIn('modern', faults), 150],
  ['quirks of servers', onlyIn('modern', quirks), 30],
  ['faults of clients', onlyIn('modern', clientFaults), 120],
  ['quirks of clients', onlyIn('modern', clientQuirks), 25],
] as const)('%s', (_, deviations, atLeast) => {
  expect(deviations.length).toBeGreaterThanOrEqual(atLeast);
});
