/** basic/utilities/tasks for clients that request tool calls as tasks. */

import { type Deferred, LacksCapability } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import { type Message, resultOf } from '../../harness/record/message.js';
import { describe } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Script, StepOptions } from '../../harness/scenario/script.js';
import { held, type Serve } from '../../harness/scenario/serve.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import { relatedTask } from '../server/task-steps.js';
import { OwnTask, pollInterval } from '../shared/harness-task.js';
import { heldOrNone } from './parts.js';
import { questions } from './tasks.js';
import { says, tool } from './world.js';

const usual: JsonObject = { tools: {}, prompts: {}, resources: {} };
const runsCalls: JsonObject = {
  ...usual,
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};
const notTask = 'the client did not request a task';

const supporting = (name: string, taskSupport?: string): JsonObject => ({
  ...tool(name),
  ...(taskSupport && { execution: { taskSupport } }),
});

/** tools/list gets its response when the task for the following call exists. */
const serve: Serve = { 'tools/list': held, 'prompts/list': held };

/** Sets the tools for all later requests, and responds to the open tools/list. */
function tell(peer: Peer, listing: Deferred, tools: readonly JsonObject[]): void {
  const result: JsonObject = { tools: [...tools] };
  peer.handle('tools/list', () => result);
  listing.answer(result);
}

/** Responds to tools/list. @param task for a call of the listed tool */
async function prepare(peer: Peer): Promise<OwnTask> {
  const listing = await peer.nextDeferred('tools/list');
  const task = new OwnTask(peer, 'tools/call', says('Done.'));
  tell(peer, listing, [supporting('may', 'optional')]);
  return task;
}

const asTask: StepOptions = { task: true };

const called: Script = [
  ['connect'],
  ['list', 'tools'],
  ['call', 'may', {}, asTask],
  ['list', 'prompts'],
  ['close'],
];

/** Milliseconds for about three polls of a task. */
const lasts = 3 * pollInterval;

/** The call has ended for the client. */
const wentOn = (peer: Peer): boolean => peer.requestsOfCase('prompts/list').length > 0;

/**
 * Waits until a condition is true or the client sends its next request, for a limited time.
 * @param windows maximum number of quiet windows
 */
async function until(peer: Peer, happened: () => boolean, windows = 20): Promise<void> {
  for (let left = windows; left > 0 && !happened() && !wentOn(peer) && !peer.ended; left--)
    await peer.waitUntil(() => happened() || wentOn(peer));
}

const whenPolling = [
  'tasks.poll-until-terminal',
  'tasks.poll-interval-respected',
  'tasks.status-notification-not-relied-on',
  'tasks.request-without-related',
  'tasks.cursor-opaque',
] as const;

const cancelled = [
  'tasks.cancelled-not-relied-on',
  'cancellation.tasks-use-tasks-cancel',
  'cancellation.notification-not-for-tasks',
] as const;

const isOf =
  (name: string) =>
  ({ params }: Message): boolean =>
    params?.name === name;

const calls = (peer: Peer): Message[] => peer.requestsOfCase('tools/call').map(({ request }) => request);

/** Ends the task of a case that ends early: the client polls until then. */
const endAlso = (task: OwnTask, error: unknown): never => {
  task.complete();
  throw error;
};

/** @throws {LacksCapability} when the client accepts no request for its task */
function questionFor(peer: Peer, task: OwnTask): [method: string, params: JsonObject] {
  const known = Object.entries(questions).find(([method]) => declares(peer.declared, method.split('/')[0]!));
  return known ?? endAlso(task, new LacksCapability('the client declares neither sampling nor elicitation'));
}

