/** basic/utilities/tasks: faults of servers with their own tasks. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  fault,
  type Middleware,
  notification,
  onError,
  onIncoming,
  onMessage,
  onNotification,
  onReply,
  onRequest,
  onResult,
  onWorld,
  refusal,
  result,
} from '../../fault.js';
import { relatedTask } from '../../tasks.js';
import type { Context } from '../context.js';
import { featuresOf } from '../features.js';
import { codes } from '../refusal.js';
import { says } from '../world/builders.js';
import { aMinuteLater, onRefused, paramsOf } from './shared.js';

type Change = (task: JsonObject, ask: JsonObject) => JsonObject;

const now = new Date(0).toISOString();

const undeclared = onWorld(world => {
  world.capabilities = without(world.capabilities, 'tasks');
});

const wantsTask = (ask: JsonObject): boolean => paramsOf(ask).task !== undefined;
const toolOf = (ask: JsonObject): Json | undefined => paramsOf(ask).name;

/** Changes the task in the response that creates it. */
const onMade = (change: Change) =>
  onResult('tools/call', (body, ask) =>
    isObject(body.task) ? { ...body, task: change(body.task, ask) } : body,
  );

/** Changes the result of `tasks/get`. */
const onState = (change: Change) => onResult('tasks/get', change);

/** Changes every shown task, except in notifications. */
const onShown = (change: Change): readonly Middleware[] => [
  onMade(change),
  onState(change),
  onResult('tasks/cancel', change),
  onResult('tasks/list', (body, ask) => ({
    ...body,
    tasks: (body.tasks as JsonObject[]).map(task => change(task, ask)),
  })),
];

const related = (taskId: Json | undefined): JsonObject => ({
  _meta: { [relatedTask]: { taskId: taskId ?? null } },
});

const isRelated = (of: JsonObject): boolean => isObject(of._meta) && relatedTask in of._meta;

/** Changes the requests of tasks to the client. */
const onQuestion = (change: (params: JsonObject) => JsonObject) =>
  onMessage(message =>
    message.method === 'elicitation/create' && isRelated(paramsOf(message))
      ? { ...message, params: change(paramsOf(message)) }
      : message,
  );

/** Changes the progress notifications of tasks. */
const onProgress = (change: (params: JsonObject) => JsonObject) =>
  onNotification('notifications/progress', message =>
    isRelated(paramsOf(message)) ? { ...message, params: change(paramsOf(message)) } : message,
  );

/** Tasks with a progress token, by their ids. */
const atWork = () => new Map<string, { readonly token: Json; cancelled: boolean; looks: number }>();

const relatedId = (params: JsonObject): Json | undefined => {
  const meta = isObject(params._meta) ? params._meta[relatedTask] : undefined;
  return isObject(meta) ? meta.taskId : undefined;
};

const tokenOf = (ask: JsonObject): Json | undefined => {
  const { _meta: meta } = paramsOf(ask);
  return isObject(meta) ? meta.progressToken : undefined;
};

const ids = () => new Set<Json | undefined>();

/** Stores the ids of the tasks created by some calls. */
const remembering = (fits: (ask: JsonObject) => boolean) =>
  onResult('tools/call', (body, ask, context) => {
    if (isObject(body.task) && fits(ask)) context.keep(ids).add(body.task.taskId);
    return body;
  });

const argumentsOf = (ask: JsonObject): JsonObject => {
  const { arguments: given } = paramsOf(ask);
  return isObject(given) ? given : {};
};

/** The task ends before the client can poll it. */
const isQuick = (ask: JsonObject): boolean =>
  toolOf(ask) !== 'test_task_input' && argumentsOf(ask).durationMs === undefined;

const completedOf = (task: JsonObject, context: Context): JsonObject =>
  context.keep(ids).has(task.taskId) && task.status === 'failed' ? { ...task, status: 'completed' } : task;

