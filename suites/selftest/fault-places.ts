/** The file that holds each fault. */

import type { Deviation } from '../../mocks/fault.js';
import { placesIn } from './places.js';

interface FaultPlace extends Deviation<object> {
  readonly file: string;
  /** The exported array that contains the fault. */
  readonly table: string;
}

const isPage = (file: string): boolean =>
  /^mocks\/([^/]+\/faults\/(?!index\.ts)[^/]+|network\/(server|client)-faults)\.ts$/.test(file);

export const faultPlaces: readonly FaultPlace[] = await placesIn('mocks', isPage, (exported, table, file) =>
  Array.isArray(exported) && /Faults$/.test(table)
    ? (exported as readonly Deviation<object>[]).map(fault => ({ ...fault, file, table }))
    : [],
);
