/** The tasks extension (io.modelcontextprotocol/tasks) for clients that declare it. */

import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import type { Exchange, Message } from '../../harness/record/message.js';
import type { ClientContext } from '../../harness/scenario/client.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Script } from '../../harness/scenario/script.js';
import { deliberately, held } from '../../harness/scenario/serve.js';
import { asText, isObject, type Json, type JsonObject, ownMember } from '../../spec/json-rpc.js';
import { isAbout } from '../rules/client/ext-tasks.js';
import { answersIn, isEnded, taskStates } from '../rules/derived/ext-tasks.js';
import { sameJson } from '../rules/derived/results.js';
import { announce, type TaskPlan, taskIdOf, tasksBy, withTasks, working } from './ext-task-server.js';
import { heldOrNone } from './parts.js';
import { says } from './world.js';

const completed: JsonObject = { status: 'completed', result: says('Done.') };

/** A script with one call, and one request afterwards, which shows that the client went on. */
const script: Script = [
  ['connect'],
  ['list', 'tools'],
  ['call', 'test_simple_text'],
  ['get', 'test_simple_prompt'],
  ['close'],
];

const noTask = 'the client called no tool with the extension';

/** The call that became a task, and the requests about it. */
interface Followed {
  readonly call: Message;
  readonly taskId: string;
  readonly asked: readonly Message[];
}

const about = (peer: Peer, taskId: string): Message[] =>
  ['tasks/get', 'tasks/update', 'tasks/cancel', 'subscriptions/listen']
    .flatMap(method => peer.requestsOfCase(method))
    .map(({ request }) => request)
    .filter(m => isAbout(m, taskId))
    .sort((a, b) => a.seq - b.seq);

/** The tasks of the case that the client was told about. */
const followed = (peer: Peer): Followed[] =>
  peer
    .requestsOfCase('tools/call')
    .filter(
      ({ reply }) =>
        isObject(reply?.json) && isObject(reply.json.result) && reply.json.result.resultType === 'task',
    )
    .map(({ request: call }) => ({ call, taskId: taskIdOf(call), asked: about(peer, taskIdOf(call)) }));

const lastState = (peer: Peer, taskId: string) =>
  taskStates(peer.conversation).findLast(s => s.taskId === taskId);

/** A client that was told about a task asks for it, and sends the next request of its script. */
function expectHandled({ peer, expect, scripted }: ClientContext<'ext-tasks.client-handles-both'>): void {
  const row = 'ext-tasks.client-handles-both';
  const [task] = followed(peer);
  const [next] = peer.requestsOfCase('prompts/get');
  const first = task?.asked[0];
  if (!task || (!scripted && !first)) {
    expect.notObserved(row, task ? 'a program without a script may drop a task' : noTask);
    return;
  }
  const wantsNext = scripted && next === undefined;
  expect.that(row, {
    ok: first !== undefined && !wantsNext,
    expected: first ? 'the next request' : 'a request about the task, or a subscription to it',
    evidence: [task.call, first, next],
    actual: first ? 'the client does not go on' : 'none',
  });
}

