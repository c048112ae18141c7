/** basic/index#statelessness: each request stands alone, on any connection. */

import { NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import { envelopeKeys } from '../../harness/record/envelope.js';
import { type Exchange, resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import { changesSince } from './beside-calls.js';
import { callAll } from './calls.js';
import { late } from './eras.js';
import { declaredLists, type List, lastSeq, pagedLists } from './lists.js';
import { answersTo, askedBy, isCompleted, isInputRequired, retryOf } from './rounds.js';

/** The address of each resource, the name of each other item. */
const namesOf = (items: readonly JsonObject[]): string[] =>
  items.map(item => JSON.stringify(item.uri ?? item.name));

const rowOf = {
  tools: 'tools.list-not-per-connection',
  prompts: 'prompts.list-not-per-connection',
  resources: 'resources.list-not-per-connection',
} as const;

const sorted = (names: readonly string[]): string => [...names].sort().join();

/** The names in a list, all pages together. */
const listed = async (peer: Peer, method: string, key: string) => {
  const { items, exchanges } = await peer.list(method, key);
  return { names: namesOf(items), exchange: exchanges.at(-1)! };
};

/** What one list has and the other one has not. */
function differenceOf(here: readonly string[], there: readonly string[]): string {
  const [lost, added] = [
    here.filter(name => !there.includes(name)),
    there.filter(name => !here.includes(name)),
  ];
  const some = (names: readonly string[]) =>
    names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '');
  return [
    ...(lost.length > 0 ? [`the other connection lacks ${some(lost)}`] : []),
    ...(added.length > 0 ? [`only the other connection has ${some(added)}`] : []),
    ...(lost.length + added.length === 0 ? ['other numbers of the same items'] : []),
  ].join('; ');
}

/** Tools that were called on a connection, each with the arguments of its last call that had a result. */
function calledOn({ conversation }: Peer): JsonObject[] {
  const calls = new Map<unknown, JsonObject>();
  for (const exchange of conversation.exchanges({ by: 'peer', method: 'tools/call' })) {
    const { name, arguments: args = {} } = exchange.request.params ?? {};
    if (resultOf(exchange)) calls.set(name, { name, arguments: args } as JsonObject);
  }
  return [...calls.values()];
}

/**
 * Whether the server announces the change of a list: repeats calls on another connection, each with a subscription, until
 * the list there is another one.
 */
async function announcesChange(peer: Peer, list: List, calls: readonly JsonObject[]): Promise<boolean> {
  const { method, key, capability, changed } = list;
  const names = async () => sorted((await listed(peer, method, key)).names);
  const before = await names();
  const listening = await peer.listen({ [`${capability}ListChanged`]: true });
  if (!listening.isAccepted) return false;
  let isAnnounced = false;
  for (const call of calls) {
    const start = lastSeq(peer);
    await peer.requestOrCancel('tools/call', call);
    if (peer.ended) return false;
    if ((await names()) === before) continue;
    // a server may wait for further changes before it announces one
    isAnnounced = await peer.waitUntil(() => changesSince(peer, start).some(m => m.method === changed));
    break;
  }
  await listening.stop();
  return isAnnounced;
}

export const scenarios = [
  scenario('server/stateless/other-connection', {
    title: 'a cursor of one connection is served on another one',
    verifies: ['stateless.no-connection-affinity'],
    era: 'modern',
    opens: known => (known.isPaged ? 1 : 0),
    async run({ peer, expect, newConversation }) {
      const row = 'stateless.no-connection-affinity';
      for (const { method } of pagedLists(peer)) {
        const page = await peer.request(method);
        const cursor = resultOf(page)?.nextCursor;
        if (typeof cursor !== 'string') continue;
        const here = await peer.request(method, { cursor });
        if (!resultOf(here)) continue;
        const there = await (await newConversation()).request(method, { cursor });
        return expect(row, there).result();
      }
      expect.notObserved(row, 'no list has a second page');
    },
  }),

  scenario('server/stateless/interleaved', {
    title: 'requests of several conversations on one connection get their own responses',
    verifies: ['stateless.interleaved-conversations'],
    era: 'modern',
    async run({ peer, expect }) {
      const methods = ['server/discover', ...declaredLists(peer).map(list => list.method)];
      const single = new Map<string, Exchange>();
      for (const method of methods) single.set(method, await peer.request(method));
      const served = methods.filter(method => resultOf(single.get(method)!));
      const asked = await Promise.all(
        served.flatMap(method =>
          ['one', 'two', 'three'].map(name =>
            peer.request(method, undefined, {
              meta: {
                [envelopeKeys.clientInfo]: { name, version: '1' },
                [envelopeKeys.clientCapabilities]: name === 'one' ? { sampling: {} } : { roots: {} },
                progressToken: `${name}-${peer.nextId()}`,
              },
            }),
          ),
        ),
      );
      for (const exchange of asked) expect('stateless.interleaved-conversations', exchange).result();
    },
  }),

  scenario('server/stateless/lists', {
    title: 'lists do not depend on the connection or on earlier requests, and tools have one order',
    verifies: [
      'tools.list-not-per-connection',
      'prompts.list-not-per-connection',
      'resources.list-not-per-connection',
      'tools.list-deterministic-order',
    ],
    era: 'modern',
    opens: 1,
    leavesOpen: true,
    async run({ peer, expect, known, newConversation }) {
      const lists = declaredLists(peer);
      const before = new Map<string, string[]>();
      for (const { method, key } of lists) before.set(method, (await listed(peer, method, key)).names);
      await callAll(peer, known.callable.slice(0, 5), known);
      const other = await newConversation({ stays: true });
      const isAnnounced = async (list: List) =>
        declares(peer.declared, `${list.capability}.listChanged`) &&
        (await announcesChange(await newConversation(), list, calledOn(peer)));
      for (const list of lists) {
        const { method, key, capability } = list;
        const compare = async () => {
          const here = await listed(peer, method, key);
          const there = await listed(other, method, key);
          const again = await listed(peer, method, key);
          // a list that changes meanwhile, for all, shows nothing
          const isSteady = sorted(here.names) === sorted(again.names);
          return { here, there, again, isSteady, isSame: sorted(here.names) === sorted(there.names) };
        };
        let found = await compare();
        // a list may change and change back while the other connection is asked
        for (let left = 2; left > 0 && found.isSteady && !found.isSame; left--) found = await compare();
        const { here, there, again, isSteady, isSame } = found;
        const evidence = [here.exchange, there.exchange, again.exchange];
        const row = rowOf[capability as keyof typeof rowOf];
        // without a response, because the connection has ended or the server is late, a list shows nothing
        const unanswered = evidence.find(exchange => !exchange.reply);
        if (unanswered) {
          const which = unanswered === there.exchange ? 'other' : 'first';
          expect.inconclusive(row, `the ${which} connection gets no response to ${method}`);
          continue;
        }
        if (!isSteady) expect.notObserved(row, 'the list changes by itself');
        else if (!isSame && resultOf(there.exchange) && (await isAnnounced(list)))
          expect.notObserved(row, 'the server announces that calls change the list');
        else
          expect.that(row, {
            ok: isSame,
            expected: 'the same items on both connections',
            evidence,
            actual: differenceOf(here.names, there.names),
          });
        if (capability !== 'tools') continue;
        const sameSet = isSteady && sorted(before.get(method)!) === sorted(here.names);
        const orders = [before.get(method)!, here.names, again.names, ...(isSame ? [there.names] : [])].map(
          names => names.join(),
        );
        if (sameSet)
          expect.that('tools.list-deterministic-order', {
            ok: new Set(orders).size === 1,
            expected: 'one order of the tools',
            evidence,
            actual: 'several',
          });
        else expect.notObserved('tools.list-deterministic-order', 'the set of tools changes');
      }
      for (const [capability, row] of Object.entries(rowOf))
        if (!lists.some(list => list.capability === capability))
          expect.notObserved(row, `the server does not declare ${capability}`);
    },
  }),

  scenario('server/stateless/first-request', {
    title: 'the first request of a connection is served, and so is each later one, whatever came before',
    verifies: ['stateless.no-connection-context'],
    era: 'modern',
    // server/stateless/lists leaves a conversation open
    ...late,
    leavesOpen: true,
    async run({ peer, expect, known, otherConversation }) {
      const row = 'stateless.no-connection-context';
      const method = declaredLists(peer)[0]?.method ?? 'server/discover';
      const served = await peer.request(method);
      if (!resultOf(served)) throw new NotObserved(`the server refuses ${method} in any case`);
      const other = await otherConversation({ stays: true });
      // an earlier case may have sent it
      const [first = await other.request(method)] = other.conversation.exchanges({ by: 'peer' });
      expect(row, first).result();
      await other.request('server/discover', undefined, {
        meta: { [envelopeKeys.protocolVersion]: '1900-01-01' },
        deliberate: true,
      });
      const later = await other.request(method);
      expect(row, later).result();
      if (known.offers.length === 0) expect.noViolation(row, [served]);
    },
  }),

  scenario('server/stateless/interleaved-rounds', {
    title: 'two calls that wait for input at the same time are continued independently',
    verifies: ['stateless.explicit-handles'],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, known, tool }) {
      const row = 'stateless.explicit-handles';
      const own = tool('elicitation', { message: 'The first call.' });
      const { call, asked: alone } = await askedBy(peer, known, own);
      const calls = call === own ? [own, tool('elicitation', { message: 'The second call.' })] : [call, call];
      const ask = (call: JsonObject) => peer.request('tools/call', call, { once: true });
      const retry = async (call: JsonObject, asked: Exchange) =>
        peer.request('tools/call', retryOf(call, asked, await answersTo(peer, asked)), { once: true });
      if (!isCompleted(await retry(calls[0]!, alone)))
        throw new NotObserved('the call does not end with one round of answers');
      const [first, second] = [await ask(calls[0]!), await ask(calls[1]!)];
      if (![first, second].every(isInputRequired))
        throw new NotObserved('the server continues one call at a time');
      const retries = [await retry(calls[0]!, first), await retry(calls[1]!, second)];
      const isSound = retries.every(isCompleted);
      // a server may withdraw an earlier state, which names the call nevertheless
      const broughtBack = (asked: Exchange) => {
        const { inputRequests, requestState } = resultOf(asked)!;
        return JSON.stringify([Object.keys(isObject(inputRequests) ? inputRequests : {}), requestState]);
      };
      if (!isSound && broughtBack(first) !== broughtBack(second))
        throw new NotObserved('the server withdraws the state of the earlier call');
      const evidence = [first, second, ...retries];
      expect.that(row, {
        ok: isSound,
        expected: 'complete results of both calls',
        evidence,
        actual: 'a result that is not complete',
      });
    },
  }),
];
