/** The tasks extension (io.modelcontextprotocol/tasks) for servers that declare it. */

import { NotObserved } from '../../harness/peer/deferred.js';
import { errorOf, resultOf } from '../../harness/record/message.js';
import { encodeHeader } from '../../harness/record/mirrored-headers.js';
import { describe } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { isEnded, isExpired } from '../rules/derived/ext-tasks.js';
import { sameJson } from '../rules/derived/results.js';
import { refusedForExtension } from '../rules/server/ext-tasks.js';
import {
  answersTo,
  call,
  follow,
  getTask,
  listenTo,
  noTask,
  openIn,
  pollUntil,
  statusIn,
  taskFrom,
  taskIdIn,
  undeclared,
  unknownId,
  update,
  withTasks,
} from './ext-task-steps.js';

/** Rows that rules judge on any task. */
const shownByAnyTask = [
  'ext-tasks.create-result-type',
  'ext-tasks.type-reserved',
  'ext-tasks.durable-on-creation',
  'ext-tasks.consistent-on-creation',
  'ext-tasks.get-returns-task',
  'ext-tasks.get-result-type',
  'ext-tasks.id-unguessable',
  'ext-tasks.timestamps',
  'ext-tasks.integers',
] as const;

/** The most calls, and the most tasks, for which unknown tools are tried. */
const mostCalls = 12;
const mostTasks = 3;

const test = (args: JsonObject = {}): JsonObject => ({ name: 'test_task', arguments: args });

/** The members of a result of a tool that the specification defines; others may belong to the response alone. */
function bare(result: Json | undefined): Json {
  if (!isObject(result)) return result ?? null;
  const { content = null, structuredContent = null, isError = false } = result;
  return { content, structuredContent, isError };
}

