import type { Peer } from '../../harness/peer/peer.js';
import type { Expectation } from '../../harness/scenario/expect.js';

/** The method of the request that shows whether a server still responds: ping, or server/discover. */
export const probeOf = (peer: Peer): string => String(peer.harmlessMessage('probe').method);

/**
 * The expectation that a server still responds to its probe. Without a response it says why, where that is known, and the events
 * that show it are further evidence.
 */
export function stillResponds(peer: Peer, ok: boolean, evidence: Expectation['evidence']): Expectation {
  const { why, shownBy } = ok ? { why: undefined, shownBy: [] } : peer.liveness.silence();
  const actual = why ?? `no response to ${probeOf(peer)}`;
  return { ok, expected: 'a server that still responds', evidence: [...evidence, ...shownBy], actual };
}
