/** The requestor of a task at the peer: polls its state and fetches its result. */

import type { Json, JsonObject } from '../spec/json-rpc.js';

interface Requestor {
  /** @throws {Error} when the response is an error or is missing */
  ask(method: string, params: JsonObject): Promise<JsonObject>;
  /** @param ms milliseconds @throws {Error} when the outcome is no longer needed */
  pause(ms: number): Promise<void>;
}

/** The maximum number of polls before a task is abandoned. */
const mostPolls = 500;

/** Milliseconds between polls when the task has no poll interval. */
const usualInterval = 50;

/**
 * Polls a task until it ends. @param made the task from the response that created it
 * @throws {Error} when the task fails, or does not end
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
  throw new Error('The task does not end.');
}

/** All tasks of the peer, at most ten pages. */
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
