/** basic/utilities/tasks: what goes wrong when the mock has its client run a request as a task. */

import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { fault, type Middleware, notification, onIncoming, onMessage } from '../../fault.js';
import { relatedTask } from '../../tasks.js';
import type { Context } from '../context.js';
import { featuresOf } from '../features.js';
import { codes } from '../refusal.js';
import { paramsOf } from './shared.js';

const here = { where: (revision: Parameters<typeof featuresOf>[0]) => featuresOf(revision).tasks };

/** Changes the state of the client's tasks before the mock sees it. */
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

/** A question is not asked but given up. */
function giveUp(message: JsonObject, context: Context): undefined {
  const error = { code: codes.internalError, message: 'Given up.' };
  context.after(0, () => context.session.outgoing.settle({ jsonrpc: '2.0', id: message.id ?? null, error }));
}

/** No question about a task of the client is asked any more once something has come. */
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
      what: 'The client is asked for a task although it has declared none.',
      breaks: ['tasks.augment-only-declared', 'tasks.none-without-capability'],
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
      what: 'The client is asked again and again without a pause.',
      breaks: ['tasks.poll-interval-respected'],
    },
    onClientState(task => ({ ...task, pollInterval: 0 })),
  ),

  fault(
    'task-of-client-given-up',
    {
      what: 'The client is asked once how its task is going.',
      breaks: ['tasks.poll-until-terminal'],
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
      what: 'The state of a task is not asked for but waited for.',
      breaks: [
        'tasks.status-notification-not-relied-on',
        'tasks.poll-until-terminal',
        'tasks.poll-despite-notifications',
        'tasks.poll-beside-result',
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
      what: 'After a notice about a task nothing is asked any more.',
      breaks: ['tasks.poll-despite-notifications'],
    },
    ...askingNoMoreAfter(message => message.method === 'notifications/tasks/status'),
  ),

  fault(
    'task-of-client-input-not-fetched',
    {
      what: 'A task that needs input is taken for one that works.',
      breaks: ['tasks.input-required-result-call'],
    },
    onClientState(task => (task.status === 'input_required' ? { ...task, status: 'working' } : task)),
  ),

  fault(
    'task-of-client-given-up-on-error',
    {
      what: 'A task is given up when its result was not to be had.',
      breaks: ['tasks.poll-beside-result'],
    },
    ...askingNoMoreAfter(message => isObject(message.error) && message.error.message === 'Try again.'),
  ),

  fault(
    'task-of-client-related-twice',
    {
      what: 'A question about a task names it twice.',
      breaks: ['tasks.request-without-related'],
    },
    onAsking('tasks/get', params => ({
      ...params,
      _meta: { [relatedTask]: { taskId: params.taskId ?? null } },
    })),
  ),

  fault(
    'task-of-client-cursor-trimmed',
    {
      what: 'Cursors of the client are tidied up before they are used.',
      breaks: ['tasks.cursor-opaque'],
    },
    onAsking('tasks/list', params =>
      typeof params.cursor === 'string' ? { ...params, cursor: params.cursor.replace(/\W/g, '') } : params,
    ),
  ),

  fault(
    'task-of-client-gone-kills',
    {
      what: 'The process dies when the task it cancels is gone.',
      breaks: ['tasks.cancelled-not-relied-on'],
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
      what: 'A task is cancelled as if it were a request under way.',
      breaks: ['cancellation.tasks-use-tasks-cancel', 'cancellation.notification-not-for-tasks'],
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
