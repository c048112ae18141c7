/** server/utilities/caching: what a client requests again. */

import { envelopeKeys } from '../../harness/record/envelope.js';
import type { Exchange } from '../../harness/record/message.js';
import type { ClientContext } from '../../harness/scenario/client.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Step } from '../../harness/scenario/script.js';
import { deliberately } from '../../harness/scenario/serve.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';

const lists: readonly Step[] = [
  ['list', 'tools'],
  ['list', 'prompts'],
  ['list', 'resources'],
];

/** The members that a server of an earlier revision does not send. */
const absent: JsonObject = { ttlMs: undefined, cacheScope: undefined } as unknown as JsonObject;

/** Expects a second request for the same list. */
async function expectTwice<Id extends RequirementId>(
  { peer, expect, scripted }: ClientContext<Id>,
  row: Id,
  method: string,
): Promise<void> {
  await peer.caseOver();
  const asked = peer.requestsOfCase(method);
  expectSecond(expect, row, asked, scripted);
}

function expectSecond<Id extends RequirementId>(
  expect: ClientContext<Id>['expect'],
  row: Id,
  asked: readonly Exchange[],
  scripted: boolean,
): void {
  const [first, second] = asked;
  if (second) expect.noViolation(row, [first, second]);
  else if (first && scripted)
    expect.that(row, false, 'a second request', [first], 'the first result is used');
  else expect.notObserved(row, 'the client had no reason to request the same again');
}

/** Hints of results that are stale at once, each for another list. */
const stale: readonly (readonly [row: RequirementId, method: string, key: string, hints: JsonObject])[] = [
  ['caching.ttl-zero-is-stale', 'tools/list', 'tools', { ttlMs: 0, cacheScope: 'private' }],
  ['caching.ttl-negative-is-zero', 'prompts/list', 'prompts', { ttlMs: -1, cacheScope: 'private' }],
  ['caching.ttl-absent-is-zero', 'resources/list', 'resources', absent],
];

const uri = 'test://static-text';
const fresh: JsonObject = { ttlMs: 60_000, cacheScope: 'private' };

export const scenarios = [
  scenario.client('client/caching/stale', {
    title: 'a client requests lists again whose ttlMs is 0, negative or absent',
    verifies: ['caching.ttl-zero-is-stale', 'caching.ttl-negative-is-zero', 'caching.ttl-absent-is-zero'],
    era: 'modern',
    serve: Object.fromEntries(
      stale.map(([, method, key, hints]) => [method, deliberately(() => ({ [key]: [], ...hints }))]),
    ),
    does: [['connect'], ...lists, ...lists, ['close']],
    async run({ peer, expect, scripted }) {
      await peer.caseOver();
      for (const [row, method] of stale)
        expectSecond(expect as ClientContext['expect'], row, peer.requestsOfCase(method), scripted);
    },
  }),

  scenario.client('client/caching/other-parameters', {
    title: 'a client uses a fresh result for the same parameters only',
    verifies: ['caching.key-is-method-and-params'],
    era: 'modern',
    serve: {
      'resources/read': ({ uri: asked }) => ({
        contents: [{ uri: String(asked), text: `The text of ${String(asked)}.` }],
        ...fresh,
      }),
    },
    does: [['connect'], ['list', 'resources'], ['read', uri], ['read', 'test://watched-resource'], ['close']],
    run: context => expectTwice(context, 'caching.key-is-method-and-params', 'resources/read'),
  }),

  scenario.client('client/caching/after-rounds', {
    title: 'a client does not keep the result of a request that it sent again with answers',
    verifies: ['caching.mrtr-results-not-cached'],
    era: 'modern',
    serve: {
      'resources/read': ({ uri: asked, requestState }) =>
        requestState === undefined
          ? { resultType: 'input_required', requestState: 'one round' }
          : { contents: [{ uri: String(asked), text: 'A text.' }], ...fresh },
    },
    does: [['connect'], ['list', 'resources'], ['read', uri], ['read', uri], ['close']],
    async run({ peer, expect, scripted }) {
      const row = 'caching.mrtr-results-not-cached';
      await peer.caseOver();
      const asked = peer.requestsOfCase('resources/read');
      const retried = asked.some(({ request }) => request.params?.requestState !== undefined);
      const first = asked.filter(({ request }) => request.params?.requestState === undefined);
      if (!retried) return expect.notObserved(row, 'the client does not send the request again');
      expectSecond(expect, row, first, scripted);
    },
  }),

  scenario.client('client/caching/after-a-change', {
    title: 'a client requests a fresh list again after a notification of its change',
    verifies: ['caching.notification-invalidates'],
    era: 'modern',
    serve: {
      'resources/read': ({ uri: asked }) => ({
        contents: [{ uri: String(asked), text: 'A text.' }],
        ...fresh,
      }),
      'prompts/list': async (_, { peer }) => {
        const [open] = peer.conversation.requests({ by: 'subject', method: 'subscriptions/listen' });
        if (open)
          peer.notify(
            'notifications/resources/updated',
            { uri, _meta: { [envelopeKeys.subscriptionId]: open.id! } },
            { during: open },
          );
        // over HTTP the notification arrives on another stream than the response
        await peer.quietWindow();
        return { prompts: [] };
      },
    },
    does: [
      ['connect'],
      ['list', 'resources'],
      ['subscribe', uri],
      ['read', uri],
      ['list', 'prompts'],
      ['read', uri],
      ['close'],
    ],
    async run({ peer, expect, scripted }) {
      const row = 'caching.notification-invalidates';
      await peer.caseOver();
      const told = peer.conversation.notifications({ by: 'peer', method: 'notifications/resources/updated' });
      if (told.length === 0) return expect.notObserved(row, 'the client watches no resource');
      expectSecond(expect, row, peer.requestsOfCase('resources/read'), scripted);
    },
  }),
];
