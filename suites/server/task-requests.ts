/** basic/utilities/tasks for servers that request the client to run their requests as tasks. */

import { NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import type { Pending } from '../../harness/peer/requests.js';
import type { Exchange } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { OwnTask } from '../shared/harness-task.js';
import { stillResponds } from '../shared/probe.js';

const declared = {
  sampling: {},
  tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } },
};
const call = { name: 'test_task_sampling', arguments: { prompt: 'Hi' } };
const sampled = {
  role: 'assistant',
  content: { type: 'text', text: 'A reply from mcp-conform.' },
  model: 'mcp-conform',
  stopReason: 'endTurn',
};
const asTask = (peer: Peer): OwnTask => new OwnTask(peer, 'sampling/createMessage', sampled);
const notTask = 'the server did not request a task';

const isAnswered = (peer: Peer, pending: Pending): boolean =>
  peer.conversation.repliesTo(pending.request).length > 0;

/** Waits until a condition is true or the call has a response, for a limited time. */
async function until(peer: Peer, pending: Pending, happened: () => boolean): Promise<void> {
  for (let left = 20; left > 0 && !happened() && !isAnswered(peer, pending) && !peer.ended; left--)
    await peer.waitUntil(() => happened() || isAnswered(peer, pending));
}

/** Completes the task, and cancels the call if it is still open. */
async function conclude(peer: Peer, task: OwnTask, pending: Pending): Promise<Exchange> {
  task.complete();
  await until(peer, pending, () => false);
  if (!isAnswered(peer, pending)) peer.cancel(pending);
  return pending.done;
}

const whenPolling = [
  'tasks.poll-until-terminal',
  'tasks.poll-interval-respected',
  'tasks.status-notification-not-relied-on',
  'tasks.request-without-related',
  'tasks.augment-only-declared',
  'tasks.cursor-opaque',
] as const;

export const scenarios = [
  scenario('server/task-requests/without-notices', {
    title: 'a server polls its task until a terminal status, and respects the poll interval',
    verifies: whenPolling,
    declares: declared,
    fixtures: ['tool test_task_sampling'],
    async run({ peer, expect }) {
      const task = asTask(peer);
      task.onPoll = () => task.polls > 2 && task.complete();
      task.onRetrieval = () => task.complete();
      const pending = peer.start('tools/call', call, { timeoutFactor: 10 });
      await until(peer, pending, () => task.status === 'completed');
      const found = task.status === 'completed';
      const gaveUp = task.isGivenUp(pending.request, peer.conversation.repliesTo(pending.request)[0]);
      const exchange = await conclude(peer, task, pending);
      if (!task.made) throw new NotObserved(notTask);
      expect.that('tasks.poll-until-terminal', {
        ok: found,
        expected: 'polls until the task has ended',
        evidence: [exchange],
        actual: 'fewer polls',
      });
      const waits = !exchange.reply;
      const row = 'tasks.status-notification-not-relied-on';
      if (gaveUp)
        expect.that(row, {
          ok: false,
          expected: 'tasks/get or tasks/result while the server waits',
          evidence: [exchange],
          actual: 'neither',
        });
      else
        expect.that(row, {
          ok: !waits,
          expected: 'a response to the call without any status notification',
          evidence: [exchange],
          actual: 'no response',
        });
      expect.noViolation('tasks.poll-interval-respected', [exchange]);
      expect.noViolation('tasks.request-without-related', [exchange]);
      if (!peer.conversation.requests({ by: 'subject', method: 'tasks/list' }).some(m => m.params?.cursor))
        expect.notObserved('tasks.cursor-opaque', 'the server used no cursor with tasks/list');
    },
  }),

  scenario('server/task-requests/with-some-notices', {
    title: 'a server that received notifications/tasks/status continues to poll its task',
    verifies: ['tasks.poll-despite-notifications'],
    declares: declared,
    fixtures: ['tool test_task_sampling'],
    async run({ peer, expect }) {
      const task = asTask(peer);
      const pending = peer.start('tools/call', call, { timeoutFactor: 10 });
      await until(peer, pending, () => task.made);
      if (!task.made) throw new NotObserved(notTask);
      peer.notify('notifications/tasks/status', { ...task.state, statusMessage: 'It goes well.' });
      await peer.barrier();
      const before = task.polls;
      const goesOn = () => task.polls > before || task.retrievals > 0;
      await until(peer, pending, goesOn);
      const went = goesOn();
      const exchange = await conclude(peer, task, pending);
      expect.that('tasks.poll-despite-notifications', {
        ok: went,
        expected: 'more polls after the notification',
        evidence: [exchange],
        actual: 'none',
      });
    },
  }),

  scenario('server/task-requests/needing-input', {
    title: 'a server whose task requires input sends tasks/result, and continues when tasks/result fails',
    verifies: ['tasks.input-required-result-call', 'tasks.poll-beside-result'],
    declares: declared,
    fixtures: ['tool test_task_sampling'],
    async run({ peer, expect }) {
      const task = asTask(peer);
      task.status = 'input_required';
      task.failOnce();
      const pending = peer.start('tools/call', call, { timeoutFactor: 10 });
      await until(peer, pending, () => task.retrievals > 0 || task.polls > 3);
      const [asked, before] = [task.retrievals > 0, task.polls];
      await until(peer, pending, () => task.polls > before || task.retrievals > 1);
      const goesOn = task.polls > before || task.retrievals > 1;
      const exchange = await conclude(peer, task, pending);
      if (!task.made) {
        expect.notObserved('tasks.poll-beside-result', notTask);
        return expect.notObserved('tasks.input-required-result-call', notTask);
      }
      expect.that('tasks.input-required-result-call', {
        ok: asked,
        expected: 'tasks/result',
        evidence: [exchange],
        actual: 'none',
      });
      if (asked)
        expect.that('tasks.poll-beside-result', {
          ok: goesOn,
          expected: 'more polls',
          evidence: [exchange],
          actual: 'none',
        });
      else expect.notObserved('tasks.poll-beside-result', 'the server sends no tasks/result');
    },
  }),

  scenario('server/task-requests/cancelled', {
    title:
      'a server that no longer needs its task sends tasks/cancel, and stays usable when the task is deleted',
    verifies: [
      'tasks.cancelled-not-relied-on',
      'cancellation.tasks-use-tasks-cancel',
      'cancellation.notification-not-for-tasks',
    ],
    declares: declared,
    fixtures: ['tool test_task_sampling'],
    async run({ peer, expect }) {
      const task = asTask(peer);
      const pending = peer.start('tools/call', call, { timeoutFactor: 10 });
      await until(peer, pending, () => task.polls > 0 || task.retrievals > 0);
      peer.cancel(pending);
      await peer.quietWindow();
      const alive = await peer.barrier();
      if (task.gone)
        expect.that('tasks.cancelled-not-relied-on', stillResponds(peer, alive, [pending.request]));
      else expect.notObserved('tasks.cancelled-not-relied-on', 'the server cancelled no task');
      expect.noViolation('cancellation.tasks-use-tasks-cancel', [pending.request]);
      expect.noViolation('cancellation.notification-not-for-tasks', [pending.request]);
    },
  }),
];
