/** basic/utilities/tasks: tasks that need input from the client before they can continue. */

import { minimalObject } from '../../harness/generate/minimal.js';
import type { Peer } from '../../harness/peer/peer.js';
import type { HandlerResult } from '../../harness/peer/requests.js';
import { type Exchange, type Message, resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { asText, isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { begin, get, idIn, relatedTask, resultFor } from './task-steps.js';

const method = 'elicitation/create';
const asking = (message: string): JsonObject => ({ name: 'test_task_input', arguments: { message } });

/** The form content that a user would enter. */
const filledIn = (params: JsonObject | undefined): JsonObject => ({
  action: 'accept',
  content: isObject(params?.requestedSchema) ? minimalObject(params.requestedSchema) : {},
});

const relatedIn = (params: JsonObject | undefined): Json | undefined =>
  isObject(params?._meta) ? params._meta[relatedTask] : undefined;

/**
 * Sends tasks/get until the status changes, at most six times; immediately after a notification about a
 * change.
 */
async function stateOtherThan(peer: Peer, taskId: string, status: string): Promise<Exchange> {
  for (let left = 5; ; left--) {
    const state = await get(peer, taskId);
    if (left === 0 || resultOf(state)?.status !== status) return state;
    const isNews = ({ params, seq }: Message) =>
      seq > state.request.seq && params?.taskId === taskId && params.status !== status;
    await peer.waitUntil(() =>
      peer.conversation.notifications({ by: 'subject', method: 'notifications/tasks/status' }).some(isNews),
    );
  }
}

const whenAsked = [
  'tasks.input-required-status',
  'tasks.input-request-related',
  'tasks.input-required-left',
  'tasks.result-blocks',
] as const;

export const scenarios = [
  scenario('server/task-questions/one', {
    title:
      'a task that requires input has status input_required, is named in the request, and continues after the response',
    verifies: ['tasks.create-result-prompt', ...whenAsked],
    fixtures: ['tool test_task_input'],
    async run({ peer, expect }) {
      let answer: () => void = () => {};
      const held = new Promise<void>(resolve => {
        answer = resolve;
      });
      peer.handle(method, async (params): Promise<HandlerResult> => {
        await held;
        return filledIn(params);
      });
      const asked = peer.waitFor(m => m.method === method);
      const making = peer.start('tools/call', { ...asking('Who are you?'), task: { ttl: 60_000 } });
      await Promise.race([making.done, asked]);
      const prompt = await peer.waitUntil(() => peer.conversation.repliesTo(making.request).length > 0);
      if (!prompt) answer();
      const made = await making.done;
      const taskId = idIn(made);
      if (taskId === undefined) expect.notObserved('tasks.create-result-prompt', 'no task was created');
      else
        expect.that('tasks.create-result-prompt', {
          ok: prompt,
          expected: 'a task before its work is complete',
          evidence: [made],
          actual: 'no response before the end of its work',
        });
      if (taskId === undefined || !prompt)
        return expect.notObserved(whenAsked, 'no task was created in time');

      const retrieving = peer.start('tasks/result', { taskId }, { timeoutFactor: 5 });
      const question = await asked;
      if (!question) {
        peer.cancel(retrieving);
        return expect.notObserved(whenAsked, 'the task sends no request to the client');
      }
      await peer.barrier();
      const waiting = await get(peer, taskId);
      const { status } = resultOf(waiting) ?? {};
      const evidence = [made, question, waiting];
      expect.that('tasks.input-required-status', {
        ok: status === 'input_required',
        expected: 'status input_required',
        evidence,
        actual: `status ${status ?? 'absent'}`,
      });
      const related = relatedIn(question.params);
      const names = isObject(related) && typeof related.taskId === 'string';
      expect.that('tasks.input-request-related', {
        ok: names,
        expected: `metadata ${relatedTask}`,
        evidence: [made, question],
        actual: JSON.stringify(related) ?? 'nothing',
      });
      answer();
      const after = await stateOtherThan(peer, taskId, 'input_required');
      const left = resultOf(after)?.status !== 'input_required';
      expect.that('tasks.input-required-left', {
        ok: left,
        expected: 'another status after the response',
        evidence: [question, after],
        actual: 'status input_required',
      });
      if (!left) peer.cancel(retrieving);
      await retrieving.done;
      await get(peer, taskId);
    },
  }),

  scenario('server/task-questions/two', {
    title: 'requests of two tasks at the same time each name their own task',
    verifies: ['tasks.related-same-id'],
    fixtures: ['tool test_task_input'],
    async run({ peer, expect }) {
      const texts = ['mcp-conform-first', 'mcp-conform-second'];
      const made = await Promise.all(texts.map(text => begin(peer, asking(text))));
      const ids = made.map(idIn);
      await Promise.all(ids.map(id => id !== undefined && resultFor(peer, id)));
      const since = made[0]!.request.seq;
      const questions = peer.conversation.requests({ by: 'subject', method }).filter(m => m.seq > since);
      let seen = false;
      for (const question of questions) {
        const related = relatedIn(question.params);
        const at = texts.findIndex(text => asText(question.params?.message).includes(text));
        if (at < 0 || ids[at] === undefined) continue;
        // another row judges a request that names no task
        if (!isObject(related) || typeof related.taskId !== 'string') continue;
        seen = true;
        const own = related.taskId === ids[at];
        expect.that('tasks.related-same-id', {
          ok: own,
          expected: `the task ${ids[at]}`,
          evidence: [made[at], question],
          actual: `the task ${related.taskId}`,
        });
      }
      if (!seen) expect.notObserved('tasks.related-same-id', 'no request names a task');
    },
  }),
];
