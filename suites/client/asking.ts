/** What the cases have in common in which our end asks the client for something while a tool is at work. */

import { NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import type { ConnectOptions, Script, Step } from '../../harness/scenario/script.js';
import { held, type Serve } from '../../harness/scenario/serve.js';

/** The call is answered when the scenario says so. */
export const serve: Serve = { 'tools/call': held };

/** A script with a call, during which our end asks. @param answers how the client is to answer */
export const call = (answers: readonly Step[] = [], connect: ConnectOptions = {}): Script => [
  ...answers,
  ['connect', connect],
  ['list', 'tools'],
  ['call', 'test_simple_text'],
  ['close'],
];

/** @throws {NotObserved} when the client declares it, or does not */
export function insist(peer: Peer, capability: string, wanted = true): void {
  if (declares(peer.declared, capability) !== wanted)
    throw new NotObserved(`the client ${wanted ? 'does not declare' : 'declares'} ${capability}`);
}