/** The question that the harness asks: of a kind that the client declares. */
function question({ declared }: Peer): JsonObject | undefined {
  if (declares(declared, 'elicitation'))
    return {
      method: 'elicitation/create',
      params: {
        message: 'Your name?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
    };
  return declares(declared, 'roots') ? { method: 'roots/list' } : undefined;
}

const unasked = 'the client declares no capability to be asked';

/** Asks the same question under each key; the answers show after some more states. */
const asks =
  (...keys: readonly string[]): TaskPlan =>
  ({ shown, answeredAt }, peer) => {
    const asked = question(peer);
    if (!asked) return completed;
    if (answeredAt === undefined || shown <= answeredAt + 2)
      return { status: 'input_required', inputRequests: Object.fromEntries(keys.map(key => [key, asked])) };
    return shown <= answeredAt + 4 ? working : completed;
  };

const asksOnce = asks('who');
const twoKeys = ['who', 'who else'];

/** States of the task, one for each time that the client looks. */
const inTurn =
  (...states: readonly (JsonObject | undefined)[]): TaskPlan =>
  ({ shown }) =>
    states[Math.min(shown, states.length) - 1];

const failed: JsonObject = {
  status: 'failed',
  statusMessage: 'The work failed.',
  error: { code: -32603, message: 'The work failed.' },
};

/** Ends of a task, each with the states until then. */
const ends: readonly (readonly [slug: string, title: string, plan: TaskPlan])[] = [
  ['completed', 'a task that is completed', inTurn(working, completed)],
  ['failed', 'a task that fails', inTurn(working, failed)],
  ['expired', 'a task that the server has deleted', inTurn(working, undefined)],
  ['ended-at-once', 'a task that has ended at its first poll', inTurn(completed)],
];

export const scenarios = [
  ...ends.map(([slug, what, plan]) =>
    scenario.client(`client/ext-tasks/${slug}`, {
      title: `a client follows ${what}, and goes on`,
      verifies: ['ext-tasks.client-handles-both'],
      era: 'modern',
      declares: withTasks,
      serve: tasksBy(plan),
      does: script,
      isolation: 'shared',
      async run(context) {
        await context.peer.caseOver();
        expectHandled(context);
      },
    }),
  ),

  scenario.client('client/ext-tasks/polled', {
    title: 'a client polls a task to its end, with the interval of the last response between two polls',
    verifies: ['ext-tasks.client-poll-interval', 'ext-tasks.client-polls-to-end'],
    era: 'modern',
    declares: withTasks,
    serve: tasksBy(({ shown }) => ({ ...(shown < 5 ? working : completed), pollIntervalMs: 200 }), {
      announced: { pollIntervalMs: 10 },
    }),
    does: script,
    isolation: 'shared',
    lasts: 800,
    async run({ peer, expect, scripted }) {
      const row = 'ext-tasks.client-polls-to-end';
      await peer.caseOver();
      const [task] = followed(peer);
      const polls = task?.asked.filter(m => m.method === 'tasks/get') ?? [];
      if (polls.length < 3)
        expect.notObserved('ext-tasks.client-poll-interval', 'the client does not poll the task');
      const state = task && lastState(peer, task.taskId);
      const isOver = task?.asked.some(m => m.method === 'tasks/cancel') || isEnded(state?.task.status);
      if (!task || task.asked.length === 0) return expect.notObserved(row, noTask);
      if (!isOver && !scripted) return expect.notObserved(row, 'a program without a script may end first');
      expect.that(row, {
        ok: isOver,
        expected: 'requests until the task has ended, or tasks/cancel',
        evidence: [state?.m, ...peer.requestsOfCase('prompts/get').map(({ request }) => request)],
        actual: `the last state that the client knows is ${asText(state?.task.status)}`,
      });
    },
  }),

  scenario.client('client/ext-tasks/input', {
    title: 'a client answers each question of a task once, and observes the task to its end',
    verifies: [
      'ext-tasks.client-answers-input',
      'ext-tasks.client-answers-once',
      'ext-tasks.client-observes-after-update',
    ],
    era: 'modern',
    declares: withTasks,
    serve: tasksBy(asks(...twoKeys)),
    does: script,
    isolation: 'shared',
    async run({ peer, expect, scripted }) {
      const rows = [
        'ext-tasks.client-answers-input',
        'ext-tasks.client-answers-once',
        'ext-tasks.client-observes-after-update',
      ] as const;
      await peer.caseOver();
      const [task] = followed(peer);
      if (!task) return expect.notObserved(rows, noTask);
      if (!question(peer)) return expect.notObserved(rows, unasked);
      const asked = taskStates(peer.conversation).find(
        s => s.taskId === task.taskId && s.task.status === 'input_required',
      );
      const update = task.asked.find(m => m.method === 'tasks/update');
      const isOver = task.asked.some(m => m.method === 'tasks/cancel');
      if (!asked || (!update && (isOver || !scripted)))
        return expect.notObserved(rows, 'the client does not learn of the question, or cancels the task');
      const answered = task.asked.filter(m => m.method === 'tasks/update').flatMap(answersIn);
      const missing = isOver || !scripted ? undefined : twoKeys.find(key => !answered.includes(key));
      expect.that(rows[0], {
        ok: update !== undefined && missing === undefined,
        expected: 'tasks/update with an answer to each question',
        evidence: [asked.m, update],
        actual: update ? `no answer under "${missing}"` : 'none',
      });
      if (!update) return expect.notObserved([rows[1], rows[2]], 'the client answers nothing');
      const state = lastState(peer, task.taskId);
      if (!scripted && !isEnded(state?.task.status))
        return expect.notObserved(rows[2], 'the client ends first');
      expect.that(rows[2], {
        ok: isOver || isEnded(state?.task.status),
        expected: 'requests until the task has ended',
        evidence: [update, state?.m],
        actual: `the last state that the client knows is ${asText(state?.task.status)}`,
      });
    },
  }),

  scenario.client('client/ext-tasks/declined', {
    title: 'a client answers a question of a task as the same question of a call',
    verifies: ['ext-tasks.client-answers-as-asked'],
    era: 'modern',
    declares: withTasks,
    serve: tasksBy(asksOnce, {
      plain: ({ name, inputResponses }, peer) => {
        const asked = question(peer);
        if (name !== 'test_simple_text') return undefined;
        if (inputResponses !== undefined || !asked) return says('Done.');
        return { resultType: 'input_required', inputRequests: { who: asked } };
      },
    }),
    does: [
      ['answer', 'elicitation/create', 'decline'],
      ['connect'],
      ['list', 'tools'],
      ['call', 'test_simple_text'],
      ['call', 'add_numbers', { a: 1, b: 2 }],
      ['close'],
    ],
    async run({ peer, expect, scripted }) {
      const row = 'ext-tasks.client-answers-as-asked';
      await peer.caseOver();
      const answer = (exchanges: readonly Exchange[]) => {
        const all = exchanges.map(({ request }) => request);
        const m = all.find(
          ({ params }) => isObject(params?.inputResponses) && 'who' in params.inputResponses,
        );
        const given = m && ownMember(m.params!.inputResponses as JsonObject, 'who');
        return m && given !== undefined ? { m, given } : undefined;
      };
      const [call, task] = [
        answer(peer.requestsOfCase('tools/call')),
        answer(peer.requestsOfCase('tasks/update')),
      ];
      if (!question(peer)) return expect.notObserved(row, unasked);
      if (!call || !task || !scripted)
        return expect.notObserved(
          row,
          'the client does not answer both questions, or a person may answer them',
        );
      const decision = (given: Json): Json =>
        isObject(given) ? (given.action ?? given.roots ?? null) : given;
      expect.that(row, {
        ok: sameJson(decision(call.given), decision(task.given)),
        expected: `the answer ${JSON.stringify(decision(call.given))}, as outside of a task`,
        evidence: [call.m, task.m],
        actual: JSON.stringify(decision(task.given)).slice(0, 200),
      });
    },
  }),

  scenario.client('client/ext-tasks/cancelled', {
    title: 'a client cancels a task with tasks/cancel',
    verifies: ['ext-tasks.client-cancels-by-request'],
    era: 'modern',
    declares: withTasks,
    serve: {
      ...tasksBy(({ isCancelled }) => (isCancelled ? { status: 'cancelled' } : working)),
      'prompts/get': held,
    },
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'test_simple_text', {}, { wait: false }],
      ['get', 'test_simple_prompt'],
      ['cancel', 'no longer needed'],
      ['list', 'resources'],
      ['close'],
    ],
    isolation: 'shared',
    async run({ peer, expect }) {
      const row = 'ext-tasks.client-cancels-by-request';
      const open = await heldOrNone(peer, 'prompts/get');
      // a request about the task shows that its announcement has arrived
      if (open) await peer.waitUntilDeadline(() => (followed(peer)[0]?.asked.length ?? 0) > 0);
      open?.release();
      await peer.caseOver();
      const [task] = followed(peer);
      if (!task?.asked[0]) return expect.notObserved(row, noTask);
      expect.noViolation(row, [task.call, ...task.asked.slice(0, 1)]);
    },
  }),

  scenario.client.http('client/ext-tasks/headers', {
    title: 'a client repeats the id of a task in the header Mcp-Name',
    verifies: ['ext-tasks.client-name-header'],
    era: 'modern',
    declares: withTasks,
    serve: tasksBy(asksOnce),
    does: script,
    isolation: 'shared',
    async run({ peer, expect }) {
      await peer.caseOver();
      if (!followed(peer)[0]?.asked.some(m => m.method !== 'subscriptions/listen'))
        expect.notObserved('ext-tasks.client-name-header', noTask);
    },
  }),

  scenario.client('client/ext-tasks/elsewhere', {
    title: 'a client does not follow a task that is the response to prompts/get',
    verifies: ['ext-tasks.client-rejects-elsewhere'],
    era: 'modern',
    declares: withTasks,
    serve: {
      ...tasksBy(inTurn(completed)),
      'prompts/get': deliberately((_, { peer, request }) => announce(peer, request)),
    },
    does: [['connect'], ['list', 'prompts'], ['get', 'test_simple_prompt'], ['list', 'resources'], ['close']],
    isolation: 'shared',
    async run({ peer, expect }) {
      const row = 'ext-tasks.client-rejects-elsewhere';
      await peer.caseOver();
      const [asked] = peer.requestsOfCase('prompts/get');
      if (!asked) return expect.notObserved(row, 'the client gets no prompt');
      // it follows a task after a pause, if at all
      await peer.waitUntil(() => about(peer, taskIdOf(asked.request)).length > 0);
      expect.noViolation(row, [asked.request, asked.reply]);
    },
  }),
];
