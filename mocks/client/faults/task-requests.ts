/** basic/utilities/tasks: faults of clients that run a tool as a task. */

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

/** Calls these tools always as a task. */
const always = (...names: readonly string[]): ClientMiddleware =>
  onAsk(call, ask =>
    names.includes(String(paramsOf(ask).name)) ? { ...ask, params: { ...paramsOf(ask), task: {} } } : ask,
  );

/** Changes the state of the server's tasks before the client reads it. */
const onServerState = (change: (task: JsonObject) => JsonObject): ClientMiddleware =>
  onIncoming(message => {
    if (!isObject(message) || !isObject(message.result)) return message;
    const { result } = message;
    if (isObject(result.task)) return { ...message, result: { ...result, task: change(result.task) } };
    return 'taskId' in result ? { ...message, result: change(result) } : message;
  });

/** Drops a request and fails it locally, some milliseconds later. */
function giveUp(message: JsonObject, context: ClientContext, ms = 0): undefined {
  const error = { code: codes.internalError, message: 'Given up.' };
  context.after(ms, () => context.session.receive({ jsonrpc: '2.0', id: message.id ?? null, error }));
}

/** Stops all polls of a task after a matching message. */
export const askingNoMoreAfter = (what: (message: JsonObject) => boolean): readonly ClientMiddleware[] => [
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

/** The ids of tasks/result requests without a response. */
const openRetrievals = () => new Set<Json | undefined>();

export const taskRequestFaults = [
  clientFault(
    'client-task-wanted-of-anybody',
    {
      what: 'The client sends tools/call with a task although the server has not declared tasks for it.',
      breaks: ['tasks.tool-augment-needs-capability'],
      shows: ['tasks.tool-augment-needs-capability#task'],
    },
    always('may'),
  ),

  clientFault(
    'client-task-wanted-of-taskless',
    {
      what: 'The client sends tasks/list to a server without tasks.',
      breaks: ['tasks.none-without-capability'],
      shows: ['tasks.none-without-capability#tasks-request'],
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
      what: 'The client sends tools/call with a task for a tool without task support.',
      breaks: ['tasks.tool-forbidden-not-augmented'],
      shows: ['tasks.tool-forbidden-not-augmented#forbidden'],
    },
    always('never', 'plain'),
  ),

  clientFault(
    'client-task-required-left-out',
    {
      what: 'The client sends tools/call without a task for a tool that requires one.',
      breaks: ['tasks.tool-required-augmented'],
      shows: ['tasks.tool-required-augmented#no-task'],
    },
    onAsk(call, ask =>
      paramsOf(ask).name === 'must' ? { ...ask, params: without(paramsOf(ask), 'task') } : ask,
    ),
  ),

  clientFault(
    'client-task-polled-hastily',
    {
      what: 'The client sends tasks/get repeatedly without the poll interval.',
      breaks: ['tasks.poll-interval-respected'],
      shows: ['tasks.poll-interval-respected#hasty'],
    },
    onServerState(task => ({ ...task, pollInterval: 0 })),
  ),

  clientFault(
    'client-task-created-interval',
    {
      what: 'The client sends tasks/get with the poll interval of the created task, also when later responses have another one.',
      breaks: ['tasks.poll-interval-respected'],
      shows: ['tasks.poll-interval-respected#first-interval'],
    },
    onIncoming((message, context) => {
      if (!isObject(message) || !isObject(message.result)) return message;
      const { result } = message;
      const first = context.keep<{ pollInterval?: Json }>(() => ({}));
      if (isObject(result.task)) first.pollInterval = result.task.pollInterval ?? 0;
      return 'taskId' in result && first.pollInterval !== undefined
        ? { ...message, result: { ...result, pollInterval: first.pollInterval } }
        : message;
    }),
  ),

  clientFault(
    'client-task-given-up',
    {
      what: 'The client stops sending tasks/get before its task ends.',
      breaks: ['tasks.poll-until-terminal'],
      shows: ['tasks.poll-until-terminal#gives-up'],
    },
    onAsk('tasks/get', (message, context) =>
      context.count(String(paramsOf(message).taskId)) > 2 ? giveUp(message, context) : message,
    ),
  ),

  clientFault(
    'client-task-waits-for-notice',
    {
      what: 'The client sends no tasks/get and waits for notifications/tasks/status.',
      breaks: [
        'tasks.status-notification-not-relied-on',
        'tasks.poll-until-terminal',
        'tasks.poll-despite-notifications',
      ],
      shows: [
        'tasks.poll-despite-notifications#never-polls',
        'tasks.poll-until-terminal#never-polls',
        'tasks.status-notification-not-relied-on#waits',
      ],
    },
    onAsk('tasks/get', () => undefined),
  ),

  clientFault(
    'client-task-waits-and-gives-up',
    {
      what: 'The client waits for notifications/tasks/status for a while, without tasks/get, and then gives up.',
      breaks: [
        'tasks.status-notification-not-relied-on',
        'tasks.poll-until-terminal',
        'tasks.poll-despite-notifications',
      ],
      shows: [
        'tasks.poll-despite-notifications#never-polls',
        'tasks.poll-until-terminal#never-polls',
        'tasks.status-notification-not-relied-on#waits',
      ],
    },
    onAsk('tasks/get', (message, context) => giveUp(message, context, 1_500)),
  ),

  clientFault(
    'client-task-noticed-once',
    {
      what: 'The client sends no tasks/get after a notifications/tasks/status.',
      breaks: ['tasks.poll-despite-notifications'],
      shows: ['tasks.poll-despite-notifications#stops-polling'],
    },
    ...askingNoMoreAfter(message => message.method === 'notifications/tasks/status'),
  ),

  clientFault(
    'client-task-input-not-fetched',
    {
      what: 'The client handles a task in the status input_required as working and does not send tasks/result.',
      breaks: ['tasks.input-required-result-call'],
      shows: ['tasks.input-required-result-call#not-called'],
    },
    onServerState(task => (task.status === 'input_required' ? { ...task, status: 'working' } : task)),
  ),

  clientFault(
    'client-task-given-up-on-loss',
    {
      what: 'The client stops polling its task when the stream of tasks/result is lost.',
      breaks: ['tasks.poll-beside-result'],
      shows: ['tasks.poll-beside-result#no-poll'],
      over: ['streamable-http'],
    },
    onIncoming((message, context) => {
      if (isObject(message)) context.keep(openRetrievals).delete(message.id);
      return message;
    }),
    onAsk(['tasks/get', 'tasks/result'], (message, context) => {
      const open = context.keep(openRetrievals);
      // the client waits for each response, so one that is still open was lost
      if (open.size > 0) return giveUp(message, context);
      if (message.method === 'tasks/result') open.add(message.id);
      return message;
    }),
  ),

  clientFault(
    'client-task-related-twice',
    {
      what: 'The client sends tasks/get with the related-task metadata in addition to taskId.',
      breaks: ['tasks.request-without-related'],
      shows: ['tasks.request-without-related#get'],
    },
    onAsk('tasks/get', ask => ({
      ...ask,
      params: { ...paramsOf(ask), _meta: { [relatedTask]: { taskId: paramsOf(ask).taskId ?? null } } },
    })),
  ),

  clientFault(
    'client-task-cursor-trimmed',
    {
      what: 'The client removes special characters from the cursor of tasks/list.',
      breaks: ['tasks.cursor-opaque'],
      shows: ['tasks.cursor-opaque#changed'],
    },
    onAsk('tasks/list', ask => {
      const { cursor } = paramsOf(ask);
      return typeof cursor === 'string' ? { ...ask, params: { cursor: cursor.replace(/\W/g, '') } } : ask;
    }),
  ),

  clientFault(
    'client-dies-of-gone-tasks',
    {
      what: 'The client exits when tasks/cancel returns an error for an unknown task.',
      breaks: ['tasks.cancelled-not-relied-on'],
      shows: ['tasks.cancelled-not-relied-on#exits'],
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
      what: 'The client sends notifications/cancelled for tools/call instead of tasks/cancel.',
      breaks: ['cancellation.tasks-use-tasks-cancel', 'cancellation.notification-not-for-tasks'],
      shows: [
        'cancellation.notification-not-for-tasks#notification',
        'cancellation.tasks-use-tasks-cancel#notification',
      ],
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
      what: 'The client does not recognise requests of its tasks on the GET stream.',
      breaks: ['tasks.stream-freedom'],
      shows: ['tasks.stream-freedom#own-stream-only'],
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
