/** The steps of scenarios about tasks: tool calls as tasks, their ends, their results. */

import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import { type Exchange, errorOf, type Message, resultOf } from '../../harness/record/message.js';
import type { Context } from '../../harness/scenario/scenario.js';
import { waitFor } from '../../harness/time/clock.js';
import { asText, isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';

export const relatedTask = 'io.modelcontextprotocol/related-task';
export const minute = 60_000;

/** Calls a tool as a task. */
export const begin = (peer: Peer, tool: JsonObject, more: JsonObject = {}, meta?: JsonObject) =>
  peer.request(
    'tools/call',
    { ...tool, task: { ttl: minute, ...more } },
    // a server that creates no task may respond only after the work
    { timeoutFactor: 5, ...(meta && { meta }) },
  );

export const working = (args: JsonObject = {}): JsonObject => ({ name: 'test_task', arguments: args });

/** The id of the task in a response. */
export function idIn(made: Exchange): string | undefined {
  const task = resultOf(made)?.task;
  return isObject(task) && typeof task.taskId === 'string' ? task.taskId : undefined;
}

export const get = (peer: Peer, taskId: string): Promise<Exchange> => peer.request('tasks/get', { taskId });

/**
 * Waits for the result of a task, for a limited time: a long task is no violation. A task that has ended owes its
 * result: the wait then lasts as long as that for any response.
 */
export async function resultFor(peer: Peer, taskId: string, patience = 1): Promise<Exchange> {
  for (let left = patience; ; ) {
    const pending = peer.start('tasks/result', { taskId });
    if (await waitFor(pending.done, peer.timing.answer / 5, peer.link.clock)) return pending.done;
    if (isOver(await get(peer, taskId))) return pending.done;
    peer.cancel(pending);
    if (peer.ended || --left <= 0) return pending.done;
  }
}

export const progressWith = ({ conversation }: Peer, token: string): Message[] =>
  conversation
    .notifications({ by: 'subject', method: 'notifications/progress' })
    .filter(m => m.params?.progressToken === token);

export const statusIn = (exchange: Exchange): Json | undefined => resultOf(exchange)?.status;

const isOver = (exchange: Exchange): boolean =>
  ['completed', 'failed', 'cancelled'].includes(asText(statusIn(exchange)));

/** The result and then the state of a task; a result that came too early is requested again. */
export async function endOf(
  peer: Peer,
  taskId: string | undefined,
  asExpected: (result: Exchange) => boolean,
) {
  if (taskId === undefined) return {};
  const result = await resultFor(peer, taskId);
  const state = await get(peer, taskId);
  if (asExpected(result)) return { result, state };
  const again = await resultFor(peer, taskId);
  return { result: asExpected(again) ? again : result, state };
}

/**
 * Waits for the end of a task of an unknown tool, for a short time and then as long as other cases run; then cancels
 * the task.
 * @returns the remaining work, for the time when the server has had its time to respond
 */
export async function seeThrough(
  peer: Peer,
  taskId: string,
  beside: Context['waitWhileOthersRun'],
): Promise<() => void> {
  const result = peer.start('tasks/result', { taskId }, { timeoutFactor: 2 });
  let over = false;
  void result.done.then(() => {
    over = true;
  });
  const cancels = declares(peer.declared, 'tasks.cancel');
  const came =
    (await waitFor(result.done, peer.timing.answer / 10, peer.link.clock)) ||
    (await beside(waitFor(result.done, (peer.timing.answer / 5) * 3)));
  if (!came || !isOver(await get(peer, taskId))) if (cancels) await peer.request('tasks/cancel', { taskId });
  await get(peer, taskId);
  if (cancels) await peer.request('tasks/cancel', { taskId }, { deliberate: true });
  return () => {
    if (!over) peer.cancel(result);
  };
}

/** Cancels a task in a request with the metadata of another task. */
export async function cancelWithOtherMetadata(peer: Peer): Promise<void> {
  if (!declares(peer.declared, 'tasks.cancel')) return;
  const create = async () => idIn(await begin(peer, working({ durationMs: 100 })));
  const [taskId, other] = [await create(), await create()];
  if (taskId === undefined || other === undefined) return;
  const meta = { [relatedTask]: { taskId: other } };
  await peer.request('tasks/cancel', { taskId }, { meta, deliberate: true });
}

/** Creates a task of an unknown tool and cancels it at once. @returns the id of the task if it was cancelled */
export async function cancelledAtOnce(peer: Peer, tool: JsonObject): Promise<string | undefined> {
  if (!declares(peer.declared, 'tasks.cancel')) return undefined;
  const taskId = idIn(await begin(peer, tool));
  if (taskId === undefined) return undefined;
  return resultOf(await peer.request('tasks/cancel', { taskId })) && taskId;
}

/**
 * Which of the tasks tasks/list leaves out, although tasks/get returns them before and after; undefined when the list
 * is not complete.
 */
export async function unlisted(peer: Peer, ids: readonly string[]) {
  const states = () => Promise.all(ids.map(taskId => get(peer, taskId)));
  const before = await states();
  const { items, exchanges } = await peer.list('tasks/list', 'tasks', mostPages);
  const after = await states();
  const last = exchanges.at(-1);
  if (!last || !exchanges.every(resultOf) || resultOf(last)?.nextCursor !== undefined) return undefined;
  const shown = new Set(items.map(task => task.taskId));
  const missing = after.filter((state, n) => resultOf(before[n]!) && resultOf(state) && !shown.has(ids[n]!));
  return { missing, exchanges };
}

const mostPages = 10;

/** A result without the members that only tasks add. */
export function plain(exchange: Exchange): string {
  const { _meta: meta, ...rest } = resultOf(exchange) ?? {};
  const { [relatedTask]: _, ...others } = isObject(meta) ? meta : {};
  return JSON.stringify([Object.entries(rest).sort(), Object.entries(others).sort()]);
}

export const errorText = (exchange: Exchange): string => {
  const { code, message, data } = errorOf(exchange) ?? {};
  return JSON.stringify([code, message, data]);
};

/** The reason when no task exists to judge. */
export const noTask = 'no task was created';

export const shownByAnyTask = [
  'tasks.create-result-returned',
  'tasks.id-string',
  'tasks.id-unique',
  'tasks.id-unguessable',
  'tasks.created-at',
  'tasks.last-updated-at',
  'tasks.ttl-reported',
  'tasks.param-is-truth',
  'tasks.valid-transitions',
  'tasks.response-without-related',
] as const;

export const whenCompleted = [
  'tasks.result-exact',
  'tasks.result-of-terminal',
  'tasks.result-same-result',
  'tasks.result-related',
  'tasks.starts-working',
  'tasks.status-notification-unrelated',
  'tasks.terminal-final',
] as const;

/** The rows that a cancelled task shows, where it was at work. */
export const shownWhenCancelled = [
  'tasks.cancel-before-response',
  'tasks.cancel-sticks',
  'tasks.cancel-stops',
] as const;

/** The rows that the progress of a task shows. */
export const shownByProgress = [
  'tasks.messages-related',
  'progress.task-token-continues',
  'progress.task-same-token',
  'progress.task-stops-at-terminal',
] as const;

export const whenCancelled = [...shownWhenCancelled, 'tasks.cancel-terminal-rejected'] as const;
