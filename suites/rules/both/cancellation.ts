/**
 * Cancellation: only of the sender's own requests while they are in flight; no response to a cancelled
 * request.
 */

import { grouped } from '../../../harness/grouped.js';
import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derivedBy } from '../../../harness/record/conversation.js';
import { discoveryMethod } from '../../../harness/record/envelope.js';
import { beginsHandshake } from '../../../harness/record/handshake.js';
import { describeId, describeMessage, idKey, type Message } from '../../../harness/record/message.js';
import { isObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { bodyOf, isId, isSound } from '../derived/conversation.js';
import { isStateless, lastEventId, mayBeLost, mayLackMessages } from '../derived/http.js';
import { unreadLines } from '../derived/lines.js';
import { subscriptions } from '../derived/subscriptions.js';

/** Time (ms) within which messages may cross. */
const crossing = 1_000;

/** Time (ms) for which a receiver that works on several messages at once may hold a response that was ready. */
const holding = 10;

/** Requests without work: the response is ready before the receiver reads the cancellation, and may be sent late. */
const withoutWork: ReadonlySet<unknown> = new Set(['ping', discoveryMethod]);

interface Cancellation {
  readonly m: Message;
  /**
   * The request that the cancellation names, if its sender sent such a request; over HTTP one POST may
   * overtake the other.
   */
  readonly request: Message | undefined;
  /** The response that arrived before the cancellation. */
  readonly answer: Message | undefined;
}

const requestsById = derivedBy((conversation: Conversation, by: 'subject' | 'peer') =>
  grouped(conversation.requests({ by }), m => m.idKey),
);

/** Whether a response ends its request: its sender may wait on after one with another id or form. */
const isUnderstood = ({ revision }: Conversation, request: Message, reply: Message): boolean =>
  reply.idKey === request.idKey && isSound(reply) && (!reply.batched || revision.batches);

function cancellations(conversation: Conversation, by: 'subject' | 'peer'): Cancellation[] {
  const asked = requestsById(conversation, by);
  return conversation.notifications({ by, method: 'notifications/cancelled' }).map(m => {
    const named = asked.get(idKey(m.params?.requestId));
    const overtaken = conversation.transport === 'stdio' ? undefined : named?.[0];
    const request = named?.findLast(r => r.seq < m.seq) ?? overtaken;
    const answer =
      request &&
      conversation.repliesTo(request).find(r => r.seq < m.seq && isUnderstood(conversation, request, r));
    return { m, request, answer };
  });
}

/** A result that announces a task does not complete the request. */
const makesTask = (answer: Message | undefined): boolean => {
  const result = answer && bodyOf(answer).result;
  return isObject(result) && isObject(result.task);
};

/** The event that shows that a message has arrived: over HTTP, the head of the response to its POST, which accepts it. */
function arrivalOf(
  conversation: Conversation,
  m: Message,
): { readonly seq: number; readonly at: number } | undefined {
  const post = conversation.httpOf(m);
  if (!post?.sent.includes(m)) return m.frame;
  return post.response && post.response.status < 300 ? post.response : undefined;
}

/** Whether a message is in an event of a stream that is written in an unusual way, such as with lines that end in CR. */
const isUnusual = (conversation: Conversation, m: Message): boolean =>
  conversation.httpOf(m)?.events.some(e => e.raw !== undefined && e.messages.includes(m)) ?? false;

/**
 * The cancellation and the response did not cross: a request sent after the response got a response too, or
 * more than the crossing time passed. A response that is deliberately unusual may have been unreadable.
 */
function isLate(conversation: Conversation, { m, answer }: Cancellation): boolean {
  if (!answer || answer.frame.deliberate || makesTask(answer) || isUnusual(conversation, answer))
    return false;
  // without sessions the response does not reach the process that sent the request
  if (mayBeLost(conversation, answer) || isStateless(conversation)) return false;
  const arrival = arrivalOf(conversation, answer);
  if (!arrival || arrival.seq > m.seq) return false;
  if (m.frame.at - arrival.at > crossing + conversation.schedulingDelay) return true;
  const later = conversation.exchanges({ by: 'peer' }).filter(e => e.request.seq > answer.seq);
  return !isUnordered(conversation) && later.some(e => e.reply && e.reply.seq < m.seq);
}

/** Whether the messages of the subject arrive on connections of their own, in any order. */
const isUnordered = ({ subject, transport }: Conversation): boolean =>
  subject === 'client' && transport !== 'stdio';

/** Whether an earlier line of the subject may hold the request that a cancellation names, and was not readable. */
const mayBeUnread = (conversation: Conversation, m: Message): boolean =>
  conversation.transport === 'stdio' && unreadLines(conversation).some(f => f.seq < m.seq);

/** Cancellations of tasks, for which a request exists: two rows state the same obligation. */
const notForTasks = (row: RequirementId) =>
  rule(row, function* (conversation) {
    for (const { m, request, answer } of cancellations(conversation, 'subject')) {
      if (answer && makesTask(answer) && arrivalOf(conversation, answer))
        yield fail('tasks/cancel', [request, answer, m], describeMessage(m));
      else if (request) yield pass([request, m]);
    }
  });

/**
 * Over stdio, three subscriptions one after the other that got their responses at their cancellations: that the server had
 * just ended each of them by itself is no explanation, because each lasted beyond a round trip, and none ended before.
 */
function answeredAtCancellation(conversation: Conversation): Message[][] {
  if (conversation.transport !== 'stdio') return [];
  const barriers = conversation.exchanges({ by: 'peer' });
  const cancelled = new Map(cancellations(conversation, 'peer').map(c => [c.request, c]));
  let found: Message[] = [];
  for (const { request, messages, reply } of subscriptions(conversation)) {
    const { m, answer } = cancelled.get(request) ?? {};
    const [ack] = messages;
    if (!reply || !ack || request.frame.deliberate) continue;
    const hasLasted =
      m &&
      barriers.some(e => e.request.seq > ack.seq && e.reply && e.reply.seq < m.seq && e.reply.seq > ack.seq);
    if (!m || answer) found = [];
    else if (hasLasted && reply.seq > m.seq) found = [...found, request, m, reply];
    if (found.length === 9) return [found];
  }
  return [];
}

export const rules = [
  rule('cancellation.request-id-given', function* (conversation) {
    for (const m of conversation.notifications({ by: 'subject', method: 'notifications/cancelled' })) {
      const { requestId, reason } = m.params ?? {};
      const fits = isId(requestId) && (reason === undefined || typeof reason === 'string');
      yield fits ? pass([m]) : fail('the id of a request', [m], describeId(requestId ?? undefined));
    }
  }),

  // without a handshake a server cancels subscriptions, which are requests of the client
  rule('cancellation.own-in-flight-request', function* (conversation) {
    if (conversation.isStateless && conversation.subject === 'server') return;
    for (const cancellation of cancellations(conversation, 'subject')) {
      const { m, request, answer } = cancellation;
      if (!isId(m.params?.requestId)) continue;
      if (!request && (mayLackMessages(conversation, m) || mayBeUnread(conversation, m))) continue;
      if (!request)
        yield fail("the id of one of the sender's own requests", [m], describeId(m.params!.requestId));
      else if (isLate(conversation, cancellation))
        yield fail('a request without a response so far', [request, answer, m], 'a request with one');
      else yield pass([request, m]);
    }
  }),

  rule('cancellation.still-in-flight', function* (conversation) {
    for (const cancellation of cancellations(conversation, 'subject')) {
      const { m, request, answer } = cancellation;
      if (isLate(conversation, cancellation))
        yield fail('a request without a response so far', [request, answer, m], 'a request with one');
      else if (request) yield pass([request, m]);
    }
  }),

  rule('cancellation.not-initialize', function* (conversation) {
    for (const { m, request } of cancellations(conversation, 'subject'))
      if (request)
        yield beginsHandshake(request)
          ? fail('no cancellation', [request, m], `of ${describeMessage(request)}`)
          : pass([request, m]);
  }),

  notForTasks('cancellation.notification-not-for-tasks'),
  notForTasks('cancellation.tasks-use-tasks-cancel'),

  // The response may have crossed the cancellation, unless two later requests, one after the response to the other,
  // were answered first, or more than the crossing time passed. One is not enough: a receiver that works on several
  // messages at once may answer a later one before it sends a response that was ready. Nor are two within a short time.
  rule('cancellation.no-response', function* (conversation) {
    // the cancellation reached a process that has no knowledge of the request
    if (isStateless(conversation)) return;
    const barriers = conversation.exchanges({ by: 'peer' }).filter(e => e.reply);
    for (const { m, request, answer } of cancellations(conversation, 'peer')) {
      if (!request || request.seq > m.seq || answer || beginsHandshake(request)) continue;
      const late = conversation.repliesTo(request).find(r => r.seq > m.seq);
      const after = firstAfter(barriers, m.seq);
      const second = after && firstAfter(barriers, after.seq);
      const overtaken = !isUnordered(conversation) && second && late && second.seq < late.seq;
      const arrival = arrivalOf(conversation, m);
      const passed = late && arrival && arrival.seq < late.seq ? late.frame.at - arrival.at : 0;
      const known =
        late &&
        !isRepeated(conversation, late) &&
        (passed > crossing + conversation.schedulingDelay ||
          (overtaken && passed > holding && !withoutWork.has(request.method)));
      if (known && !mayBeOvertaken(conversation, request, m))
        yield fail('no response', [request, m, late], describeMessage(late));
      else if (!late && after) yield pass([request, m, after]);
    }
    const [found] = answeredAtCancellation(conversation);
    if (found) yield fail('no response', found, 'a response to each cancelled subscription');
  }),

  // Two later requests were answered: the cancellation of the subscription has been read.
  rule('cancellation.no-further-messages', function* (conversation) {
    if (conversation.transport !== 'stdio') return;
    const barriers = conversation.exchanges({ by: 'peer' }).filter(e => e.reply);
    for (const { m, request, answer } of cancellations(conversation, 'peer')) {
      const own = request && subscriptions(conversation).find(s => s.request === request);
      if (!own || request.seq > m.seq || answer) continue;
      const first = firstAfter(barriers, m.seq);
      const second = first && firstAfter(barriers, first.seq);
      if (!second) continue;
      const late = own.messages.find(message => message.seq > second.seq);
      yield late
        ? fail('no more messages of the subscription', [request, m, late], describeMessage(late))
        : pass([request, m, second]);
    }
  }),
];

/** Whether a message came on a resumed stream: the server may have sent it before. */
function isRepeated(conversation: Conversation, m: Message): boolean {
  const exchange = conversation.httpOf(m);
  return exchange !== undefined && lastEventId(exchange) !== undefined;
}

/**
 * Over HTTP each message has a connection of its own: the cancellation may overtake a request whose response
 * had not begun.
 */
function mayBeOvertaken(conversation: Conversation, request: Message, by: Message): boolean {
  if (conversation.transport === 'stdio') return false;
  const head = conversation.httpOf(request)?.response;
  return !head || head.seq > by.seq;
}

/**
 * The response to the first request that was sent after a moment; the requests are in the order of sending.
 */
function firstAfter(exchanges: { request: Message; reply: Message | undefined }[], seq: number) {
  let [low, high] = [0, exchanges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (exchanges[middle]!.request.seq > seq) high = middle;
    else low = middle + 1;
  }
  return exchanges[low]?.reply;
}
