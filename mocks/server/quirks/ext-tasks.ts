/** Legal but unusual tasks of the tasks extension. */

import { type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  type Middleware,
  onNotification,
  onReply,
  onResult,
  type Quirk,
  quirk,
  refusal,
} from '../../fault.js';
import { taskStoreOf } from '../extensions/task-store.js';
import { isStateless, paramsOf } from '../faults/shared.js';
import { codes } from '../refusal.js';

const unusual = (id: string, what: string, ...middleware: Middleware[]): Quirk =>
  quirk(id, { what, where: isStateless }, ...middleware);

/** Every state of a task in results, changed. @param count the states of the task so far */
const onTask = (change: (task: JsonObject, count: number) => JsonObject): Middleware =>
  onResult(['tools/call', 'tasks/get'], (body, _ask, context) =>
    typeof body.taskId === 'string' && typeof body.status === 'string'
      ? change(body, context.count(body.taskId))
      : body,
  );

export const extTaskQuirks: readonly Quirk[] = [
  unusual(
    'ext-task-without-ttl',
    'A task is kept without a limit.',
    onTask(task => ({ ...task, ttlMs: null })),
  ),
  unusual(
    'ext-task-without-interval',
    'A task suggests no interval between polls.',
    onTask(task => without(task, 'pollIntervalMs')),
  ),
  unusual(
    'ext-task-interval-changes',
    'Each state of a task suggests another interval between polls.',
    onTask((task, count) => ({ ...task, pollIntervalMs: 10 * (count % 4) })),
  ),
  unusual(
    'ext-task-with-members-of-its-own',
    'A task has members that the extension does not define.',
    onTask(task => ({ ...task, progress: 0.5, 'com.example/owner': { name: 'Ada' } })),
  ),
  unusual(
    'ext-task-never-reported',
    'The server sends no notifications/tasks.',
    onNotification('notifications/tasks', () => undefined),
  ),
  unusual(
    'ext-task-cancelled-later',
    'A task that is cancelled is at work for two more polls.',
    onResult('tasks/get', (body, _ask, context) =>
      body.status === 'cancelled' && context.count(String(body.taskId)) <= 2
        ? { ...without(body, 'statusMessage'), status: 'working' }
        : body,
    ),
  ),
  unusual(
    'ext-task-cancelled-once',
    'tasks/cancel of a task that has ended is refused.',
    onReply('tasks/cancel', (reply, ask, context) => {
      const { taskId } = paramsOf(ask);
      const isAgain = 'result' in reply && context.count(`cancel ${String(taskId)}`) > 1;
      return isAgain ? refusal(ask, codes.invalidParams, 'The task has ended.') : reply;
    }),
  ),
  unusual(
    'ext-task-acknowledged-with-metadata',
    'Acknowledgements have the state of the task in their metadata.',
    onResult(['tasks/update', 'tasks/cancel'], (body, ask, { world }) => {
      const { status } = taskStoreOf(world).get(paramsOf(ask).taskId);
      return { ...body, _meta: { ...(body._meta as JsonObject), 'com.example/status': status } };
    }),
  ),
];
