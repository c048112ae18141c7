/** Tasks that are legal and odd. */

import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import {
  onError,
  onNotification,
  onReply,
  onResult,
  onWorld,
  type Quirk,
  quirk,
  refusal,
  result,
} from '../../fault.js';
import { paramsOf } from '../faults/shared.js';
import { featuresOf } from '../features.js';
import { codes } from '../refusal.js';

const here = { where: (revision: Parameters<typeof featuresOf>[0]) => featuresOf(revision).tasks };
const unlimited = (task: JsonObject): JsonObject => ({ ...task, ttl: null });
const never = new AbortController().signal;

export const taskQuirks: readonly Quirk[] = [
  quirk(
    'tasks-that-only-run',
    { what: 'Tasks are neither listed nor cancelled.', ...here },
    onWorld(world => {
      world.capabilities = { ...world.capabilities, tasks: { requests: { tools: { call: {} } } } };
    }),
  ),

  quirk(
    'tasks-without-notices',
    { what: 'Nobody is told that a task has changed.', ...here },
    onNotification('notifications/tasks/status', () => undefined),
  ),

  quirk(
    'tasks-kept-for-ever',
    { what: 'Tasks are kept without limit, and nothing is said about polling.', ...here },
    onResult('tools/call', body => (isObject(body.task) ? { ...body, task: unlimited(body.task) } : body)),
    onResult('tasks/get', ({ pollInterval: _, ...task }) => unlimited(task)),
  ),

  quirk(
    'tasks-forgotten-when-cancelled',
    { what: 'A cancelled task is not there any more.', ...here },
    onReply(['tasks/get', 'tasks/result'], (reply, ask, { session }) => {
      const task = session.tasks.after(0).find(t => t.id === paramsOf(ask).taskId);
      return task?.status === 'cancelled' ? refusal(ask, codes.invalidParams, 'No such task') : reply;
    }),
  ),

  quirk(
    'tasks-done-when-made',
    { what: 'A task that takes no time has ended when its making is told.', ...here },
    onResult('tools/call', (body, ask, context) => {
      const quick =
        paramsOf(ask).name === 'test_task' && JSON.stringify(ask).includes('durationMs') === false;
      if (!isObject(body.task) || !quick) return body;
      const task = context.session.tasks.get(body.task.taskId);
      const tell = () => context.send(result(ask, { task: task.shown }));
      Promise.resolve(task.result(never)).then(tell, tell);
      return undefined;
    }),
  ),

  quirk(
    'tasks-that-ask-at-once',
    { what: 'A task asks the user without anybody waiting for its result.', ...here },
    onResult('tools/call', (body, ask, context) => {
      if (isObject(body.task) && paramsOf(ask).name === 'test_task_input')
        Promise.resolve(context.session.tasks.get(body.task.taskId).result(never)).catch(() => {});
      return body;
    }),
  ),

  quirk(
    'tasks-wanted-as-invalid-request',
    { what: 'Where a task is wanted, a call without one is an invalid request.', ...here },
    onError('tools/call', (error, ask) =>
      error.code === codes.methodNotFound && paramsOf(ask).task === undefined
        ? { ...error, code: codes.invalidRequest }
        : error,
    ),
  ),
];
