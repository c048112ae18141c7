/** The tasks extension at the reference client: what it does after a response that announces a task. */

import { declares } from '../../harness/record/conversation.js';
import { extensionPath } from '../../spec/extensions/index.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { AskOptions } from './ask.js';
import { Failure } from './failure.js';
import type { OpenSession } from './interfaces.js';
import { type TaskCourse, tasksExtension } from './long-task-habits.js';
import { pause } from './pause.js';

const ended: readonly unknown[] = ['completed', 'failed', 'cancelled'];

/** The parts of a session that follow a task. */
interface TaskSession extends OpenSession {
  readonly subscriptions: {
    watchTask(taskId: string, on: boolean): Promise<void>;
    nextState(taskId: string): Promise<JsonObject>;
  };
  askOnce(method: string, params: JsonObject | undefined, options: AskOptions): Promise<JsonObject>;
  answerTo(asked: JsonObject): Promise<JsonObject>;
}

/** Whether a result announces a task that this client follows. */
export function isFollowed({ parts, declared }: OpenSession, method: Json | undefined, result: JsonObject) {
  const { methods } = parts.habits.longTasks;
  const isKnown = typeof method === 'string' && methods.includes(method);
  return isKnown && result.resultType === 'task' && declares(declared, extensionPath(tasksExtension));
}

/**
 * Follows a task to its end. @returns the result of the request that became the task
 * @throws {Failure} when the task fails or is cancelled, or the client gives it up
 */
export async function followTask(
  session: TaskSession,
  announced: JsonObject,
  { onTask }: AskOptions,
): Promise<JsonObject> {
  const habits = session.parts.habits.longTasks;
  const taskId = String(announced.taskId);
  const unwanted = new AbortController();
  onTask?.({ taskId, unwanted });
  const withdrawn = () => new Failure('The request was cancelled.');
  const { subscriptions } = session;
  if (habits.listens !== 'no') await subscriptions.watchTask(taskId, true);
  const answered = new Set<string>();
  let course: TaskCourse = { announced, state: announced, polls: 0, updates: 0 };
  const poll = async () => {
    await pause(over => session.after(habits.interval(course), over), unwanted.signal, withdrawn);
    return session.askOnce('tasks/get', { taskId }, {});
  };
  while (!ended.includes(course.state.status)) {
    if (!habits.goesOn(course)) {
      if (habits.cancelsOnLeaving) await session.askOnce('tasks/cancel', { taskId }, {});
      throw new Failure('The task is given up.');
    }
    const state = await (habits.listens === 'only' ? subscriptions.nextState(taskId) : poll());
    course = { ...course, state, polls: course.polls + 1 };
    const given = await answersIn(session, state, answered);
    for (const inputResponses of Object.keys(given).length > 0 ? habits.inParts(given) : []) {
      await session.askOnce('tasks/update', { taskId, inputResponses }, {});
      course = { ...course, updates: course.updates + 1 };
    }
  }
  for (let more = habits.pollsAfterEnd; more > 0; more--) await poll();
  if (habits.listens !== 'no') await subscriptions.watchTask(taskId, false);
  const { status, result, error } = course.state;
  if (status === 'completed' && isObject(result)) return result;
  throw new Failure(`The task is ${String(status)}: ${JSON.stringify(error ?? null)}`);
}

/** The answers to the open questions of a state that get one now. */
async function answersIn(
  session: TaskSession,
  { status, inputRequests }: JsonObject,
  answered: Set<string>,
): Promise<JsonObject> {
  const answers: [string, JsonObject][] = [];
  if (status !== 'input_required' || !isObject(inputRequests)) return {};
  for (const [key, asked] of Object.entries(inputRequests)) {
    if (!isObject(asked) || !session.parts.habits.longTasks.answers(key, answered.has(key))) continue;
    answered.add(key);
    answers.push([key, await session.answerTo(asked)]);
  }
  return Object.fromEntries(answers);
}
