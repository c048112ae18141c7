/** The search for the smallest fault with the same consequence. */

import { isWhole, type NetworkFault } from '../proxy/network.js';

/**
 * Moves a fault towards the first byte while it has the same consequence, in ever smaller steps.
 * @param shows whether a fault has the consequence
 * @param most number of faults that are tried
 */
export async function smallestFault(
  fault: NetworkFault,
  shows: (fault: NetworkFault) => Promise<boolean>,
  most = 24,
): Promise<NetworkFault> {
  let best = fault;
  let left = most;
  const tries = async (candidate: NetworkFault): Promise<boolean> => {
    if (left-- <= 0 || !(await shows(candidate))) return false;
    best = candidate;
    return true;
  };
  for (let nth = 1; nth < best.nth && left > 0; nth++) if (await tries({ ...best, nth })) break;
  if (isWhole(best.kind)) return best;
  for (let step = best.byte; step >= 1 && left > 0; ) {
    const byte = best.byte - step;
    if (byte < 0 || !(await tries({ ...best, byte }))) step = Math.floor(step / 2);
  }
  return best;
}
