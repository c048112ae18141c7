/** Requests of a client in any order: all of them, the rounds of calls that ask for input, subscriptions, and tasks. */

import fc from 'fast-check';
import { type Command, commandsOf } from '../../../harness/generate/commands.js';
import type { Ask } from '../../../harness/generate/requests.js';
import { sequence } from '../../../harness/generate/sequence.js';
import type { Listening } from '../../../harness/peer/eras/era.js';
import type { Peer } from '../../../harness/peer/peer.js';
import { envelopeKeys, metaOf } from '../../../harness/record/envelope.js';
import { type Exchange, idKey, type Message, resultOf } from '../../../harness/record/message.js';
import { scenario } from '../../../harness/scenario/scenario.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import * as tasks from '../ext-task-steps.js';
import { answersTo, asksClient, isCompleted, isInputRequired, outcomeOf, retryOf } from '../rounds.js';
import { inherited } from './values.js';

async function ask(peer: Peer, { method, params, follow }: Ask): Promise<void> {
  let exchange = await peer.request(method, params);
  for (let page = 0; follow && page < 5; page++) {
    const cursor = resultOf(exchange)?.nextCursor;
    if (typeof cursor !== 'string') return;
    exchange = await peer.request(method, { ...params, cursor });
  }
}

async function carryOut(peer: Peer, command: Command): Promise<void> {
  if (command.do === 'ask') return ask(peer, command.ask);
  if (command.do === 'together') {
    await Promise.all(command.asks.map(each => ask(peer, each)));
    return;
  }
  const pending = peer.start(command.ask.method, command.ask.params);
  if (command.when === 'later') await peer.harmless();
  peer.cancel(pending);
}

/** A step with one of two calls that ask for input: a new call, or a retry of its last question. */
interface Round {
  readonly call: 0 | 1;
  readonly do: 'call' | 'answer' | 'answer nothing' | 'answer more';
  /** The key of the answer that was not asked for. */
  readonly more: string;
}

const rounds = sequence<Round>(
  fc.record(
    {
      call: fc.constantFrom<Round['call'][]>(0, 0, 0, 1),
      do: fc.constantFrom<Round['do'][]>(
        'call',
        'call',
        'answer',
        'answer nothing',
        'answer nothing',
        'answer nothing',
        'answer more',
      ),
      more: fc.constantFrom('unasked', ...inherited, ''),
    },
    { noNullPrototype: true },
  ),
  20,
);

const lists = ['tools', 'prompts', 'resources'] as const;

/** A step with one of three subscriptions, or a change of all lists. */
type Turn =
  | { readonly do: 'listen'; readonly slot: number; readonly lists: readonly (typeof lists)[number][] }
  | { readonly do: 'stop'; readonly slot: number }
  | { readonly do: 'change' };

const slot = fc.nat({ max: 2 });
const someLists = fc.subarray([...lists], { minLength: 1 });
const turns = sequence<Turn>(
  fc.oneof(
    fc.record(
      { do: fc.constant('listen' as const), slot, lists: fc.oneof(someLists, fc.constant(lists)) },
      { noNullPrototype: true },
    ),
    fc.record({ do: fc.constant('stop' as const), slot }, { noNullPrototype: true }),
    { weight: 2, arbitrary: fc.constant({ do: 'change' as const }) },
  ),
  20,
);

/** Whether a change may be for a subscription: one that names none is judged by subscriptions.notifications-tagged. */
function mayBeFor({ id }: Listening, change: Message): boolean {
  const tag = metaOf(change)[envelopeKeys.subscriptionId];
  return tag === undefined || idKey(tag) === idKey(id);
}

/** A step with one of two tasks that ask two questions. */
interface TaskStep {
  readonly task: 0 | 1;
  readonly do: 'create' | 'get' | 'answer one' | 'answer nothing' | 'answer more' | 'cancel';
}

const taskSteps = sequence<TaskStep>(
  fc.record(
    {
      task: fc.constantFrom<TaskStep['task'][]>(0, 1),
      do: fc.constantFrom<TaskStep['do'][]>(
        'create',
        'create',
        'create',
        'get',
        'answer one',
        'answer nothing',
        'answer more',
        'cancel',
      ),
    },
    { noNullPrototype: true },
  ),
  12,
);

