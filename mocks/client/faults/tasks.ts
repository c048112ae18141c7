/** basic/utilities/tasks: faults of clients with their own tasks. */

import { randomUUID } from 'node:crypto';
import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import { notification, refusal, result } from '../../fault.js';
import { aMinuteLater, paramsOf } from '../../server/faults/shared.js';
import { featuresOf } from '../../server/features.js';
import { codes } from '../../server/refusal.js';
import { relatedTask } from '../../tasks.js';
import {
  type ClientMiddleware,
  clientFault,
  onAnswer,
  onBehaviour,
  onIncoming,
  onNotification,
  onOpened,
  onReply,
} from '../fault.js';

type Change = (task: JsonObject, ask: JsonObject) => JsonObject;

const questions = ['sampling/createMessage', 'elicitation/create'];
const progress = 'notifications/progress';

const now = new Date(0).toISOString();

const here = { where: (revision: Parameters<typeof featuresOf>[0]) => featuresOf(revision).tasks };

const wantsTask = (ask: JsonObject): boolean => paramsOf(ask).task !== undefined;
const wish = (ask: JsonObject): JsonObject => {
  const { task } = paramsOf(ask);
  return isObject(task) ? task : {};
};

const undeclared = onBehaviour(habits => {
  habits.capabilities = without(habits.capabilities, 'tasks');
});

/** Changes the task in the response that creates it. */
const onMade = (change: Change): ClientMiddleware =>
  onAnswer(questions, (body, ask) =>
    isObject(body.task) ? { ...body, task: change(body.task, ask) } : body,
  );

/** Changes the result of `tasks/get`. */
const onState = (change: Change): ClientMiddleware => onAnswer('tasks/get', change);

const related = (taskId: Json | undefined): JsonObject => ({
  _meta: { [relatedTask]: { taskId: taskId ?? null } },
});

const relatedId = (params: JsonObject): Json | undefined => {
  const meta = isObject(params._meta) ? params._meta[relatedTask] : undefined;
  return isObject(meta) ? meta.taskId : meta;
};

/** Changes the progress notifications of tasks. */
const onProgress = (change: (params: JsonObject) => JsonObject): ClientMiddleware =>
  onNotification(progress, note =>
    relatedId(paramsOf(note)) === undefined ? note : { ...note, params: change(paramsOf(note)) },
  );

const tokenOf = (ask: JsonObject): Json | undefined => {
  const { _meta: meta } = paramsOf(ask);
  return isObject(meta) ? meta.progressToken : undefined;
};

const tokens = () => new Map<Json | undefined, Json>();

/** Stores the progress tokens of requests that became tasks, by task. */
const remembering = onAnswer(questions, (body, ask, context) => {
  const token = tokenOf(ask);
  if (isObject(body.task) && token !== undefined) context.keep(tokens).set(body.task.taskId, token);
  return body;
});

const more = (progressToken: Json, count: number, taskId: Json | undefined): JsonObject =>
  notification(progress, { progressToken, progress: 10 + count, ...related(taskId) });

