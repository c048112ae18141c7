/** basic/utilities/tasks: what goes wrong when the client has a tool run as a task. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import { notification } from '../../fault.js';
import { paramsOf } from '../../server/faults/shared.js';
import { featuresOf } from '../../server/features.js';
import { codes } from '../../server/refusal.js';
import { relatedTask } from '../../tasks.js';
import type { ClientContext } from '../context.js';
import { type ClientMiddleware, clientFault, onAsk, onBlock, onIncoming } from '../fault.js';

const here = { where: (revision: Parameters<typeof featuresOf>[0]) => featuresOf(revision).tasks };

const call = 'tools/call';

/** Every one of these tools is called as a task. */
const always = (...names: readonly string[]): ClientMiddleware =>
  onAsk(call, ask =>
    names.includes(String(paramsOf(ask).name)) ? { ...ask, params: { ...paramsOf(ask), task: {} } } : ask,
  );

/** Changes the state of the server's tasks before the client sees it. */
const onServerState = (change: (task: JsonObject) => JsonObject): ClientMiddleware =>
  onIncoming(message => {
    if (!isObject(message) || !isObject(message.result)) return message;
    const { result } = message;
    if (isObject(result.task)) return { ...message, result: { ...result, task: change(result.task) } };
    return 'taskId' in result ? { ...message, result: change(result) } : message;
  });

/** A question is not asked but given up. */
function giveUp(message: JsonObject, context: ClientContext): undefined {
  const error = { code: codes.internalError, message: 'Given up.' };
  context.after(0, () => context.session.receive({ jsonrpc: '2.0', id: message.id ?? null, error }));
}

/** No question about a task is asked any more once something has come. */
const askingNoMoreAfter = (what: (message: JsonObject) => boolean): readonly ClientMiddleware[] => [
  onIncoming((message, context) => {
    const kept = context.keep(() => ({ heard: false }));
    kept.heard ||= isObject(message) && what(message);
    return message;
  }),
  onAsk([call, 'tasks/get', 'tasks/result'], (message, context) => {
    const kept = context.keep(() => ({ heard: false }));
    // another task
    if (message.method === call) kept.heard = false;
    return kept.heard ? giveUp(message, context) : message;
  }),
];

export const taskRequestFaults = [
  clientFault(
    'client-task-wanted-of-anybody',
    {
      what: 'The client wants a tool to run as a task although the server runs no calls as tasks.',
      breaks: ['tasks.tool-augment-needs-capability'],
    },
    always('may'),
  ),

  clientFault(
    'client-task-wanted-of-taskless',
    {
      what: 'The client asks a server without tasks for its tasks.',
      breaks: ['tasks.none-without-capability'],
    },
    {
      opened: async ({ session, revision }) => {
        if (featuresOf(revision).tasks && session.server.tasks === undefined)
          await session.ask('tasks/list', {}).catch(() => {});
      },
    },
  ),

  clientFault(
    'client-task-of-forbidden-tool',
    {
      what: 'The client calls a tool as a task that does not run as one.',
      breaks: ['tasks.tool-forbidden-not-augmented'],
    },
    always('never', 'plain'),
  ),

  clientFault(
    'client-task-required-left-out',
    {
      what: 'The client calls a tool that runs as a task only as any other.',
      breaks: ['tasks.tool-required-augmented'],
    },
    onAsk(call, ask =>
      paramsOf(ask).name === 'must' ? { ...ask, params: without(paramsOf(ask), 'task') } : ask,
    ),
  ),

  clientFault(
    'client-task-polled-hastily',
    {
      what: 'The client asks again and again without a pause.',
      breaks: ['tasks.poll-interval-respected'],
    },
    onServerState(task => ({ ...task, pollInterval: 0 })),
  ),

  clientFault(
    'client-task-given-up',
    { what: 'The client asks once how its task is going.', breaks: ['tasks.poll-until-terminal'] },
    onAsk('tasks/get', (message, context) =>
      context.count(String(paramsOf(message).taskId)) > 2 ? giveUp(message, context) : message,
    ),
  ),

  clientFault(
    'client-task-waits-for-notice',
    {
      what: 'The client waits to be told of the end of its task.',
      breaks: [
        'tasks.status-notification-not-relied-on',
        'tasks.poll-until-terminal',
        'tasks.poll-despite-notifications',
        'tasks.poll-beside-result',
      ],
    },
    onAsk('tasks/get', () => undefined),
  ),

  clientFault(
    'client-task-noticed-once',
    {
      what: 'After a notice about its task the client asks nothing any more.',
      breaks: ['tasks.poll-despite-notifications'],
    },
    ...askingNoMoreAfter(message => message.method === 'notifications/tasks/status'),
  ),

  clientFault(
    'client-task-input-not-fetched',
    {
      what: 'The client takes a task that needs input for one that works.',
      breaks: ['tasks.input-required-result-call'],
    },
    onServerState(task => (task.status === 'input_required' ? { ...task, status: 'working' } : task)),
  ),

  clientFault(
    'client-task-given-up-on-error',
    {
      what: 'The client gives a task up when its result was not to be had.',
      breaks: ['tasks.poll-beside-result'],
    },
    ...askingNoMoreAfter(message => isObject(message.error) && message.error.message === 'Try again.'),
  ),

  clientFault(
    'client-task-related-twice',
    {
      what: 'A question about a task names it twice.',
      breaks: ['tasks.request-without-related'],
    },
    onAsk('tasks/get', ask => ({
      ...ask,
      params: { ...paramsOf(ask), _meta: { [relatedTask]: { taskId: paramsOf(ask).taskId ?? null } } },
    })),
  ),

  clientFault(
    'client-task-cursor-trimmed',
    {
      what: 'Cursors of tasks are tidied up before they are used.',
      breaks: ['tasks.cursor-opaque'],
    },
    onAsk('tasks/list', ask => {
      const { cursor } = paramsOf(ask);
      return typeof cursor === 'string' ? { ...ask, params: { cursor: cursor.replace(/\W/g, '') } } : ask;
    }),
  ),

  clientFault(
    'client-dies-of-gone-tasks',
    {
      what: 'The client dies when the task it cancels is gone.',
      breaks: ['tasks.cancelled-not-relied-on'],
    },
    onIncoming((message, context) => {
      const { error } = isObject(message) ? message : {};
      if (isObject(error) && error.message === 'There is no such task.') context.exit(1);
      return message;
    }),
  ),

  clientFault(
    'client-task-cancelled-as-request',
    {
      what: 'The client cancels a task as if it were a request under way.',
      breaks: ['cancellation.tasks-use-tasks-cancel', 'cancellation.notification-not-for-tasks'],
      ...here,
    },
    onAsk([call, 'tasks/cancel'], (message, context) => {
      const asked = context.keep((): { id: Json } => ({ id: null }));
      if (message.method === call) {
        asked.id = message.id ?? null;
        return message;
      }
      giveUp(message, context);
      return notification('notifications/cancelled', { requestId: asked.id });
    }),
  ),

  clientFault(
    'client-task-questions-on-own-stream',
    {
      what: 'The client knows nothing of its tasks on the stream that it opened with GET.',
      breaks: ['tasks.stream-freedom'],
      over: ['streamable-http'],
      ...here,
    },
    onBlock((block, _context, { method, headers }) => {
      const standing = method === 'GET' && headers['last-event-id'] === undefined;
      if (!standing || !block.data?.includes(relatedTask)) return block;
      return { ...block, data: block.data.replace('"method":"', '"method":"x-') };
    }),
  ),
];