export const scenarios = [
  scenario('server/generated/sequences/commands', {
    title:
      'a client that sends requests in any order, in parallel and with cancellations, gets its responses',
    verifies: ['jsonrpc.request-answered-once', 'base.schema-valid'],
    generated: true,
    async run({ peer, known, property }) {
      const { arbitrary } = commandsOf(
        { revision: peer.revision, capabilities: peer.declared ?? {}, known },
        { maxCommands: 8 },
      );
      await property(arbitrary, async (commands, { peer }) => {
        for (const command of commands) await carryOut(peer, command);
        await peer.barrier();
      });
    },
  }),

  scenario('server/generated/sequences/rounds', {
    title: 'calls that ask for input are continued in any order, with all answers, with none, or with more',
    verifies: ['mrtr.missing-responses-reasked', 'mrtr.extra-responses-ignored'],
    era: 'modern',
    fixtures: ['role elicitation'],
    generated: true,
    async run({ peer, expect, tool, property }) {
      const [again, more] = ['mrtr.missing-responses-reasked', 'mrtr.extra-responses-ignored'] as const;
      const calls = ['The first call.', 'The second call.'].map(message => tool('elicitation', { message }));
      // a tool that does without the answers, or asks several times, has another model
      const asked = await peer.request('tools/call', calls[0], { once: true });
      const once = (params: JsonObject) => peer.request('tools/call', params, { once: true });
      const second = asksClient(asked) ? await once(retryOf(calls[0]!, asked, {})) : asked;
      const isSuitable =
        asksClient(second) &&
        isCompleted(await once(retryOf(calls[0]!, second, await answersTo(peer, second))));
      if (!isSuitable)
        return expect.notObserved([again, more], 'the tool does not ask for all it needs in one round');
      await property(rounds, async (steps, { peer, expect }) => {
        /** The model: the last question of each call that waits for answers. */
        const waiting = new Map<Round['call'], Exchange>();
        for (const step of steps) {
          const call = calls[step.call]!;
          const question = waiting.get(step.call);
          if (step.do === 'call') {
            const exchange = await peer.request('tools/call', call, { once: true });
            if (isInputRequired(exchange)) waiting.set(step.call, exchange);
          } else if (question) {
            const given = step.do === 'answer nothing' ? {} : await answersTo(peer, question);
            const unasked = step.do === 'answer more' && !Object.hasOwn(given, step.more);
            const answers = Object.entries(given).concat(unasked ? [[step.more, { action: 'cancel' }]] : []);
            const params = retryOf(call, question, Object.fromEntries(answers));
            const exchange = await peer.request('tools/call', params, { once: true });
            const evidence = [question, exchange];
            if (step.do === 'answer nothing')
              expect.that(again, {
                ok: isInputRequired(exchange),
                expected: 'an input-required result',
                evidence,
                actual: outcomeOf(exchange),
              });
            else if (unasked)
              expect.that(more, {
                ok: isCompleted(exchange),
                expected: 'a complete result',
                evidence,
                actual: outcomeOf(exchange),
              });
            if (isInputRequired(exchange)) waiting.set(step.call, exchange);
            else waiting.delete(step.call);
          }
        }
      });
    },
  }),

  scenario('server/generated/sequences/subscriptions', {
    title: 'subscriptions that begin and end in any order get the changes that they ask for',
    verifies: [
      'tools.list-changed-notification',
      'prompts.list-changed-notification',
      'resources.list-changed-notification',
    ],
    era: 'modern',
    fixtures: ['tool test_list_change'],
    generated: true,
    async run({ property }) {
      await property(
        turns,
        async (steps, { peer, expect }) => {
          /** The model: the open subscriptions, each with its lists. */
          const open = new Map<number, { listening: Listening; lists: readonly (typeof lists)[number][] }>();
          const stop = async (slot: number) => {
            await open.get(slot)?.listening.stop();
            open.delete(slot);
          };
          for (const step of steps) {
            if (step.do === 'listen') {
              await stop(step.slot);
              const filter = Object.fromEntries(step.lists.map(list => [`${list}ListChanged`, true]));
              const listening = await peer.listen(filter);
              const agreed = listening.shownBy?.params?.notifications;
              const told = step.lists.filter(
                list => isObject(agreed) && agreed[`${list}ListChanged`] === true,
              );
              if (listening.isAccepted) open.set(step.slot, { listening, lists: told });
            } else if (step.do === 'stop') await stop(step.slot);
            else {
              const { request } = await peer.request('tools/call', {
                name: 'test_list_change',
                arguments: {},
              });
              for (const { listening, lists } of open.values())
                for (const list of lists) {
                  const isTold = () =>
                    peer.conversation
                      .notifications({ by: 'subject', method: `notifications/${list}/list_changed` })
                      .some(m => m.seq > request.seq && mayBeFor(listening, m));
                  const told = isTold() || (await peer.waitUntil(isTold));
                  const evidence = [listening.shownBy, request];
                  expect.that(`${list}.list-changed-notification`, {
                    ok: told,
                    expected: 'the change',
                    evidence,
                    actual: 'none',
                  });
                }
            }
          }
          for (const slot of [...open.keys()]) await stop(slot);
        },
        { most: 25, waits: true },
      );
    },
  }),

  scenario('server/generated/sequences/tasks', {
    title: 'tasks that are created, read, answered and cancelled in any order keep their open questions',
    verifies: ['ext-tasks.get-all-outstanding', 'ext-tasks.unknown-keys-ignored'],
    era: 'modern',
    declares: tasks.withTasks,
    fixtures: ['tool test_task_two_inputs'],
    generated: true,
    async run({ property }) {
      const tool = { name: 'test_task_two_inputs', arguments: {} };
      await property(
        taskSteps,
        async (steps, { peer, expect }) => {
          /** The model: the tasks that wait, each with the last state and the keys that have no answer yet. */
          const waiting = new Map<TaskStep['task'], { id: string; state: Exchange; keys: Set<string> }>();
          const get = async (task: TaskStep['task']) => {
            const { id, state, keys } = waiting.get(task)!;
            const now = await tasks.getTask(peer, id);
            // a server may withdraw its questions: then the task has another status
            if (tasks.statusIn(now) !== 'input_required') return waiting.delete(task);
            const lost = [...keys].filter(key => !Object.hasOwn(tasks.openIn(now), key));
            return expect.that('ext-tasks.get-all-outstanding', {
              ok: lost.length === 0,
              expected: 'all questions without an answer',
              evidence: [state, now],
              actual: `no question ${lost.join(', ')}`,
            });
          };
          for (const { task, do: step } of steps) {
            const own = waiting.get(task);
            if (step === 'create') {
              const id = own ? undefined : tasks.taskIdIn(await tasks.call(peer, tool));
              if (id === undefined) continue;
              const state = await tasks.pollUntil(peer, id, s => tasks.statusIn(s) !== 'working');
              const keys = new Set(Object.keys(tasks.openIn(state)));
              if (keys.size > 0) waiting.set(task, { id, state, keys });
            } else if (!own) continue;
            else if (step === 'get') await get(task);
            else if (step === 'cancel') {
              await peer.request('tasks/cancel', { taskId: own.id });
              waiting.delete(task);
            } else if (step === 'answer one') {
              const [key] = own.keys;
              const asked = Object.entries(tasks.openIn(own.state)).filter(([name]) => name === key);
              await tasks.update(
                peer,
                own.id,
                await tasks.answersTo(peer, Object.fromEntries(asked), own.state.reply!),
              );
              own.keys.delete(key!);
              if (own.keys.size === 0) waiting.delete(task);
            } else {
              const isMore = step === 'answer more';
              const answers = isMore ? { 'mcp-conform-no-such-key': { action: 'cancel' } } : {};
              const updated = await tasks.update(peer, own.id, answers, isMore);
              if (isMore) expect('ext-tasks.unknown-keys-ignored', updated).result();
            }
          }
          for (const [task, { id }] of [...waiting]) {
            await get(task);
            await peer.request('tasks/cancel', { taskId: id });
          }
        },
        { most: 25 },
      );
    },
  }),
];
