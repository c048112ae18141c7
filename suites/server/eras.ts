/** The eras that a server serves. */

import type { Known } from '../../harness/scenario/scenario.js';
import { findRevision } from '../../spec/revisions.js';

/** Whether the server also serves clients that begin with a handshake. */
export const offersHandshake = ({ offers }: Known): boolean =>
  offers.some(id => findRevision(id)?.era === 'legacy');
