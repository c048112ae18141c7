/** Whether requests got a response, and which messages are possibly meant as a response. */

import { append, grouped } from '../../../harness/grouped.js';
import { fail, inconclusive, type Judgement, pass } from '../../../harness/judge/finding.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { fatalMessage, lastOutput } from '../../../harness/record/fatal-message.js';
import { beginsHandshake } from '../../../harness/record/handshake.js';
import { type Exchange, endInWords, idKey, idText, type Message } from '../../../harness/record/message.js';
import { isSound, unmatchedReplyOf } from './conversation.js';
import { connectionsOf } from './http.js';
import { unreadLines } from './lines.js';

/** Frames of the harness that hold no sound message. */
const garbageFrames = derived((conversation: Conversation) =>
  conversation.frames('peer').filter(f => f.deliberate && !conversation.messagesOf(f).some(isSound)),
);

/**
 * The harness sent a frame earlier that contains no message, and no later request has got a response. The
 * survival of the subject after such a frame is judged by rows of its own (jsonrpc.parse-error-survived,
 * jsonrpc.invalid-request), which are less strict.
 */
function afterGarbage(conversation: Conversation, request: Message): boolean {
  const last = garbageFrames(conversation).findLast(f => f.seq < request.seq);
  if (!last) return false;
  return !conversation
    .exchanges({ by: 'peer' })
    .some(e => e.reply && e.request.seq > last.seq && e.reply.seq < request.seq);
}

/** Requests of the peer by the text of their id, whatever its JSON type. */
const requestsBySpelling = derived((conversation: Conversation) =>
  grouped(conversation.requests({ by: 'peer' }), idText),
);

/**
 * Another request whose id has the same text but another type: a subject that converts the type of ids sends
 * two responses for one of the requests.
 */
function twinOf(conversation: Conversation, request: Message, until: number): Message | undefined {
  const others = requestsBySpelling(conversation).get(idText(request)) ?? [];
  return others.find(m => m.idKey !== request.idKey && m.seq < until);
}

/**
 * Where a request got a second response: the request with the same text as its id and another type for which
 * that response is meant, because its own wait ended without a response of its type. Ids of different types
 * are otherwise never mixed: a request that got its own response explains nothing. `undecided` as long as
 * that request may still get its response.
 */
export function convertedTwin(
  conversation: Conversation,
  request: Message,
  until: number,
): Message | 'undecided' | undefined {
  const twin = twinOf(conversation, request, until);
  if (!twin) return undefined;
  const own = conversation.repliesTo(twin).find(reply => reply.idKey === twin.idKey);
  const deadline = conversation.deadlinesOf(twin).find(d => d.seq > twin.seq);
  if (own && (!deadline || own.seq < deadline.seq)) return undefined;
  if (deadline) return twin;
  return conversation.exit || conversation.ending ? undefined : 'undecided';
}

/**
 * When the peer cancelled a request, or used its id again: from then on, a missing response proves nothing.
 */
const releases = derived((conversation: Conversation): ReadonlyMap<string, number[]> => {
  const map = new Map<string, number[]>();
  // also under its id of another type: a row of its own, less strict, requires that such a cancellation is
  // ignored
  for (const { seq, params } of conversation.notifications({
    by: 'peer',
    method: 'notifications/cancelled',
  }))
    if (typeof params?.requestId === 'string' || typeof params?.requestId === 'number')
      for (const id of [Number(params.requestId), `${params.requestId}`]) append(map, idKey(id), seq);
  for (const m of conversation.requests({ by: 'peer' })) append(map, m.idKey, m.seq);
  return map;
});

/**
 * Places in the record of messages that are possibly meant as a response and that other rows report as
 * invalid.
 */
export function misdirected(conversation: Conversation): number[] {
  const harmless = (m: Message) => {
    const about = unmatchedReplyOf(conversation, m)?.about;
    return about === 'unreadable' || about === 'notification';
  };
  const replies = conversation
    .replies({ by: 'subject' })
    .filter(m => !conversation.requestOf(m) && !harmless(m));
  const shapeless = conversation.sent('subject').filter(m => m.kind === undefined);
  return [...replies, ...shapeless, ...unreadLines(conversation)].map(e => e.seq).sort((a, b) => a - b);
}

/**
 * Whether a request got its response; undefined when a missing response proves nothing.
 * @param lost messages that are possibly meant as a response; one that explains a missing response is removed
 */
