/** What concerns one session and is told to another; and tasks over HTTP. */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { type Fault, fault, onBlock, onHttp } from '../fault.js';
import { featuresOf } from '../features.js';
import { type Block, type Incoming, isStreaming, type StreamWriter } from '../http/reply.js';
import { messageOf } from './streams.js';

const asks = (ask: Incoming, method: string): boolean => ask.body.includes(`"method":"${method}"`);

const resultOf = (block: Block): JsonObject | undefined => {
  const message = messageOf(block);
  return isObject(message) && isObject(message.result) ? message.result : undefined;
};

const listeners = (): Map<string, StreamWriter> => new Map();
const tasks = (): { readonly session: string; readonly task: Json }[] => [];
const sessionIn = (ask: Incoming): string => ask.headers.get('mcp-session-id') ?? '';

export const acrossSessionFaults: readonly Fault[] = [
  fault(
    'elicitation-complete-to-all',
    {
      what: 'That a page has been dealt with is told to every client.',
      breaks: ['elicitation.complete-to-initiator-only', 'elicitation.complete-has-id'],
    },
    onHttp((reply, ask, context) => {
      const { body } = reply;
      if (ask.method !== 'GET' || !isStreaming(body)) return reply;
      const start: typeof body.start = writer => {
        context.keep(listeners).set(sessionIn(ask), writer);
        return body.start(writer);
      };
      return { ...reply, body: { start } };
    }),
    onBlock((block, ask, context) => {
      const message = ask.method === 'POST' ? messageOf(block) : undefined;
      if (isObject(message) && message.method === 'notifications/elicitation/complete')
        for (const [session, writer] of context.keep(listeners))
          if (session !== sessionIn(ask)) writer.write({ event: 'message', data: JSON.stringify(message) });
      return block;
    }),
  ),

  fault(
    'tasks-of-all-sessions-listed',
    {
      what: 'The list of tasks has those of everybody.',
      breaks: ['tasks.no-list-without-identity'],
    },
    onBlock((block, ask, context) => {
      const result = resultOf(block);
      const all = context.keep(tasks);
      if (isObject(result?.task)) all.push({ session: sessionIn(ask), task: result.task });
      if (!asks(ask, 'tasks/list') || !Array.isArray(result?.tasks)) return block;
      const foreign = all.filter(made => made.session !== sessionIn(ask)).map(made => made.task);
      const body = { ...result, tasks: [...result.tasks, ...foreign] };
      const message = { ...(messageOf(block) as JsonObject), result: body };
      return { ...(block as object), data: JSON.stringify(message) };
    }),
  ),

  fault(
    'task-state-streamed',
    {
      what: 'Pings are answered with JSON, questions after a task on a stream.',
      breaks: ['tasks.get-not-sse'],
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
      what: 'Questions after a task that is not there are answered as plain text.',
      breaks: ['tasks.transport-rules-hold', 'streamable-http.request-json-or-sse'],
      where: revision => featuresOf(revision).tasks,
    },
    onHttp((reply, ask) =>
      asks(ask, 'tasks/get') && ask.body.includes('no-such-task') && reply.status === 200
        ? { ...reply, headers: { ...reply.headers, 'Content-Type': 'text/plain' } }
        : reply,
    ),
  ),
];
