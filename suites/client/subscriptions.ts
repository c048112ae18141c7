/** basic/patterns/subscriptions: the requests of a client for notifications of changes. */

import { isDeepStrictEqual } from 'node:util';
import { envelopeKeys, metaOf } from '../../harness/record/envelope.js';
import { type Exchange, idKey, type Message } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { held, type ServeHandler } from '../../harness/scenario/serve.js';
import { isObject, type Json } from '../../spec/json-rpc.js';
import { heldOrNone, isCancelled, orNone, owed, uncancelled } from './parts.js';

const listen = 'subscriptions/listen';
const acknowledged = 'notifications/subscriptions/acknowledged';
const uri = 'test://watched-resource';

const tagged = (id: Json) => ({ [envelopeKeys.subscriptionId]: id });

/** Honours no part of a filter. */
const honoursNothing: ServeHandler = (_, { request, tell }) => {
  tell(acknowledged, { notifications: {}, _meta: tagged(request.id!) });
  return undefined;
};

const filterOf = ({ params }: Message): Json => params?.notifications ?? {};

const isAbout = (request: Message, resource: string): boolean => {
  const filter = filterOf(request);
  const watched = isObject(filter) ? filter.resourceSubscriptions : undefined;
  return Array.isArray(watched) && watched.includes(resource);
};

const noSubscription = 'the client sends no subscriptions/listen';

export const scenarios = [
  scenario.client('client/subscriptions/ended', {
    title: 'a client that no longer watches a resource ends its subscription',
    verifies: ['subscriptions.client-cancels'],
    era: 'modern',
    serve: { 'prompts/get': held },
    does: [
      ['connect'],
      ['list', 'resources'],
      ['subscribe', uri],
      ['subscribe', uri, false],
      ['get', 'test_simple_prompt'],
      ['close'],
    ],
    isolation: 'shared',
    async run({ peer, expect, scripted }) {
      const row = 'subscriptions.client-cancels';
      const next = (await heldOrNone(peer, 'prompts/get'))?.request;
      // a client may have another subscription, for lists or for nothing
      const first = peer.requestsOfCase(listen).find(({ request }) => isAbout(request, uri));
      if (!first) return expect.notObserved(row, noSubscription);
      const owes = scripted && next !== undefined;
      const ended = await owed(peer, owes, () => isCancelled(peer, first.request));
      const how = peer.link.httpServer ? 'its stream is closed' : 'notifications/cancelled with its id';
      if (ended) expect.noViolation(row, [first, next]);
      else if (!owes) expect.notObserved(row, 'the client still watches the resource');
      else
        expect.that(row, {
          ok: false,
          expected: how,
          ...uncancelled(peer, first.request, 'the subscription is still open', next),
        });
    },
  }),

  scenario.client('client/subscriptions/not-honoured', {
    title: 'a client stays usable when the server honours no part of its filter',
    verifies: ['subscriptions.client-checks-ack'],
    era: 'modern',
    serve: { [listen]: honoursNothing },
    does: [['connect'], ['list', 'resources'], ['subscribe', uri], ['get', 'test_simple_prompt'], ['close']],
    isolation: 'shared',
    async run({ peer, expect }) {
      const row = 'subscriptions.client-checks-ack';
      await peer.caseOver();
      const [first, ...others] = peer.requestsOfCase(listen);
      const [next] = peer.requestsOfCase('prompts/get');
      if (!first) return expect.notObserved(row, noSubscription);
      const acks = peer.conversation.notifications({ by: 'peer', method: acknowledged });
      const repeated = (earlier: Exchange): Exchange[] => {
        const ack = acks.find(m => idKey(metaOf(m)[envelopeKeys.subscriptionId]) === earlier.request.idKey);
        const since = ack?.seq ?? earlier.reply?.seq ?? Number.POSITIVE_INFINITY;
        return others.filter(
          ({ request }) =>
            request.seq > since && isDeepStrictEqual(filterOf(request), filterOf(earlier.request)),
        );
      };
      const most = [first, ...others]
        .map(one => [one, ...repeated(one)])
        .reduce((longest, run) => (run.length > longest.length ? run : longest));
      expect.that(row, {
        ok: most.length <= 3,
        expected:
          'no subscription with the same filter that is repeated again and again after its acknowledgement',
        evidence: [most[0], most.at(-1), next],
        actual: `${most.length} times`,
      });
    },
  }),

  scenario.client.stdio('client/subscriptions/unknown-id', {
    title: 'notifications under an unknown subscription id leave a client usable',
    verifies: ['subscriptions.client-correlates'],
    era: 'modern',
    does: [
      ['connect'],
      ['list', 'resources'],
      ['subscribe', uri],
      ['list', 'prompts'],
      ['list', 'tools'],
      ['close'],
    ],
    serve: {
      'prompts/list': (_, { peer, request }) => {
        const odd = { during: request, deliberate: true };
        const updated = 'notifications/resources/updated';
        peer.notify(updated, { uri, _meta: tagged('of-nobody') }, odd);
        peer.notify(updated, { uri: 'test://unknown', _meta: tagged(4_711) }, odd);
        return { prompts: [] };
      },
    },
    async run({ peer, expect, scripted }) {
      const row = 'subscriptions.client-correlates';
      await peer.caseOver();
      const [first] = peer.requestsOfCase(listen);
      const [listed] = peer.requestsOfCase('prompts/list');
      const [next] = peer.requestsOfCase('tools/list');
      if (!first || !listed) return expect.notObserved(row, noSubscription);
      if (next) expect.noViolation(row, [first, next]);
      else if (scripted)
        expect.that(row, {
          ok: false,
          expected: 'the next request',
          evidence: [first, listed],
          actual: 'none',
        });
      else expect.notObserved(row, 'the client had no further request to send');
    },
  }),

  scenario.client.stdio('client/subscriptions/restarted', {
    title: 'a client starts a server process again that exits, and subscribes again',
    verifies: ['stdio.client-restarts', 'subscriptions.stdio-reestablished'],
    era: 'modern',
    serve: {
      'prompts/list': (_, { peer }) => {
        peer.link.stdioServer!.exit(1);
        return undefined;
      },
    },
    does: [
      ['connect'],
      ['list', 'resources'],
      ['subscribe', uri],
      ['list', 'prompts'],
      ['list', 'tools'],
      ['read', uri],
      ['close'],
    ],
    lasts: 300,
    async run({ peer, another, expect, scripted }) {
      const rows = ['stdio.client-restarts', 'subscriptions.stdio-reestablished'] as const;
      await peer.caseOver();
      const [lost] = peer.requestsOfCase('prompts/list');
      const [subscribed] = peer.requestsOfCase(listen);
      if (!lost) return expect.notObserved(rows, 'the client sends no request at which the server exits');
      const next = await orNone(another());
      if (next) expect.noViolation('stdio.client-restarts', [lost]);
      else if (scripted)
        expect.that('stdio.client-restarts', {
          ok: false,
          expected: 'a new server process',
          evidence: [lost],
          actual: 'no new process',
        });
      else expect.notObserved('stdio.client-restarts', 'the client had no further request to send');
      if (!next || !subscribed)
        return expect.notObserved(
          'subscriptions.stdio-reestablished',
          next ? noSubscription : 'the client starts no new process',
        );
      await next.caseOver();
      const [again] = next.conversation.requests({ by: 'subject', method: listen });
      const last = next.conversation.sent('subject').at(-1);
      expect.that('subscriptions.stdio-reestablished', {
        ok: again !== undefined,
        expected: 'subscriptions/listen in the new process',
        evidence: [subscribed, again ?? last],
        actual: 'none',
      });
    },
  }),
];
