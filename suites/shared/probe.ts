import type { Peer } from '../../harness/peer/peer.js';

/** The method of the request that shows whether a server still responds: ping, or server/discover. */
export const probeOf = (peer: Peer): string => String(peer.harmlessMessage('probe').method);
