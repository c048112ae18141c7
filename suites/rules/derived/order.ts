/**
 * The order in which messages are seen is not always the order in which they are sent: over HTTP the streams
 * of a server may cross, and so may the POST requests of a client.
 */

import type { Conversation } from '../../../harness/record/conversation.js';
import { derived } from '../../../harness/record/conversation.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import type { Message } from '../../../harness/record/message.js';
import { method, originOf } from './http.js';

/** Time (ms) within which messages may cross. */
const crossing = 1_000;

/** Whether a message of a server arrived in the exchange of a POST that was sent after another message. */
const isAnswerTo = (later: HttpExchange, earlier: Message): boolean =>
  method(later) === 'POST' && (later.sent[0]?.seq ?? 0) > earlier.seq;

/** Whether two messages arrived on one stream, resumptions included; stdio has only one stream. */
export function onOneStream(conversation: Conversation, a: Message, b: Message): boolean {
  const [one, other] = [conversation.httpOf(a), conversation.httpOf(b)];
  if (one === other || !one || !other) return true;
  const origin = originOf(conversation, one);
  return origin !== undefined && origin === originOf(conversation, other);
}

/** For each request with a response: the first response to that request or to a later one. */
const roundTrips = derived((conversation: Conversation) => {
  const asked = conversation.exchanges({ by: 'peer' }).filter(e => e.reply);
  let first = Number.POSITIVE_INFINITY;
  return asked
    .map(({ request, reply }) => ({ asked: request.seq, answered: reply!.seq }))
    .reverse()
    .map(trip => {
      first = Math.min(first, trip.answered);
      return { asked: trip.asked, answered: first };
    })
    .reverse();
});

/** Whether a request that was sent after one moment got its response before another moment. */
function roundTrip(conversation: Conversation, from: number, to: number): boolean {
  const earliest = roundTrips(conversation);
  let [low, high] = [0, earliest.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (earliest[middle]!.asked > from) high = middle;
    else low = middle + 1;
  }
  return (earliest[low]?.answered ?? to) < to;
}

/** Whether two messages of a client were sent over one connection, where the requests have an order. */
function onOneConnection(conversation: Conversation, a: Message, b: Message): boolean {
  const connection = conversation.httpOf(a)?.request?.connection;
  return connection !== undefined && connection === conversation.httpOf(b)?.request?.connection;
}

/**
 * Whether the subject had certainly sent one message when it sent the other, which was seen later: after more
 * than the crossing time or on the same stream; for a client over the same connection; for a server in the
 * exchange of a later POST, or with a request and its response in between. The connections of a client are
 * independent: a round trip on one connection does not show what is under way on another one.
 */
export function surelyAfter(conversation: Conversation, later: Message, earlier: Message): boolean {
  if (later.frame.at - earlier.frame.at > crossing + conversation.schedulingDelay) return true;
  if (onOneStream(conversation, earlier, later)) return true;
  if (conversation.subject === 'client') return onOneConnection(conversation, earlier, later);
  return isAnswerTo(conversation.httpOf(later)!, earlier) || roundTrip(conversation, earlier.seq, later.seq);
}

/**
 * Whether the order of two messages is that of their sending, whatever delays streams and connections: on one stream,
 * or, for a server, in the exchange of a POST that was sent later.
 */
export const sentAfter = (conversation: Conversation, later: Message, earlier: Message): boolean =>
  onOneStream(conversation, earlier, later) ||
  (conversation.subject === 'server' && isAnswerTo(conversation.httpOf(later)!, earlier));

/** Whether the subject may have sent one of these notifications between two of its messages. */
export function saidBetween(
  conversation: Conversation,
  notes: readonly Message[],
  from: Message,
  to: Message,
): boolean {
  const [first, last] = from.seq < to.seq ? [from, to] : [to, from];
  return notes.some(m => m.seq > first.seq && (m.seq < last.seq || !surelyAfter(conversation, m, last)));
}
