/** Who has the other side run a request as a task: asks how it is going, and fetches what it has come to. */

import type { Json, JsonObject } from '../spec/json-rpc.js';

export interface Requestor {
  /** @throws {Error} when it is refused, or not answered */
  ask(method: string, params: JsonObject): Promise<JsonObject>;
  /** @param ms milliseconds @throws {Error} when the outcome is no longer wanted */
  pause(ms: number): Promise<void>;
}

/** A task that takes longer than this many questions is given up. */
const mostPolls = 500;

/** How often it is asked when nothing is said of it, in milliseconds. */
const usualInterval = 50;

/**
 * Follows a task to its end. @param made the task, as it was shown when it was made
 * @throws {Error} when it fails, or does not come to an end
 */
export async function outcomeOf(made: JsonObject, requestor: Requestor): Promise<JsonObject> {
  const id = { taskId: made.taskId! };
  let task = made;
  for (let polls = 0; polls < mostPolls; polls++) {
    const ended = ['completed', 'failed', 'cancelled'].includes(String(task.status));
    if (ended) return requestor.ask('tasks/result', id);
    if (task.status === 'input_required') {
      const reply = await requestor.ask('tasks/result', id).catch(() => undefined);
      if (reply) return reply;
    }
    await requestor.pause(Number(task.pollInterval ?? usualInterval));
    task = await requestor.ask('tasks/get', id);
  }
  throw new Error('The task does not come to an end.');
}

/** All tasks the other side has, but no more than ten pages. */
export async function listTasks(requestor: Pick<Requestor, 'ask'>): Promise<Json[]> {
  const tasks: Json[] = [];
  let cursor: Json | undefined;
  for (let page = 0; page < 10; page++) {
    const result = await requestor.ask('tasks/list', cursor === undefined ? {} : { cursor });
    if (Array.isArray(result.tasks)) tasks.push(...result.tasks);
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  return tasks;
}
