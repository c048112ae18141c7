/** Finds deviations by id. */

import type { Deviation } from '../fault.js';
import { networkServerFaults } from '../network/server-faults.js';
import { faults } from './faults/index.js';
import { quirks } from './quirks/index.js';

/** @throws {Error} with the most similar ids when the id is unknown */
export function findDeviation(kind: 'fault' | 'quirk', wanted: string | Deviation): Deviation {
  if (typeof wanted !== 'string') return wanted;
  const all = kind === 'fault' ? [...faults, ...networkServerFaults] : quirks;
  const found = all.find(deviation => deviation.id === wanted);
  if (found) return found;
  const words = wanted.split('-');
  const near = all.map(d => d.id).filter(id => words.some(word => word.length > 2 && id.includes(word)));
  throw new Error(
    `There is no ${kind} "${wanted}"${near.length > 0 ? `; near it: ${near.slice(0, 8).join(', ')}` : ''}.`,
  );
}
