/** Names that no tool and no prompt of a server has. */

import type { Peer } from '../../harness/peer/peer.js';

/** The second name is a property that every JavaScript object inherits: a lookup in an object finds it. */
export const unknownNames = (peer: Peer, kind: 'tool' | 'prompt'): readonly string[] => [
  peer.unused(kind),
  'constructor',
];
