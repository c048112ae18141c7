/**
 * The order in which messages are seen is not always the order in which they are sent: over HTTP the streams
 * of a server may cross.
 */

import type { Conversation } from '../../../harness/record/conversation.js';
import { derived } from '../../../harness/record/conversation.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import type { Message } from '../../../harness/record/message.js';
import { method, originOf } from './http.js';

/** Time (ms) within which messages may cross. */
export const crossing = 1_000;

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

/**
 * Whether the subject had certainly sent one message when it sent the other, which was seen later: on the
 * same stream, in the exchange of a later POST, with a request and its response in between, or after more
 * than the crossing time.
 */
export function surelyAfter(conversation: Conversation, later: Message, earlier: Message): boolean {
  const exchange = conversation.httpOf(later);
  return (
    onOneStream(conversation, earlier, later) ||
    isAnswerTo(exchange!, earlier) ||
    roundTrip(conversation, earlier.seq, later.seq) ||
    later.frame.at - earlier.frame.at > crossing + conversation.schedulingDelay
  );
}

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
