/** The eras that a server serves. */

import type { Known } from '../../harness/scenario/scenario.js';
import { findRevision } from '../../spec/revisions.js';

/**
 * Options of a scenario that needs what others leave, like one that asks `offersHandshake`: it comes late, with those that open
 * further conversations, when the server has mostly answered in the other era.
 */
export const late = { opens: () => 0 };

/** Whether the server also serves clients that begin with a handshake. */
export async function offersHandshake({ offers, allOffers }: Known): Promise<boolean> {
  const all = (await allOffers) ?? offers;
  return all.some(id => findRevision(id)?.era === 'legacy');
}
