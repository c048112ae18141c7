/** basic/utilities/tasks. */

import type { Json, JsonObject } from '../../spec/json-rpc.js';
import type { Call } from '../call.js';
import { codes, Refusal } from '../refusal.js';
import type { Handler } from './index.js';

const encode = (number: number): string => Buffer.from(`task ${number}`).toString('base64url');

/** A cursor names the last task that was shown, so that it stays good when tasks go. */
function decode(cursor: Json | undefined, count: number): number {
  if (cursor === undefined) return 0;
  const number = Number(Buffer.from(String(cursor), 'base64url').toString().slice('task '.length));
  // encoded again, so that nothing but what was handed out is taken
  if (!(number >= 1 && number <= count) || encode(number) !== cursor)
    throw new Refusal(codes.invalidParams, 'This cursor was not handed out here.');
  return number;
}

function list({ cursor }: JsonObject, { session }: Call): JsonObject {
  const { tasks, world } = session;
  const rest = tasks.after(decode(cursor, tasks.count));
  const shown = rest.slice(0, world.pageSize);
  const last = shown.at(-1);
  const more = last && (rest.length > shown.length || world.emptyLastPage);
  return { tasks: shown.map(task => task.shown), ...(more && { nextCursor: encode(last.number) }) };
}

function cancel({ taskId }: JsonObject, { session }: Call): JsonObject {
  const task = session.tasks.get(taskId);
  if (task.ended) throw new Refusal(codes.invalidParams, `The task is ${task.status} already.`);
  task.cancel();
  return task.shown;
}

export const taskHandlers: Record<string, Handler> = {
  'tasks/get': { needs: 'tasks', run: ({ taskId }, { session }) => session.tasks.get(taskId).shown },
  'tasks/result': {
    needs: 'tasks',
    run: ({ taskId }, { session, signal }) => session.tasks.get(taskId).result(signal),
  },
  'tasks/list': { needs: 'tasks.list', run: list },
  'tasks/cancel': { needs: 'tasks.cancel', run: cancel },
};
