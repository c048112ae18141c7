/** Messages of one session that are sent to another session; and tasks over HTTP. */

import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import {
  type Fault,
  fault,
  type Middleware,
  onBlock,
  onHttp,
  onHttpRequest,
  onMessage,
  onWorld,
} from '../../fault.js';
import { featuresOf } from '../features.js';
import { type Block, type Incoming, isStreaming, type StreamWriter } from '../http/reply.js';
import { hasHandshake } from './shared.js';
import { messageOf } from './streams.js';

const asks = (ask: Incoming, method: string): boolean => ask.body.includes(`"method":"${method}"`);

const resultOf = (block: Block): JsonObject | undefined => {
  const message = messageOf(block);
  return isObject(message) && isObject(message.result) ? message.result : undefined;
};

const sessionIn = (ask: Incoming): string => ask.headers.get('mcp-session-id') ?? '';

const listeners = () => ({ writers: new Map<string, StreamWriter>(), telling: false });
const tasks = (): Map<string, { readonly session: string; readonly task: JsonObject }> => new Map();
/** The task in a message. */
function taskIn(block: Block): JsonObject | undefined {
  const message = messageOf(block);
  if (!isObject(message)) return undefined;
  const { result, params } = message;
  const told = [isObject(result) ? result.task : undefined, result, params];
  return told.filter(isObject).find(task => typeof task.taskId === 'string' && 'status' in task);
}

/** Lists contain the tasks of all sessions. */
export const listsAllTasks: Middleware = onBlock((block, ask, context) => {
  const all = context.keep(tasks);
  const told = taskIn(block);
  if (told) {
    const session = all.get(String(told.taskId))?.session ?? sessionIn(ask);
    all.set(String(told.taskId), { session, task: told });
  }
  const result = resultOf(block);
  if (!asks(ask, 'tasks/list') || !Array.isArray(result?.tasks)) return block;
  const foreign = [...all.values()].filter(made => made.session !== sessionIn(ask)).map(made => made.task);
  const body = { ...result, tasks: [...result.tasks, ...foreign] };
  const message = { ...(messageOf(block) as JsonObject), result: body };
  return { ...(block as object), data: JSON.stringify(message) };
});

const makers = (): Map<string, string> => new Map();

/** A request with the id of a task is served in any session. */
export const servesAllTasks: readonly Middleware[] = [
  onBlock((block, ask, context) => {
    const task = resultOf(block)?.task;
    if (isObject(task)) context.keep(makers).set(String(task.taskId), sessionIn(ask));
    return block;
  }),
  onHttpRequest((ask, context) => {
    if (!/"method":"tasks\/(get|result|cancel)"/.test(ask.body)) return ask;
    const maker = [...context.keep(makers)].find(([taskId]) => ask.body.includes(JSON.stringify(taskId)));
    return maker ? { ...ask, headers: new Map([...ask.headers, ['mcp-session-id', maker[1]]]) } : ask;
  }),
];

/** Notifications of one method are sent to all open GET streams. */
const tellsAll = (method: string): Middleware => ({
  ...onHttp((reply, ask, context) => {
    const { body } = reply;
    if (ask.method !== 'GET' || !isStreaming(body)) return reply;
    const start: typeof body.start = writer => {
      context.keep(listeners).writers.set(sessionIn(ask), writer);
      return body.start(writer);
    };
    return { ...reply, body: { start } };
  }),
  ...onBlock((block, ask, context) => {
    const message = messageOf(block);
    const all = context.keep(listeners);
    // a repeated message arrives here too
    if (all.telling || !isObject(message) || message.method !== method) return block;
    all.telling = true;
    for (const [session, writer] of all.writers)
      if (session !== sessionIn(ask)) writer.write({ event: 'message', data: JSON.stringify(message) });
    all.telling = false;
    return block;
  }),
});

export const acrossSessionFaults: readonly Fault[] = [
  fault(
    'elicitation-complete-to-all',
    {
      what: 'notifications/elicitation/complete is sent to every client.',
      breaks: ['elicitation.complete-to-initiator-only', 'elicitation.complete-has-id'],
      shows: ['elicitation.complete-has-id#unknown', 'elicitation.complete-to-initiator-only#to-all'],
    },
    tellsAll('notifications/elicitation/complete'),
  ),

  fault(
    'updates-to-all',
    {
      what: 'notifications/resources/updated is sent to every client.',
      breaks: ['resources.updated-only-after-subscribe'],
      shows: ['resources.updated-only-after-subscribe#no-subscription'],
      where: revision => hasHandshake(revision) && revision.transports.includes('streamable-http'),
    },
    tellsAll('notifications/resources/updated'),
  ),

  fault(
    'tasks-of-all-sessions-listed',
    {
      what: 'tasks/list returns the tasks of all sessions.',
      breaks: ['tasks.no-list-without-identity'],
      shows: ['tasks.no-list-without-identity#other-session'],
    },
    listsAllTasks,
  ),

  fault(
    'task-ids-of-session',
    {
      what: 'tools/call creates tasks whose taskIds are the same in each session.',
      breaks: ['tasks.id-unique'],
      shows: ['tasks.id-unique#twice'],
      over: ['streamable-http'],
    },
    onWorld((_world, { session }) => {
      let count = 0;
      session.tasks.newId = () => createHash('sha256').update(`task ${++count}`).digest('hex');
    }),
  ),

  fault(
    'page-ids-of-session',
    {
      what: 'elicitation/create in the mode url has an elicitationId that counts in each session.',
      breaks: ['elicitation.id-unique'],
      shows: ['elicitation.id-unique#reused'],
      over: ['streamable-http'],
    },
    onMessage((message, context) => {
      const { params } = message;
      if (!isObject(params) || typeof params.elicitationId !== 'string') return message;
      const ids = context.keep((): string[] => []);
      if (!ids.includes(params.elicitationId)) ids.push(params.elicitationId);
      const elicitationId = `page-${ids.indexOf(params.elicitationId)}`;
      return { ...message, params: { ...params, elicitationId } };
    }),
  ),

  fault(
    'task-state-streamed',
    {
      what: 'The response to ping is JSON and the response to tasks/get is an event stream.',
      breaks: ['tasks.get-not-sse'],
      shows: ['tasks.get-not-sse#streamed'],
    },
    onHttp((reply, ask) => {
      const { body } = reply;
      if (!asks(ask, 'ping') || !isStreaming(body)) return reply;
      const start = (writer: StreamWriter) =>
        body.start({
          ...writer,
          write(block) {
            const message = messageOf(block);
            if (message !== undefined) writer.write(JSON.stringify(message));
          },
        });
      return { ...reply, headers: { ...reply.headers, 'Content-Type': 'application/json' }, body: { start } };
    }),
  ),

  fault(
    'task-state-as-text',
    {
      what: 'The response to tasks/get for an unknown task has the media type text/plain.',
      breaks: ['tasks.transport-rules-hold', 'streamable-http.request-json-or-sse'],
      shows: ['streamable-http.request-json-or-sse#other-type', 'tasks.transport-rules-hold#other-type'],
      where: revision => featuresOf(revision).tasks,
    },
    onHttp((reply, ask) =>
      asks(ask, 'tasks/get') && ask.body.includes('no-such-task') && reply.status === 200
        ? { ...reply, headers: { ...reply.headers, 'Content-Type': 'text/plain' } }
        : reply,
    ),
  ),
];
