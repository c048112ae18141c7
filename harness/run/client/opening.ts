/** How a client goes on after the response to its opening request. */

import type { Conversation } from '../../record/conversation.js';
import { beginsHandshake, endsHandshake } from '../../record/handshake.js';
import type { Message } from '../../record/message.js';
import { asksForEra } from '../other-era.js';

/** True for a message of a handshake, and for the request that asks a server for its era. */
export const isOpening = (m: Message): boolean => beginsHandshake(m) || endsHandshake(m) || asksForEra(m);

/** The handshake of a conversation, or the first request that asks for the era, with its response. */
const openingExchange = (conversation: Conversation) =>
  conversation.handshake ??
  conversation.exchanges({ by: 'subject' }).find(({ request, reply }) => reply && isOpening(request));

/** True if the client sends a message after the response to its opening request. */
export function goesOnAfterOpening(conversation: Conversation): boolean {
  const { reply } = openingExchange(conversation) ?? {};
  return reply !== undefined && conversation.sent('subject').some(({ seq }) => seq > reply.seq);
}

/** True if a client gets the response to its opening request on an event stream, and never sends a message after it. */
export function stopsAtStreams(conversations: readonly Conversation[]): boolean {
  const onStream = conversations.filter(conversation => {
    const opening = openingExchange(conversation);
    return opening?.reply !== undefined && conversation.httpOf(opening.request)?.isStream;
  });
  return onStream.length > 0 && !onStream.some(goesOnAfterOpening);
}
