/** basic/utilities/tasks: faults of the mock when it requests tasks from its client. */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { fault, type Middleware, notification, onIncoming, onMessage } from '../../fault.js';
import { relatedTask } from '../../tasks.js';
import type { Context } from '../context.js';
import { featuresOf } from '../features.js';
import { codes } from '../refusal.js';
import { paramsOf } from './shared.js';

const here = { where: (revision: Parameters<typeof featuresOf>[0]) => featuresOf(revision).tasks };

/** Changes the state of the client's tasks before the mock reads it. */
const onClientState = (change: (task: JsonObject) => JsonObject): Middleware =>
  onIncoming(message => {
    if (!isObject(message) || !isObject(message.result)) return message;
    const { result } = message;
    if (isObject(result.task)) return { ...message, result: { ...result, task: change(result.task) } };
    return 'taskId' in result ? { ...message, result: change(result) } : message;
  });

/** Changes one kind of request. */
const onAsking = (method: string, change: (params: JsonObject) => JsonObject): Middleware =>
  onMessage(message =>
    message.method === method ? { ...message, params: change(paramsOf(message)) } : message,
  );

/** Drops a request and fails it locally. */
function giveUp(message: JsonObject, context: Context): undefined {
  const error = { code: codes.internalError, message: 'Given up.' };
  context.after(0, () => context.session.outgoing.settle({ jsonrpc: '2.0', id: message.id ?? null, error }));
}

/** Stops all polls of a task of the client after a matching message. */
const askingNoMoreAfter = (what: (message: JsonObject) => boolean): readonly Middleware[] => [
  onIncoming((message, context) => {
    const kept = context.keep(() => ({ heard: false }));
    kept.heard ||= isObject(message) && what(message);
    return message;
  }),
  onMessage((message, context) => {
    const kept = context.keep(() => ({ heard: false }));
    // another task
    if (message.method === 'sampling/createMessage') kept.heard = false;
    const asks = message.method === 'tasks/get' || message.method === 'tasks/result';
    return asks && kept.heard ? giveUp(message, context) : message;
  }),
];

export const taskRequestFaults = [
  fault(
    'task-of-client-undeclared',
    {
      what: 'sampling/createMessage has a task although the client has not declared tasks.',
      breaks: ['tasks.augment-only-declared', 'tasks.none-without-capability'],
      shows: ['tasks.augment-only-declared#tasks-undeclared', 'tasks.none-without-capability#task-field'],
    },
    onMessage((message, { session }) =>
      message.method === 'sampling/createMessage' && session.clientCapabilities.tasks === undefined
        ? { ...message, params: { ...paramsOf(message), task: {} } }
        : message,
    ),
  ),

  fault(
    'task-of-client-polled-hastily',
    {
      what: 'tasks/get is sent to the client repeatedly without the poll interval.',
      breaks: ['tasks.poll-interval-respected'],
      shows: ['tasks.poll-interval-respected#hasty'],
    },
    onClientState(task => ({ ...task, pollInterval: 0 })),
  ),

  fault(
    'task-of-client-given-up',
    {
      what: 'tasks/get is no longer sent to the client although its task has not ended.',
      breaks: ['tasks.poll-until-terminal'],
      shows: ['tasks.poll-until-terminal#gives-up'],
    },
    onMessage((message, context) =>
      message.method === 'tasks/get' && context.count(String(paramsOf(message).taskId)) > 2
        ? giveUp(message, context)
        : message,
    ),
  ),

  fault(
    'task-of-client-waits-for-notice',
    {
      what: 'tasks/get is never sent to the client; the server waits for notifications/tasks/status.',
      breaks: [
        'tasks.status-notification-not-relied-on',
        'tasks.poll-until-terminal',
        'tasks.poll-despite-notifications',
        'tasks.poll-beside-result',
      ],
      shows: [
        'tasks.poll-beside-result#no-poll',
        'tasks.poll-despite-notifications#never-polls',
        'tasks.poll-until-terminal#never-polls',
        'tasks.status-notification-not-relied-on#waits',
      ],
    },
    onMessage((message, context) => {
      const swallowed = context.keep(() => new Set<Json | undefined>());
      if (message.method !== 'tasks/get')
        return swallowed.has(paramsOf(message).requestId) ? undefined : message;
      swallowed.add(message.id);
      return undefined;
    }),
  ),

  fault(
    'task-of-client-noticed-once',
    {
      what: 'tasks/get is not sent to the client after a notifications/tasks/status.',
      breaks: ['tasks.poll-despite-notifications'],
      shows: ['tasks.poll-despite-notifications#stops-polling'],
    },
    ...askingNoMoreAfter(message => message.method === 'notifications/tasks/status'),
  ),

  fault(
    'task-of-client-input-not-fetched',
    {
      what: 'tasks/result is not sent to the client when its task has the status input_required.',
      breaks: ['tasks.input-required-result-call'],
      shows: ['tasks.input-required-result-call#not-called'],
    },
    onClientState(task => (task.status === 'input_required' ? { ...task, status: 'working' } : task)),
  ),

  fault(
    'task-of-client-given-up-on-error',
    {
      what: 'tasks/get is not sent to the client after an error response to tasks/result.',
      breaks: ['tasks.poll-beside-result'],
      shows: ['tasks.poll-beside-result#no-poll'],
    },
    ...askingNoMoreAfter(message => isObject(message.error) && message.error.message === 'Try again.'),
  ),

  fault(
    'task-of-client-related-twice',
    {
      what: 'tasks/get is sent to the client with the related-task metadata in addition to taskId.',
      breaks: ['tasks.request-without-related'],
      shows: ['tasks.request-without-related#get'],
    },
    onAsking('tasks/get', params => ({
      ...params,
      _meta: { [relatedTask]: { taskId: params.taskId ?? null } },
    })),
  ),

  fault(
    'task-of-client-cursor-trimmed',
    {
      what: 'tasks/list is sent to the client with a cursor without its special characters.',
      breaks: ['tasks.cursor-opaque'],
      shows: ['tasks.cursor-opaque#changed'],
    },
    onAsking('tasks/list', params =>
      typeof params.cursor === 'string' ? { ...params, cursor: params.cursor.replace(/\W/g, '') } : params,
    ),
  ),

  fault(
    'task-of-client-gone-kills',
    {
      what: 'The process exits when the client responds to tasks/cancel with an error for an unknown task.',
      breaks: ['tasks.cancelled-not-relied-on'],
      shows: ['tasks.cancelled-not-relied-on#exits'],
      ...here,
    },
    onIncoming((message, context) => {
      const gone = isObject(message) && isObject(message.error) && message.error.code === codes.invalidParams;
      if (gone) context.exit(1);
      return message;
    }),
  ),

  fault(
    'task-of-client-cancelled-as-request',
    {
      what: 'notifications/cancelled is sent to the client for sampling/createMessage instead of tasks/cancel.',
      breaks: ['cancellation.tasks-use-tasks-cancel', 'cancellation.notification-not-for-tasks'],
      shows: [
        'cancellation.notification-not-for-tasks#notification',
        'cancellation.tasks-use-tasks-cancel#notification',
      ],
      ...here,
    },
    onMessage((message, context) => {
      const asked = context.keep((): { id: Json } => ({ id: null }));
      if (message.method === 'sampling/createMessage' && isObject(paramsOf(message).task))
        asked.id = message.id ?? null;
      if (message.method !== 'tasks/cancel') return message;
      giveUp(message, context);
      return notification('notifications/cancelled', { requestId: asked.id });
    }),
  ),
];
