/** Legal but unusual behaviours of tasks. */

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
    {
      what: 'The server declares neither tasks/list nor tasks/cancel.',
      ...here,
      shows: ['tasks.cancel-terminal-rejected#not-declared', 'tasks.unknown-id-error#not-declared'],
    },
    onWorld(world => {
      world.capabilities = { ...world.capabilities, tasks: { requests: { tools: { call: {} } } } };
    }),
  ),

  quirk(
    'tasks-without-notices',
    {
      what: 'notifications/tasks/status is never sent.',
      ...here,
      shows: ['tasks.status-notification-unrelated#none'],
    },
    onNotification('notifications/tasks/status', () => undefined),
  ),

  quirk(
    'tasks-kept-for-ever',
    {
      what: 'Tasks have the ttl null, and tasks/get returns no pollInterval.',
      ...here,
      shows: ['tasks.poll-interval-respected#no-interval', 'tasks.ttl-reported#unlimited'],
    },
    onResult('tools/call', body => (isObject(body.task) ? { ...body, task: unlimited(body.task) } : body)),
    onResult('tasks/get', ({ pollInterval: _, ...task }) => unlimited(task)),
  ),

  quirk(
    'tasks-forgotten-when-cancelled',
    {
      what: 'tasks/get and tasks/result for a cancelled task return an error.',
      ...here,
      shows: ['tasks.cancel-sticks#forgotten'],
    },
    onReply(['tasks/get', 'tasks/result'], (reply, ask, { session }) => {
      const task = session.tasks.after(0).find(t => t.id === paramsOf(ask).taskId);
      return task?.status === 'cancelled' ? refusal(ask, codes.invalidParams, 'No such task') : reply;
    }),
  ),

  quirk(
    'tasks-done-when-made',
    {
      what: 'tools/call with a task for a short tool returns a task that has already ended.',
      ...here,
      shows: ['tasks.create-result-returned#done-at-once', 'tasks.starts-working#completed'],
    },
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
    {
      what: 'A task sends elicitation/create before the client sends tasks/result.',
      ...here,
      shows: ['tasks.input-required-status#asks-at-once'],
    },
    onResult('tools/call', (body, ask, context) => {
      if (isObject(body.task) && paramsOf(ask).name === 'test_task_input')
        Promise.resolve(context.session.tasks.get(body.task.taskId).result(never)).catch(() => {});
      return body;
    }),
  ),

  quirk(
    'tasks-wanted-as-invalid-request',
    {
      what: 'tools/call without a task for a tool that requires one returns the error -32600.',
      ...here,
      shows: ['tasks.tool-required-rejected#invalid-request'],
    },
    onError('tools/call', (error, ask) =>
      error.code === codes.methodNotFound && paramsOf(ask).task === undefined
        ? { ...error, code: codes.invalidRequest }
        : error,
    ),
  ),
];
