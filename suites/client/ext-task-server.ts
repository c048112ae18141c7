/** The harness as a server of the tasks extension: calls become tasks whose states a scenario plans. */

import { createHash } from 'node:crypto';
import type { Peer } from '../../harness/peer/peer.js';
import { RefusedRequest } from '../../harness/peer/requests.js';
import { envelopeKeys } from '../../harness/record/envelope.js';
import type { Message } from '../../harness/record/message.js';
import type { Serve, ServeHandler } from '../../harness/scenario/serve.js';
import { asText, isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { isEnded, tasksExtension } from '../rules/derived/ext-tasks.js';

/** The capabilities of a server with the extension. */
export const withTasks: JsonObject = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
  extensions: { [tasksExtension]: {} },
};

/** A task of the harness. */
interface TaskRun {
  /** The call that became the task. */
  readonly call: Message;
  readonly createdAt: string;
  /** States that the client was shown after the announcement, with the present one. */
  shown: number;
  /** The number of states shown at the first answer. */
  answeredAt: number | undefined;
  answers: JsonObject;
  isCancelled: boolean;
}

/** The next state of a task, with what belongs to it; undefined when the task no longer exists. */
export type TaskPlan = (run: TaskRun, peer: Peer) => JsonObject | undefined;

const known = new WeakMap<Peer, Map<string, TaskRun>>();

/** The id of the task that a call becomes: the same in each run, and no number that counts up. */
export const taskIdOf = ({ seq, idKey }: Message): string =>
  createHash('sha256').update(`${idKey} ${seq}`).digest('hex').slice(0, 24);

const runsOf = (peer: Peer): Map<string, TaskRun> => {
  const runs = known.get(peer) ?? new Map<string, TaskRun>();
  known.set(peer, runs);
  return runs;
};

/** Milliseconds between two polls that the harness suggests. */
const usualInterval = 20;

const shownOf = (taskId: string, { createdAt }: TaskRun, state: JsonObject): JsonObject => ({
  taskId,
  createdAt,
  lastUpdatedAt: createdAt,
  ttlMs: 600_000,
  pollIntervalMs: usualInterval,
  ...state,
});

/** The response that makes a task of a call. @param more members that differ from the usual ones */
export function announce(peer: Peer, call: Message, more: JsonObject = {}): JsonObject {
  const run: TaskRun = {
    call,
    createdAt: new Date().toISOString(),
    shown: 0,
    answeredAt: undefined,
    answers: {},
    isCancelled: false,
  };
  runsOf(peer).set(taskIdOf(call), run);
  return { resultType: 'task', ...shownOf(taskIdOf(call), run, { status: 'working', ...more }) };
}

const expired: JsonObject = {
  status: 'failed',
  statusMessage: 'The task has expired.',
  error: { code: -32603, message: 'The task has expired.' },
};

/** Where a server of tasks differs from the usual one. */
interface TaskServerOptions {
  /** Members of the announcement. */
  readonly announced?: JsonObject;
  /** The ordinary result of a call that stays without a task. */
  readonly plain?: (params: JsonObject, peer: Peer) => JsonObject | undefined;
}

/** Responses that make a task of each call. @param plan its states, also those that a subscription reports */
export function tasksBy(plan: TaskPlan, { announced, plain }: TaskServerOptions = {}): Serve {
  const find = (peer: Peer, id: Json | undefined): TaskRun => {
    const run = runsOf(peer).get(asText(id));
    if (!run) throw new RefusedRequest(-32602, `There is no task "${asText(id)}".`);
    return run;
  };
  const next = (peer: Peer, taskId: string, run: TaskRun): JsonObject | undefined => {
    run.shown++;
    const state = plan(run, peer);
    return state && shownOf(taskId, run, state);
  };
  /** Reports the states of a task to its subscriptions, until it ends or waits for the client. */
  const report = (peer: Peer, taskId: string): void => {
    const run = runsOf(peer).get(taskId);
    for (const { request } of run ? peer.requestsOfCase('subscriptions/listen') : []) {
      const filter = request.params?.notifications;
      const ids = isObject(filter) && Array.isArray(filter.taskIds) ? filter.taskIds : [];
      if (!ids.includes(taskId)) continue;
      for (let at = 0; at < 20; at++) {
        // a task that no longer exists fails first, for those who only listen
        const state = next(peer, taskId, run!) ?? shownOf(taskId, run!, expired);
        const _meta = { [envelopeKeys.subscriptionId]: request.id! };
        peer.notify('notifications/tasks', { ...state, _meta }, { during: request });
        const isOpen = state.status === 'input_required' && run!.answeredAt === undefined;
        if (isEnded(state.status) || isOpen) break;
      }
    }
  };
  const call: ServeHandler = (params, { peer, request }) =>
    plain?.(params, peer) ?? announce(peer, request, announced);
  return {
    'tools/call': call,
    'tasks/get': ({ taskId }, { peer }) => {
      const state = next(peer, asText(taskId), find(peer, taskId));
      if (!state) throw new RefusedRequest(-32602, `The task "${asText(taskId)}" has expired.`);
      return state;
    },
    'tasks/update': ({ taskId, inputResponses }, { peer }) => {
      const run = find(peer, taskId);
      run.answers = { ...run.answers, ...(isObject(inputResponses) && inputResponses) };
      run.answeredAt ??= run.shown;
      queueMicrotask(() => report(peer, asText(taskId)));
      return {};
    },
    'tasks/cancel': ({ taskId }, { peer }) => {
      find(peer, taskId).isCancelled = true;
      return {};
    },
    'subscriptions/listen': ({ notifications }, { peer, request, tell }) => {
      const filter = isObject(notifications) ? notifications : {};
      const ids = Array.isArray(filter.taskIds) ? filter.taskIds.map(String) : [];
      const honoured = ids.filter(id => runsOf(peer).has(id));
      tell('notifications/subscriptions/acknowledged', {
        notifications: { ...filter, ...(ids.length > 0 && { taskIds: honoured }) },
        _meta: { [envelopeKeys.subscriptionId]: request.id! },
      });
      queueMicrotask(() => {
        for (const id of honoured) report(peer, id);
      });
      return undefined;
    },
  };
}

export const working: JsonObject = { status: 'working' };
