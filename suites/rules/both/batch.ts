/** Arrays of messages (batches), which only revision 2025-03-26 has. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import type { Frame } from '../../../harness/record/event.js';
import { beginsHandshake } from '../../../harness/record/handshake.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { describeMessage, isWellFormedRequest, type Message } from '../../../harness/record/message.js';
import { otherRole } from '../../../spec/json-rpc.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { unmatchedReplies } from '../derived/conversation.js';
import { brokenFrames } from '../derived/lines.js';
import { misdirected } from '../derived/replies.js';

const isEmptyArray = (frame: Frame): boolean => /^\s*\[\s*\]\s*$/.test(frame.text);
const isArray = (frame: Frame): boolean => /^\s*\[/.test(frame.text);

/** Arrays that the harness sent, with any content. */
const ownArrays = derived((conversation: Conversation): Frame[] =>
  conversation.frames('peer').filter(isArray),
);

/** Batches of the peer, as frames with their messages. */
const batches = (conversation: Conversation): { frame: Frame; messages: readonly Message[] }[] =>
  ownArrays(conversation)
    .map(frame => ({ frame, messages: conversation.messagesOf(frame) }))
    .filter(({ messages }) => messages.length > 0);

/** The response to a later request outside of batches: it shows that the subject has processed the frame. */
const barrierAfter = (conversation: Conversation, frame: Frame): Message | undefined =>
  conversation.exchanges({ by: 'peer' }).find(e => e.request.seq > frame.seq && e.reply && !e.request.batched)
    ?.reply;

const errorFor = (conversation: Conversation, cause: Frame): Message | undefined =>
  unmatchedReplies(conversation).find(s => s.cause === cause)?.reply;

/** The frames of the subject up to the next array of the harness: a later response may overtake that to an array. */
const framesAfter = (conversation: Conversation, from: Frame): Frame[] => {
  const next = ownArrays(conversation).find(f => f.seq > from.seq)?.seq ?? Number.POSITIVE_INFINITY;
  return conversation.frames('subject').filter(f => f.seq > from.seq && f.seq < next);
};

const lost = derived(misdirected);

/** Whether all that a server responds to an array has arrived: a body that is no stream, and no response with another id. */
const isWhole = (
  conversation: Conversation,
  frame: Frame,
  post: HttpExchange | undefined,
): post is HttpExchange => {
  if (conversation.subject === 'client' || !post || post.isStream || post.hasErrorStatus) return false;
  const { closedBy, end } = post;
  return closedBy === 'server' && !lost(conversation).some(seq => seq > frame.seq && seq < end!.seq);
};

export const rules = [
  rule.each(
    'batch.not-allowed',
    conversation => conversation.frames('subject'),
    (frame, conversation) => {
      const messages = conversation.messagesOf(frame);
      const array = messages[0]?.batched ?? isEmptyArray(frame);
      if ((messages.length === 0 && !array) || brokenFrames(conversation).has(frame.seq)) return undefined;
      if (!array) return pass([frame]);
      // the specification does not define how a receiver handles an invalid array from the harness
      const answersArray = (ownArrays(conversation)[0]?.seq ?? Number.POSITIVE_INFINITY) < frame.seq;
      return answersArray ? undefined : fail('one message', [frame], 'an array');
    },
  ),

  rule('batch.initialize-not-batched', function* (conversation) {
    for (const m of conversation.sent('subject')) {
      if (!beginsHandshake(m)) continue;
      yield m.batched ? fail('initialize outside of an array', [m], 'in an array') : pass([m]);
    }
  }),

  rule('batch.empty-array', function* (conversation) {
    for (const frame of ownArrays(conversation).filter(isEmptyArray)) {
      const error = errorFor(conversation, frame);
      const barrier = barrierAfter(conversation, frame)?.seq ?? Number.POSITIVE_INFINITY;
      // later, an array with messages may be the response to another array
      const array = framesAfter(conversation, frame).find(
        f => isEmptyArray(f) || (isArray(f) && f.seq < barrier),
      );
      // no response here means a server without batches, which batch.receive reports
      if (array) yield fail('one error object', [frame, array], array.text.slice(0, 200));
      else if (error)
        yield error.kind === 'error'
          ? pass([frame, error])
          : fail('an error', [frame, error], describeMessage(error));
    }
  }),

  rule('batch.only-notifications', function* (conversation) {
    for (const { frame, messages } of batches(conversation)) {
      if (!messages.every(m => m.kind === 'notification')) continue;
      const barrier = barrierAfter(conversation, frame);
      const array = framesAfter(conversation, frame).find(isEmptyArray);
      if (array) yield fail('no response', [frame, array], '[]');
      else if (barrier) yield pass([frame, barrier]);
    }
  }),

  rule('batch.receive', function* (conversation) {
    const start = conversation.handshake?.reply?.seq ?? Number.POSITIVE_INFINITY;
    const known = vocabularyOf(conversation.revision).requests[otherRole(conversation.subject)];
    const arrays = batches(conversation).filter(b => b.frame.seq > start);
    for (const { frame, messages } of arrays) {
      const requests = messages.filter(m => isWellFormedRequest(m) && known.has(m.method!));
      const refusal = unmatchedReplies(conversation).find(
        s => s.about === 'batch' && messages.includes(s.cause as Message),
      );
      const deadline = requests
        .filter(r => !conversation.repliesTo(r)[0])
        .flatMap(r => conversation.deadlinesOf(r))[0];
      const elsewhere = deadline && lost(conversation).some(seq => seq > frame.seq && seq < deadline.seq);
      const replies = requests.map(r => conversation.repliesTo(r)[0]);
      const post = conversation.httpOf(messages[0]!);
      const incomplete = (...evidence: Parameters<typeof fail>[1]) =>
        fail(
          'a response for each request with a known method',
          [frame, ...evidence],
          `${replies.filter(r => r).length} of ${requests.length}`,
        );
      if (refusal && !(deadline && deadline.seq < refusal.reply.seq))
        yield fail('the array is accepted', [frame, refusal.reply], 'one error for the whole array');
      else if (deadline && !elsewhere) yield incomplete(deadline);
      else if (requests.length === messages.length && post?.refusesContent)
        yield fail('the array is accepted', [frame, post.response], `status ${post.status}`);
      else if (replies.some(r => !r) && isWhole(conversation, frame, post))
        yield incomplete(post, ...replies);
      else if (replies.length > 0 && replies.every(r => r)) yield pass([frame, ...replies]);
    }
  }),

  rule('batch.response-per-request', function* (conversation) {
    for (const { frame, messages } of batches(conversation)) {
      const answers = messages.filter(isWellFormedRequest).map(r => conversation.repliesTo(r));
      const twice = answers.find(a => a.length > 1);
      if (twice) yield fail('one response per request', [frame, ...twice], `${twice.length} for one`);
      else if (answers.length > 0 && answers.every(a => a.length === 1))
        yield pass([frame, ...answers.flat()]);
    }
  }),
];