export const scenarios = [
  scenario.client('client/task-requests/by-tool', {
    title: 'a client calls each tool with or without a task, as tools/list states',
    verifies: ['tasks.tool-forbidden-not-augmented', 'tasks.tool-required-augmented'],
    declares: runsCalls,
    serve,
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'plain', {}, asTask],
      ['call', 'never', {}, asTask],
      ['call', 'must'],
      ['close'],
    ],
    isolation: 'shared',
    async run({ peer, expect }) {
      const listing = await peer.nextDeferred('tools/list');
      const task = new OwnTask(peer, 'tools/call', says('Done.'));
      task.isNeededFor = params => params?.name === 'must';
      task.onPoll = () => task.complete();
      task.onRetrieval = () => task.complete();
      tell(peer, listing, [supporting('must', 'required'), supporting('never', 'forbidden'), tool('plain')]);
      await peer.caseOver();
      const [must, others] = [calls(peer).filter(isOf('must')), calls(peer).filter(m => !isOf('must')(m))];
      // a client without support for tasks avoids this tool
      if (must.length === 0)
        expect.notObserved(
          'tasks.tool-required-augmented',
          'the client does not call the tool that requires a task',
        );
      if (others.length === 0)
        expect.notObserved(
          'tasks.tool-forbidden-not-augmented',
          'the client calls no tool without support for tasks',
        );
    },
  }),

  scenario.client('client/task-requests/without-capability', {
    title: 'a client calls no tool as a task when the server does not declare tasks for tools/call',
    verifies: ['tasks.tool-augment-needs-capability'],
    declares: { ...usual, tasks: { list: {}, cancel: {} } },
    serve: { 'tools/call': says('Done.'), 'tools/list': { tools: [supporting('may', 'optional')] } },
    does: called,
    async run({ peer, expect }) {
      await peer.caseOver();
      if (calls(peer).length === 0)
        expect.notObserved('tasks.tool-augment-needs-capability', 'the client calls no tool');
    },
  }),

  scenario.client('client/task-requests/without-tasks', {
    title: 'a client sends no task requests to a server that does not declare tasks',
    verifies: ['tasks.none-without-capability'],
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'test_simple_text', {}, asTask],
      ['list', 'tasks'],
      ['close'],
    ],
    isolation: 'shared',
    async run({ peer, expect }) {
      await peer.caseOver();
      expect.noViolation('tasks.none-without-capability', [peer.conversation.handshake]);
    },
  }),

  scenario.client('client/task-requests/without-notices', {
    title: 'a client polls its task until a terminal status, and respects the poll interval',
    verifies: whenPolling,
    declares: runsCalls,
    serve,
    does: [...called.slice(0, -2), ['list', 'tasks'], ...called.slice(-2)],
    isolation: 'shared',
    lasts,
    async run({ peer, expect }) {
      const task = await prepare(peer);
      task.onPoll = () => task.polls > 2 && task.complete();
      task.onRetrieval = () => task.complete();
      await until(peer, () => task.status === 'completed');
      const found = task.status === 'completed';
      const [call] = calls(peer);
      const gaveUp = task.isGivenUp(call, peer.requestsOfCase('prompts/list')[0]?.request);
      task.complete();
      await until(peer, () => false);
      if (!task.made) return expect.notObserved(whenPolling, notTask);
      expect.that('tasks.poll-until-terminal', {
        ok: found,
        expected: 'polls until the task has ended',
        evidence: [call],
        actual: 'fewer polls',
      });
      const row = 'tasks.status-notification-not-relied-on';
      expect.that(row, {
        ok: !gaveUp && wentOn(peer),
        expected: gaveUp
          ? 'tasks/get or tasks/result while the client waits'
          : 'an end of the call without any status notification',
        evidence: [call],
        actual: gaveUp ? 'neither' : 'the call does not end',
      });
      expect.noViolation('tasks.poll-interval-respected', [call]);
      expect.noViolation('tasks.request-without-related', [call]);
      if (!peer.requestsOfCase('tasks/list').some(({ request }) => request.params?.cursor !== undefined))
        expect.notObserved('tasks.cursor-opaque', 'the client used no cursor with tasks/list');
    },
  }),

  scenario.client('client/task-requests/with-some-notices', {
    title: 'a client that received notifications/tasks/status continues to poll its task',
    verifies: ['tasks.poll-despite-notifications'],
    declares: runsCalls,
    serve,
    does: called,
    isolation: 'shared',
    lasts,
    async run({ peer, expect }) {
      const task = await prepare(peer);
      await until(peer, () => task.made);
      if (!task.made) return expect.notObserved('tasks.poll-despite-notifications', notTask);
      await peer.waitForStream().catch(error => endAlso(task, error));
      const note = { ...task.state, statusMessage: 'It goes well.' };
      const [sent] = peer.notify('notifications/tasks/status', note);
      await peer.barrier();
      const before = task.polls;
      const goesOn = () => task.polls > before || task.retrievals > 0;
      await until(peer, goesOn);
      const [call] = calls(peer);
      const row = 'tasks.poll-despite-notifications';
      expect.that(row, {
        ok: goesOn(),
        expected: 'more polls after the notification',
        evidence: [call, sent],
        actual: 'none',
      });
      task.complete();
      await until(peer, () => false);
    },
  }),

  scenario.client('client/task-requests/needing-input', {
    title: 'a client whose task requires input sends tasks/result',
    verifies: ['tasks.input-required-result-call'],
    declares: runsCalls,
    serve,
    does: called,
    isolation: 'shared',
    async run({ peer, expect }) {
      const row = 'tasks.input-required-result-call';
      const task = await prepare(peer);
      task.status = 'input_required';
      await until(peer, () => task.retrievals > 0 || task.polls > 3);
      const asked = task.retrievals > 0;
      const [call] = calls(peer);
      task.complete();
      await until(peer, () => false);
      if (!task.made) return expect.notObserved(row, notTask);
      expect.that(row, { ok: asked, expected: 'tasks/result', evidence: [call], actual: 'none' });
    },
  }),

  // The response to tasks/result blocks until the task ends, so only a broken connection makes a client poll.
  scenario.client.http('client/task-requests/result-lost', {
    title: 'a client that loses the stream of tasks/result polls its task or sends tasks/result again',
    verifies: ['tasks.poll-beside-result'],
    declares: runsCalls,
    serve,
    does: called,
    http: { answers: 'sse', resumable: false, primes: false },
    lasts: 1600,
    async run({ peer, expect, scripted }) {
      const row = 'tasks.poll-beside-result';
      const task = await prepare(peer);
      task.status = 'input_required';
      await until(peer, () => task.retrievals > 0 || task.polls > 3);
      const [retrieval] = peer.requestsOfCase('tasks/result');
      const stream = retrieval && peer.conversation.httpOf(retrieval.request);
      if (stream) {
        const ours = peer.link.httpServer!;
        await ours.until(stream, e => e.isStream);
        ours.endStream(stream, 'break');
      }
      const [polls, retrievals] = [task.polls, task.retrievals];
      const goesOn = () => task.polls > polls || task.retrievals > retrievals;
      // some clients try again after a second
      if (stream) await until(peer, goesOn, 12);
      const [went, gaveUp] = [goesOn(), scripted && wentOn(peer)];
      task.complete();
      // the client that still waits goes on with this response, though it comes on another stream
      if (stream && !went && !gaveUp)
        peer.sendRaw(JSON.stringify({ jsonrpc: '2.0', id: retrieval.request.id, result: says('Done.') }));
      await until(peer, () => false);
      if (!task.made) return expect.notObserved(row, notTask);
      if (!stream) return expect.notObserved(row, 'the client sends no tasks/result');
      if (went || gaveUp)
        expect.that(row, {
          ok: went,
          expected: 'more polls',
          evidence: [retrieval, stream.end],
          actual: 'none',
        });
      // a client may not notice that the connection is lost
      else expect.notObserved(row, 'the client still waits for the response to tasks/result');
    },
  }),

  scenario.client('client/task-requests/cancelled', {
    title:
      'a client that no longer needs its task sends tasks/cancel, and stays usable when the task is deleted',
    verifies: cancelled,
    declares: runsCalls,
    serve: { ...serve, 'resources/list': held },
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'may', {}, { ...asTask, wait: false }],
      ['list', 'prompts'],
      ['cancel', 'It is no longer needed.'],
      ['list', 'resources'],
      ['close'],
    ],
    isolation: 'shared',
    lasts,
    async run({ peer, expect, scripted }) {
      const task = await prepare(peer);
      const listing = await peer.nextDeferred('prompts/list');
      await peer.waitUntil(() => task.made);
      // a request about the task shows that the client knows its task
      await peer.waitUntil(() => task.polls > 0 || task.retrievals > 0);
      listing.release();
      const next = await heldOrNone(peer, 'resources/list');
      const [call] = calls(peer);
      if (!task.made || !scripted) return expect.notObserved(cancelled, notTask);
      expect.noViolation('cancellation.tasks-use-tasks-cancel', [call]);
      expect.noViolation('cancellation.notification-not-for-tasks', [call]);
      if (!task.gone)
        return expect.notObserved('tasks.cancelled-not-relied-on', 'the client cancelled no task');
      const evidence = [call, next?.request];
      expect.that('tasks.cancelled-not-relied-on', {
        ok: !!next,
        expected: 'the next request',
        evidence,
        actual: 'none',
      });
    },
  }),

  scenario.client.http('client/task-requests/any-stream', {
    title: 'a client responds to a request about its task on any stream',
    verifies: ['tasks.stream-freedom'],
    declares: runsCalls,
    serve: { 'tools/list': held, 'prompts/list': held },
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'may', {}, { ...asTask, wait: false }],
      ['list', 'prompts'],
      ['close'],
    ],
    lasts,
    async run({ peer, expect }) {
      const row = 'tasks.stream-freedom';
      const task = await prepare(peer);
      task.status = 'input_required';
      const listing = await peer.nextDeferred('prompts/list');
      const retrieved = () => task.retrievals > 0;
      for (let left = 20; left > 0 && !retrieved() && !peer.ended; left--) await peer.waitUntil(retrieved);
      const question = questionFor(peer, task);
      const meta = { [relatedTask]: { taskId: task.state.taskId! } };
      const ask = (during: Message | null) => peer.request(...question, { meta, during });
      const [retrieval] = peer.requestsOfCase('tasks/result');
      const usual = retrieval && (await ask(retrieval.request));
      const others: readonly (readonly [where: string, during: Message | null])[] = [
        ['the stream of another request', listing.request],
        ...(peer.link.httpServer!.listening ? [['the stream opened with GET', null] as const] : []),
      ];
      if (!usual || !resultOf(usual))
        expect.notObserved(row, 'the client does not respond to requests about a task');
      else
        for (const [where, during] of others) {
          const asked = await ask(during);
          const evidence = [usual, asked.request, asked.reply];
          expect.that(row, {
            ok: !!resultOf(asked),
            expected: `a result on ${where}, as on the stream of tasks/result`,
            evidence,
            actual: describe(asked),
          });
        }
      task.complete();
      listing.release();
    },
  }),
];
