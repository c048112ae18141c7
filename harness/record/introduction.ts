/** What both sides of a conversation say about themselves. */

import { isObject, type JsonObject, type Role } from '../../spec/json-rpc.js';
import type { Conversation } from './conversation.js';
import { envelopeKeys, metaOf, namedVersion } from './envelope.js';
import { type Exchange, resultOf } from './message.js';

/** The exchange in which the client introduces itself: initialize, or the first request with an envelope. */
export const introductionIn = (conversation: Conversation): Exchange | undefined =>
  conversation.isStateless
    ? conversation.exchanges().find(e => e.request.by === 'client' && namedVersion(e.request) !== undefined)
    : conversation.handshake;

/** Name and version of a side; undefined when the side has not said them. */
export function infoOf(conversation: Conversation, side: Role): JsonObject | undefined {
  const said = conversation.isStateless ? inEnvelope(conversation, side) : inHandshake(conversation, side);
  return isObject(said) ? said : undefined;
}

function inHandshake({ handshake }: Conversation, side: Role) {
  const from = side === 'client' ? handshake?.request.params : handshake && resultOf(handshake);
  return from?.[`${side}Info`];
}

function inEnvelope(conversation: Conversation, side: Role) {
  if (side === 'client') {
    const first = introductionIn(conversation)?.request;
    return first && metaOf(first)[envelopeKeys.clientInfo];
  }
  const infos = conversation.exchanges().map(exchange => {
    const meta = resultOf(exchange)?._meta;
    return isObject(meta) ? meta[envelopeKeys.serverInfo] : undefined;
  });
  return infos.find(isObject);
}
