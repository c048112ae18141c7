/** Progress: known tokens, increasing values, an end. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { describeId, idKey, isReply, type Message } from '../../../harness/record/message.js';
import { isObject, type Json } from '../../../spec/json-rpc.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { bodyOf, isId, isSound } from '../derived/conversation.js';
import { onOneStream, sentAfter, surelyAfter } from '../derived/order.js';
import { problemIn } from '../derived/problem-text.js';
import { isDisplaced } from '../derived/replays.js';
import { shown } from '../derived/results.js';
import { problemsIn } from './schema.js';

const tokenOf = (request: Message): Json | undefined => {
  const meta = request.params?._meta;
  return isObject(meta) ? meta.progressToken : undefined;
};

const reports = (conversation: Conversation): readonly Message[] =>
  conversation.notifications({ by: 'subject', method: 'notifications/progress' });

/** Time (ms) by which the end of a stream may be seen too late: each request of a client has a connection of its own. */
const crossing = 1_000;

/**
 * Whether the sender had given up a request before another one: cancelled it, or, where a request ends with its stream,
 * closed or lost the stream.
 */
function isGivenUp(conversation: Conversation, request: Message, later: Message): boolean {
  const cancelled = conversation
    .notifications({ by: 'subject', method: 'notifications/cancelled' })
    .some(m => m.seq < later.seq && idKey(m.params?.requestId) === request.idKey);
  if (cancelled) return true;
  const end = conversation.isStateless ? conversation.httpOf(request)?.end : undefined;
  if (!end) return false;
  return end.seq < later.seq || (end.by !== 'server' && end.at - later.frame.at < crossing);
}

interface Step {
  readonly m: Message;
  /** The request that has the token; undefined when no request has it. */
  readonly request: Message | undefined;
  /** The response to the request, when it was sent before the notification. */
  readonly after: Message | undefined;
  /** Whether the order of that response and the notification is certain, whatever delays streams. */
  readonly ordered: boolean;
  /** The previous notification for the same request on the same stream. */
  readonly before: Message | undefined;
}

const isTask = (reply: Message): boolean => {
  const { result } = bodyOf(reply);
  return isObject(result) && isObject(result.task);
};

/** Whether a notification of a server arrived on the stream of a call without a progress token. */
export const gaveNone = (conversation: Conversation, m: Message): boolean => {
  const post = conversation.subject === 'server' ? conversation.httpOf(m) : undefined;
  return post !== undefined && post.sent.length > 0 && post.sent.every(sent => tokenOf(sent) === undefined);
};

/**
 * The progress notifications of the subject, each with its request. A result that announces a task does not
 * end the progress.
 */
const steps = derived((conversation: Conversation): readonly Step[] => {
  const found: Step[] = [];
  const given = new Map<string, Message>();
  const ended = new Map<Message, Message>();
  const last = new Map<Message, Message>();
  for (const m of conversation.messages) {
    if (m.by !== conversation.subject) {
      const token = m.kind === 'request' ? tokenOf(m) : undefined;
      if (token !== undefined) given.set(idKey(token), m);
      continue;
    }
    const answers = isReply(m) ? conversation.requestOf(m) : undefined;
    if (answers && !isTask(m)) ended.set(answers, m);
    if (m.method !== 'notifications/progress' || !isSound(m) || !isId(m.params?.progressToken)) continue;
    if (isDisplaced(conversation, m)) continue;
    const named = given.get(idKey(m.params!.progressToken));
    // the token belongs to another request that is complete: here the server invented it
    const request = named && ended.has(named) && gaveNone(conversation, m) ? undefined : named;
    const before = request && last.get(request);
    const end = request && ended.get(request);
    const after = end && surelyAfter(conversation, m, end) ? end : undefined;
    const inOrder = before && onOneStream(conversation, before, m);
    const ordered = after !== undefined && sentAfter(conversation, m, after);
    found.push({ m, request, after, ordered, before: inOrder ? before : undefined });
    if (request) last.set(request, m);
  }
  return found;
});

const flood = 2_000;

const describeProgress = (m: Message): string => `progress ${shown(m.params?.progress)}`;

export const rules = [
  rule.each('progress.fields', reports, (m, conversation) => {
    if (!isSound(m)) return undefined;
    const [problem] = problemsIn(vocabularyOf(conversation.revision), m) ?? [];
    if (!problem) return pass([m]);
    const { expected, actual } = problemIn(m, problem, undefined);
    return fail(expected, [m], actual);
  }),

  rule('progress.token-type', function* (conversation) {
    for (const m of conversation.requests({ by: 'subject' })) {
      const token = tokenOf(m);
      if (token === undefined) continue;
      yield isId(token) ? pass([m]) : fail('a string or an integer', [m], JSON.stringify(token));
    }
  }),

  rule('progress.token-unique', function* (conversation) {
    const active = new Map<string, Message>();
    const asksForAny = conversation.requests({ by: 'subject' }).some(m => tokenOf(m) !== undefined);
    for (const m of asksForAny ? conversation.messages : []) {
      const asked = isReply(m) ? conversation.requestOf(m) : undefined;
      if (asked && !isTask(m) && active.get(idKey(tokenOf(asked))) === asked)
        active.delete(idKey(tokenOf(asked)));
      const token = m.kind === 'request' && m.by === conversation.subject ? tokenOf(m) : undefined;
      if (!isId(token)) continue;
      const other = active.get(idKey(token));
      yield other && !isGivenUp(conversation, other, m)
        ? fail('a unique token', [other, m], describeId(token))
        : pass([m]);
      active.set(idKey(token), m);
    }
  }),

  // Notifications after the response are judged by the two rows below.
  rule.each('progress.token-of-active-request', steps, ({ m, request, after }) => {
    const token = m.params!.progressToken;
    if (!request) return fail('a token from a request', [m], `token ${describeId(token)}`);
    return after ? undefined : pass([request, m]);
  }),

  rule.each('progress.increases', steps, ({ m, before, after }) => {
    const [now, then] = [m.params!.progress, before?.params?.progress];
    if (after || typeof now !== 'number' || typeof then !== 'number') return undefined;
    return now > then ? pass([before, m]) : fail(`more than ${then}`, [before, m], `${now}`);
  }),

  rule.each('progress.stops-at-completion', steps, ({ m, request, after, ordered }) => {
    if (ordered) return fail('no progress after the response', [request, after, m], describeProgress(m));
    return request && !after ? pass([request, m]) : undefined;
  }),

  rule.each('progress.stops-before-answer', steps, ({ m, request, after, ordered }) => {
    if (after && !ordered)
      return fail(
        'no progress on another stream after the response',
        [request, after, m],
        describeProgress(m),
      );
    return request && !after ? pass([request, m]) : undefined;
  }),

  rule.each('progress.message-readable', reports, m => {
    const message = m.params?.message;
    if (typeof message !== 'string') return undefined;
    return message.trim() === '' ? fail('readable text', [m], JSON.stringify(message)) : pass([m]);
  }),

  // The specification defines no number: only a rate that no reader could follow is reported.
  rule('progress.rate-limited', function* (conversation) {
    const rows = new Map<Message, Message[]>();
    for (const { m, request } of steps(conversation))
      if (request) (rows.get(request) ?? rows.set(request, []).get(request)!).push(m);
    for (const [request, row] of rows) {
      const end = row.find(
        (m, i) => i >= flood && m.frame.at - row[i - flood]!.frame.at + conversation.schedulingDelay < 1_000,
      );
      yield end ? fail(`at most ${flood} in one second`, [request, end], 'more') : pass([request, row[0]]);
    }
  }),
];
