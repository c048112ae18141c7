/** Cancellation: of one's own requests, while they run; and no answer to what was cancelled. */

import { grouped } from '../../../harness/grouped.js';
import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derivedBy } from '../../../harness/record/conversation.js';
import { describeId, idKey, type Message } from '../../../harness/record/message.js';
import { isObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { bodyOf, isId } from '../derived/conversation.js';
import { standsAlone } from '../derived/http.js';

/** How long messages may cross, in milliseconds. */
const crossing = 1_000;

interface Cancellation {
  readonly m: Message;
  /** The request it names, if its sender asked such a thing before; over HTTP one POST may overtake the other. */
  readonly request: Message | undefined;
  /** The answer that had come before. */
  readonly answer: Message | undefined;
}

const requestsById = derivedBy((conversation: Conversation, by: 'subject' | 'peer') =>
  grouped(conversation.requests({ by }), m => m.idKey),
);

function cancellations(conversation: Conversation, by: 'subject' | 'peer'): Cancellation[] {
  const asked = requestsById(conversation, by);
  return conversation.notifications({ by, method: 'notifications/cancelled' }).map(m => {
    const named = asked.get(idKey(m.params?.requestId));
    const overtaken = conversation.transport === 'stdio' ? undefined : named?.[0];
    const request = named?.findLast(r => r.seq < m.seq) ?? overtaken;
    const answer = request && conversation.repliesTo(request).find(r => r.seq < m.seq);
    return { m, request, answer };
  });
}

/** The result that tells of a task is not its end. */
const makesTask = (answer: Message | undefined): boolean => {
  const result = answer && bodyOf(answer).result;
  return isObject(result) && isObject(result.task);
};

/**
 * The two did not cross: something asked after the answer had been answered as well, or a good while had passed. An
 * answer that was odd on purpose may have been unreadable.
 */
const isLate = (conversation: Conversation, { m, answer }: Cancellation): boolean =>
  answer !== undefined &&
  !answer.frame.deliberate &&
  !makesTask(answer) &&
  // without sessions the answer does not come to the one who asked
  !standsAlone(conversation) &&
  (m.frame.at - answer.frame.at > crossing + conversation.schedulingDelay ||
    conversation
      .exchanges({ by: 'peer' })
      .some(e => e.reply && e.request.seq > answer.seq && e.reply.seq < m.seq));

/** Cancellations of tasks, which have a request for it: two rows say the same. */
const notForTasks = (row: RequirementId) =>
  rule(row, function* (conversation) {
    for (const { m, request, answer } of cancellations(conversation, 'subject')) {
      if (makesTask(answer)) yield fail('tasks/cancel', [request, answer, m], m.method);
      else if (request) yield pass([request, m]);
    }
  });

export const rules = [
  rule('cancellation.request-id-given', function* (conversation) {
    for (const m of conversation.notifications({ by: 'subject', method: 'notifications/cancelled' })) {
      const { requestId, reason } = m.params ?? {};
      const fits = isId(requestId) && (reason === undefined || typeof reason === 'string');
      yield fits ? pass([m]) : fail('the id of a request', [m], describeId(requestId ?? undefined));
    }
  }),

  rule('cancellation.own-in-flight-request', function* (conversation) {
    for (const cancellation of cancellations(conversation, 'subject')) {
      const { m, request, answer } = cancellation;
      if (!isId(m.params?.requestId)) continue;
      if (!request) yield fail('the id of a request of its own', [m], describeId(m.params?.requestId));
      else if (isLate(conversation, cancellation))
        yield fail('a request that is not answered yet', [request, answer, m]);
      else yield pass([request, m]);
    }
  }),

  rule('cancellation.still-in-flight', function* (conversation) {
    for (const cancellation of cancellations(conversation, 'subject')) {
      const { m, request, answer } = cancellation;
      if (isLate(conversation, cancellation))
        yield fail('a request that is not answered yet', [request, answer, m]);
      else if (request) yield pass([request, m]);
    }
  }),

  rule('cancellation.not-initialize', function* (conversation) {
    for (const { m, request } of cancellations(conversation, 'subject'))
      if (request)
        yield request.method === 'initialize' ? fail('no cancellation', [request, m]) : pass([request, m]);
  }),

  notForTasks('cancellation.notification-not-for-tasks'),
  notForTasks('cancellation.tasks-use-tasks-cancel'),

  // An answer may have crossed, unless something asked later was answered before it, or a good while has passed.
  rule('cancellation.no-response', function* (conversation) {
    // it came to somebody who knows of no request
    if (standsAlone(conversation)) return;
    const barriers = conversation.exchanges({ by: 'peer' }).filter(e => e.reply);
    for (const { m, request, answer } of cancellations(conversation, 'peer')) {
      if (!request || request.seq > m.seq || answer || request.method === 'initialize') continue;
      const late = conversation.repliesTo(request).find(r => r.seq > m.seq);
      const after = firstAfter(barriers, m.seq);
      // a client's answers come on connections of their own, in any order
      const inOrder = conversation.subject === 'server' || conversation.transport === 'stdio';
      const overtaken = inOrder && after && late && after.seq < late.seq;
      const known =
        late && (late.frame.at - m.frame.at > crossing + conversation.schedulingDelay || overtaken);
      if (known && !mayBeOvertaken(conversation, request, m))
        yield fail('no answer', [request, m, late], late.kind);
      else if (!late && after) yield pass([request, m, after]);
    }
  }),
];

/** Over HTTP a message goes its own way, and nothing had come of a request when the next one was on it. */
function mayBeOvertaken(conversation: Conversation, request: Message, by: Message): boolean {
  if (conversation.transport === 'stdio') return false;
  const head = conversation.httpOf(request)?.response;
  return !head || head.seq > by.seq;
}

/** The answer to the first request that was asked after a moment; requests are in the order of asking. */
function firstAfter(exchanges: { request: Message; reply: Message | undefined }[], seq: number) {
  let [low, high] = [0, exchanges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (exchanges[middle]!.request.seq > seq) high = middle;
    else low = middle + 1;
  }
  return exchanges[low]?.reply;
}
