/** The steps of scenarios about the tasks extension: calls that may become tasks, polls, answers, subscriptions. */

import { NotObserved } from '../../harness/peer/deferred.js';
import { acknowledged } from '../../harness/peer/expected-messages.js';
import type { Peer } from '../../harness/peer/peer.js';
import { envelopeKeys } from '../../harness/record/envelope.js';
import { type Exchange, type Message, resultOf } from '../../harness/record/message.js';
import { waitFor } from '../../harness/time/clock.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { isEnded, looksLikeTask, tasksExtension } from '../rules/derived/ext-tasks.js';

/** Capabilities of the conversations about tasks. */
export const withTasks: JsonObject = {
  roots: {},
  sampling: {},
  elicitation: {},
  extensions: { [tasksExtension]: {} },
};

/** The metadata of a request that declares nothing. */
export const undeclared: JsonObject = { [envelopeKeys.clientCapabilities]: {} };

/** The reason when no task exists to judge. */
export const noTask = 'no tools/call became a task';

/** An id that no server has given. */
export const unknownId = 'mcp-conform-no-such-task';

/** The id of the task that a response announces. */
export function taskIdIn(exchange: Exchange): string | undefined {
  const result = resultOf(exchange);
  if (!result || (result.resultType !== 'task' && !looksLikeTask(result))) return undefined;
  return typeof result.taskId === 'string' ? result.taskId : undefined;
}

export const call = (peer: Peer, tool: JsonObject, meta?: JsonObject): Promise<Exchange> =>
  peer.request('tools/call', tool, { timeoutFactor: 2, ...(meta && { meta }) });

/** Calls a tool. @returns the id of its task @throws {NotObserved} when the call becomes no task */
export async function taskFrom(peer: Peer, tool: JsonObject, meta?: JsonObject): Promise<string> {
  const taskId = taskIdIn(await call(peer, tool, meta));
  if (taskId === undefined) throw new NotObserved(noTask);
  return taskId;
}

export const getTask = (peer: Peer, taskId: string): Promise<Exchange> =>
  peer.request('tasks/get', { taskId });

export const statusIn = (exchange: Exchange): Json | undefined => resultOf(exchange)?.status;

/** The time until the next poll: what the server suggests, within the patience of the harness. */
function interval(peer: Peer, state: JsonObject | undefined): number {
  const { pollIntervalMs } = state ?? {};
  const suggested = typeof pollIntervalMs === 'number' && pollIntervalMs > 0 ? pollIntervalMs : 0;
  return Math.max(peer.timing.quiet / 2, Math.min(suggested, peer.timing.answer / 10));
}

const isOver = (state: Exchange): boolean => isEnded(statusIn(state));

/** Polls a task until it shows something, or ends. @returns the last state; of a task that takes long, an earlier one */
export async function pollUntil(
  peer: Peer,
  taskId: string,
  shows: (state: Exchange) => boolean,
): Promise<Exchange> {
  let state = await getTask(peer, taskId);
  for (let waited = 0; waited < peer.timing.answer && !peer.ended; ) {
    if (shows(state) || isOver(state) || !resultOf(state)) break;
    const pause = interval(peer, resultOf(state));
    await waitFor(new Promise<never>(() => {}), pause, peer.link.clock);
    waited += pause;
    state = await getTask(peer, taskId);
  }
  return state;
}

const asks = (state: Exchange): boolean => statusIn(state) === 'input_required';

/** The open questions in a state, by key. */
export function openIn(state: Exchange): JsonObject {
  const { inputRequests } = resultOf(state) ?? {};
  return asks(state) && isObject(inputRequests) ? inputRequests : {};
}

/** The answers of the harness to questions. */
export async function answersTo(peer: Peer, questions: JsonObject, shownBy: Message): Promise<JsonObject> {
  const answers: [string, JsonObject][] = [];
  for (const [key, asked] of Object.entries(questions)) {
    const answer = isObject(asked) ? await peer.answerTo(asked, shownBy) : undefined;
    if (answer) answers.push([key, answer]);
  }
  return Object.fromEntries(answers);
}

export const update = (peer: Peer, taskId: string, inputResponses: JsonObject, deliberate = false) =>
  peer.request('tasks/update', { taskId, inputResponses }, { deliberate });

/** Rounds of questions that a task may need. */
const mostRounds = 5;

/**
 * Polls a task to its end and answers what it asks; cancels one that does not end in time, or gets no answer.
 * @returns the last state
 */
export async function follow(peer: Peer, taskId: string): Promise<Exchange> {
  let state = await pollUntil(peer, taskId, asks);
  for (let round = 0; round < mostRounds && asks(state); round++) {
    const before = JSON.stringify(openIn(state));
    const answers = await answersTo(peer, openIn(state), state.reply!);
    if (Object.keys(answers).length === 0) break;
    await update(peer, taskId, answers);
    state = await pollUntil(peer, taskId, s => asks(s) && JSON.stringify(openIn(s)) !== before);
  }
  if (resultOf(state) && !isOver(state)) {
    await peer.request('tasks/cancel', { taskId });
    return getTask(peer, taskId);
  }
  return state;
}

interface TaskSubscription {
  /** The acknowledgement, or the response that refuses it; undefined at the timeout. */
  readonly shownBy: Message | undefined;
  readonly request: Message;
  /** The response, when there is one. */
  readonly done: Promise<Exchange>;
  stop(): Promise<void>;
}

/** Subscribes to tasks. */
export async function listenTo(
  peer: Peer,
  taskIds: readonly string[],
  meta?: JsonObject,
): Promise<TaskSubscription> {
  const pending = peer.start(
    'subscriptions/listen',
    { notifications: { taskIds: [...taskIds] } },
    { endless: true, ...(meta && { meta, deliberate: true }) },
  );
  const shownBy = await peer.expected.ofSubscription(pending.request);
  return {
    shownBy,
    request: pending.request,
    done: pending.done,
    async stop() {
      if (shownBy?.method === acknowledged) peer.cancel(pending);
      await peer.barrier();
    },
  };
}
