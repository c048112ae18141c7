/** The eras that a server serves. */

import type { Known } from '../../harness/scenario/scenario.js';
import { findRevision } from '../../spec/revisions.js';

/**
 * Options of a scenario that asks `offersHandshake`: like one that opens further conversations it comes late, when the server has
 * mostly answered in the other era.
 */
export const late = { opens: () => 0 };

/** Whether the server also serves clients that begin with a handshake. */
export async function offersHandshake({ offers, allOffers }: Known): Promise<boolean> {
  const all = (await allOffers) ?? offers;
  return all.some(id => findRevision(id)?.era === 'legacy');
}
