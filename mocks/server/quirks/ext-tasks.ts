/** Legal but unusual tasks of the tasks extension. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  type Middleware,
  onNotification,
  onReply,
  onRequest,
  onResult,
  type Quirk,
  quirk,
  refusal,
} from '../../fault.js';
import { taskStoreOf } from '../extensions/task-store.js';
import { declaresTasks, isStateless, paramsOf } from '../faults/shared.js';
import { codes } from '../refusal.js';

/** @param shows facets of rows without their area */
const unusual = (id: string, what: string, shows: readonly string[], ...middleware: Middleware[]): Quirk =>
  quirk(id, { what, shows: shows.map(facet => `ext-tasks.${facet}`), where: isStateless }, ...middleware);

/** Every state of a task in results, changed. @param count the states of the task so far */
const onTask = (change: (task: JsonObject, count: number) => JsonObject): Middleware =>
  onResult(['tools/call', 'tasks/get'], (body, _ask, context) =>
    typeof body.taskId === 'string' && typeof body.status === 'string'
      ? change(body, context.count(body.taskId))
      : body,
  );

/** A task that is kept for no time: the server may do anything to it. */
const expired = (task: JsonObject): JsonObject => ({ ...task, ttlMs: 0 });

/** The same moment, two hours east of Greenwich. */
const inZone = (time: string): string =>
  new Date(Date.parse(time) + 7_200_000).toISOString().replace('Z', '+02:00');

export const extTaskQuirks: readonly Quirk[] = [
  unusual(
    'ext-task-without-ttl',
    'A task is kept without a limit.',
    ['integers#no-ttl'],
    onTask(task => ({ ...task, ttlMs: null })),
  ),
  unusual(
    'ext-task-without-interval',
    'A task suggests no interval between polls.',
    ['integers#no-interval'],
    onTask(task => without(task, 'pollIntervalMs')),
  ),
  unusual(
    'ext-task-interval-changes',
    'Each state of a task suggests another interval between polls.',
    ['integers#changes'],
    onTask((task, count) => ({ ...task, pollIntervalMs: 10 * (count % 4) })),
  ),
  unusual(
    'ext-task-with-members-of-its-own',
    'A task has members that the extension does not define.',
    ['get-returns-task#own-members'],
    onTask(task => ({ ...task, progress: 0.5, 'com.example/owner': { name: 'Ada' } })),
  ),
  unusual(
    'ext-task-never-reported',
    'The server sends no notifications/tasks.',
    ['no-progress-on-listen#never-notified'],
    onNotification('notifications/tasks', () => undefined),
  ),
  unusual(
    'ext-task-cancelled-later',
    'A task that is cancelled is at work for two more polls.',
    ['get-cancelled#later'],
    onResult('tasks/get', (body, _ask, context) =>
      body.status === 'cancelled' && context.count(String(body.taskId)) <= 2
        ? { ...without(body, 'statusMessage'), status: 'working' }
        : body,
    ),
  ),
  unusual(
    'ext-task-cancelled-once',
    'tasks/cancel of a task that has ended is refused.',
    ['cancel-acknowledged#ended'],
    onReply('tasks/cancel', (reply, ask, context) => {
      const { taskId } = paramsOf(ask);
      const isAgain = 'result' in reply && context.count(`cancel ${String(taskId)}`) > 1;
      return isAgain ? refusal(ask, codes.invalidParams, 'The task has ended.') : reply;
    }),
  ),
  unusual(
    'ext-task-acknowledged-with-metadata',
    'Acknowledgements have the state of the task in their metadata.',
    ['update-acknowledged#metadata', 'cancel-acknowledged#metadata'],
    onResult(['tasks/update', 'tasks/cancel'], (body, ask, { world }) => {
      const { status } = taskStoreOf(world).get(paramsOf(ask).taskId);
      return { ...body, _meta: { ...(body._meta as JsonObject), 'com.example/status': status } };
    }),
  ),
  unusual(
    'ext-task-fails-after-its-ttl',
    'A task is kept for no time, and fails after that.',
    ['failed-only-for-errors#expired', 'tool-error-completed#expired', 'get-working#expired'],
    onTask(expired),
    onResult('tasks/get', task => ({
      ...without(task, 'result', 'inputRequests'),
      status: 'failed',
      statusMessage: 'The task has expired.',
      error: { code: codes.internalError, message: 'The task has expired.' },
    })),
  ),
  unusual(
    'ext-task-deleted-after-its-ttl',
    'A task is kept for no time, and is deleted after that.',
    ['durable-on-creation#expired', 'consistent-on-creation#expired'],
    onTask(expired),
    onReply(['tasks/get', 'tasks/update', 'tasks/cancel'], (reply, ask) =>
      'result' in reply ? refusal(ask, codes.invalidParams, 'There is no such task.') : reply,
    ),
  ),
  unusual(
    'ext-task-error-in-other-words',
    'The error of a failed task has another message than that of the call.',
    ['error-exact#message'],
    onTask(task =>
      isObject(task.error) ? { ...task, error: { ...task.error, message: 'It failed.' } } : task,
    ),
  ),
  unusual(
    'ext-task-result-with-metadata',
    'The result of a completed task has metadata.',
    ['result-exact#metadata', 'get-completed-result#metadata'],
    onTask(task =>
      isObject(task.result)
        ? { ...task, result: { ...task.result, _meta: { 'com.example/took': 7 } } }
        : task,
    ),
  ),
  unusual(
    'ext-task-times-with-offset',
    'The times of a task have an offset from UTC.',
    ['timestamps#offset'],
    onTask(task => ({
      ...task,
      createdAt: inZone(String(task.createdAt)),
      lastUpdatedAt: inZone(String(task.lastUpdatedAt)),
    })),
  ),
  unusual(
    'ext-task-not-required',
    'A tool that works as a task also works without one, for clients without the extension.',
    ['required-capability-error#ordinary-result'],
    onRequest('tools/call', ask => {
      const params = paramsOf(ask);
      return params.name === 'test_task_required' && !declaresTasks(ask)
        ? { ...ask, params: { ...params, name: 'test_simple_text', arguments: {} } }
        : ask;
    }),
  ),
  unusual(
    'ext-task-questions-shown-late',
    'An answered question of a task shows once more.',
    ['key-not-reused#late', 'keys-unique#same', 'key-one-request#same'],
    onResult('tasks/get', (task, _ask, context) => {
      const asked = context.keep(() => new Map<Json | undefined, JsonObject>());
      const before = asked.get(task.taskId);
      if (task.status === 'input_required') asked.set(task.taskId, task);
      else asked.delete(task.taskId);
      return task.status === 'working' || task.status === 'completed' ? (before ?? task) : task;
    }),
  ),
  unusual(
    'ext-task-needs-one-answer',
    'A task that asks two questions goes on after one answer, and withdraws the other question.',
    ['get-all-outstanding#withdrawn'],
    onRequest('tasks/update', (ask, { world }) => {
      const params = paramsOf(ask);
      const store = taskStoreOf(world);
      const open = store.has(params.taskId ?? null)
        ? store.get(params.taskId).detailed.inputRequests
        : undefined;
      const given = isObject(params.inputResponses) ? params.inputResponses : {};
      const answer = isObject(open) && Object.entries(given).find(([key]) => key in open)?.[1];
      if (!isObject(open) || !isObject(answer)) return ask;
      const all = Object.fromEntries(Object.keys(open).map(key => [key, given[key] ?? answer]));
      return { ...ask, params: { ...params, inputResponses: all } };
    }),
  ),
];
