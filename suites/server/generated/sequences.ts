/** Requests of a client in any order: all of them, the rounds of calls that ask for input, and subscriptions. */

import fc from 'fast-check';
import { type Command, commandsOf } from '../../../harness/generate/commands.js';
import type { Ask } from '../../../harness/generate/requests.js';
import { sequence } from '../../../harness/generate/sequence.js';
import type { Listening } from '../../../harness/peer/eras/era.js';
import type { Peer } from '../../../harness/peer/peer.js';
import { envelopeKeys, metaOf } from '../../../harness/record/envelope.js';
import { type Exchange, idKey, resultOf } from '../../../harness/record/message.js';
import { scenario } from '../../../harness/scenario/scenario.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import { answersTo, isCompleted, isInputRequired, retryOf } from '../rounds.js';
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
      const second = isInputRequired(asked) ? await once(retryOf(calls[0]!, asked, {})) : asked;
      const isSuitable =
        isInputRequired(second) &&
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
                actual: 'another one',
              });
            else if (unasked)
              expect.that(more, {
                ok: isCompleted(exchange),
                expected: 'a complete result',
                evidence,
                actual: 'another one',
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
                      .some(
                        m =>
                          m.seq > request.seq &&
                          idKey(metaOf(m)[envelopeKeys.subscriptionId]) === idKey(listening.id),
                      );
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
        { most: 25 },
      );
    },
  }),
];
