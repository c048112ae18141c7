/** Finds deviations of the client by id. */

import { networkClientFaults } from '../network/client-faults.js';
import type { ClientDeviation } from './fault.js';
import { clientFaults } from './faults/index.js';
import { clientQuirks } from './quirks/index.js';

/** @throws {Error} when the id is unknown */
export function findClientDeviation(
  kind: 'fault' | 'quirk',
  wanted: string | ClientDeviation,
): ClientDeviation {
  if (typeof wanted !== 'string') return wanted;
  const found = (kind === 'fault' ? [...clientFaults, ...networkClientFaults] : clientQuirks).find(
    ({ id }) => id === wanted,
  );
  if (!found) throw new Error(`There is no ${kind} "${wanted}" of the client.`);
  return found;
}
