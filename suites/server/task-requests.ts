/** basic/utilities/tasks, of servers that have the client run their requests as tasks. */

import type { Peer, Pending } from '../../harness/peer/peer.js';
import type { Exchange } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { OwnTask } from '../shared/harness-task.js';

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
const notTask = 'the server did not ask for a task';

const isAnswered = (peer: Peer, pending: Pending): boolean =>
  peer.conversation.repliesTo(pending.request).length > 0;

/** Waits until something has happened, or the call is answered, but not for ever. */
async function until(peer: Peer, pending: Pending, happened: () => boolean): Promise<void> {
  for (let left = 20; left > 0 && !happened() && !isAnswered(peer, pending) && !peer.ended; left--)
    await peer.waitUntil(() => happened() || isAnswered(peer, pending));
}

/** Ends the task, and the call if that is not enough. */
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
    title: 'a server asks how its task is going until it has ended, as often as it is told to',
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
      const exchange = await conclude(peer, task, pending);
      if (!task.made) return expect.notObserved(whenPolling, notTask);
      expect.that('tasks.poll-until-terminal', found, 'questions until the task has ended', [exchange]);
      const waits = !exchange.reply;
      const row = 'tasks.status-notification-not-relied-on';
      expect.that(row, !waits, 'an answer to the call without any notice', [exchange]);
      expect.noViolation('tasks.poll-interval-respected', [exchange]);
      expect.noViolation('tasks.request-without-related', [exchange]);
      if (!peer.conversation.requests({ by: 'subject', method: 'tasks/list' }).some(m => m.params?.cursor))
        expect.notObserved('tasks.cursor-opaque', 'the server used no cursor');
    },
  }),

  scenario('server/task-requests/with-some-notices', {
    title: 'a server that got a notice about its task still asks how it is going',
    verifies: ['tasks.poll-despite-notifications'],
    declares: declared,
    fixtures: ['tool test_task_sampling'],
    async run({ peer, expect }) {
      const task = asTask(peer);
      const pending = peer.start('tools/call', call, { timeoutFactor: 10 });
      await until(peer, pending, () => task.made);
      if (!task.made) return expect.notObserved('tasks.poll-despite-notifications', notTask);
      peer.notify('notifications/tasks/status', { ...task.state, statusMessage: 'It goes well.' });
      await peer.barrier();
      const before = task.polls;
      const goesOn = () => task.polls > before || task.retrievals > 0;
      await until(peer, pending, goesOn);
      const went = goesOn();
      const exchange = await conclude(peer, task, pending);
      expect.that('tasks.poll-despite-notifications', went, 'more questions after the notice', [exchange]);
    },
  }),

  scenario('server/task-requests/needing-input', {
    title: 'a server whose task needs input asks for the result, and goes on when that fails',
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
      expect.that('tasks.input-required-result-call', asked, 'tasks/result', [exchange]);
      if (asked) expect.that('tasks.poll-beside-result', goesOn, 'more questions', [exchange]);
      else expect.notObserved('tasks.poll-beside-result', 'the result was not asked for');
    },
  }),

  scenario('server/task-requests/cancelled', {
    title: 'a server that no longer needs its task cancels it as a task, and bears that it is gone',
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
        expect.that('tasks.cancelled-not-relied-on', alive, 'a server that still answers', [pending.request]);
      else expect.notObserved('tasks.cancelled-not-relied-on', 'no task was cancelled');
      expect.noViolation('cancellation.tasks-use-tasks-cancel', [pending.request]);
      expect.noViolation('cancellation.notification-not-for-tasks', [pending.request]);
    },
  }),
];
