/** Conversations that a client under test began in another era than the one that is judged. */

import type { Conversation } from '../record/conversation.js';
import { discoveryMethod, namedVersion } from '../record/envelope.js';
import { beginsHandshake } from '../record/handshake.js';
import type { Message } from '../record/message.js';

/** A request that asks a server for its era. */
export const asksForEra = (message: Message): boolean => message.method === discoveryMethod;

/** True if the rules of the planned revision do not apply to a conversation: its messages follow the other era. */
export const isOfOtherEra = (conversation: Conversation): boolean =>
  conversation.isStateless ? isOlder(conversation) : onlyAsksForEra(conversation);

/** True if a client of the newer era only asked for the era of the server, on a separate connection. */
export const onlyAsksForEra = (conversation: Conversation): boolean => {
  const sent = conversation.sent('subject');
  return sent.length > 0 && sent.every(asksForEra);
};

/**
 * True if the client began a session of the older era. A client whose initialize is refused may continue without a
 * handshake.
 */
function isOlder(conversation: Conversation): boolean {
  const requests = conversation.requests({ by: 'subject' });
  const first = requests.findIndex(beginsHandshake);
  if (first === -1) return false;
  const isRefused = conversation.handshake?.reply?.kind === 'error';
  return !isRefused || !requests.slice(first).some(m => namedVersion(m) !== undefined && !asksForEra(m));
}
