/** The tasks extension (io.modelcontextprotocol/tasks). */

import { envelopeKeys } from '../../../harness/record/envelope.js';
import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  fault,
  type Middleware,
  notification,
  onError,
  onNotification,
  onReply,
  onRequest,
  onResult,
  onWorld,
  refusal,
  result,
} from '../../fault.js';
import { taskStoreOf } from '../extensions/task-store.js';
import { tasksExtension } from '../extensions/tasks.js';
import { codes } from '../refusal.js';
import { metaOf } from './metadata.js';
import {
  aMinuteLater,
  declaresTasks,
  internalInPlaceOf,
  isStateless,
  paramsOf,
  unnamedCapability,
} from './shared.js';

const methods = ['tasks/get', 'tasks/update', 'tasks/cancel'];

/** The announcement of a task, changed. */
const onAnnounced = (change: (task: JsonObject) => JsonObject): Middleware =>
  onResult('tools/call', body => (body.resultType === 'task' ? change(body) : body));

/** The state of a task in one status, changed. @param change is given the number of states in that status so far */
const onState = (
  status: string,
  change: (task: JsonObject, count: number, ask: JsonObject) => JsonObject,
): Middleware =>
  onResult('tasks/get', (body, ask, context) =>
    body.status === status ? change(body, context.count(String(body.taskId)), ask) : body,
  );

/** A call of the fixture for tasks without arguments. */
const isPlainTest = (ask: JsonObject): boolean => {
  const { name, arguments: args } = paramsOf(ask);
  return name === 'test_task' && isObject(args) && Object.keys(args).length === 0;
};

/** The request with other parameters. */
const withParams = (ask: JsonObject, params: JsonObject): JsonObject => ({
  ...ask,
  params: { ...paramsOf(ask), ...params },
});

/** The request as one that declares the extension. */
const declaring = (ask: JsonObject): JsonObject =>
  withParams(ask, {
    _meta: {
      ...metaOf(ask),
      [envelopeKeys.clientCapabilities]: { extensions: { [tasksExtension]: {} } },
    },
  });

/** A success for requests about a task that does not exist. */
const unknownSucceeds = (method: string): Middleware =>
  onReply(method, (reply, ask) =>
    isObject(reply.error) && reply.error.code === codes.invalidParams ? result(ask, {}) : reply,
  );

/** An internal error for requests about a task that does not exist. */
const unknownIsInternal = (method: string): Middleware => internalInPlaceOf(codes.invalidParams, method);

/** A task at work for ids that the server has not given. */
const inventing = (isKnown: (taskId: string) => boolean): Middleware =>
  onReply('tasks/get', (reply, ask) => {
    const taskId = String(paramsOf(ask).taskId);
    if (!isObject(reply.error) || reply.error.code !== codes.invalidParams || !isKnown(taskId)) return reply;
    const now = new Date().toISOString();
    const task = { taskId, status: 'working', createdAt: now, lastUpdatedAt: now, ttlMs: null };
    return result(ask, { resultType: 'complete', ...task });
  });

const questionsOf = (task: JsonObject): [string, Json][] =>
  isObject(task.inputRequests) ? (Object.entries(task.inputRequests) as [string, Json][]) : [];

