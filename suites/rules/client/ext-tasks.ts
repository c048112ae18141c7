/** The tasks extension (io.modelcontextprotocol/tasks): what a client asks about tasks. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { type Exchange, type Message, resultOf } from '../../../harness/record/message.js';
import { decodeHeader } from '../../../harness/record/mirrored-headers.js';
import { asText, isObject, type JsonObject } from '../../../spec/json-rpc.js';
import {
  announced,
  answersIn,
  askedOf,
  declaresTasks,
  isEnded,
  looksLikeTask,
  taskStates,
  updates,
} from '../derived/ext-tasks.js';
import { ownRequests } from '../derived/stateless-client.js';

const methods: readonly unknown[] = ['tasks/get', 'tasks/update', 'tasks/cancel'];

/** Requests of the client about one task, also subscriptions. */
export const isAbout = ({ method, params }: Message, taskId: string): boolean => {
  if (methods.includes(method)) return params?.taskId === taskId;
  const filter = params?.notifications;
  const ids = isObject(filter) ? filter.taskIds : undefined;
  return method === 'subscriptions/listen' && Array.isArray(ids) && ids.includes(taskId);
};

/** Results of other requests than tools/call that have the form of an announcement. */
const misplaced = (conversation: Conversation): (Exchange & { readonly task: JsonObject })[] =>
  ownRequests(conversation).flatMap(request => {
    if (request.method === 'tools/call' || methods.includes(request.method)) return [];
    const [reply] = conversation.repliesTo(request);
    const exchange: Exchange = { request, reply, deadline: undefined };
    const task = reply && resultOf(exchange);
    return task && (task.resultType === 'task' || looksLikeTask(task)) ? [{ ...exchange, task }] : [];
  });

/** Milliseconds between two polls of a task, and what the server suggested for them. */
interface Gap {
  readonly polls: readonly [Message, Message];
  readonly ms: number;
  readonly wanted: number;
}

/** The gaps between polls that no other event explains. */
function gaps(conversation: Conversation, taskId: string): Gap[] {
  const polls = askedOf(conversation, 'tasks/get').filter(
    e => e.request.params?.taskId === taskId && declaresTasks(conversation, e.request),
  );
  const states = taskStates(conversation).filter(s => s.taskId === taskId);
  return polls.slice(1).flatMap(({ request }, at) => {
    const before = polls[at]!;
    const { reply } = before;
    if (!reply || reply.seq > request.seq) return [];
    const between = ({ seq }: Message) => seq > before.request.seq && seq < request.seq;
    // an answer, a cancellation or a notification is a reason to look at once
    const isExplained =
      ownRequests(conversation).some(m => between(m) && isAbout(m, taskId) && m.method !== 'tasks/get') ||
      states.some(s => s.how === 'notified' && between(s.m));
    const last = states.findLast(s => s.m.seq < request.seq)?.task;
    const wanted = last?.pollIntervalMs;
    if (isExplained || typeof wanted !== 'number' || isEnded(last?.status)) return [];
    return [
      {
        polls: [before.request, request] as const,
        ms: request.frame.at - before.request.frame.at,
        wanted,
      },
    ];
  });
}

/** A gap that is shorter than half of the interval; a busy machine makes one of them, not most. */
const isShort = ({ ms, wanted }: Gap): boolean => ms < wanted / 2;

export const rules = [
  rule('ext-tasks.client-rejects-elsewhere', function* (conversation) {
    for (const { request, reply, task } of misplaced(conversation)) {
      const later = ownRequests(conversation).filter(m => m.seq > reply!.seq);
      const follows = later.find(m => isAbout(m, asText(task.taskId)));
      if (follows)
        yield fail('no request about the task', [request, reply, follows], follows.method ?? 'a request');
      else if (later[0]) yield pass([request, reply!, later[0]]);
    }
  }),

  rule('ext-tasks.client-poll-interval', function* (conversation) {
    for (const { taskId } of announced(conversation)) {
      const all = gaps(conversation, taskId);
      const short = all.filter(isShort);
      const [first] = short;
      if (first && all.length > 1 && short.length * 2 > all.length)
        yield fail(
          `${first.wanted} ms between two polls`,
          first.polls,
          `${Math.round(first.ms)} ms, and less than half of the interval ${short.length} times of ${all.length}`,
        );
      else if (all.length > 1) yield pass(all[0]!.polls);
    }
  }),

  rule('ext-tasks.client-answers-once', function* (conversation) {
    const given = new Map<string, Message>();
    for (const { request, reply } of updates(conversation))
      for (const key of answersIn(request)) {
        const name = JSON.stringify([request.params!.taskId, key]);
        const before = given.get(name);
        given.set(name, reply!);
        // an answer that crossed with the response may be a repetition of a lost request
        if (before && before.seq < request.seq)
          yield fail('one answer to each question', [before, request], `"${key}" is answered again`);
        else if (!before) yield pass([request]);
      }
  }),

  rule('ext-tasks.client-cancels-by-request', function* (conversation) {
    const withdrawals = conversation.notifications({ by: 'subject', method: 'notifications/cancelled' });
    for (const { request, m, taskId } of announced(conversation)) {
      const asked = ownRequests(conversation).filter(one => one.seq > m.seq && isAbout(one, taskId));
      // a request about the task shows that its announcement has arrived
      const wrong = withdrawals.find(
        one =>
          asked[0] !== undefined &&
          one.seq > asked[0].seq &&
          (one.params?.requestId === request!.id || one.params?.requestId === taskId),
      );
      const cancel = asked.find(one => one.method === 'tasks/cancel');
      if (wrong) yield fail('tasks/cancel', [request, m, wrong], 'notifications/cancelled');
      else if (cancel) yield pass([m, cancel]);
    }
  }),

  rule('ext-tasks.client-name-header', function* (conversation) {
    for (const m of ownRequests(conversation)) {
      const post = methods.includes(m.method) ? conversation.httpOf(m) : undefined;
      const taskId = m.params?.taskId;
      if (!post?.request || typeof taskId !== 'string') continue;
      const given = post.request.headers
        .filter(([name]) => name.toLowerCase() === 'mcp-name')
        .map(([, value]) => value);
      const isIt = given.length === 1 && (given[0] === taskId || decodeHeader(given[0]!) === taskId);
      yield isIt ? pass([m, post]) : fail(`Mcp-Name: ${taskId}`, [m, post], given.join(' | ') || 'none');
    }
  }),
];
