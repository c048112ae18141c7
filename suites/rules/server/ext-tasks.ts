/** The tasks extension (io.modelcontextprotocol/tasks): what a server says about its tasks. */

import { fail, type Judgement, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import {
  describeMessage,
  type Exchange,
  errorOf,
  type Message,
  resultOf,
} from '../../../harness/record/message.js';
import { isObject, type Json, without } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import type { Vocabulary } from '../../../spec/vocabulary.js';
import { isFair } from '../derived/conversation.js';
import {
  announced,
  answersIn,
  askedOf,
  declaresTasks,
  isEnded,
  isExpired,
  isTaskStatus,
  looksLikeTask,
  polled,
  questionsIn,
  servesTasks,
  stateBefore,
  statesById,
  type TaskState,
  taskStates,
  tasksExtension,
  updates,
} from '../derived/ext-tasks.js';
import { shown } from '../derived/results.js';
import { results, resultType } from '../derived/stateless.js';
import { tagOf } from '../derived/subscriptions.js';
import { areApart, isTimestamp, stepBetween } from '../derived/task-record.js';

const methods = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const;

/** Notifications about a request, which do not belong to a subscription. */
const ofRequests: readonly unknown[] = ['notifications/progress', 'notifications/message'];

/** Whether an error lists the extension as missing. */
const namesExtension = ({ data }: { readonly data?: Json }): boolean => {
  const required = isObject(data) ? data.requiredCapabilities : undefined;
  return isObject(required) && isObject(required.extensions) && tasksExtension in required.extensions;
};

/** The refusal of a request that lacks the extension. */
export function refusedForExtension(exchange: Exchange): Judgement | undefined {
  const { request, reply } = exchange;
  if (!reply) return undefined;
  const error = errorOf(exchange);
  const expected = `error -32021 with ${tasksExtension} in data.requiredCapabilities.extensions`;
  return error?.code === -32021 && namesExtension(error)
    ? pass([request, reply])
    : fail(expected, [request, reply], error ? shown(error as Json) : 'a result');
}

/** Valid requests about tasks of a client that declares the extension, with their responses. */
const about = (conversation: Conversation, method: string): Exchange[] =>
  askedOf(conversation, method).filter(
    ({ request, reply }) => reply && !request.frame.deliberate && declaresTasks(conversation, request),
  );

/** The same task with a JSON-RPC error of an unknown id. */
const isUnknown = (exchange: Exchange): boolean => errorOf(exchange)?.code === -32602;

/** tasks/get right after the announcement, and every other one within the ttl. */
const found = (row: RequirementId) =>
  rule(row, function* (conversation) {
    for (const { taskId, m } of announced(conversation)) {
      const first = about(conversation, 'tasks/get').find(
        e => e.request.params?.taskId === taskId && e.request.seq > m.seq,
      );
      if (!first || isExpired(conversation, taskId, first.reply!)) continue;
      yield isUnknown(first)
        ? fail('the announced task', [m, first.request, first.reply], 'error -32602')
        : pass([m, first.reply!]);
    }
  });

/** Judges states with one status. */
const inStatus = (
  row: RequirementId,
  status: string,
  judge: (state: TaskState) => [ok: boolean, expected: string, actual: Json | undefined],
) =>
  rule.each(row, polled, state => {
    if (state.task.status !== status) return undefined;
    const [ok, expected, actual] = judge(state);
    return ok ? pass([state.m]) : fail(expected, [state.request, state.m], shown(actual));
  });

/** Why a value is no result of tools/call; what comes with every result does not count. */
function flawOf(result: Json | undefined, vocabulary: Vocabulary): string | undefined {
  if (!isObject(result)) return shown(result);
  const whole = { resultType: 'complete', ...without(result, '_meta') };
  const [problem] = vocabulary.validate('CallToolResult', whole);
  return problem && `result${problem.path} ${problem.message}`;
}

/** Members that only a task has: an acknowledgement is empty. */
const ofTask = ['taskId', 'status', 'createdAt', 'ttlMs', 'result', 'inputRequests'];

/** The state before a refused request, where neither the end of the task nor the request explains the error. */
function refusedState(conversation: Conversation, { request, reply }: Exchange): TaskState | undefined {
  const { taskId } = request.params ?? {};
  const before = stateBefore(conversation, taskId, request.seq);
  if (!before || isEnded(before.task.status) || isExpired(conversation, taskId, reply!)) return undefined;
  if (!isFair(conversation, request)) return undefined;
  // meanwhile the work may have ended, and the text does not say what follows then
  const next = statesById(conversation)
    .get(before.taskId)!
    .find(s => s.m.seq > reply!.seq);
  const goesOn =
    request.method === 'tasks/cancel'
      ? next && !isEnded(next.task.status)
      : next?.task.status === 'input_required';
  return goesOn ? before : undefined;
}

/** An acknowledgement of a request about a task that exists and has not ended. */
const acknowledgement = (row: RequirementId, method: string) =>
  rule.each(
    row,
    conversation => about(conversation, method),
    (exchange, conversation) => {
      const { request, reply } = exchange;
      const result = resultOf(exchange);
      if (result) {
        const member = ofTask.find(name => name in result);
        return member === undefined
          ? pass([request, reply!])
          : fail('an empty result', [request, reply], `${member} ${shown(result[member])}`);
      }
      const before = refusedState(conversation, exchange);
      const isDue = method === 'tasks/cancel' || (before && isWholeAnswer(before, request));
      return before && isDue ? fail('an empty result', [before.m, request, reply], 'an error') : undefined;
    },
  );

/** What a tasks/update answers: how many of the open questions, and the first key that is none of theirs. */
function answersTo(state: TaskState, request: Message) {
  const open = questionsIn(state).map(([key]) => key);
  const given = answersIn(request);
  const answered = open.filter(key => given.includes(key)).length;
  return {
    isNone: answered === 0,
    isAll: answered === open.length,
    foreign: given.find(key => !open.includes(key)),
  };
}

/** Whether the keys are those of all open questions: a server may refuse a part of them. */
function isWholeAnswer(state: TaskState, request: Message): boolean {
  const { isNone, isAll, foreign } = answersTo(state, request);
  return isAll && !isNone && foreign === undefined;
}

/** Keys with two different questions in states of one task. */
function* keys(conversation: Conversation, onlyAnswered: boolean): Iterable<Judgement> {
  for (const [taskId, states] of statesById(conversation)) {
    const first = new Map<string, { state: TaskState; text: string }>();
    for (const state of states)
      for (const [key, asked] of questionsIn(state)) {
        const text = JSON.stringify(asked);
        const known = first.get(key);
        if (!known) first.set(key, { state, text });
        const answered = updates(conversation).some(
          e =>
            e.request.params?.taskId === taskId &&
            answersIn(e.request).includes(key) &&
            e.reply!.seq < state.m.seq,
        );
        if (onlyAnswered && !answered) continue;
        yield known && known.text !== text
          ? fail(`another key than "${key}"`, [known.state.m, state.m], text.slice(0, 200))
          : pass([state.m]);
      }
  }
}

/** Subscriptions with task ids, each with what arrived for it. */
function* subscriptions(conversation: Conversation) {
  for (const { request } of askedOf(conversation, 'subscriptions/listen')) {
    const filter = request.params?.notifications;
    const ids = isObject(filter) && Array.isArray(filter.taskIds) ? filter.taskIds : undefined;
    if (!ids || !declaresTasks(conversation, request)) continue;
    const stream = conversation.httpOf(request);
    const messages = conversation
      .notifications({ by: 'subject' })
      .filter(m => m.seq > request.seq)
      .filter(m => (stream ? conversation.httpOf(m) === stream : tagOf(m) === request.idKey));
    yield { request, ids, messages };
  }
}

/** Whether an id is the one before with one number that increased by a small amount. */
function counts(before: string, id: string): boolean {
  const step = stepBetween(before, id) ?? 0;
  return step > 0 && step < 1000;
}

const isWhole = (value: Json | undefined): boolean => Number.isInteger(value) && (value as number) >= 0;

export const rules = [
  rule.each('ext-tasks.only-if-declared', results, ({ request, reply, result }, conversation) => {
    if (request.method !== 'tools/call' || !servesTasks(conversation)) return undefined;
    if (declaresTasks(conversation, request)) return undefined;
    const isTask = result.resultType === 'task' || looksLikeTask(result);
    return isTask
      ? fail('a result without a task', [request, reply], shown(result.taskId ?? result.resultType))
      : pass([request, reply]);
  }),

  rule.each('ext-tasks.create-result-type', announced, ({ request, m, task }) =>
    task.resultType === 'task' ? pass([m]) : fail('resultType "task"', [request, m], shown(task.resultType)),
  ),

  rule.each('ext-tasks.type-reserved', results, ({ request, reply, result }, conversation) => {
    if (!declaresTasks(conversation, request)) return undefined;
    const isAnnouncement = request.method === 'tools/call' && typeof result.taskId === 'string';
    return result.resultType === 'task' && !isAnnouncement
      ? fail('another resultType than "task"', [request, reply], `${request.method} with resultType "task"`)
      : pass([request, reply]);
  }),

  found('ext-tasks.durable-on-creation'),
  found('ext-tasks.consistent-on-creation'),

  rule.each(
    'ext-tasks.get-returns-task',
    conversation => about(conversation, 'tasks/get'),
    exchange => {
      const { request, reply } = exchange;
      const result = resultOf(exchange);
      if (!result) return undefined;
      const { taskId } = request.params ?? {};
      const isIt = result.taskId === taskId && isTaskStatus(result.status);
      return isIt
        ? pass([request, reply!])
        : fail(`task ${shown(taskId)} in one of its states`, [request, reply], shown(result));
    },
  ),

  inStatus('ext-tasks.get-input-requests', 'input_required', ({ task }) => [
    isObject(task.inputRequests) && Object.keys(task.inputRequests).length > 0,
    'inputRequests with the open questions',
    task.inputRequests,
  ]),
  rule.each('ext-tasks.get-completed-result', taskStates, ({ task, m, how, request }, conversation) => {
    // the announcement of a task has no result, in any state
    if (task.status !== 'completed' || how === 'created') return undefined;
    const flaw = flawOf(task.result, conversation.vocabularyFor(m));
    return flaw === undefined ? pass([m]) : fail('the result of tools/call', [request, m], flaw);
  }),
  inStatus('ext-tasks.get-failed-error', 'failed', ({ task: { error } }) => [
    isObject(error) && Number.isInteger(error.code) && typeof error.message === 'string',
    'the error of the task',
    error,
  ]),
  inStatus('ext-tasks.failed-status-message', 'failed', ({ task: { statusMessage } }) => [
    typeof statusMessage === 'string' && statusMessage.trim() !== '',
    'a statusMessage',
    statusMessage,
  ]),

  rule('ext-tasks.get-cancelled', function* (conversation) {
    for (const states of statesById(conversation).values()) {
      const at = states.findIndex(s => s.task.status === 'cancelled');
      for (const state of at < 0 ? [] : states.slice(at + 1))
        yield state.task.status === 'cancelled'
          ? pass([state.m])
          : fail('status cancelled', [states[at]!.m, state.m], shown(state.task.status));
    }
  }),

  resultType('ext-tasks.get-result-type', 'tasks/get'),
  resultType('ext-tasks.update-result-type', 'tasks/update'),
  resultType('ext-tasks.cancel-result-type', 'tasks/cancel'),
  acknowledgement('ext-tasks.update-acknowledged', 'tasks/update'),
  acknowledgement('ext-tasks.cancel-acknowledged', 'tasks/cancel'),

  rule.each(
    'ext-tasks.unknown-keys-ignored',
    conversation => about(conversation, 'tasks/update'),
    (exchange, conversation) => {
      const { request, reply } = exchange;
      const before = resultOf(exchange)
        ? stateBefore(conversation, request.params?.taskId, request.seq)
        : refusedState(conversation, exchange);
      if (!before) return undefined;
      const { isNone, isAll, foreign } = answersTo(before, request);
      if (foreign === undefined) return undefined;
      if (resultOf(exchange)) return pass([request, reply!]);
      return isNone || isAll
        ? fail(`an empty result: "${foreign}" is ignored`, [before.m, request, reply], 'an error')
        : undefined;
    },
  ),

  rule('ext-tasks.keys-unique', conversation => keys(conversation, false)),
  rule('ext-tasks.key-one-request', conversation => keys(conversation, false)),
  rule('ext-tasks.key-not-reused', conversation => keys(conversation, true)),

  rule('ext-tasks.acknowledged-ids', function* (conversation) {
    for (const { request, ids, messages } of subscriptions(conversation))
      for (const m of messages) {
        if (m.method !== 'notifications/subscriptions/acknowledged') continue;
        const agreed = m.params?.notifications;
        const taskIds = isObject(agreed) ? agreed.taskIds : undefined;
        const isPart =
          taskIds === undefined || (Array.isArray(taskIds) && taskIds.every(id => ids.includes(id)));
        yield isPart ? pass([request, m]) : fail('a subset of the request', [request, m], shown(taskIds));
      }
  }),

  rule('ext-tasks.notified-tasks', function* (conversation) {
    for (const { request, ids, messages } of subscriptions(conversation))
      for (const m of messages.filter(({ method }) => method === 'notifications/tasks'))
        yield ids.includes(m.params?.taskId ?? null)
          ? pass([request, m])
          : fail('a task of the subscription', [request, m], shown(m.params?.taskId));
  }),

  rule('ext-tasks.no-progress-on-listen', function* (conversation) {
    for (const { request, messages } of subscriptions(conversation)) {
      const foreign = messages.find(m => ofRequests.includes(m.method));
      if (foreign)
        yield fail('neither progress nor log messages', [request, foreign], describeMessage(foreign));
      else if (messages.length > 0) yield pass([request, messages[0]!]);
    }
  }),

  rule('ext-tasks.methods-undeclared', function* (conversation) {
    for (const method of methods)
      for (const exchange of askedOf(conversation, method)) {
        if (declaresTasks(conversation, exchange.request)) continue;
        const judgement = refusedForExtension(exchange);
        if (judgement) yield judgement;
      }
  }),

  rule('ext-tasks.error-informative', function* (conversation) {
    for (const method of methods)
      for (const exchange of askedOf(conversation, method)) {
        const error = errorOf(exchange);
        if (!error) continue;
        const { request, reply } = exchange;
        const text = error.message;
        yield typeof text === 'string' && text.trim() !== ''
          ? pass([request, reply!])
          : fail('a message that describes the cause', [request, reply], shown(text as Json));
      }
  }),

  rule('ext-tasks.id-unguessable', function* (conversation) {
    const made = announced(conversation);
    for (const [at, { taskId, m }] of made.entries()) {
      const before = made[at - 1];
      const isCount = before !== undefined && counts(before.taskId, taskId);
      yield taskId.length < 8 || isCount
        ? fail('an id that cannot be guessed', [before?.m, m], shown(taskId))
        : pass([m]);
    }
  }),

  rule.each('ext-tasks.timestamps', taskStates, ({ m, request, task, taskId }, conversation) => {
    const wrong = ['createdAt', 'lastUpdatedAt'].find(name => !isTimestamp(task[name]));
    const made = announced(conversation).find(state => state.taskId === taskId);
    if (wrong !== undefined)
      return fail('a date with a time in ISO 8601', [request, m], `${wrong} ${shown(task[wrong])}`);
    const expected = `createdAt ${shown(made?.task.createdAt)}, as at first`;
    return made && areApart(made.task.createdAt, task.createdAt)
      ? fail(expected, [made.m, request, m], `createdAt ${shown(task.createdAt)}`)
      : pass([m]);
  }),

  rule.each('ext-tasks.integers', taskStates, ({ m, request, task: { ttlMs, pollIntervalMs } }) => {
    const isRight =
      (ttlMs === null || isWhole(ttlMs)) && (pollIntervalMs === undefined || isWhole(pollIntervalMs));
    return isRight
      ? pass([m])
      : fail(
          'whole numbers of milliseconds',
          [request, m],
          `ttlMs ${shown(ttlMs)}, pollIntervalMs ${shown(pollIntervalMs)}`,
        );
  }),
];