export const taskFaults = [
  clientFault(
    'client-task-made-undeclared',
    {
      what: 'The client responds to sampling/createMessage or elicitation/create with a task although it has not declared tasks.',
      breaks: ['tasks.capability-declared', 'tasks.undeclared-type-processed-normally'],
      shows: ['tasks.capability-declared#task-made', 'tasks.undeclared-type-processed-normally#task-made'],
    },
    undeclared,
    onReply(questions, (reply, ask) =>
      wantsTask(ask)
        ? result(ask, {
            task: {
              taskId: randomUUID(),
              status: 'working',
              createdAt: now,
              lastUpdatedAt: now,
              ttl: null,
            },
          })
        : reply,
    ),
  ),

  clientFault(
    'client-task-undeclared-refused',
    {
      what: 'The client rejects sampling/createMessage or elicitation/create with a task when it has not declared tasks.',
      breaks: ['tasks.undeclared-type-processed-normally'],
      shows: ['tasks.undeclared-type-processed-normally#refused'],
    },
    undeclared,
    onReply(questions, (reply, ask) =>
      wantsTask(ask) ? refusal(ask, codes.invalidParams, 'Unexpected member: task') : reply,
    ),
  ),

  clientFault(
    'client-task-not-made',
    {
      what: 'The client responds to sampling/createMessage or elicitation/create with a task as if the request had no task.',
      breaks: ['tasks.create-result-returned'],
      shows: ['tasks.create-result-returned#result-itself'],
    },
    onIncoming(message => {
      if (!isObject(message) || !questions.includes(String(message.method))) return message;
      return { ...message, params: without(paramsOf(message), 'task') };
    }),
  ),

  clientFault(
    'client-task-id-is-number',
    {
      what: 'The client sends notifications/tasks/status with a number as taskId.',
      breaks: ['tasks.id-string'],
      shows: ['tasks.id-string#number'],
    },
    onNotification('notifications/tasks/status', note => ({
      ...note,
      params: { ...paramsOf(note), taskId: 7 },
    })),
  ),

  clientFault(
    'client-task-id-of-server',
    {
      what: 'The client creates a task with the taskId that the server proposes.',
      breaks: ['tasks.id-by-receiver'],
      shows: ['tasks.id-by-receiver#adopted'],
    },
    onMade((task, ask) => ({ ...task, taskId: wish(ask).taskId ?? task.taskId! })),
  ),

  clientFault(
    'client-task-id-used-twice',
    {
      what: 'The client creates two tasks with the same taskId.',
      breaks: ['tasks.id-unique'],
      shows: ['tasks.id-unique#twice'],
    },
    onMade((task, ask) => {
      const odd = wish(ask).taskId !== undefined || wish(ask).ttl !== 60_000;
      return odd ? { ...task, taskId: 'e1c5a7d2-the-same' } : task;
    }),
  ),

  clientFault(
    'client-task-ids-count',
    {
      what: 'The client creates tasks with consecutive numbers in the taskId.',
      breaks: ['tasks.id-unguessable'],
      shows: ['tasks.id-unguessable#counted'],
    },
    onOpened(({ session }) => {
      let count = 0;
      session.tasks.newId = () => `task-of-the-client-${++count}`;
    }),
  ),

  clientFault(
    'client-task-starts-submitted',
    {
      what: 'The client creates tasks with the status submitted.',
      breaks: ['tasks.starts-working'],
      shows: ['tasks.starts-working#unknown'],
    },
    onMade(task => ({ ...task, status: 'submitted' })),
  ),

  clientFault(
    'client-task-status-unknown',
    {
      what: 'The client responds to tasks/list with tasks in the unknown status done.',
      breaks: ['tasks.valid-transitions'],
      shows: ['tasks.valid-transitions#unknown'],
    },
    onAnswer('tasks/list', body => ({
      ...body,
      tasks: (body.tasks as JsonObject[]).map(task => ({ ...task, status: 'done' })),
    })),
  ),

  clientFault(
    'client-task-revived',
    {
      what: 'The client responds to tasks/get with the status working after the status completed.',
      breaks: ['tasks.terminal-final'],
      shows: ['tasks.terminal-final#revived'],
    },
    onAnswer('tasks/get', (task, _ask, context) => {
      if (task.status !== 'completed') return task;
      return context.count(String(task.taskId)) > 1 ? { ...task, status: 'working' } : task;
    }),
  ),

  clientFault(
    'client-task-created-in-seconds',
    {
      what: 'The client responds to tasks/get with a createdAt in seconds.',
      breaks: ['tasks.created-at'],
      shows: ['tasks.created-at#number'],
    },
    onState(task => ({ ...task, createdAt: Date.parse(String(task.createdAt)) / 1_000 })),
  ),

  clientFault(
    'client-task-created-at-moves',
    {
      what: 'The client responds to tasks/get with a createdAt a minute after the first one.',
      breaks: ['tasks.created-at'],
      shows: ['tasks.created-at#moves'],
    },
    onAnswer('tasks/get', task => aMinuteLater(task)),
  ),

  clientFault(
    'client-task-updated-without-time',
    {
      what: 'The client responds to tasks/get with a lastUpdatedAt that has a date without a time.',
      breaks: ['tasks.last-updated-at'],
      shows: ['tasks.last-updated-at#no-time'],
    },
    onState(task => ({ ...task, lastUpdatedAt: String(task.lastUpdatedAt).slice(0, 10) })),
  ),

  clientFault(
    'client-task-ttl-left-out',
    {
      what: 'The client responds to tasks/get without ttl.',
      breaks: ['tasks.ttl-reported'],
      shows: ['tasks.ttl-reported#missing'],
    },
    onState(task => without(task, 'ttl')),
  ),

  clientFault(
    'client-task-kept-for-years',
    {
      what: 'The client creates tasks with any ttl that the server requests.',
      breaks: ['tasks.resource-management'],
      shows: ['tasks.resource-management#kept-for-years'],
    },
    onMade((task, ask) => ({ ...task, ttl: wish(ask).ttl ?? task.ttl! })),
  ),

  clientFault(
    'client-task-result-embellished',
    {
      what: 'The client responds to tasks/result with the status of the task in addition to the result.',
      breaks: ['tasks.result-exact'],
      shows: ['tasks.result-exact#more'],
    },
    onAnswer('tasks/result', body => ({ ...body, status: 'completed' })),
  ),

  clientFault(
    'client-task-result-given-once',
    {
      what: 'The client responds to a second tasks/result for the same task with an error.',
      breaks: ['tasks.result-of-terminal'],
      shows: ['tasks.result-of-terminal#once-only'],
    },
    onReply('tasks/result', (reply, ask, context) =>
      context.count(String(paramsOf(ask).taskId)) > 1 && 'result' in reply
        ? refusal(ask, codes.invalidParams, 'Fetched before')
        : reply,
    ),
  ),

  clientFault(
    'client-task-result-empty',
    {
      what: 'The client responds to tasks/result without content.',
      breaks: ['elicitation.accept-content-matches', 'tasks.result-of-terminal', 'tasks.result-exact'],
      shows: ['tasks.result-exact#less', 'tasks.result-of-terminal#other-type'],
      ...here,
    },
    onAnswer('tasks/result', body => without(body, 'content')),
  ),

  clientFault(
    'client-task-result-not-ready',
    {
      what: 'The client responds to tasks/result with an error when the task has not ended.',
      breaks: ['tasks.result-blocks'],
      shows: ['tasks.result-blocks#error'],
    },
    remembering,
    onIncoming((message, context) => {
      if (!isObject(message) || message.method !== 'tasks/result') return message;
      const { taskId } = paramsOf(message);
      const slow = taskId !== undefined && context.keep(tokens).has(taskId);
      if (!slow || context.session.tasks.get(taskId).ended) return message;
      void context.send(refusal(message, codes.invalidParams, 'Not ready'));
      return undefined;
    }),
  ),

  clientFault(
    'client-task-error-recoded',
    {
      what: 'The client responds to tasks/result of a failed request with an internal error instead of the original code.',
      breaks: ['tasks.result-same-error'],
      shows: ['tasks.result-same-error#other-code'],
    },
    onReply('tasks/result', (reply, ask) =>
      isObject(reply.error) && reply.error.code !== codes.invalidParams
        ? refusal(ask, codes.internalError, String(reply.error.message))
        : reply,
    ),
  ),

  clientFault(
    'client-task-result-as-error',
    {
      what: 'The client responds to tasks/result of an elicitation with an internal error.',
      breaks: ['tasks.result-same-result'],
      shows: ['tasks.result-same-result#error'],
    },
    onReply('tasks/result', (reply, ask) =>
      isObject(reply.result) && 'action' in reply.result
        ? refusal(ask, codes.internalError, 'The form data no longer exists.')
        : reply,
    ),
  ),

  clientFault(
    'client-task-result-unrelated',
    {
      what: 'The client responds to tasks/result without the related-task metadata.',
      breaks: ['tasks.result-related'],
      shows: ['tasks.result-related#none'],
    },
    onAnswer('tasks/result', body => without(body, '_meta')),
  ),

  clientFault(
    'client-task-state-related',
    {
      what: 'The client responds to tasks/get with the related-task metadata in addition to taskId.',
      breaks: ['tasks.response-without-related'],
      shows: ['tasks.response-without-related#get'],
    },
    onState(task => ({ ...task, ...related(task.taskId) })),
  ),

  clientFault(
    'client-task-notice-related',
    {
      what: 'The client sends notifications/tasks/status with the related-task metadata in addition to taskId.',
      breaks: ['tasks.status-notification-unrelated'],
      shows: ['tasks.status-notification-unrelated#related'],
    },
    onNotification('notifications/tasks/status', note => ({
      ...note,
      params: { ...paramsOf(note), ...related(paramsOf(note).taskId) },
    })),
  ),

  clientFault(
    'client-task-metadata-wins',
    {
      what: 'The client responds to tasks/get with the task of the related-task metadata instead of taskId.',
      breaks: ['tasks.param-is-truth', 'tasks.request-related-ignored'],
      shows: ['tasks.param-is-truth#metadata-win', 'tasks.request-related-ignored#metadata-win'],
    },
    onIncoming(message => {
      if (!isObject(message) || message.method !== 'tasks/get') return message;
      const named = relatedId(paramsOf(message));
      return named === undefined ? message : { ...message, params: { taskId: String(named) } };
    }),
  ),

  clientFault(
    'client-task-metadata-refused',
    {
      what: 'The client rejects tasks/get with the related-task metadata.',
      breaks: ['tasks.request-related-ignored'],
      shows: ['tasks.request-related-ignored#get-refused'],
    },
    onReply('tasks/get', (reply, ask) =>
      relatedId(paramsOf(ask)) === undefined
        ? reply
        : refusal(ask, codes.invalidParams, 'Unexpected metadata'),
    ),
  ),

  clientFault(
    'client-task-list-cut-off',
    {
      what: 'The client responds to tasks/list without nextCursor although more tasks exist.',
      breaks: ['tasks.list-next-cursor', 'tasks.list-contains-gettable'],
      shows: ['tasks.list-contains-gettable#cut-off', 'tasks.list-next-cursor#cut-off'],
    },
    onAnswer('tasks/list', body => without(body, 'nextCursor')),
  ),

  clientFault(
    'client-task-list-incomplete',
    {
      what: 'The client responds to tasks/list without the first task of each page.',
      breaks: ['tasks.list-contains-gettable'],
      shows: ['tasks.list-contains-gettable#some-missing'],
    },
    onAnswer('tasks/list', body => ({ ...body, tasks: (body.tasks as JsonObject[]).slice(1) })),
  ),

  clientFault(
    'client-task-list-any-cursor',
    {
      what: 'The client responds to tasks/list with an unknown cursor with an empty page.',
      breaks: ['tasks.unknown-id-error'],
      shows: ['tasks.unknown-id-error#any-cursor'],
    },
    onReply('tasks/list', (reply, ask) => ('error' in reply ? result(ask, { tasks: [] }) : reply)),
  ),

  clientFault(
    'client-task-unknown-internal-error',
    {
      what: 'The client responds to tasks/get, tasks/result and tasks/cancel with an unknown taskId with an internal error.',
      breaks: ['tasks.unknown-id-error'],
      shows: ['tasks.unknown-id-error#other-code'],
    },
    onReply(['tasks/get', 'tasks/result', 'tasks/cancel'], (reply, ask) =>
      JSON.stringify(reply).includes('There is no task')
        ? refusal(ask, codes.internalError, 'Something went wrong')
        : reply,
    ),
  ),

  clientFault(
    'client-task-error-speechless',
    {
      what: 'The client responds to tasks/get and tasks/cancel with errors that have an empty message.',
      breaks: ['tasks.error-informative'],
      shows: ['tasks.error-informative#empty'],
    },
    onReply(['tasks/get', 'tasks/cancel'], reply =>
      isObject(reply.error) ? { ...reply, error: { ...reply.error, message: '' } } : reply,
    ),
  ),

  clientFault(
    'client-task-cancelled-though-done',
    {
      what: 'The client responds to tasks/cancel with a result although the task has ended.',
      breaks: ['tasks.cancel-terminal-rejected'],
      shows: ['tasks.cancel-terminal-rejected#result'],
    },
    onReply('tasks/cancel', (reply, ask, context) => {
      const task = context.session.tasks.after(0).find(({ id }) => id === paramsOf(ask).taskId);
      return 'error' in reply && task ? result(ask, task.shown) : reply;
    }),
  ),

  clientFault(
    'client-task-cancelled-later',
    {
      what: 'The client responds to tasks/cancel with the status working.',
      breaks: ['tasks.cancel-before-response'],
      shows: ['tasks.cancel-before-response#working'],
    },
    onAnswer('tasks/cancel', task => ({ ...task, status: 'working' })),
  ),

  clientFault(
    'client-task-cancel-undone',
    {
      what: 'The client responds to tasks/get with the status completed for a cancelled task.',
      breaks: ['tasks.cancel-sticks', 'tasks.terminal-final'],
      shows: ['tasks.cancel-sticks#undone', 'tasks.terminal-final#other-end'],
    },
    onState(task => (task.status === 'cancelled' ? { ...task, status: 'completed' } : task)),
  ),

  clientFault(
    'client-task-works-on-when-cancelled',
    {
      what: 'The client sends notifications/progress for a task that has been cancelled.',
      breaks: ['tasks.cancel-stops', 'progress.task-stops-at-terminal'],
      shows: ['progress.task-stops-at-terminal#after-cancellation', 'tasks.cancel-stops#goes-on'],
      ...here,
    },
    remembering,
    onReply('tasks/get', (reply, ask, context) => {
      const { taskId } = paramsOf(ask);
      const token = context.keep(tokens).get(taskId);
      if (token === undefined || !context.session.tasks.get(taskId).ended) return reply;
      return [reply, more(token, context.count(), taskId)];
    }),
  ),

  clientFault(
    'client-task-progress-after-end',
    {
      what: 'The client sends notifications/progress for a task after the response to tasks/result.',
      breaks: ['progress.task-stops-at-terminal'],
      shows: ['progress.task-stops-at-terminal#after-end'],
    },
    remembering,
    onReply('tasks/result', (reply, ask, context) => {
      const { taskId } = paramsOf(ask);
      const token = context.keep(tokens).get(taskId);
      return token === undefined ? reply : [reply, more(token, context.count(), taskId)];
    }),
  ),

  clientFault(
    'client-task-progress-under-its-id',
    {
      what: 'The client sends notifications/progress for a task with the taskId as progressToken.',
      breaks: [
        'progress.task-same-token',
        'progress.task-token-continues',
        'progress.token-of-active-request',
      ],
      shows: [
        'progress.task-same-token#task-id',
        'progress.task-token-continues#other-token',
        'progress.token-of-active-request#task-id',
      ],
      ...here,
    },
    onProgress(params => ({ ...params, progressToken: relatedId(params)! })),
  ),

  clientFault(
    'client-task-progress-unrelated',
    {
      what: 'The client sends notifications/progress for a task without the related-task metadata.',
      breaks: ['tasks.messages-related'],
      shows: ['tasks.messages-related#progress-unrelated'],
    },
    onProgress(params => without(params, '_meta')),
  ),

  clientFault(
    'client-task-failed-silently',
    {
      what: 'The client responds to tasks/get of a failed task without statusMessage.',
      breaks: ['tasks.failed-status-message'],
      shows: ['tasks.failed-status-message#none'],
    },
    onState(task => without(task, 'statusMessage')),
  ),
];
