/** Helpers for the scenarios of several pages. */

import { type Deferred, NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import type { Message } from '../../harness/record/message.js';
import type { JsonObject } from '../../spec/json-rpc.js';

/** The next request whose response is deferred; undefined when the client disconnects without one. */
export async function heldOrNone(peer: Peer, method: string): Promise<Deferred | undefined> {
  try {
    return await peer.nextDeferred(method);
  } catch (error) {
    if (error instanceof NotObserved) return undefined;
    throw error;
  }
}

/** Sends the ordinary response to every further request of a method that is deferred. */
export async function releaseFurther(peer: Peer, method: string): Promise<void> {
  let deferred = await heldOrNone(peer, method);
  while (deferred) {
    deferred.release();
    deferred = await heldOrNone(peer, method);
  }
}

/** Sends a deliberately unusual text to the place where the response to an open request is expected. */
export function beside(peer: Peer, { request }: Deferred, text: string): void {
  const exchange = peer.conversation.httpOf(request);
  if (exchange?.isStream) peer.link.httpServer?.write(exchange, { event: 'message', data: text });
  else peer.sendRaw(text);
}

/** A notification of the client, already received or received before the timeout. */
export async function notified(peer: Peer, fits: (note: Message) => boolean): Promise<Message | undefined> {
  const seen = peer.conversation.notifications({ by: 'subject' }).find(fits);
  return seen ?? peer.waitFor(m => m.kind === 'notification' && fits(m));
}

/** The result of initialize. */
export const introduction = (peer: Peer): JsonObject => ({
  protocolVersion: peer.revision.id,
  capabilities: peer.era.capabilities(peer),
  serverInfo: { name: 'mcp-conform', version: peer.version },
});