export const scenarios = [
  scenario('server/ext-tasks/any-tool', {
    title: 'a tool that is safe to call becomes a task, which is polled to its end',
    verifies: [...shownByAnyTask, 'ext-tasks.only-if-declared'],
    era: 'modern',
    declares: withTasks,
    async run({ peer, expect, known }) {
      const tools = known.callable.filter(t => !known.slowTools.has(t.name)).slice(0, mostCalls);
      let made = 0;
      for (const tool of tools) {
        const taskId = taskIdIn(await call(peer, { ...tool }));
        if (taskId === undefined) continue;
        // an earlier declaration does not count
        await call(peer, { ...tool }, undeclared);
        await follow(peer, taskId);
        if (++made === mostTasks || peer.ended) break;
      }
      if (made > 0) return;
      expect.notObserved(shownByAnyTask, noTask);
      expect.notObserved('ext-tasks.only-if-declared', noTask);
    },
  }),

  scenario('server/ext-tasks/undeclared', {
    title: 'requests about tasks without the extension are refused with -32021',
    verifies: ['ext-tasks.methods-undeclared'],
    era: 'modern',
    declares: withTasks,
    async run({ peer, known }) {
      const tool = known.callable.find(t => t.name === 'test_task');
      const taskId = (tool && taskIdIn(await call(peer, test()))) ?? unknownId;
      const options = { meta: undeclared, deliberate: true };
      await peer.request('tasks/get', { taskId }, options);
      await peer.request('tasks/update', { taskId, inputResponses: {} }, options);
      await peer.request('tasks/cancel', { taskId }, options);
    },
  }),

  scenario('server/ext-tasks/listen-undeclared', {
    title: 'subscriptions/listen with task ids and without the extension is refused with -32021',
    verifies: ['ext-tasks.listen-undeclared'],
    era: 'modern',
    declares: withTasks,
    async run({ peer, expect }) {
      const listening = await listenTo(peer, [unknownId], undeclared);
      const { shownBy, request } = listening;
      if (!shownBy) throw new NotObserved('there is no response');
      if (errorOf({ request, reply: shownBy, deadline: undefined })?.code === -32601)
        throw new NotObserved('the server has no subscriptions/listen');
      const judgement =
        shownBy.method === undefined
          ? refusedForExtension({ request, reply: shownBy, deadline: undefined })
          : undefined;
      expect.that('ext-tasks.listen-undeclared', {
        ok: judgement?.verdict === 'pass',
        expected: 'error -32021 with the extension in data.requiredCapabilities',
        evidence: [request, shownBy],
        actual: shownBy.method ?? describe({ request, reply: shownBy, deadline: undefined }),
      });
      await listening.stop();
    },
  }),

  scenario('server/ext-tasks/unknown-id', {
    title: 'requests about an unknown task are refused with -32602',
    verifies: [
      'ext-tasks.get-unknown-id',
      'ext-tasks.update-unknown-id',
      'ext-tasks.cancel-unknown-id',
      'ext-tasks.error-informative',
    ],
    era: 'modern',
    declares: withTasks,
    async run({ peer, expect }) {
      const options = { deliberate: true };
      for (const taskId of [unknownId, '']) {
        expect('ext-tasks.get-unknown-id', await peer.request('tasks/get', { taskId }, options)).error(
          -32602,
        );
        const updated = await peer.request('tasks/update', { taskId, inputResponses: {} }, options);
        expect('ext-tasks.update-unknown-id', updated).error(-32602);
        const cancelled = await peer.request('tasks/cancel', { taskId }, options);
        expect('ext-tasks.cancel-unknown-id', cancelled).error(-32602);
      }
    },
  }),

  scenario('server/ext-tasks/required', {
    title: 'a call without the extension of a tool that works as a task only is refused with -32021',
    verifies: ['ext-tasks.required-capability-error'],
    era: 'modern',
    declares: withTasks,
    fixtures: ['tool test_task_required'],
    async run({ peer, expect }) {
      const tool = { name: 'test_task_required', arguments: { text: 'done' } };
      const taskId = await taskFrom(peer, tool);
      const refused = await call(peer, tool, undeclared);
      if (!refused.reply) throw new NotObserved('there is no response');
      const ok = resultOf(refused) !== undefined || refusedForExtension(refused)?.verdict === 'pass';
      expect.that('ext-tasks.required-capability-error', {
        ok,
        expected: 'error -32021 with the extension in data.requiredCapabilities',
        evidence: [refused],
        actual: describe(refused),
      });
      await follow(peer, taskId);
    },
  }),

  scenario('server/ext-tasks/completed', {
    title: 'a completed task has the result of the same call without a task',
    verifies: ['ext-tasks.result-exact', 'ext-tasks.get-completed-result'],
    era: 'modern',
    declares: withTasks,
    fixtures: ['tool test_task'],
    async run({ peer, expect }) {
      const [one, other] = [await call(peer, test(), undeclared), await call(peer, test(), undeclared)];
      const taskId = await taskFrom(peer, test());
      const state = await follow(peer, taskId);
      await getTask(peer, taskId);
      if (statusIn(state) !== 'completed')
        expect.notObserved('ext-tasks.get-completed-result', 'no task is completed');
      const plain = bare(resultOf(one));
      const result = resultOf(state)?.result;
      const isPlain = resultOf(one) !== undefined && taskIdIn(one) === undefined;
      if (!isPlain || !sameJson(plain, bare(resultOf(other))) || !isObject(result))
        return expect.notObserved('ext-tasks.result-exact', 'there is no stable result to compare with');
      expect.that('ext-tasks.result-exact', {
        ok: sameJson(plain, bare(result)),
        expected: `the same as without a task: ${describe(one)}`,
        evidence: [one, state],
        actual: JSON.stringify(result).slice(0, 200),
      });
    },
  }),

  scenario('server/ext-tasks/tool-error', {
    title: 'a task whose tool fails is completed, with isError in its result',
    verifies: ['ext-tasks.failed-only-for-errors', 'ext-tasks.tool-error-completed'],
    era: 'modern',
    declares: withTasks,
    fixtures: ['tool test_task'],
    async run({ peer, expect }) {
      const tool = test({ outcome: 'tool-error' });
      const plain = await call(peer, tool, undeclared);
      const taskId = await taskFrom(peer, tool);
      if (resultOf(plain)?.isError !== true) throw new NotObserved('the tool does not fail');
      const state = await follow(peer, taskId);
      const status = statusIn(state);
      if (!isEnded(status)) throw new NotObserved('the task does not end');
      if (isExpired(peer.conversation, taskId, state.reply!)) throw new NotObserved('the ttl has passed');
      for (const row of ['ext-tasks.failed-only-for-errors', 'ext-tasks.tool-error-completed'] as const)
        expect.that(row, {
          ok: row === 'ext-tasks.tool-error-completed' ? status === 'completed' : status !== 'failed',
          expected: 'status completed',
          evidence: [plain, state],
          actual: JSON.stringify(status ?? null),
        });
    },
  }),

  scenario('server/ext-tasks/refused', {
    title: 'a task of a request that fails has the error of the same request without a task',
    verifies: ['ext-tasks.error-exact', 'ext-tasks.get-failed-error', 'ext-tasks.failed-status-message'],
    era: 'modern',
    declares: withTasks,
    fixtures: ['tool test_task'],
    async run({ peer, expect }) {
      const tool = test({ outcome: 'protocol-error' });
      const plain = await call(peer, tool, undeclared);
      const error = errorOf(plain);
      const taskId = await taskFrom(peer, tool);
      if (!error) throw new NotObserved('the tool does not fail');
      const state = await follow(peer, taskId);
      const failure = resultOf(state)?.error;
      if (statusIn(state) !== 'failed') throw new NotObserved('no task has the status failed');
      if (!isObject(failure) || isExpired(peer.conversation, taskId, state.reply!))
        return expect.notObserved('ext-tasks.error-exact', 'the task has no error, or its ttl has passed');
      expect.that('ext-tasks.error-exact', {
        // the message may name what differs, such as a time
        ok: failure.code === error.code,
        expected: describe(plain),
        evidence: [plain, state],
        actual: JSON.stringify(failure).slice(0, 200),
      });
    },
  }),

  scenario('server/ext-tasks/cancelled', {
    title: 'a task at work has the status working, and tasks/cancel is acknowledged',
    verifies: [
      'ext-tasks.get-working',
      'ext-tasks.cancel-acknowledged',
      'ext-tasks.cancel-result-type',
      'ext-tasks.get-cancelled',
    ],
    era: 'modern',
    declares: withTasks,
    fixtures: ['tool test_task'],
    async run({ peer, expect }) {
      const taskId = await taskFrom(peer, test({ durationMs: 60_000 }));
      const state = await getTask(peer, taskId);
      if (resultOf(state) && !isExpired(peer.conversation, taskId, state.reply!))
        expect.that('ext-tasks.get-working', {
          ok: statusIn(state) === 'working',
          expected: 'status working',
          evidence: [state],
          actual: JSON.stringify(statusIn(state) ?? null),
        });
      else expect.notObserved('ext-tasks.get-working', 'tasks/get returns no task, or its ttl has passed');
      const cancelled = await peer.request('tasks/cancel', { taskId });
      const after = await pollUntil(peer, taskId, () => false);
      if (resultOf(cancelled)) await getTask(peer, taskId);
      if (statusIn(after) !== 'cancelled')
        expect.notObserved('ext-tasks.get-cancelled', 'no task has the status cancelled');
      if (!resultOf(cancelled))
        expect.notObserved('ext-tasks.cancel-result-type', 'tasks/cancel returns no result');
      if (cancelled.reply && !resultOf(cancelled) && isExpired(peer.conversation, taskId, cancelled.reply))
        expect.notObserved('ext-tasks.cancel-acknowledged', 'the ttl of the task has passed');
    },
  }),

  scenario('server/ext-tasks/input', {
    title: 'a task that asks for input goes on after tasks/update, and ignores unknown keys',
    verifies: [
      'ext-tasks.get-input-requests',
      'ext-tasks.unknown-keys-ignored',
      'ext-tasks.update-acknowledged',
      'ext-tasks.update-result-type',
      'ext-tasks.keys-unique',
      'ext-tasks.key-one-request',
    ],
    era: 'modern',
    declares: withTasks,
    fixtures: ['tool test_task_input'],
    async run({ peer, expect }) {
      const tool = { name: 'test_task_input', arguments: { message: 'Who are you?' } };
      const taskId = await taskFrom(peer, tool);
      const state = await pollUntil(peer, taskId, s => statusIn(s) === 'input_required');
      if (statusIn(state) !== 'input_required') throw new NotObserved('the task asks for no input');
      const stranger = { 'mcp-conform-no-such-key': { action: 'cancel' } };
      expect('ext-tasks.unknown-keys-ignored', await update(peer, taskId, stranger, true)).result();
      await follow(peer, taskId);
    },
  }),

  scenario('server/ext-tasks/two-inputs', {
    title: 'a task that asks two questions shows both, and the second one after an answer to the first',
    verifies: ['ext-tasks.get-all-outstanding', 'ext-tasks.key-not-reused'],
    era: 'modern',
    declares: withTasks,
    fixtures: ['tool test_task_two_inputs'],
    async run({ peer, expect }) {
      const taskId = await taskFrom(peer, { name: 'test_task_two_inputs', arguments: {} });
      const state = await pollUntil(peer, taskId, s => statusIn(s) === 'input_required');
      if (statusIn(state) !== 'input_required') throw new NotObserved('the task asks for no input');
      const keys = Object.keys(openIn(state));
      expect.that('ext-tasks.get-all-outstanding', {
        ok: keys.length === 2,
        expected: 'both questions',
        evidence: [state],
        actual: `${keys.length} questions`,
      });
      const [first] = Object.entries(openIn(state));
      if (first) await update(peer, taskId, await answersTo(peer, Object.fromEntries([first]), state.reply!));
      await getTask(peer, taskId);
      expect.noViolation('ext-tasks.key-not-reused', [state]);
      await follow(peer, taskId);
    },
  }),

  scenario('server/ext-tasks/subscription', {
    title: 'a subscription to a task reports its states, and nothing of other tasks',
    verifies: ['ext-tasks.acknowledged-ids', 'ext-tasks.notified-tasks', 'ext-tasks.no-progress-on-listen'],
    era: 'modern',
    declares: withTasks,
    fixtures: ['tool test_task_input'],
    async run({ peer, expect }) {
      const tool = { name: 'test_task_input', arguments: { message: 'Who are you?' } };
      const meta = { progressToken: 'of a task' };
      const taskId = await taskFrom(peer, tool, meta);
      const other = await taskFrom(peer, tool, meta);
      const listening = await listenTo(peer, [taskId, unknownId]);
      if (listening.shownBy?.method === undefined)
        expect.notObserved(
          ['ext-tasks.acknowledged-ids', 'ext-tasks.notified-tasks', 'ext-tasks.no-progress-on-listen'],
          'the server refuses the subscription',
        );
      else {
        const sent = () =>
          peer.conversation.notifications({ by: 'subject', method: 'notifications/tasks' }).length;
        await follow(peer, other);
        await follow(peer, taskId);
        await peer.waitUntil(() => sent() > 0);
        if (sent() === 0) expect.notObserved('ext-tasks.notified-tasks', 'the server sends no notification');
        expect.noViolation('ext-tasks.acknowledged-ids', [listening.shownBy]);
        expect.noViolation('ext-tasks.no-progress-on-listen', [listening.shownBy]);
      }
      await listening.stop();
    },
  }),

  scenario.http('server/ext-tasks/headers', {
    title: 'a request about a task whose Mcp-Method or Mcp-Name differs from the body is refused with -32020',
    verifies: ['http-headers.mismatch-rejected', 'http-headers.mismatch-code'],
    era: 'modern',
    declares: withTasks,
    fixtures: ['tool test_task'],
    async run({ peer, http, expect }) {
      const taskId = await taskFrom(peer, test({ durationMs: 60_000 }));
      const cases = [
        ['tasks/get', {}],
        ['tasks/update', { inputResponses: {} }],
        ['tasks/cancel', {}],
      ] as const;
      for (const [method, more] of cases) {
        const body = {
          jsonrpc: '2.0',
          id: peer.nextId(),
          method,
          params: peer.era.dress(peer, { taskId, ...more }) ?? {},
        };
        for (const headers of [{ 'Mcp-Name': encodeHeader(unknownId) }, { 'Mcp-Method': 'tools/list' }]) {
          const refused = await http.fetch({ body: { ...body, id: peer.nextId() }, headers });
          const { error } = (refused.received[0]?.json ?? {}) as { error?: JsonObject };
          const [name, value] = Object.entries(headers)[0]!;
          expect.that('http-headers.mismatch-rejected', {
            ok: error !== undefined || (refused.status ?? 0) >= 400,
            expected: `${method} with ${name}: ${value} to be refused`,
            evidence: [refused],
            actual: `status ${refused.status}`,
          });
          if (error)
            expect.that('http-headers.mismatch-code', {
              ok: error.code === -32020,
              expected: 'error -32020',
              evidence: [refused],
              actual: JSON.stringify(error).slice(0, 200),
            });
        }
      }
      await peer.request('tasks/cancel', { taskId });
    },
  }),
];
