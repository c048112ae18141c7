/** basic/utilities/tasks for servers that run tool calls as tasks. Requests to clients: task-questions.ts. */

import { NotObserved } from '../../harness/peer/deferred.js';
import { declares } from '../../harness/record/conversation.js';
import { errorOf, resultOf } from '../../harness/record/message.js';
import { describe } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { isObject } from '../../spec/json-rpc.js';
import { noTool } from '../shared/callable.js';
import { callToRefuse } from './calls.js';
import { listTools } from './lists.js';
import {
  begin,
  cancelledAtOnce,
  cancelWithOtherMetadata,
  endOf,
  errorText,
  get,
  idIn,
  minute,
  noTask,
  plain,
  progressWith,
  relatedTask,
  resultFor,
  seeThrough,
  shownByAnyTask,
  shownByProgress,
  shownWhenCancelled,
  statusIn,
  unlisted,
  whenCancelled,
  whenCompleted,
  working,
} from './task-steps.js';

export const scenarios = [
  scenario('server/tasks/undeclared', {
    title: 'a server that does not declare tasks treats a tools/call with a task as an ordinary call',
    verifies: ['tasks.undeclared-type-processed-normally', 'tasks.capability-declared'],
    fixtures: ['tool test_simple_text'],
    async run({ peer, expect }) {
      if (declares(peer.declared, 'tasks.requests.tools.call')) {
        expect.notObserved('tasks.undeclared-type-processed-normally', 'the server declares tasks');
        return expect.notObserved('tasks.capability-declared', 'the server declares tasks');
      }
      const params = { name: 'test_simple_text', arguments: {}, task: { ttl: minute } };
      const call = await peer.request('tools/call', params, { deliberate: true });
      const ordinary = idIn(call) === undefined;
      expect('tasks.undeclared-type-processed-normally', call).result(() =>
        ordinary ? undefined : 'an ordinary result',
      );
      expect.noViolation('tasks.capability-declared', [call]);
    },
  }),

  scenario('server/tasks/any-tool', {
    title: 'a tool that is safe to call runs as a task, and the task is well formed',
    isolation: 'slow',
    verifies: [...shownByAnyTask, 'tasks.list-contains-gettable'],
    async run({ peer, expect, known, waitWhileOthersRun }) {
      const row = 'tasks.list-contains-gettable';
      await listTools(peer);
      const tools = known.tasks.slice(0, 3);
      const [first] = tools;
      const stopped = first && (await cancelledAtOnce(peer, { ...first }));
      const made = await Promise.all(
        tools.map((tool, n) => begin(peer, { ...tool }, {}, { progressToken: `any-tool-${n}` })),
      );
      const ids = made.map(idIn).filter(id => id !== undefined);
      const left = await Promise.all(ids.map(id => seeThrough(peer, id, waitWhileOthersRun)));
      const found = declares(peer.declared, 'tasks.list') ? await unlisted(peer, ids) : undefined;
      if (!found || ids.length === 0) expect.notObserved(row, 'no task, or no whole list of tasks');
      else
        expect.that(row, {
          ok: found.missing.length === 0,
          expected: 'every task that exists',
          evidence: [...found.exchanges.slice(-2), found.missing[0]],
          actual: `${found.missing.length} missing`,
        });
      if (ids.length === 0) expect.notObserved(shownByAnyTask, noTask);
      return async () => {
        for (const end of left) end();
        // by now the work of the cancelled task has ended, if it went on; a server may have deleted the task
        if (stopped !== undefined) await get(peer, stopped);
      };
    },
  }),

  scenario('server/tasks/forbidden', {
    title: 'a tools/call with a task is refused for a tool that does not support tasks',
    verifies: ['tasks.tool-forbidden-rejected'],
    async run({ peer, expect, known }) {
      const supporting = new Set(known.tasks.map(t => t.name));
      const silent = (name: string) => !known.tools.some(t => t.name === name && isObject(t.execution));
      const others = known.callable.filter(t => !supporting.has(t.name));
      await listTools(peer);
      const tools = [others.find(t => silent(t.name)), others.find(t => !silent(t.name))];
      for (const tool of tools) if (tool) await callToRefuse(peer, tool, { ...tool, task: { ttl: minute } });
      if (others.length === 0)
        expect.notObserved('tasks.tool-forbidden-rejected', noTool(known, 'forbids tasks'));
    },
  }),

  scenario('server/tasks/required', {
    title: 'a tools/call without a task is refused for a tool that requires tasks',
    verifies: ['tasks.tool-required-rejected'],
    async run({ peer, known }) {
      const plainly = new Set(known.callable.map(t => t.name));
      const tool = known.tasks.find(t => !plainly.has(t.name));
      if (!tool) throw new NotObserved('no callable tool requires a task');
      await listTools(peer);
      // whatever the tool takes, the refusal does not wait for it
      await peer.request('tools/call', { ...tool }, { deliberate: true });
    },
  }),

  scenario('server/tasks/completed', {
    title: 'tasks/result of a completed task returns the result of the same call without a task, each time',
    verifies: whenCompleted,
    fixtures: ['tool test_task'],
    async run({ peer, expect }) {
      const call = await peer.request('tools/call', working());
      const same = plain(await peer.request('tools/call', working())) === plain(call);
      const made = await begin(peer, working());
      const taskId = idIn(made);
      if (taskId === undefined) throw new NotObserved(noTask);
      const result = await resultFor(peer, taskId);
      await get(peer, taskId);
      for (let again = 0; again < 2; again++) {
        await resultFor(peer, taskId);
        await get(peer, taskId);
      }
      expect.noViolation('tasks.starts-working', [made]);
      expect.noViolation('tasks.status-notification-unrelated', [made]);
      if (same && resultOf(call) && resultOf(result))
        expect.that('tasks.result-exact', {
          ok: plain(result) === plain(call),
          expected: `the same as without a task: ${describe(call)}`,
          evidence: [call, result],
          actual: describe(result),
        });
      else expect.notObserved('tasks.result-exact', 'there is no stable result to compare with');
    },
  }),

  scenario('server/tasks/failed', {
    title:
      'a task whose tool fails has status failed and a status message, and returns the result of the tool',
    verifies: ['tasks.failed-status-message', 'tasks.tool-error-is-failed', 'tasks.result-same-result'],
    fixtures: ['tool test_task'],
    async run({ peer, expect }) {
      const tool = working({ outcome: 'tool-error' });
      const call = await peer.request('tools/call', tool);
      const taskId = idIn(await begin(peer, tool));
      const { result, state } = await endOf(peer, taskId, e => resultOf(e)?.isError === true);
      if (!result || resultOf(call)?.isError !== true) {
        expect.notObserved('tasks.result-same-result', 'no task was created for a tool that fails');
        expect.notObserved('tasks.tool-error-is-failed', 'no task was created for a tool that fails');
      } else {
        expect('tasks.result-same-result', result).result(r =>
          r.isError === true ? undefined : 'isError true',
        );
        if (!resultOf(result))
          expect.notObserved('tasks.tool-error-is-failed', 'tasks/result returns no result');
      }
      if (!state || statusIn(state) !== 'failed')
        expect.notObserved('tasks.failed-status-message', 'no task has status failed');
    },
  }),

  scenario('server/tasks/refused', {
    title: 'a task of a request that fails returns the error of the request without a task',
    verifies: ['tasks.result-same-error', 'tasks.failed-status-message'],
    fixtures: ['tool test_task'],
    async run({ peer, expect }) {
      const tool = working({ outcome: 'protocol-error' });
      const call = await peer.request('tools/call', tool);
      const taskId = idIn(await begin(peer, tool));
      const { result, state } = await endOf(peer, taskId, e => errorText(e) === errorText(call));
      if (!result?.reply || !errorOf(call))
        expect.notObserved('tasks.result-same-error', 'no task was created for a request that fails');
      else
        expect.that('tasks.result-same-error', {
          ok: errorText(result) === errorText(call),
          expected: describe(call),
          evidence: [call, result],
          actual: describe(result),
        });
      if (!state || statusIn(state) !== 'failed')
        expect.notObserved('tasks.failed-status-message', 'no task has status failed');
    },
  }),

  scenario('server/tasks/at-work', {
    title: 'tasks/result gets its response when the task ends, and progress arrives until then',
    verifies: ['tasks.result-blocks', ...shownByProgress],
    fixtures: ['tool test_task'],
    async run({ peer, expect }) {
      const token = 'of a task at work';
      const made = await begin(peer, working({ durationMs: 60 }), {}, { progressToken: token });
      const taskId = idIn(made);
      if (taskId === undefined) expect.notObserved('tasks.result-blocks', noTask);
      else {
        await resultFor(peer, taskId, 5);
        await get(peer, taskId);
      }
      return () => {
        const since = made.reply?.seq ?? Number.POSITIVE_INFINITY;
        if (progressWith(peer, token).some(m => m.seq > since)) return;
        expect.notObserved(shownByProgress, 'the server sent no progress');
      };
    },
  }),

  scenario('server/tasks/cancelled', {
    title: 'tasks/cancel takes effect immediately and permanently, and the work stops',
    verifies: whenCancelled,
    fixtures: ['tool test_task'],
    async run({ peer, expect }) {
      const token = 'of a task that is cancelled';
      const made = await begin(peer, working({ durationMs: 100 }), {}, { progressToken: token });
      const taskId = idIn(made);
      if (taskId === undefined) throw new NotObserved(noTask);
      await peer.waitUntil(() => progressWith(peer, token).length > 0);
      const cancel = await peer.request('tasks/cancel', { taskId });
      await get(peer, taskId);
      const known = progressWith(peer, token).length;
      return async () => {
        // by now the task would have ended
        await get(peer, taskId);
        await peer.request('tasks/cancel', { taskId }, { deliberate: true });
        if (!resultOf(cancel))
          return expect.notObserved(shownWhenCancelled, 'the task ended before the cancellation');
        // a server may delete a cancelled task immediately
        expect.noViolation('tasks.cancel-sticks', [cancel]);
        if (known === 0) return expect.notObserved('tasks.cancel-stops', 'the server sent no progress');
        const late = progressWith(peer, token)[known];
        expect.that('tasks.cancel-stops', {
          ok: !late,
          expected: 'no more progress',
          evidence: [made, cancel, late],
          actual: 'progress after tasks/cancel',
        });
      };
    },
  }),

  scenario('server/tasks/cancelled-too-late', {
    title: 'tasks/cancel of a task that has ended is refused',
    verifies: ['tasks.cancel-terminal-rejected'],
    fixtures: ['tool test_task'],
    async run({ peer, expect }) {
      for (const outcome of ['ok', 'tool-error']) {
        const taskId = idIn(await begin(peer, working({ outcome })));
        if (taskId === undefined) return expect.notObserved('tasks.cancel-terminal-rejected', noTask);
        await resultFor(peer, taskId);
        await get(peer, taskId);
        await peer.request('tasks/cancel', { taskId }, { deliberate: true });
        await get(peer, taskId);
      }
    },
  }),

  scenario('server/tasks/list', {
    title: 'tasks/list returns all existing tasks, page by page',
    verifies: ['tasks.list-next-cursor', 'tasks.list-contains-gettable'],
    fixtures: ['tool test_task'],
    async run({ peer, expect }) {
      const outcomes = ['tool-error', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'tool-error'];
      const made = await Promise.all(outcomes.map(outcome => begin(peer, working({ outcome }))));
      const ids = made.map(idIn).filter(id => id !== undefined);
      await Promise.all(ids.map(id => resultFor(peer, id)));
      const { items, exchanges } = await peer.list('tasks/list', 'tasks');
      const shown = new Set(items.map(task => task.taskId));
      const states = await Promise.all(ids.map(id => get(peer, id)));
      const missing = states.filter(s => resultOf(s) && !shown.has(resultOf(s)!.taskId!));
      const last = exchanges.at(-1);
      if (!last || !resultOf(last)) {
        expect.notObserved('tasks.list-next-cursor', 'tasks/list returns no list');
        return expect.notObserved('tasks.list-contains-gettable', 'tasks/list returns no list');
      }
      const evidence = [...exchanges.slice(-2), missing[0]];
      expect.that('tasks.list-contains-gettable', {
        ok: missing.length === 0,
        expected: 'every task that exists',
        evidence,
        actual: `${missing.length} missing`,
      });
      // a missing task with a listed status was cut off; a missing status was left out
      const kinds = new Set(items.map(task => task.status));
      const cutOff = missing.some(s => kinds.has(statusIn(s)!));
      expect.that('tasks.list-next-cursor', {
        ok: !cutOff,
        expected: 'a nextCursor, because there are more tasks',
        evidence,
        actual: 'no nextCursor',
      });
    },
  }),

  scenario('server/tasks/unknown-id', {
    title: 'an unknown task id, and an unknown cursor in tasks/list, get error -32602',
    verifies: ['tasks.unknown-id-error', 'tasks.error-informative'],
    async run({ peer, expect }) {
      const row = 'tasks.unknown-id-error';
      const cancels = declares(peer.declared, 'tasks.cancel');
      for (const taskId of ['mcp-conform-no-such-task', '']) {
        const methods = ['tasks/get', 'tasks/result', ...(cancels ? ['tasks/cancel'] : [])];
        const asked = methods.map(method => peer.request(method, { taskId }, { deliberate: true }));
        for (const exchange of await Promise.all(asked)) expect(row, exchange).error(-32602);
      }
      if (!declares(peer.declared, 'tasks.list')) return;
      const cursor = 'mcp-conform-made-this-up';
      expect(row, await peer.request('tasks/list', { cursor }, { deliberate: true })).error(-32602);
    },
  }),

  scenario('server/tasks/id-of-the-client', {
    title: 'the server assigns the id of a task, also when the client proposes one',
    verifies: ['tasks.id-by-receiver'],
    fixtures: ['tool test_task'],
    async run({ peer, expect }) {
      const task = { ttl: minute, taskId: 'mcp-conform-proposes-this-id' };
      const params = { ...working(), task };
      const made = await peer.request('tools/call', params, { deliberate: true });
      if (idIn(made) === undefined) expect.notObserved('tasks.id-by-receiver', noTask);
    },
  }),

  scenario('server/tasks/misleading-metadata', {
    title: 'a request about a task uses its taskId parameter, whatever its metadata',
    verifies: ['tasks.param-is-truth', 'tasks.request-related-ignored'],
    fixtures: ['tool test_task'],
    async run({ peer, expect }) {
      const [taskId, other] = [idIn(await begin(peer, working())), idIn(await begin(peer, working()))];
      if (taskId === undefined || other === undefined)
        return expect.notObserved(['tasks.param-is-truth', 'tasks.request-related-ignored'], noTask);
      await resultFor(peer, taskId);
      await get(peer, taskId);
      for (const related of [{ taskId: other }, { taskId: 'mcp-conform-no-such-task' }, 7])
        for (const method of ['tasks/get', 'tasks/result']) {
          const meta = { [relatedTask]: related };
          await peer.request(method, { taskId }, { meta, deliberate: true });
        }
      await get(peer, taskId);
      await resultFor(peer, taskId);
      await cancelWithOtherMetadata(peer);
    },
  }),

  scenario('server/tasks/kept-for-years', {
    title: 'a task with a requested ttl of ten years gets a shorter ttl',
    verifies: ['tasks.resource-management'],
    fixtures: ['tool test_task'],
    async run({ peer, expect }) {
      const ttl = 10 * 365 * 24 * 60 * minute;
      const made = await begin(peer, working(), { ttl });
      const task = resultOf(made)?.task;
      if (!isObject(task)) throw new NotObserved(noTask);
      const kept = typeof task.ttl === 'number' && task.ttl < ttl;
      expect.that('tasks.resource-management', {
        ok: kept,
        expected: 'a shorter ttl',
        evidence: [made],
        actual: `ttl ${JSON.stringify(task.ttl)}`,
      });
    },
  }),

  scenario.http('server/tasks/of-another-session', {
    title: 'tasks/list without credentials returns no task of another session',
    verifies: ['tasks.no-list-without-identity'],
    fixtures: ['tool test_task'],
    async run({ peer, newConversation, expect }) {
      const row = 'tasks.no-list-without-identity';
      const made = await begin(peer, working());
      const taskId = idIn(made);
      if (!declares(peer.declared, 'tasks.list')) throw new NotObserved('tasks.list is not declared');
      if (taskId === undefined) throw new NotObserved(noTask);
      if (peer.conversation.httpOf(made.request)?.requestHeader('authorization'))
        throw new NotObserved('both sessions belong to the same user');
      const other = await newConversation();
      await other.open();
      const { items, exchanges } = await other.list('tasks/list', 'tasks');
      const foreign = items.some(task => task.taskId === taskId);
      expect.that(row, {
        ok: !foreign,
        expected: 'a list without the tasks of the other session',
        evidence: exchanges,
        actual: `a list with the task ${taskId}`,
      });
    },
  }),
];
