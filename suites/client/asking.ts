/** Helpers for cases in which the harness sends requests to the client while a tool runs. */

import { LacksCapability, NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import type { Exchange } from '../../harness/record/message.js';
import type { ConnectOptions, Script, Step } from '../../harness/scenario/script.js';
import { held, type Serve } from '../../harness/scenario/serve.js';

/** The scenario decides when the call gets its response. */
export const serve: Serve = { 'tools/call': held };

/**
 * A script with a call, during which the harness sends requests. @param answers the responses that the client
 * has to send
 */
export const call = (answers: readonly Step[] = [], connect: ConnectOptions = {}): Script => [
  ...answers,
  ['connect', connect],
  ['list', 'tools'],
  ['call', 'test_simple_text'],
  ['close'],
];

/**
 * Whether a client gave up a question: one that is in a result gets no response where the client does not send its request
 * again, which it is free to do.
 */
export const isGivenUp = (peer: Peer, method: string, { reply }: Exchange): boolean =>
  !reply && !peer.vocabulary.requests.server.has(method);

/**
 * @throws {LacksCapability} when the client does not declare the capability
 * @throws {NotObserved} when it declares the capability although it is not wanted
 */
export function insist(peer: Peer, capability: string, wanted = true): void {
  if (declares(peer.declared, capability) === wanted) return;
  if (wanted) throw new LacksCapability(`the client does not declare ${capability}`);
  throw new NotObserved(`the client declares ${capability}`);
}
