/** basic/utilities/tasks for clients that run requests of the server as tasks. */

import { LacksCapability, NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import type { RequestOptions } from '../../harness/peer/requests.js';
import { declares } from '../../harness/record/conversation.js';
import { type Exchange, errorOf, resultOf } from '../../harness/record/message.js';
import { describe } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import {
  errorText,
  idIn,
  plain,
  progressWith,
  relatedTask,
  resultFor,
  statusIn,
  whenCancelled,
} from '../server/task-steps.js';
import { call, insist, serve } from './asking.js';
import { user } from './world.js';

const minute = 60_000;
const noTask = 'no task was created';
const tooEarly = 'the task ended before the cancellation';

/** Requests that a client can run as tasks. */
export const questions: Readonly<Record<string, JsonObject>> = {
  'sampling/createMessage': { messages: [user('What is 2 + 3?')], maxTokens: 100 },
  'elicitation/create': {
    message: 'Please fill in the form.',
    requestedSchema: { type: 'object', properties: { username: { type: 'string' } }, required: ['username'] },
  },
};
const [model, form] = Object.keys(questions) as [string, string];

/**
 * Sends a request. @param task the parameters of the task that the client has to create; default: an ordinary
 * request
 */
const ask = (
  peer: Peer,
  method: string,
  task?: JsonObject,
  options: RequestOptions = {},
): Promise<Exchange> =>
  // a client that creates no task may respond only after the work
  peer.request(method, { ...questions[method], ...(task && { task }) }, { timeoutFactor: 5, ...options });

const asTask = (peer: Peer, method: string, options?: RequestOptions): Promise<Exchange> =>
  ask(peer, method, { ttl: minute }, options);

const runs = (peer: Peer, method: string): boolean =>
  declares(peer.declared, `tasks.requests.${method.replace('/', '.')}`) &&
  declares(peer.declared, method.split('/')[0]!);

/**
 * The requests that the client runs as tasks.
 * @throws {NotObserved} when there is none, or not the wanted one
 */
async function taskable(peer: Peer, wanted?: string): Promise<string[]> {
  await peer.nextDeferred('tools/call');
  const methods = Object.keys(questions).filter(
    method => (wanted ?? method) === method && runs(peer, method),
  );
  if (methods.length === 0) throw new NotObserved(`the client runs no ${wanted ?? 'request'} as a task`);
  return methods;
}

/** A request that takes some time as a task, preferably one to a model. */
const lengthy = async (peer: Peer): Promise<string> => {
  const methods = await taskable(peer);
  return methods.includes(model) ? model : methods[0]!;
};

/** Requests the state of a task, without the poll interval that the client requests. */
const get = (peer: Peer, taskId: string): Promise<Exchange> =>
  peer.request('tasks/get', { taskId }, { deliberate: true });

/**
 * The result of a task, if it arrives within the timeout of one request; each attempt waits for a part of it.
 */
const outcome = (peer: Peer, taskId: string): Promise<Exchange> => resultFor(peer, taskId, 5);

/** Fetches the result, or waits for it until a timeout, and then requests the state. */
async function ending(peer: Peer, taskId: string): Promise<{ result: Exchange; state: Exchange }> {
  const result = await outcome(peer, taskId);
  return { result, state: await get(peer, taskId) };
}

const shownByAnyTask = [
  'tasks.create-result-returned',
  'tasks.id-string',
  'tasks.id-unique',
  'tasks.id-unguessable',
  'tasks.created-at',
  'tasks.last-updated-at',
  'tasks.ttl-reported',
  'tasks.starts-working',
  'tasks.valid-transitions',
  'tasks.param-is-truth',
  'tasks.response-without-related',
] as const;

const whenCompleted = [
  'tasks.result-of-terminal',
  'tasks.result-same-result',
  'tasks.result-related',
  'tasks.status-notification-unrelated',
  'tasks.terminal-final',
] as const;

const ofProgress = [
  'tasks.messages-related',
  'progress.task-token-continues',
  'progress.task-same-token',
  'progress.task-stops-at-terminal',
] as const;

export const scenarios = [
  scenario.client('client/tasks/undeclared', {
    title: 'a client that does not declare tasks responds to a request with a task as to any other',
    verifies: ['tasks.undeclared-type-processed-normally', 'tasks.capability-declared'],
    serve,
    does: call([], { without: ['tasks'] }),
    async run({ peer, expect }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'tasks', false);
      const methods = Object.keys(questions).filter(method => declares(peer.declared, method.split('/')[0]!));
      for (const method of methods) {
        if (!peer.vocabulary.requests.server.has(method) || !resultOf(await ask(peer, method))) continue;
        const asked = await asTask(peer, method, { deliberate: true });
        expect('tasks.undeclared-type-processed-normally', asked).result(() =>
          idIn(asked) === undefined ? undefined : 'an ordinary result',
        );
        expect.noViolation('tasks.capability-declared', [asked]);
      }
      if (methods.length === 0)
        throw new LacksCapability('the client declares neither sampling nor elicitation');
    },
  }),

  scenario.client('client/tasks/any-request', {
    title: 'a request that the client runs as a task creates a well-formed task',
    verifies: [...shownByAnyTask, ...whenCompleted],
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      let seen = 0;
      for (const method of await taskable(peer)) {
        const taskId = idIn(await asTask(peer, method));
        if (taskId === undefined) continue;
        seen++;
        await get(peer, taskId);
        for (let again = 0; again < 2; again++) await ending(peer, taskId);
        expect.noViolation('tasks.status-notification-unrelated', [(await ending(peer, taskId)).state]);
      }
      if (seen === 0) expect.notObserved([...shownByAnyTask, ...whenCompleted], noTask);
    },
  }),

  scenario.client('client/tasks/same-result', {
    title: 'tasks/result returns the result of the same request without a task',
    verifies: ['tasks.result-exact'],
    serve,
    does: call([['answer', form, 'accept', { username: 'ada' }]]),
    isolation: 'shared',
    async run({ peer, expect }) {
      await taskable(peer, form);
      const row = 'tasks.result-exact';
      const usual = await ask(peer, form);
      // a user may enter other content each time
      const steady = resultOf(usual) && plain(await ask(peer, form)) === plain(usual);
      const taskId = steady && idIn(await asTask(peer, form));
      if (!taskId) return expect.notObserved(row, 'there is no stable result to compare with');
      const result = await outcome(peer, taskId);
      if (!resultOf(result)) return expect.notObserved(row, 'tasks/result returns no result');
      const expected = `the same as without a task: ${describe(usual)}`;
      expect.that(row, {
        ok: plain(result) === plain(usual),
        expected,
        evidence: [usual, result],
        actual: describe(result),
      });
    },
  }),

  scenario.client('client/tasks/refused', {
    title:
      'a task of a request that the user rejects has status failed and a status message, and returns the error of the request',
    verifies: ['tasks.result-same-error', 'tasks.failed-status-message'],
    serve,
    does: call([['answer', model, 'refuse']]),
    isolation: 'shared',
    async run({ peer, expect }) {
      await taskable(peer, model);
      const usual = await ask(peer, model);
      const taskId = errorOf(usual) && idIn(await asTask(peer, model));
      if (!taskId)
        return expect.notObserved(
          ['tasks.result-same-error', 'tasks.failed-status-message'],
          'no task was created for a request that fails',
        );
      const { result, state } = await ending(peer, taskId);
      const same = errorText(result) === errorText(usual);
      const row = 'tasks.result-same-error';
      if (result.reply)
        expect.that(row, {
          ok: same,
          expected: describe(usual),
          evidence: [usual, result],
          actual: describe(result),
        });
      else expect.notObserved(row, 'tasks/result returns no result');
      if (statusIn(state) !== 'failed')
        expect.notObserved('tasks.failed-status-message', 'no task has status failed');
    },
  }),

  scenario.client('client/tasks/at-work', {
    title: 'tasks/result gets its response when the task ends, and progress arrives until then',
    verifies: ['tasks.result-blocks', ...ofProgress],
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      const token = 'of a task at work';
      const made = await asTask(peer, await lengthy(peer), { meta: { progressToken: token } });
      const taskId = idIn(made);
      if (taskId === undefined) return expect.notObserved(['tasks.result-blocks', ...ofProgress], noTask);
      await ending(peer, taskId);
      await peer.quietWindow();
      const since = made.reply!.seq;
      if (!progressWith(peer, token).some(m => m.seq > since))
        expect.notObserved(ofProgress, 'the client sent no progress');
    },
  }),

  scenario.client('client/tasks/cancelled', {
    title: 'tasks/cancel takes effect immediately and permanently, and the work stops',
    verifies: whenCancelled,
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      const token = 'of a task that is cancelled';
      const made = await asTask(peer, await lengthy(peer), { meta: { progressToken: token } });
      const taskId = idIn(made);
      if (taskId === undefined) return expect.notObserved(whenCancelled, noTask);
      const isAtWork = () => progressWith(peer, token).length > 0;
      for (let left = 5; left > 0 && !isAtWork(); left--) await peer.waitUntil(isAtWork);
      const cancel = await peer.request('tasks/cancel', { taskId });
      await get(peer, taskId);
      const known = progressWith(peer, token).length;
      await peer.quietWindow();
      // by now the task would have ended
      await get(peer, taskId);
      await peer.request('tasks/cancel', { taskId }, { deliberate: true });
      if (!resultOf(cancel))
        return expect.notObserved(
          ['tasks.cancel-before-response', 'tasks.cancel-sticks', 'tasks.cancel-stops'],
          tooEarly,
        );
      // a client may delete a cancelled task immediately
      expect.noViolation('tasks.cancel-sticks', [cancel]);
      if (known === 0) return expect.notObserved('tasks.cancel-stops', 'the client sent no progress');
      const late = progressWith(peer, token)[known];
      expect.that('tasks.cancel-stops', {
        ok: !late,
        expected: 'no more progress',
        evidence: [made, cancel, late],
        actual: 'progress after tasks/cancel',
      });
    },
  }),

  scenario.client('client/tasks/list', {
    title: 'tasks/list returns all existing tasks, page by page',
    verifies: ['tasks.list-next-cursor', 'tasks.list-contains-gettable'],
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      const [method] = await taskable(peer);
      const made = await Promise.all(Array.from({ length: 8 }, () => asTask(peer, method!)));
      const ids = made.map(idIn).filter(id => id !== undefined);
      await Promise.all(ids.map(id => outcome(peer, id)));
      const { items, exchanges } = await peer.list('tasks/list', 'tasks');
      const shown = new Set(items.map(task => task.taskId));
      const states = await Promise.all(ids.map(id => get(peer, id)));
      const missing = states.filter(s => resultOf(s) && !shown.has(resultOf(s)!.taskId!));
      const last = exchanges.at(-1);
      if (!last || !resultOf(last) || ids.length === 0)
        return expect.notObserved(
          ['tasks.list-next-cursor', 'tasks.list-contains-gettable'],
          'tasks/list returns no list',
        );
      const evidence = [...exchanges.slice(-2), missing[0]];
      expect.that('tasks.list-contains-gettable', {
        ok: missing.length === 0,
        expected: 'every task that exists',
        evidence,
        actual: `${missing.length} missing`,
      });
      // missing tasks at the end were cut off; other missing tasks were left out
      const lost = new Set(missing.map(s => resultOf(s)!.taskId));
      const cutOff = lost.size > 0 && ids.slice(-lost.size).every(id => lost.has(id));
      expect.that('tasks.list-next-cursor', {
        ok: !cutOff,
        expected: 'a nextCursor, because there are more tasks',
        evidence,
        actual: 'no nextCursor',
      });
    },
  }),

  scenario.client('client/tasks/unknown-id', {
    title: 'an unknown task id, and an unknown cursor in tasks/list, get error -32602',
    verifies: ['tasks.unknown-id-error', 'tasks.error-informative'],
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      const row = 'tasks.unknown-id-error';
      await taskable(peer);
      const [cancels, lists] = ['tasks.cancel', 'tasks.list'].map(path => declares(peer.declared, path));
      for (const taskId of ['mcp-conform-no-such-task', ''])
        for (const method of ['tasks/get', 'tasks/result', ...(cancels ? ['tasks/cancel'] : [])])
          expect(row, await peer.request(method, { taskId }, { deliberate: true })).error(-32602);
      const cursor = 'mcp-conform-made-this-up';
      if (lists)
        expect(row, await peer.request('tasks/list', { cursor }, { deliberate: true })).error(-32602);
    },
  }),

  scenario.client('client/tasks/wishes', {
    title: 'the client assigns the id of a task, and shortens a requested ttl of ten years',
    verifies: ['tasks.id-by-receiver', 'tasks.resource-management'],
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      const [method] = await taskable(peer);
      const taskId = 'mcp-conform-proposes-this-id';
      const named = await ask(peer, method!, { ttl: minute, taskId }, { deliberate: true });
      if (idIn(named) === undefined) expect.notObserved('tasks.id-by-receiver', noTask);
      const ttl = 10 * 365 * 24 * 60 * minute;
      const kept = await ask(peer, method!, { ttl });
      const task = resultOf(kept)?.task;
      const row = 'tasks.resource-management';
      if (!isObject(task)) return expect.notObserved(row, noTask);
      const shorter = typeof task.ttl === 'number' && task.ttl < ttl;
      expect.that(row, {
        ok: shorter,
        expected: 'a shorter ttl',
        evidence: [kept],
        actual: `ttl ${JSON.stringify(task.ttl)}`,
      });
    },
  }),

  scenario.client('client/tasks/misleading-metadata', {
    title: 'a request about a task uses its taskId parameter, whatever its metadata',
    verifies: ['tasks.param-is-truth', 'tasks.request-related-ignored'],
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      const [method] = await taskable(peer);
      const [taskId, other] = [idIn(await asTask(peer, method!)), idIn(await asTask(peer, method!))];
      if (taskId === undefined || other === undefined)
        return expect.notObserved(['tasks.param-is-truth', 'tasks.request-related-ignored'], noTask);
      await ending(peer, taskId);
      for (const related of [{ taskId: other }, { taskId: 'mcp-conform-no-such-task' }, 7])
        for (const about of ['tasks/get', 'tasks/result'])
          await peer.request(about, { taskId }, { meta: { [relatedTask]: related }, deliberate: true });
      await get(peer, taskId);
      await outcome(peer, taskId);
    },
  }),
];
