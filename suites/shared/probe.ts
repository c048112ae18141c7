import type { Peer } from '../../harness/peer/peer.js';
import type { Expectation } from '../../harness/scenario/expect.js';

/** The method of the request that shows whether a server still responds: ping, or server/discover. */
export const probeOf = (peer: Peer): string => String(peer.harmlessMessage('probe').method);

/** The expectation that a server still responds to its probe. */
export const stillResponds = (peer: Peer, ok: boolean, evidence: Expectation['evidence']): Expectation => ({
  ok,
  expected: 'a server that still responds',
  evidence,
  actual: `no response to ${probeOf(peer)}`,
});