export const taskFaults = [
  fault(
    'task-made-undeclared',
    {
      what: 'tools/call with a task creates a task although tasks are not declared.',
      breaks: ['tasks.capability-declared', 'tasks.undeclared-type-processed-normally'],
      shows: ['tasks.capability-declared#task-made', 'tasks.undeclared-type-processed-normally#task-made'],
    },
    undeclared,
    onReply('tools/call', (reply, ask) =>
      wantsTask(ask)
        ? result(ask, {
            task: {
              taskId: 'b9e2f7c0-a-task',
              status: 'working',
              createdAt: now,
              lastUpdatedAt: now,
              ttl: null,
            },
          })
        : reply,
    ),
  ),

  fault(
    'task-undeclared-refused',
    {
      what: 'tools/call with a task is rejected by a server that has not declared tasks.',
      breaks: ['tasks.undeclared-type-processed-normally'],
      shows: ['tasks.undeclared-type-processed-normally#refused'],
    },
    undeclared,
    onReply('tools/call', (reply, ask) =>
      wantsTask(ask) ? refusal(ask, codes.invalidParams, 'Unexpected member: task') : reply,
    ),
  ),

  fault(
    'task-of-forbidden-tool-ignored',
    {
      what: 'tools/call with a task for a tool without task support returns a result.',
      breaks: ['tasks.tool-forbidden-rejected'],
      shows: ['tasks.tool-forbidden-rejected#result'],
    },
    onReply('tools/call', (reply, ask) =>
      wantsTask(ask) && isObject(reply.error) && reply.error.code === codes.methodNotFound
        ? result(ask, says('Done.'))
        : reply,
    ),
  ),

  fault(
    'task-required-not-insisted-on',
    {
      what: 'tools/call without a task for a tool that requires one returns a result.',
      breaks: ['tasks.tool-required-rejected'],
      shows: ['tasks.tool-required-rejected#result'],
    },
    onRefused('tools/call', (reply, ask) =>
      toolOf(ask) === 'test_task_required' && !wantsTask(ask) ? result(ask, says('Done.')) : reply,
    ),
  ),

  fault(
    'task-required-told-as-result',
    {
      what: 'tools/call without a task for a tool that requires one returns a result with isError.',
      breaks: ['tasks.tool-required-rejected'],
      shows: ['tasks.tool-required-rejected#tool-error'],
    },
    onRefused('tools/call', (reply, ask) =>
      toolOf(ask) === 'test_task_required' && !wantsTask(ask)
        ? result(ask, { ...says('Tasks only.'), isError: true })
        : reply,
    ),
  ),

  fault(
    'task-not-made',
    {
      what: 'tools/call with a task returns the result of the tool instead of a task.',
      breaks: ['tasks.create-result-returned'],
      shows: ['tasks.create-result-returned#result-itself'],
    },
    onRequest('tools/call', ask =>
      toolOf(ask) === 'test_task' ? { ...ask, params: without(paramsOf(ask), 'task') } : ask,
    ),
  ),

  fault(
    'task-made-when-done',
    {
      what: 'tools/call with a task gets no response before the task has ended.',
      breaks: ['tasks.create-result-prompt'],
      shows: ['tasks.create-result-prompt#late'],
    },
    onResult('tools/call', (body, ask, context) => {
      if (!isObject(body.task) || toolOf(ask) !== 'test_task_input') return body;
      const done = context.session.tasks.get(body.task.taskId).result(new AbortController().signal);
      void Promise.resolve(done).then(() => context.send(result(ask, body)));
      return undefined;
    }),
  ),

  fault(
    'task-id-is-number',
    {
      what: 'notifications/tasks/status has a number as taskId.',
      breaks: ['tasks.id-string'],
      shows: ['tasks.id-string#number'],
    },
    onNotification('notifications/tasks/status', message => ({
      ...message,
      params: { ...paramsOf(message), taskId: 7 },
    })),
  ),

  fault(
    'task-id-of-client',
    {
      what: 'tools/call creates a task with the taskId that the client proposes.',
      breaks: ['tasks.id-by-receiver'],
      shows: ['tasks.id-by-receiver#adopted'],
    },
    onMade((task, ask) => {
      const { task: wish } = paramsOf(ask);
      return isObject(wish) && wish.taskId !== undefined ? { ...task, taskId: wish.taskId } : task;
    }),
  ),

  fault(
    'task-id-used-twice',
    {
      what: 'tools/call creates two tasks with the same taskId.',
      breaks: ['tasks.id-unique'],
      shows: ['tasks.id-unique#twice'],
    },
    onMade((task, ask) => {
      const { task: wish } = paramsOf(ask);
      const odd = isObject(wish) && (wish.taskId !== undefined || wish.ttl !== 60_000);
      return odd ? { ...task, taskId: 'e1c5a7d2-the-same' } : task;
    }),
  ),

  fault(
    'task-ids-count',
    {
      what: 'tools/call creates tasks with consecutive numbers in the taskId.',
      breaks: ['tasks.id-unguessable'],
      shows: ['tasks.id-unguessable#counted'],
    },
    onWorld((_world, { session }) => {
      let count = 0;
      session.tasks.newId = () => `task-of-the-server-${++count}`;
    }),
  ),

  fault(
    'task-starts-submitted',
    {
      what: 'tools/call creates a task with the status submitted.',
      breaks: ['tasks.starts-working'],
      shows: ['tasks.starts-working#unknown'],
    },
    onMade(task => ({ ...task, status: 'submitted' })),
  ),

  fault(
    'task-status-unknown',
    {
      what: 'tasks/list returns tasks in the unknown status done.',
      breaks: ['tasks.valid-transitions'],
      shows: ['tasks.valid-transitions#unknown'],
    },
    onResult('tasks/list', body => ({
      ...body,
      tasks: (body.tasks as JsonObject[]).map(task => ({ ...task, status: 'done' })),
    })),
  ),

  fault(
    'task-revived',
    {
      what: 'tasks/get returns the status working after the status completed.',
      breaks: ['tasks.terminal-final'],
      shows: ['tasks.terminal-final#revived'],
    },
    onResult('tasks/get', (task, _ask, context) => {
      if (task.status !== 'completed') return task;
      return context.count(String(task.taskId)) > 1 ? { ...task, status: 'working' } : task;
    }),
  ),

  fault(
    'task-created-in-seconds',
    {
      what: 'tasks/get returns a createdAt in seconds.',
      breaks: ['tasks.created-at'],
      shows: ['tasks.created-at#number'],
    },
    ...onShown(task => ({ ...task, createdAt: Date.parse(String(task.createdAt)) / 1_000 })),
  ),

  fault(
    'task-created-at-moves',
    {
      what: 'tasks/get returns a createdAt a minute after the first one.',
      breaks: ['tasks.created-at'],
      shows: ['tasks.created-at#moves'],
    },
    onState(aMinuteLater),
  ),

  fault(
    'task-updated-without-time',
    {
      what: 'tasks/get returns a lastUpdatedAt that has a date without a time.',
      breaks: ['tasks.last-updated-at'],
      shows: ['tasks.last-updated-at#no-time'],
    },
    ...onShown(task => ({ ...task, lastUpdatedAt: String(task.lastUpdatedAt).slice(0, 10) })),
  ),

  fault(
    'task-ttl-left-out',
    {
      what: 'tasks/get returns a task without ttl.',
      breaks: ['tasks.ttl-reported'],
      shows: ['tasks.ttl-reported#missing'],
    },
    onState(task => without(task, 'ttl')),
  ),

  fault(
    'task-kept-for-years',
    {
      what: 'tools/call creates a task with any ttl that the client requests.',
      breaks: ['tasks.resource-management'],
      shows: ['tasks.resource-management#kept-for-years'],
    },
    onMade((task, ask) => {
      const { task: wish } = paramsOf(ask);
      return isObject(wish) && wish.ttl !== undefined ? { ...task, ttl: wish.ttl } : task;
    }),
  ),

  fault(
    'task-result-embellished',
    {
      what: 'tasks/result returns the status of the task in addition to the result.',
      breaks: ['tasks.result-exact'],
      shows: ['tasks.result-exact#more'],
    },
    onResult('tasks/result', body => ({ ...body, status: 'completed' })),
  ),

  fault(
    'task-result-given-once',
    {
      what: 'A second tasks/result for the same task returns an error.',
      breaks: ['tasks.result-of-terminal'],
      shows: ['tasks.result-of-terminal#once-only'],
    },
    onReply('tasks/result', (reply, ask, context) =>
      context.count(String(paramsOf(ask).taskId)) > 1 && 'result' in reply
        ? refusal(ask, codes.invalidParams, 'Fetched before')
        : reply,
    ),
  ),

  fault(
    'task-result-unanswered-again',
    {
      what: 'A second tasks/result for the same task gets no response.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#no-response'],
      where: revision => featuresOf(revision).tasks,
    },
    onReply('tasks/result', (reply, ask, context) =>
      context.count(String(paramsOf(ask).taskId)) > 1 && 'result' in reply ? undefined : reply,
    ),
  ),

  fault(
    'task-result-empty',
    {
      what: 'tasks/result returns a result without content.',
      breaks: ['tasks.result-of-terminal', 'tasks.result-exact'],
      shows: ['tasks.result-exact#less', 'tasks.result-of-terminal#other-type'],
    },
    onResult('tasks/result', body => without(body, 'content')),
  ),

  fault(
    'task-result-not-ready',
    {
      what: 'tasks/result for a task that has not ended returns an error.',
      breaks: ['tasks.result-blocks'],
      shows: ['tasks.result-blocks#error'],
    },
    remembering(ask => !isQuick(ask)),
    onRequest('tasks/result', (ask, context) => {
      const { taskId } = paramsOf(ask);
      if (!context.keep(ids).has(taskId) || context.session.tasks.get(taskId).ended) return ask;
      context.send(refusal(ask, codes.invalidParams, 'Not ready'));
      return undefined;
    }),
  ),

  fault(
    'task-error-recoded',
    {
      what: 'tasks/result of a failed request returns an internal error instead of the original code.',
      breaks: ['tasks.result-same-error'],
      shows: ['tasks.result-same-error#other-code'],
    },
    onError('tasks/result', error =>
      error.code === codes.invalidParams ? error : { ...error, code: codes.internalError },
    ),
  ),

  fault(
    'task-failure-as-error',
    {
      what: 'tasks/result of a tool with isError returns an internal error.',
      breaks: ['tasks.result-same-result'],
      shows: ['tasks.result-same-result#error'],
    },
    onReply('tasks/result', (reply, ask) =>
      isObject(reply.result) && reply.result.isError === true
        ? refusal(ask, codes.internalError, 'The tool failed.')
        : reply,
    ),
  ),

  fault(
    'task-result-unrelated',
    {
      what: 'tasks/result returns a result without the related-task metadata.',
      breaks: ['tasks.result-related'],
      shows: ['tasks.result-related#none'],
    },
    onResult('tasks/result', body => without(body, '_meta')),
  ),

  fault(
    'task-state-related',
    {
      what: 'tasks/get returns the related-task metadata in addition to taskId.',
      breaks: ['tasks.response-without-related'],
      shows: ['tasks.response-without-related#get'],
    },
    onState(task => ({ ...task, ...related(task.taskId) })),
  ),

  fault(
    'task-notice-related',
    {
      what: 'notifications/tasks/status has the related-task metadata in addition to taskId.',
      breaks: ['tasks.status-notification-unrelated'],
      shows: ['tasks.status-notification-unrelated#related'],
    },
    onNotification('notifications/tasks/status', message => ({
      ...message,
      params: { ...paramsOf(message), ...related(paramsOf(message).taskId) },
    })),
  ),

  fault(
    'task-question-unrelated',
    {
      what: 'elicitation/create of a task has no related-task metadata.',
      breaks: ['tasks.input-request-related'],
      shows: ['tasks.input-request-related#none'],
    },
    onQuestion(params => without(params, '_meta')),
  ),

  fault(
    'task-questions-mixed-up',
    {
      what: 'elicitation/create of a task has the id of another task in its related-task metadata.',
      breaks: ['tasks.related-same-id'],
      shows: ['tasks.related-same-id#mixed-up'],
    },
    onMessage((message, context) => {
      const own = relatedId(paramsOf(message));
      const other = context.session.tasks.after(0).find(task => task.id !== own);
      const asks = message.method === 'elicitation/create' && own !== undefined && other;
      return asks ? { ...message, params: { ...paramsOf(message), ...related(other.id) } } : message;
    }),
  ),

  fault(
    'task-asks-while-working',
    {
      what: 'tasks/get returns the status working for a task that waits for elicitation/create.',
      breaks: ['tasks.input-required-status'],
      shows: ['tasks.input-required-status#working'],
    },
    onState(task => (task.status === 'input_required' ? { ...task, status: 'working' } : task)),
  ),

  fault(
    'task-stays-input-required',
    {
      what: 'tasks/get returns the status input_required after the response to elicitation/create.',
      breaks: ['tasks.input-required-left'],
      shows: ['tasks.input-required-left#stays'],
    },
    onMessage((message, context) => {
      if (message.method === 'elicitation/create' && isRelated(paramsOf(message)))
        context.keep(ids).add(message.id);
      // a request that has a response is not cancelled
      const answered = context.keep(ids).has(paramsOf(message).requestId);
      return message.method === 'notifications/cancelled' && answered ? undefined : message;
    }),
    onIncoming((message, context) =>
      isObject(message) && 'result' in message && context.keep(ids).has(message.id) ? undefined : message,
    ),
  ),

  fault(
    'task-metadata-wins',
    {
      what: 'tasks/get returns the task of the related-task metadata instead of taskId.',
      breaks: ['tasks.param-is-truth', 'tasks.request-related-ignored'],
      shows: ['tasks.param-is-truth#metadata-win', 'tasks.request-related-ignored#metadata-win'],
    },
    onRequest('tasks/get', ask => {
      const named = relatedId(paramsOf(ask));
      return named === undefined ? ask : { ...ask, params: { taskId: named } };
    }),
  ),

  fault(
    'task-cancelled-by-metadata',
    {
      what: 'tasks/cancel cancels the task of the related-task metadata instead of taskId.',
      breaks: ['tasks.param-is-truth'],
      shows: ['tasks.param-is-truth#metadata-cancels'],
    },
    onRequest('tasks/cancel', ask => {
      const named = relatedId(paramsOf(ask));
      return named === undefined ? ask : { ...ask, params: { taskId: named } };
    }),
  ),

  fault(
    'task-metadata-refused',
    {
      what: 'tasks/get with the related-task metadata is rejected.',
      breaks: ['tasks.request-related-ignored'],
      shows: ['tasks.request-related-ignored#get-refused'],
    },
    onReply('tasks/get', (reply, ask) =>
      isRelated(paramsOf(ask)) ? refusal(ask, codes.invalidParams, 'Unexpected metadata') : reply,
    ),
  ),

  fault(
    'task-list-cut-off',
    {
      what: 'tasks/list returns no nextCursor although more tasks exist.',
      breaks: ['tasks.list-next-cursor', 'tasks.list-contains-gettable'],
      shows: ['tasks.list-contains-gettable#cut-off', 'tasks.list-next-cursor#cut-off'],
    },
    onResult('tasks/list', body => without(body, 'nextCursor')),
  ),

  fault(
    'task-list-without-failed',
    {
      what: 'tasks/list returns no failed tasks.',
      breaks: ['tasks.list-contains-gettable'],
      shows: ['tasks.list-contains-gettable#some-missing'],
    },
    onResult('tasks/list', body => ({
      ...body,
      tasks: (body.tasks as JsonObject[]).filter(task => task.status !== 'failed'),
    })),
  ),

  fault(
    'task-list-any-cursor',
    {
      what: 'tasks/list with an unknown cursor returns an empty page.',
      breaks: ['tasks.unknown-id-error'],
      shows: ['tasks.unknown-id-error#any-cursor'],
    },
    onRefused('tasks/list', (_reply, ask) => result(ask, { tasks: [] })),
  ),

  fault(
    'task-unknown-internal-error',
    {
      what: 'tasks/get, tasks/result and tasks/cancel with an unknown taskId return an internal error.',
      breaks: ['tasks.unknown-id-error'],
      shows: ['tasks.unknown-id-error#other-code'],
    },
    onReply(['tasks/get', 'tasks/result', 'tasks/cancel'], (reply, ask) =>
      JSON.stringify(reply).includes('There is no task')
        ? refusal(ask, codes.internalError, 'Something went wrong')
        : reply,
    ),
  ),

  fault(
    'task-error-speechless',
    {
      what: 'tasks/get and tasks/cancel return errors with an empty message.',
      breaks: ['tasks.error-informative'],
      shows: ['tasks.error-informative#empty'],
    },
    onError(['tasks/get', 'tasks/cancel'], error => ({ ...error, message: '' })),
  ),

  fault(
    'task-cancelled-though-done',
    {
      what: 'tasks/cancel for a task that has ended returns a result.',
      breaks: ['tasks.cancel-terminal-rejected'],
      shows: ['tasks.cancel-terminal-rejected#result'],
    },
    onRefused('tasks/cancel', (reply, ask, context) => {
      const task = context.session.tasks.after(0).find(t => t.id === paramsOf(ask).taskId);
      return task ? result(ask, task.shown) : reply;
    }),
  ),

  fault(
    'task-cancel-conflict',
    {
      what: 'tasks/cancel for a task that has ended returns an error with the code -32009.',
      breaks: ['tasks.cancel-terminal-rejected'],
      shows: ['tasks.cancel-terminal-rejected#other-code'],
    },
    onError('tasks/cancel', error =>
      String(error.message).includes('already') ? { ...error, code: -32_009 } : error,
    ),
  ),

  fault(
    'task-cancellation-refused',
    {
      what: 'tasks/cancel of a task that works is refused as if the task had ended.',
      breaks: ['tasks.cancel-before-response'],
      shows: ['tasks.cancel-before-response#refused'],
    },
    onRequest('tasks/cancel', ask => ({ ...ask, params: { ...paramsOf(ask), taskId: 'another' } })),
  ),

  fault(
    'task-cancelled-later',
    {
      what: 'tasks/cancel returns the status working.',
      breaks: ['tasks.cancel-before-response'],
      shows: ['tasks.cancel-before-response#working'],
    },
    onResult('tasks/cancel', task => ({ ...task, status: 'working' })),
  ),

  fault(
    'task-cancel-undone',
    {
      what: 'tasks/get returns the status completed for a cancelled task.',
      breaks: ['tasks.cancel-sticks', 'tasks.terminal-final'],
      shows: ['tasks.cancel-sticks#undone', 'tasks.terminal-final#other-end'],
    },
    onState(task => (task.status === 'cancelled' ? { ...task, status: 'completed' } : task)),
  ),

  fault(
    'task-works-on-when-cancelled',
    {
      what: 'notifications/progress is sent for a task after tasks/cancel.',
      breaks: ['tasks.cancel-stops', 'progress.task-stops-at-terminal'],
      shows: ['progress.task-stops-at-terminal#after-cancellation', 'tasks.cancel-stops#goes-on'],
    },
    onResult('tools/call', (body, ask, context) => {
      const token = tokenOf(ask);
      if (isObject(body.task) && token !== undefined)
        context.keep(atWork).set(String(body.task.taskId), { token, cancelled: false, looks: 0 });
      return body;
    }),
    onResult('tasks/cancel', (body, _ask, context) => {
      const work = context.keep(atWork).get(String(body.taskId));
      if (work) work.cancelled = true;
      return body;
    }),
    // the second poll shows further progress
    onReply('tasks/get', (reply, ask, context) => {
      const { taskId } = paramsOf(ask);
      const work = context.keep(atWork).get(String(taskId));
      if (!work?.cancelled || ++work.looks !== 2) return reply;
      const params = { progressToken: work.token, progress: 99, ...related(taskId) };
      return [notification('notifications/progress', params), reply];
    }),
  ),

  fault(
    'task-progress-after-end',
    {
      what: 'notifications/progress is sent for a task after the response to tasks/result.',
      breaks: ['progress.task-stops-at-terminal'],
      shows: ['progress.task-stops-at-terminal#after-end'],
    },
    onNotification('notifications/progress', (message, context) => {
      if (!isRelated(paramsOf(message))) return message;
      const { progress } = paramsOf(message);
      const last = { ...message, params: { ...paramsOf(message), progress: Number(progress) + 1 } };
      context.keep(() => new Map<Json | undefined, JsonObject>()).set(relatedId(paramsOf(message)), last);
      return message;
    }),
    onReply('tasks/result', (reply, ask, context) => {
      const { taskId } = paramsOf(ask);
      const last = context.keep(() => new Map<Json | undefined, JsonObject>()).get(taskId);
      if (last) context.after(1, () => context.send(last));
      return reply;
    }),
  ),

  fault(
    'task-progress-under-its-id',
    {
      what: 'notifications/progress of a task has the taskId as progressToken.',
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
      where: revision => featuresOf(revision).tasks,
    },
    onProgress(params => ({ ...params, progressToken: relatedId(params)! })),
  ),

  fault(
    'task-progress-unrelated',
    {
      what: 'notifications/progress of a task has no related-task metadata.',
      breaks: ['tasks.messages-related'],
      shows: ['tasks.messages-related#progress-unrelated'],
    },
    onProgress(params => without(params, '_meta')),
  ),

  fault(
    'task-failed-silently',
    {
      what: 'tasks/get of a failed task returns no statusMessage.',
      breaks: ['tasks.failed-status-message'],
      shows: ['tasks.failed-status-message#none'],
    },
    onState(task => without(task, 'statusMessage')),
  ),

  fault(
    'task-of-failed-tool-completed',
    {
      what: 'tasks/get returns the status completed for a task whose tool has failed.',
      breaks: ['tasks.tool-error-is-failed'],
      shows: ['tasks.tool-error-is-failed#completed'],
    },
    remembering(ask => argumentsOf(ask).outcome === 'tool-error'),
    onNotification('notifications/tasks/status', (message, context) => ({
      ...message,
      params: completedOf(paramsOf(message), context),
    })),
    onResult('tasks/get', (task, _ask, context) => completedOf(task, context)),
    onResult('tasks/list', (body, _ask, context) => ({
      ...body,
      tasks: (body.tasks as JsonObject[]).map(task => completedOf(task, context)),
    })),
  ),
];
