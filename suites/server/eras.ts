/** The eras that a server serves. */

import type { Known } from '../../harness/scenario/scenario.js';
import { findRevision } from '../../spec/revisions.js';

/**
 * Options of a scenario that needs what others leave, like one that asks for the other era: it comes late, with those that open
 * further conversations, when the server has mostly answered in the other era.
 */
export const late = { opens: () => 0 };

/** Whether the server also serves clients that begin with a handshake; undefined where it does not answer initialize. */
export async function offersHandshake({ offers, allOffers }: Known): Promise<boolean | undefined> {
  const all = allOffers ? await allOffers : offers;
  return all?.some(id => findRevision(id)?.era === 'legacy');
}

/** Why rows about servers that serve only clients without a handshake do not apply; undefined for such a server. */
export async function whyNotModernOnly(known: Known): Promise<string | undefined> {
  const offered = await offersHandshake(known);
  if (offered === undefined) return 'the server does not answer initialize';
  return offered ? 'the server serves clients of earlier revisions' : undefined;
}