export function judgeSilence(
  conversation: Conversation,
  { request, reply, deadline }: Exchange,
  lost: number[],
): Judgement | undefined {
  // the request was never sent
  if (conversation.transport !== 'stdio' && conversation.httpOf(request)?.request === undefined) return;
  if (reply && !(deadline && deadline.seq < reply.seq)) return pass([request, reply]);
  const exit = conversation.eventsOf('exit').find(e => e.seq > request.seq);
  const end = conversation.ending?.seq ?? Number.POSITIVE_INFINITY;
  const until = deadline?.seq ?? exit?.seq ?? 0;
  const released = releases(conversation).get(request.idKey) ?? [];
  if (released.some(seq => seq > request.seq && seq < until) || until === 0 || end < until) return;
  if (reply) return inconclusive(`response after more than ${deadline!.ms} ms`, [request, deadline, reply]);
  if (afterGarbage(conversation, request)) return;
  if (!deadline) {
    const actual = `${endInWords(exit!)} with the request in flight`;
    const fatal = fatalMessage(conversation);
    const other = fatal && fatal.seq < request.frame.seq ? fatal : undefined;
    const evidence = [other, request, ...lastOutput(conversation, request.seq), exit];
    const repeated = (conversation.opened?.attempt ?? 1) > 1;
    if (!repeated) return inconclusive(actual, evidence);
    return fail(
      'a response',
      evidence,
      actual,
      other && 'the process exited after the first of these messages',
    );
  }
  const twin = twinOf(conversation, request, deadline.seq);
  if (twin && conversation.repliesTo(twin).length > 1) return;
  const other = lost.findIndex(seq => seq > request.seq && seq < deadline.seq);
  if (other >= 0) {
    lost.splice(other, 1);
    return;
  }
  if (deadline.hurried)
    return inconclusive('the harness waited a shorter time than for other requests without a response', [
      request,
      deadline,
    ]);
  if (conversation.isStateless && beginsHandshake(request)) return; // versioning.initialize-rejected
  if (mayStillStart(conversation) && (conversation.transport === 'stdio' || beginsHandshake(request)))
    return inconclusive(slowStart, [deadline]);
  const refusal = invalidReplyDuring(conversation, request, deadline.seq);
  if (refusal)
    return inconclusive(
      'the harness sent an invalid response to a request of the subject, which may wait for a valid one until its own timeout',
      [request, refusal, deadline],
    );
  const left = closedByClient(conversation, request, deadline.seq);
  if (left) return inconclusive('the client closed the stream of the request', [request, left]);
  const way = returnFor(conversation, request, deadline.seq);
  const after = way.length > 0 ? ' after the client resumed the stream' : '';
  return fail('a response', [request, ...way, deadline], `none within ${deadline.ms} ms${after}`);
}

/** Whether a request got no response in time, and the subject has sent no line or message at all. */
export const mayStillStart = (conversation: Conversation): boolean =>
  !conversation.frames('subject')[0] && conversation.eventsOf('deadline').some(d => d.label === 'answer');

/** Why a deadline of such a subject proves nothing. */
export const slowStart = 'the subject sent no message at all; a slow start cannot be excluded';

/** A deliberately invalid response to a request that the subject sent while it had this request to respond to. */
const invalidReplyDuring = (conversation: Conversation, request: Message, until: number) =>
  conversation
    .requests({ by: 'subject' })
    .filter(own => own.seq > request.seq && own.seq < until)
    .flatMap(own => conversation.repliesTo(own))
    .find(reply => reply.kind === 'result' && reply.frame.deliberate);

/**
 * The end of the stream of a request that the client closed, and did not resume: whether it has read the request is
 * unknown. Why it closed the stream is judged by the rows about what it received before.
 */
function closedByClient(conversation: Conversation, request: Message, until: number) {
  const post = conversation.subject === 'client' ? conversation.httpOf(request) : undefined;
  const last = post && connectionsOf(conversation, post).findLast(e => e.seq < until);
  return last?.closedBy === 'client' && last.end!.seq < until ? last.end : undefined;
}

/**
 * The end of the stream of a request without the response, and the last connection before a moment that
 * resumed the stream.
 */
function returnFor(conversation: Conversation, request: Message, until: number) {
  const post = conversation.httpOf(request);
  const last = post && connectionsOf(conversation, post).findLast(e => e.seq < until);
  return post && last && last !== post ? [post.response, post.events.at(-1), post.end, ...last.ends] : [];
}
