/** basic/utilities/tasks: what goes wrong with tasks of the client. */

import { randomUUID } from 'node:crypto';
import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import { notification, refusal, result } from '../../fault.js';
import { paramsOf } from '../../server/faults/shared.js';
import { featuresOf } from '../../server/features.js';
import { codes } from '../../server/refusal.js';
import { relatedTask } from '../../tasks.js';
import {
  type ClientMiddleware,
  clientFault,
  onAnswer,
  onHabits,
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

const undeclared = onHabits(habits => {
  habits.capabilities = without(habits.capabilities, 'tasks');
});

/** Changes what is said when a task is made. */
const onMade = (change: Change): ClientMiddleware =>
  onAnswer(questions, (body, ask) =>
    isObject(body.task) ? { ...body, task: change(body.task, ask) } : body,
  );

/** Changes what `tasks/get` shows. */
const onState = (change: Change): ClientMiddleware => onAnswer('tasks/get', change);

const related = (taskId: Json | undefined): JsonObject => ({
  _meta: { [relatedTask]: { taskId: taskId ?? null } },
});

const relatedId = (params: JsonObject): Json | undefined => {
  const meta = isObject(params._meta) ? params._meta[relatedTask] : undefined;
  return isObject(meta) ? meta.taskId : meta;
};

/** Changes the progress of tasks. */
const onProgress = (change: (params: JsonObject) => JsonObject): ClientMiddleware =>
  onNotification(progress, note =>
    relatedId(paramsOf(note)) === undefined ? note : { ...note, params: change(paramsOf(note)) },
  );

const tokenOf = (ask: JsonObject): Json | undefined => {
  const { _meta: meta } = paramsOf(ask);
  return isObject(meta) ? meta.progressToken : undefined;
};

const tokens = () => new Map<Json | undefined, Json>();

/** Keeps the progress tokens that tasks were made with, by task. */
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
      what: 'The client makes a task of a request, although it has declared no tasks.',
      breaks: ['tasks.capability-declared', 'tasks.undeclared-type-processed-normally'],
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
      what: 'A client that has no tasks refuses a request with a task.',
      breaks: ['tasks.undeclared-type-processed-normally'],
    },
    undeclared,
    onReply(questions, (reply, ask) =>
      wantsTask(ask) ? refusal(ask, codes.invalidParams, 'Unexpected member: task') : reply,
    ),
  ),

  clientFault(
    'client-task-not-made',
    {
      what: 'The client answers a request with a task as if there were none.',
      breaks: ['tasks.create-result-returned'],
    },
    onIncoming(message => {
      if (!isObject(message) || !questions.includes(String(message.method))) return message;
      return { ...message, params: without(paramsOf(message), 'task') };
    }),
  ),

  clientFault(
    'client-task-id-is-number',
    { what: 'Ids of tasks of the client are numbers.', breaks: ['tasks.id-string'] },
    onNotification('notifications/tasks/status', note => ({
      ...note,
      params: { ...paramsOf(note), taskId: 7 },
    })),
  ),

  clientFault(
    'client-task-id-of-server',
    { what: 'A task of the client gets the id that the server proposes.', breaks: ['tasks.id-by-receiver'] },
    onMade((task, ask) => ({ ...task, taskId: wish(ask).taskId ?? task.taskId! })),
  ),

  clientFault(
    'client-task-id-used-twice',
    { what: 'Two tasks of the client have the same id.', breaks: ['tasks.id-unique'] },
    onMade((task, ask) => {
      const odd = wish(ask).taskId !== undefined || wish(ask).ttl !== 60_000;
      return odd ? { ...task, taskId: 'e1c5a7d2-the-same' } : task;
    }),
  ),

  clientFault(
    'client-task-ids-count',
    { what: 'Ids of tasks of the client are counted up.', breaks: ['tasks.id-unguessable'] },
    onOpened(({ session }) => {
      let count = 0;
      session.tasks.newId = () => `task-of-the-client-${++count}`;
    }),
  ),

  clientFault(
    'client-task-starts-submitted',
    { what: 'Tasks of the client begin in a status of their own.', breaks: ['tasks.starts-working'] },
    onMade(task => ({ ...task, status: 'submitted' })),
  ),

  clientFault(
    'client-task-status-unknown',
    { what: 'Tasks of the client are in a status of their own.', breaks: ['tasks.valid-transitions'] },
    onAnswer('tasks/list', body => ({
      ...body,
      tasks: (body.tasks as JsonObject[]).map(task => ({ ...task, status: 'done' })),
    })),
  ),

  clientFault(
    'client-task-revived',
    { what: 'A completed task of the client works again.', breaks: ['tasks.terminal-final'] },
    onAnswer('tasks/get', (task, _ask, context) => {
      if (task.status !== 'completed') return task;
      return context.count(String(task.taskId)) > 1 ? { ...task, status: 'working' } : task;
    }),
  ),

  clientFault(
    'client-task-created-in-seconds',
    { what: 'Tasks of the client say in seconds when they were made.', breaks: ['tasks.created-at'] },
    onState(task => ({ ...task, createdAt: Date.parse(String(task.createdAt)) / 1_000 })),
  ),

  clientFault(
    'client-task-updated-without-time',
    { what: 'Tasks of the client say on which day they have changed.', breaks: ['tasks.last-updated-at'] },
    onState(task => ({ ...task, lastUpdatedAt: String(task.lastUpdatedAt).slice(0, 10) })),
  ),

  clientFault(
    'client-task-ttl-left-out',
    { what: 'How long a task is kept the client says only once.', breaks: ['tasks.ttl-reported'] },
    onState(task => without(task, 'ttl')),
  ),

  clientFault(
    'client-task-kept-for-years',
    {
      what: 'The client keeps tasks as long as anybody asks for.',
      breaks: ['tasks.resource-management'],
    },
    onMade((task, ask) => ({ ...task, ttl: wish(ask).ttl ?? task.ttl! })),
  ),

  clientFault(
    'client-task-result-embellished',
    {
      what: 'The result of a task of the client has members of tasks in it.',
      breaks: ['tasks.result-exact'],
    },
    onAnswer('tasks/result', body => ({ ...body, status: 'completed' })),
  ),

  clientFault(
    'client-task-result-given-once',
    { what: 'The client gives the result of a task once.', breaks: ['tasks.result-of-terminal'] },
    onReply('tasks/result', (reply, ask, context) =>
      context.count(String(paramsOf(ask).taskId)) > 1 && 'result' in reply
        ? refusal(ask, codes.invalidParams, 'Fetched before')
        : reply,
    ),
  ),

  clientFault(
    'client-task-result-empty',
    {
      what: 'The result of a task of the client has no content.',
      breaks: ['tasks.result-of-terminal', 'tasks.result-exact'],
    },
    onAnswer('tasks/result', body => without(body, 'content')),
  ),

  clientFault(
    'client-task-result-not-ready',
    {
      what: 'The client refuses to give the result of a task that is not ready.',
      breaks: ['tasks.result-blocks'],
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
      what: 'Whatever a request has failed with, its task gives an internal error.',
      breaks: ['tasks.result-same-error'],
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
      what: 'What the user has entered in a form is not to be had of its task.',
      breaks: ['tasks.result-same-result'],
    },
    onReply('tasks/result', (reply, ask) =>
      isObject(reply.result) && 'action' in reply.result
        ? refusal(ask, codes.internalError, 'The form is gone.')
        : reply,
    ),
  ),

  clientFault(
    'client-task-result-unrelated',
    { what: 'The result of a task of the client does not name it.', breaks: ['tasks.result-related'] },
    onAnswer('tasks/result', body => without(body, '_meta')),
  ),

  clientFault(
    'client-task-state-related',
    {
      what: 'The state of a task of the client names it twice.',
      breaks: ['tasks.response-without-related'],
    },
    onState(task => ({ ...task, ...related(task.taskId) })),
  ),

  clientFault(
    'client-task-notice-related',
    {
      what: 'The notice that a task of the client has changed names it twice.',
      breaks: ['tasks.status-notification-unrelated'],
    },
    onNotification('notifications/tasks/status', note => ({
      ...note,
      params: { ...paramsOf(note), ...related(paramsOf(note).taskId) },
    })),
  ),

  clientFault(
    'client-task-metadata-wins',
    {
      what: 'The client tells the state of the task that the metadata names.',
      breaks: ['tasks.param-is-truth', 'tasks.request-related-ignored'],
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
      what: 'The client refuses a question about a task that also names it in its metadata.',
      breaks: ['tasks.request-related-ignored'],
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
      what: 'The client gives only the first page of its tasks.',
      breaks: ['tasks.list-next-cursor', 'tasks.list-contains-gettable'],
    },
    onAnswer('tasks/list', body => without(body, 'nextCursor')),
  ),

  clientFault(
    'client-task-list-incomplete',
    {
      what: 'The first task on each page is not listed.',
      breaks: ['tasks.list-contains-gettable'],
    },
    onAnswer('tasks/list', body => ({ ...body, tasks: (body.tasks as JsonObject[]).slice(1) })),
  ),

  clientFault(
    'client-task-list-any-cursor',
    {
      what: 'A cursor that the client has never handed out leads to an empty page of tasks.',
      breaks: ['tasks.unknown-id-error'],
    },
    onReply('tasks/list', (reply, ask) => ('error' in reply ? result(ask, { tasks: [] }) : reply)),
  ),

  clientFault(
    'client-task-unknown-internal-error',
    {
      what: 'An id that no task of the client has is an internal error.',
      breaks: ['tasks.unknown-id-error'],
    },
    onReply(['tasks/get', 'tasks/result', 'tasks/cancel'], (reply, ask) =>
      JSON.stringify(reply).includes('There is no task')
        ? refusal(ask, codes.internalError, 'Something went wrong')
        : reply,
    ),
  ),

  clientFault(
    'client-task-error-speechless',
    { what: 'Errors about tasks of the client have no words.', breaks: ['tasks.error-informative'] },
    onReply(['tasks/get', 'tasks/cancel'], reply =>
      isObject(reply.error) ? { ...reply, error: { ...reply.error, message: '' } } : reply,
    ),
  ),

  clientFault(
    'client-task-cancelled-though-done',
    {
      what: 'Cancelling a task of the client that has ended succeeds.',
      breaks: ['tasks.cancel-terminal-rejected'],
    },
    onReply('tasks/cancel', (reply, ask, context) => {
      const task = context.session.tasks.after(0).find(({ id }) => id === paramsOf(ask).taskId);
      return 'error' in reply && task ? result(ask, task.shown) : reply;
    }),
  ),

  clientFault(
    'client-task-cancelled-later',
    {
      what: 'The answer to a cancellation shows the task as it was before.',
      breaks: ['tasks.cancel-before-response'],
    },
    onAnswer('tasks/cancel', task => ({ ...task, status: 'working' })),
  ),

  clientFault(
    'client-task-cancel-undone',
    {
      what: 'A cancelled task of the client completes.',
      breaks: ['tasks.cancel-sticks', 'tasks.terminal-final'],
    },
    onState(task => (task.status === 'cancelled' ? { ...task, status: 'completed' } : task)),
  ),

  clientFault(
    'client-task-works-on-when-cancelled',
    {
      what: 'The work of a cancelled task of the client goes on.',
      breaks: ['tasks.cancel-stops', 'progress.task-stops-at-terminal'],
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
      what: 'The last progress of a task of the client comes when its result has been given.',
      breaks: ['progress.task-stops-at-terminal'],
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
      what: 'Progress of a task of the client comes with the id of the task for a token.',
      breaks: [
        'progress.task-same-token',
        'progress.task-token-continues',
        'progress.token-of-active-request',
      ],
      ...here,
    },
    onProgress(params => ({ ...params, progressToken: relatedId(params)! })),
  ),

  clientFault(
    'client-task-progress-unrelated',
    { what: 'Progress of a task of the client does not name it.', breaks: ['tasks.messages-related'] },
    onProgress(params => without(params, '_meta')),
  ),

  clientFault(
    'client-task-failed-silently',
    { what: 'A failed task of the client does not say why.', breaks: ['tasks.failed-status-message'] },
    onState(task => without(task, 'statusMessage')),
  ),
];