export const extTaskFaults = [
  fault(
    'ext-task-undeclared',
    {
      what: 'Calls of one tool become tasks also for clients that do not declare the extension.',
      breaks: ['ext-tasks.only-if-declared', 'result.type-known', 'versioning.extension-fallback'],
      shows: [
        'ext-tasks.only-if-declared#undeclared',
        'versioning.extension-fallback#extension-result',
        'result.type-known#extension-undeclared',
      ],
    },
    onRequest('tools/call', ask => (isPlainTest(ask) && !declaresTasks(ask) ? declaring(ask) : ask)),
  ),

  fault(
    'ext-task-declaration-remembered',
    {
      what: 'A client that has declared the extension once gets tasks for calls that do not declare it.',
      breaks: ['ext-tasks.only-if-declared', 'result.type-known', 'versioning.extension-fallback'],
      shows: ['ext-tasks.only-if-declared#after-declaration'],
    },
    onRequest('tools/call', (ask, context) => {
      const known = context.keep(() => ({ declared: false }));
      known.declared ||= declaresTasks(ask);
      return known.declared && isPlainTest(ask) && !declaresTasks(ask) ? declaring(ask) : ask;
    }),
  ),

  fault(
    'ext-task-announced-as-complete',
    {
      what: 'The announcement of a task has resultType "complete".',
      breaks: ['ext-tasks.create-result-type', 'base.schema-valid'],
      shows: ['ext-tasks.create-result-type#complete'],
      where: isStateless,
    },
    onAnnounced(task => ({ ...task, resultType: 'complete' })),
  ),

  fault(
    'ext-task-get-type',
    {
      what: 'tasks/get returns resultType "task".',
      breaks: ['ext-tasks.get-result-type', 'ext-tasks.type-reserved'],
      shows: ['ext-tasks.get-result-type#task', 'ext-tasks.type-reserved#get'],
    },
    onResult('tasks/get', body => ({ ...body, resultType: 'task' })),
  ),

  fault(
    'ext-task-update-type',
    {
      what: 'tasks/update returns resultType "task".',
      breaks: ['ext-tasks.update-result-type', 'ext-tasks.type-reserved'],
      shows: ['ext-tasks.update-result-type#task', 'ext-tasks.type-reserved#update'],
    },
    onResult('tasks/update', body => ({ ...body, resultType: 'task' })),
  ),

  fault(
    'ext-task-cancel-type',
    {
      what: 'tasks/cancel returns resultType "task".',
      breaks: ['ext-tasks.cancel-result-type', 'ext-tasks.type-reserved'],
      shows: ['ext-tasks.cancel-result-type#task', 'ext-tasks.type-reserved#cancel'],
    },
    onResult('tasks/cancel', body => ({ ...body, resultType: 'task' })),
  ),

  fault(
    'ext-task-tool-error-fails',
    {
      what: 'A task whose tool fails has the status failed.',
      breaks: ['ext-tasks.failed-only-for-errors', 'ext-tasks.tool-error-completed'],
      shows: ['ext-tasks.failed-only-for-errors#failed', 'ext-tasks.tool-error-completed#failed'],
    },
    onState('completed', task => {
      const { result: outcome, ...rest } = task;
      if (!isObject(outcome) || outcome.isError !== true) return task;
      const error = { code: codes.internalError, message: 'The tool failed.' };
      return { ...rest, status: 'failed', statusMessage: 'The tool failed.', error };
    }),
  ),

  fault(
    'ext-task-tool-error-cancelled',
    {
      what: 'A task whose tool fails has the status cancelled.',
      breaks: ['ext-tasks.tool-error-completed'],
      shows: ['ext-tasks.tool-error-completed#cancelled'],
    },
    onState('completed', task => {
      const { result: outcome, ...rest } = task;
      return isObject(outcome) && outcome.isError === true ? { ...rest, status: 'cancelled' } : task;
    }),
  ),

  fault(
    'ext-task-not-yet',
    {
      what: 'The first tasks/get for a task does not find it.',
      breaks: ['ext-tasks.durable-on-creation', 'ext-tasks.consistent-on-creation'],
      shows: ['ext-tasks.durable-on-creation#unknown', 'ext-tasks.consistent-on-creation#unknown'],
    },
    onReply('tasks/get', (reply, ask, context) =>
      'result' in reply && context.count(String(paramsOf(ask).taskId)) === 1
        ? refusal(ask, codes.invalidParams, 'There is no such task yet.')
        : reply,
    ),
  ),

  fault(
    'ext-task-of-another-id',
    {
      what: 'tasks/get returns the id in upper case.',
      breaks: ['ext-tasks.get-returns-task'],
      shows: ['ext-tasks.get-returns-task#other-id'],
    },
    onResult('tasks/get', body => ({ ...body, taskId: String(body.taskId).toUpperCase() })),
  ),

  fault(
    'ext-task-ends-early',
    {
      what: 'tasks/get says that a task at work is completed.',
      breaks: ['ext-tasks.get-working', 'ext-tasks.result-exact'],
      shows: ['ext-tasks.get-working#completed'],
    },
    onState('working', task => ({ ...task, status: 'completed', result: { content: [] } })),
  ),

  fault(
    'ext-task-asks-nothing',
    {
      what: 'A task that waits for input shows no questions.',
      breaks: ['ext-tasks.get-input-requests', 'ext-tasks.get-all-outstanding'],
      shows: ['ext-tasks.get-input-requests#empty', 'ext-tasks.get-all-outstanding#none'],
    },
    onState('input_required', task => ({ ...task, inputRequests: {} })),
  ),

  fault(
    'ext-task-one-question',
    {
      what: 'A task that has two questions shows the first one only.',
      breaks: ['ext-tasks.get-all-outstanding'],
      shows: ['ext-tasks.get-all-outstanding#first-only'],
    },
    onState('input_required', task => ({
      ...task,
      inputRequests: Object.fromEntries(questionsOf(task).slice(0, 1)),
    })),
  ),

  fault(
    'ext-task-without-result',
    {
      what: 'A completed task has no result.',
      breaks: ['ext-tasks.get-completed-result', 'base.schema-valid'],
      shows: ['ext-tasks.get-completed-result#none'],
      where: isStateless,
    },
    onState('completed', task => without(task, 'result')),
  ),

  fault(
    'ext-task-result-of-another-form',
    {
      what: 'The result of a completed task has a text as isError.',
      breaks: ['ext-tasks.get-completed-result', 'ext-tasks.result-exact'],
      shows: ['ext-tasks.get-completed-result#form', 'ext-tasks.result-exact#is-error'],
      where: isStateless,
    },
    onState('completed', task =>
      isObject(task.result) ? { ...task, result: { ...task.result, isError: 'no' } } : task,
    ),
  ),

  fault(
    'ext-task-result-changed',
    {
      what: 'The result of a completed task has a text that the call has not.',
      breaks: ['ext-tasks.result-exact'],
      shows: ['ext-tasks.result-exact#content'],
    },
    onState('completed', task => ({
      ...task,
      result: { ...(task.result as JsonObject), content: [{ type: 'text', text: 'Done.' }] },
    })),
  ),

  fault(
    'ext-task-revived',
    {
      what: 'A cancelled task is at work again.',
      breaks: ['ext-tasks.get-cancelled'],
      shows: ['ext-tasks.get-cancelled#working'],
    },
    onState('cancelled', (task, count) => (count > 1 ? { ...task, status: 'working' } : task)),
  ),

  fault(
    'ext-task-without-error',
    {
      what: 'A failed task has no error.',
      breaks: ['ext-tasks.get-failed-error', 'base.schema-valid'],
      shows: ['ext-tasks.get-failed-error#none'],
      where: isStateless,
    },
    onState('failed', task => without(task, 'error')),
  ),

  fault(
    'ext-task-error-changed',
    {
      what: 'A failed task has another error than the call.',
      breaks: ['ext-tasks.error-exact'],
      shows: ['ext-tasks.error-exact#code'],
    },
    onState('failed', task => ({
      ...task,
      error: { code: codes.internalError, message: 'The task failed.' },
    })),
  ),

  fault(
    'ext-task-without-reason',
    {
      what: 'A failed task has no statusMessage.',
      breaks: ['ext-tasks.failed-status-message'],
      shows: ['ext-tasks.failed-status-message#none'],
    },
    onState('failed', task => without(task, 'statusMessage')),
  ),

  fault(
    'ext-task-key-again',
    {
      what: 'The key of an answered question becomes that of the next one.',
      breaks: ['ext-tasks.keys-unique', 'ext-tasks.key-one-request', 'ext-tasks.key-not-reused'],
      shows: [
        'ext-tasks.keys-unique#answered',
        'ext-tasks.key-one-request#answered',
        'ext-tasks.key-not-reused#next-question',
      ],
    },
    onState('input_required', task => ({
      ...task,
      inputRequests: Object.fromEntries(
        questionsOf(task).map(([, asked], at) => [`question-${at + 1}`, asked]),
      ),
    })),
  ),

  fault(
    'ext-task-key-shared',
    {
      what: 'Each tasks/get asks something else under the same key.',
      breaks: ['ext-tasks.keys-unique', 'ext-tasks.key-one-request'],
      shows: ['ext-tasks.keys-unique#open', 'ext-tasks.key-one-request#open'],
    },
    onState('input_required', (task, count) => ({
      ...task,
      inputRequests: Object.fromEntries(
        questionsOf(task).map(([key, asked]) => {
          const { params, ...rest } = asked as JsonObject;
          return [key, { ...rest, params: { ...(params as JsonObject), message: `Question ${count}` } }];
        }),
      ),
    })),
  ),

  fault(
    'ext-task-update-verbose',
    {
      what: 'tasks/update returns the task.',
      breaks: ['ext-tasks.update-acknowledged'],
      shows: ['ext-tasks.update-acknowledged#members'],
    },
    onResult('tasks/update', (body, ask, { world }) => ({
      ...body,
      ...taskStoreOf(world).get(paramsOf(ask).taskId).plain,
    })),
  ),

  fault(
    'ext-task-cancel-verbose',
    {
      what: 'tasks/cancel returns the task.',
      breaks: ['ext-tasks.cancel-acknowledged'],
      shows: ['ext-tasks.cancel-acknowledged#members'],
    },
    onResult('tasks/cancel', (body, ask, { world }) => ({
      ...body,
      ...taskStoreOf(world).get(paramsOf(ask).taskId).plain,
    })),
  ),

  fault(
    'ext-task-strict-keys',
    {
      what: 'tasks/update with an unknown key is refused.',
      breaks: ['ext-tasks.unknown-keys-ignored'],
      shows: ['ext-tasks.unknown-keys-ignored#alone'],
    },
    onReply('tasks/update', (reply, ask) => {
      const { inputResponses } = paramsOf(ask);
      const isStrange =
        isObject(inputResponses) && Object.keys(inputResponses).some(key => key.startsWith('mcp-conform'));
      return isStrange ? refusal(ask, codes.invalidParams, 'The key is unknown.') : reply;
    }),
  ),

  fault(
    'ext-task-unknown-updated',
    {
      what: 'tasks/update of an unknown task succeeds.',
      breaks: ['ext-tasks.update-unknown-id'],
      shows: ['ext-tasks.update-unknown-id#result'],
    },
    unknownSucceeds('tasks/update'),
  ),

  fault(
    'ext-task-unknown-cancelled',
    {
      what: 'tasks/cancel of an unknown task succeeds.',
      breaks: ['ext-tasks.cancel-unknown-id'],
      shows: ['ext-tasks.cancel-unknown-id#result'],
    },
    unknownSucceeds('tasks/cancel'),
  ),

  fault(
    'ext-task-unknown-internal',
    {
      what: 'tasks/get of an unknown task is an internal error.',
      breaks: ['ext-tasks.get-unknown-id'],
      shows: ['ext-tasks.get-unknown-id#code'],
    },
    unknownIsInternal('tasks/get'),
  ),

  fault(
    'ext-task-unknown-got',
    {
      what: 'tasks/get of an unknown task returns a task at work.',
      breaks: ['ext-tasks.get-unknown-id'],
      shows: ['ext-tasks.get-unknown-id#result'],
    },
    inventing(() => true),
  ),

  fault(
    'ext-task-empty-id-got',
    {
      what: 'tasks/get with an empty id returns a task at work.',
      breaks: ['ext-tasks.get-unknown-id'],
      shows: ['ext-tasks.get-unknown-id#empty-id'],
    },
    inventing(id => id === ''),
  ),

  fault(
    'ext-task-unknown-update-internal',
    {
      what: 'tasks/update of an unknown task is an internal error.',
      breaks: ['ext-tasks.update-unknown-id'],
      shows: ['ext-tasks.update-unknown-id#code'],
    },
    unknownIsInternal('tasks/update'),
  ),

  fault(
    'ext-task-unknown-cancel-internal',
    {
      what: 'tasks/cancel of an unknown task is an internal error.',
      breaks: ['ext-tasks.cancel-unknown-id'],
      shows: ['ext-tasks.cancel-unknown-id#code'],
    },
    unknownIsInternal('tasks/cancel'),
  ),

  fault(
    'ext-task-errors-silent',
    {
      what: 'Errors of requests about tasks have an empty message.',
      breaks: ['ext-tasks.error-informative'],
      shows: ['ext-tasks.error-informative#empty'],
    },
    onError(methods, error => ({ ...error, message: '' })),
  ),

  fault(
    'ext-task-listen-undeclared',
    {
      what: 'A subscription to tasks is accepted without the extension, for no task.',
      breaks: ['ext-tasks.listen-undeclared'],
      shows: ['ext-tasks.listen-undeclared#acknowledged'],
    },
    onRequest('subscriptions/listen', ask => {
      const { notifications } = paramsOf(ask);
      return isObject(notifications) && !declaresTasks(ask)
        ? withParams(ask, { notifications: without(notifications, 'taskIds') })
        : ask;
    }),
  ),

  fault(
    'ext-task-listen-internal',
    {
      what: 'A subscription to tasks without the extension is an internal error.',
      breaks: ['ext-tasks.listen-undeclared'],
      shows: ['ext-tasks.listen-undeclared#code'],
    },
    internalInPlaceOf(codes.missingClientCapability, 'subscriptions/listen'),
  ),

  fault(
    'ext-task-listen-unnamed',
    {
      what: 'The refusal of a subscription to tasks does not name the missing extension.',
      breaks: ['ext-tasks.listen-undeclared'],
      shows: ['ext-tasks.listen-undeclared#data'],
    },
    unnamedCapability('subscriptions/listen'),
  ),

  fault(
    'ext-task-methods-undeclared',
    {
      what: 'Requests about tasks are served without the extension.',
      breaks: ['ext-tasks.methods-undeclared'],
      shows: ['ext-tasks.methods-undeclared#result'],
    },
    onRequest(methods, ask => (declaresTasks(ask) ? ask : declaring(ask))),
  ),

  fault(
    'ext-task-required-internal',
    {
      what: 'A call of a tool that works as a task only is an internal error without the extension.',
      breaks: ['ext-tasks.required-capability-error'],
      shows: ['ext-tasks.required-capability-error#code'],
    },
    onError('tools/call', (error, ask) =>
      paramsOf(ask).name === 'test_task_required' && error.code === codes.missingClientCapability
        ? { code: codes.internalError, message: 'A task is needed.' }
        : error,
    ),
  ),

  fault(
    'ext-task-acknowledges-more',
    {
      what: 'The acknowledgement of a subscription names a task that was not requested.',
      breaks: ['ext-tasks.acknowledged-ids'],
      shows: ['ext-tasks.acknowledged-ids#more'],
    },
    onNotification('notifications/subscriptions/acknowledged', message => {
      const { notifications } = paramsOf(message);
      return isObject(notifications) && Array.isArray(notifications.taskIds)
        ? withParams(message, {
            notifications: { ...notifications, taskIds: [...notifications.taskIds, 'another-task'] },
          })
        : message;
    }),
  ),

  fault(
    'ext-task-notifies-of-others',
    {
      what: 'A subscription reports a task that was not requested.',
      breaks: ['ext-tasks.notified-tasks'],
      shows: ['ext-tasks.notified-tasks#other'],
    },
    onNotification('notifications/tasks', message => [
      message,
      withParams(message, { taskId: 'task-of-another-client' }),
    ]),
  ),

  fault(
    'ext-task-progress-on-listen',
    {
      what: 'A subscription to a task reports progress.',
      breaks: [
        'ext-tasks.no-progress-on-listen',
        'subscriptions.no-request-scoped',
        'progress.stops-at-completion',
      ],
      shows: ['ext-tasks.no-progress-on-listen#progress', 'subscriptions.no-request-scoped#progress'],
      where: isStateless,
      // over HTTP the stream of the call has ended: progress-on-subscription shows the row there
      over: ['stdio'],
    },
    onNotification('notifications/tasks', message => [
      message,
      notification('notifications/progress', {
        progressToken: 'of a task',
        progress: 1,
        _meta: metaOf(message),
      }),
    ]),
  ),

  fault(
    'ext-task-ids-count',
    {
      what: 'The ids of tasks are numbers that count up.',
      breaks: ['ext-tasks.id-unguessable'],
      shows: ['ext-tasks.id-unguessable#count'],
    },
    onWorld(world => {
      let last = 100;
      taskStoreOf(world).newId = () => `task-number-${++last}`;
    }),
  ),

  fault(
    'ext-task-created-yesterday',
    {
      what: 'The announcement of a task has a createdAt that is no date.',
      breaks: ['ext-tasks.timestamps'],
      shows: ['ext-tasks.timestamps#no-date'],
    },
    onAnnounced(task => ({ ...task, createdAt: 'yesterday' })),
  ),

  fault(
    'ext-task-created-at-moves',
    {
      what: 'tasks/get returns a createdAt a minute after the announced one.',
      breaks: ['ext-tasks.timestamps'],
      shows: ['ext-tasks.timestamps#created-at-changes'],
    },
    onResult('tasks/get', aMinuteLater),
  ),

  fault(
    'ext-task-updated-at-in-seconds',
    {
      what: 'tasks/get returns lastUpdatedAt as a number of seconds in text.',
      breaks: ['ext-tasks.timestamps'],
      shows: ['ext-tasks.timestamps#last-updated'],
    },
    onResult('tasks/get', task => ({
      ...task,
      lastUpdatedAt: String(Math.floor(Date.parse(String(task.lastUpdatedAt)) / 1000)),
    })),
  ),

  fault(
    'ext-task-poll-interval-fraction',
    {
      what: 'The announcement of a task has a pollIntervalMs with a fraction.',
      breaks: ['ext-tasks.integers'],
      shows: ['ext-tasks.integers#fraction'],
    },
    onAnnounced(task => ({ ...task, pollIntervalMs: 12.5 })),
  ),
];
