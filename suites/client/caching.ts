/** server/utilities/caching: what a client requests again. */

import { RefusedRequest } from '../../harness/peer/requests.js';
import { envelopeKeys } from '../../harness/record/envelope.js';
import type { Exchange } from '../../harness/record/message.js';
import type { ClientContext } from '../../harness/scenario/client.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Step } from '../../harness/scenario/script.js';
import { deliberately, held, type ServeHandler } from '../../harness/scenario/serve.js';
import { asText, isObject, type JsonObject } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import { answerSecondPage, goesOn, lastTool, pauseOfRetry } from './parts.js';
import { says, tool } from './world.js';

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
  expectSecond(expect, row, peer.requestsOfCase(method), scripted);
}

function expectSecond<Id extends RequirementId>(
  expect: ClientContext<Id>['expect'],
  row: Id,
  asked: readonly Exchange[],
  scripted: boolean,
  stored?: Exchange,
): void {
  const [first, second] = asked;
  if (second) expect.noViolation(row, [first, second]);
  else if (first && scripted)
    expect.that(row, {
      ok: false,
      expected: 'a second request',
      evidence: [first, stored],
      actual: 'the first result is used',
    });
  else expect.notObserved(row, 'the client had no reason to request the same again');
}

/** Hints of results that are stale at once, each for another list. */
const stale: readonly (readonly [row: RequirementId, method: string, key: string, hints: JsonObject])[] = [
  ['caching.ttl-zero-is-stale', 'tools/list', 'tools', { ttlMs: 0, cacheScope: 'private' }],
  ['caching.ttl-negative-is-zero', 'prompts/list', 'prompts', { ttlMs: -60_000, cacheScope: 'private' }],
  ['caching.ttl-absent-is-zero', 'resources/list', 'resources', absent],
];

const uri = 'test://static-text';
const fresh: JsonObject = { ttlMs: 60_000, cacheScope: 'private' };
/** Much shorter than a quiet window. */
const shortLived: JsonObject = { ttlMs: 5, cacheScope: 'private' };

/** A response that takes longer than short-lived results last. */
const afterAWhile: ServeHandler = async (_, { peer }) => {
  await peer.quietWindow();
  return says('Done.');
};

/**
 * A response after a notification on the open subscription.
 * @param wants whether the client asks for this notification, from the filter of its subscription
 */
const afterNotification =
  (method: string, params: JsonObject, wants: (filter: JsonObject) => boolean = () => true): ServeHandler =>
  async (_, { peer }) => {
    const open = peer.conversation
      .requests({ by: 'subject', method: 'subscriptions/listen' })
      .find(({ params: { notifications: filter } = {} }) => isObject(filter) && wants(filter));
    if (open)
      peer.notify(
        method,
        { ...params, _meta: { [envelopeKeys.subscriptionId]: open.id! } },
        { during: open },
      );
    // over HTTP the notification arrives on another stream than the response
    await peer.quietWindow();
    return { prompts: [] };
  };

/** Maximum delay (ms) of a timer and of a message after the ttlMs. */
const slack = 60;

/**
 * The requests that come as soon as the last result is stale, while another response is awaited; none where their
 * intervals grow. Requests of a user come at any time, and those without a cache come at once.
 */
function pollsDuring(asked: readonly Exchange[], { request, reply }: Exchange): Exchange[] {
  const ttlMs = Number(shortLived.ttlMs);
  const timed = asked.slice(1).flatMap((poll, n) => {
    const before = asked[n]!.reply;
    if (!before || poll.request.seq < request.seq || poll.request.seq > (reply?.seq ?? 0)) return [];
    return [{ poll, gap: poll.request.frame.at - before.frame.at }];
  });
  const grows = timed.length > 2 && timed.every(({ gap }, n) => n === 0 || gap > 1.3 * timed[n - 1]!.gap);
  if (grows) return [];
  // a timer may end a little early
  return timed.filter(({ gap }) => gap >= ttlMs - 2 && gap <= ttlMs + slack).map(({ poll }) => poll);
}

const secondPage = 'second page';
const isSecondPage = ({ request }: Exchange): boolean => request.params?.cursor === secondPage;

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

  scenario.client('client/caching/pages-without-hints', {
    title: 'a client uses a page of tools/list without ttlMs',
    verifies: ['caching.ttl-absent-is-zero'],
    era: 'modern',
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    async run({ peer, expect }) {
      const row = 'caching.ttl-absent-is-zero';
      const [second, third] = await answerSecondPage(peer, absent);
      if (!second) return expect.notObserved(row, 'the client requests no further page');
      expect.that(row, {
        ok: !!third,
        expected: 'a request for the page after one without ttlMs',
        evidence: [second.request, ...peer.conversation.repliesTo(second.request), third?.request],
        actual: 'none',
      });
    },
  }),

  scenario.client('client/caching/other-parameters', {
    title: 'a client uses a fresh result for the same parameters only',
    verifies: ['caching.key-is-method-and-params'],
    era: 'modern',
    serve: {
      'resources/read': ({ uri: asked }) => ({
        contents: [{ uri: asText(asked), text: `The text of ${asText(asked)}.` }],
        ...fresh,
      }),
      // the pages of the second list are fresh; the first one shows that the client follows pages
      'tools/list': ({ cursor }, { peer }) => {
        const begun = peer.requestsOfCase('tools/list').filter(e => !isSecondPage(e)).length;
        const hints = begun > 1 ? fresh : { ...fresh, ttlMs: 0 };
        const name = cursor === undefined ? 'first' : 'second';
        return { tools: [tool(name)], ...(cursor === undefined && { nextCursor: secondPage }), ...hints };
      },
    },
    does: [
      ['connect'],
      ['list', 'resources'],
      ['read', uri],
      ['read', 'test://watched-resource'],
      ['list', 'tools'],
      ['list', 'tools'],
      ['close'],
    ],
    async run(context) {
      const row = 'caching.key-is-method-and-params';
      await expectTwice(context, row, 'resources/read');
      const { peer, expect, scripted } = context;
      const asked = peer.requestsOfCase('tools/list');
      const again = asked.filter(e => !isSecondPage(e))[1];
      const [first, next] = asked.filter(isSecondPage);
      if (!again?.reply || !scripted || !first || first.request.seq > again.request.seq) return;
      expect.that(row, {
        ok: next !== undefined,
        expected: 'a request for the second page, as in the first list',
        evidence: [again, next],
        actual: 'none, after a first page with a long ttlMs',
      });
    },
  }),

  scenario.client('client/caching/after-rounds', {
    title: 'a client does not keep the result of a request that it sent again with answers',
    verifies: ['caching.mrtr-results-not-cached'],
    era: 'modern',
    serve: {
      'resources/read': ({ uri: asked, requestState }) =>
        requestState === undefined
          ? { resultType: 'input_required', requestState: 'one round' }
          : { contents: [{ uri: asText(asked), text: 'A text.' }], ...fresh },
    },
    does: [['connect'], ['list', 'resources'], ['read', uri], ['read', uri], ['close']],
    lasts: pauseOfRetry,
    async run({ peer, expect, scripted }) {
      const row = 'caching.mrtr-results-not-cached';
      await peer.caseOver();
      const asked = peer.requestsOfCase('resources/read');
      const retry = asked.find(({ request }) => request.params?.requestState !== undefined);
      if (!retry) return expect.notObserved(row, 'the client does not send the request again');
      const others = asked.filter(one => one !== retry); // a later one may wrongly have the same state
      expectSecond(expect, row, others, scripted, retry);
    },
  }),

  scenario.client('client/caching/after-a-change', {
    title: 'a client requests a fresh resource again after a notification of its change',
    verifies: ['caching.notification-invalidates'],
    era: 'modern',
    serve: {
      'resources/read': ({ uri: asked }) => ({
        contents: [{ uri: asText(asked), text: 'A text.' }],
        ...fresh,
      }),
      'prompts/list': afterNotification('notifications/resources/updated', { uri }),
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
    lasts: 100,
    async run({ peer, expect, scripted }) {
      const row = 'caching.notification-invalidates';
      await peer.caseOver();
      const told = peer.conversation.notifications({ by: 'peer', method: 'notifications/resources/updated' });
      if (told.length === 0) return expect.notObserved(row, 'the client watches no resource');
      expectSecond(expect, row, peer.requestsOfCase('resources/read'), scripted);
    },
  }),

  scenario.client('client/caching/after-a-list-change', {
    title: 'a client requests a fresh list again after a notification of its change',
    verifies: ['caching.notification-invalidates'],
    era: 'modern',
    serve: {
      'tools/list': { tools: [tool('t')], ...fresh, ttlMs: 120_000 },
      'prompts/list': afterNotification(
        'notifications/tools/list_changed',
        {},
        filter => filter.toolsListChanged === true,
      ),
    },
    does: [
      ['connect'],
      ['subscribe', uri],
      ['list', 'tools'],
      ['list', 'prompts'],
      ['list', 'tools'],
      ['close'],
    ],
    lasts: 100,
    async run({ peer, expect, scripted }) {
      const row = 'caching.notification-invalidates';
      await peer.caseOver();
      const told = peer.conversation.notifications({
        by: 'peer',
        method: 'notifications/tools/list_changed',
      });
      if (told.length === 0) return expect.notObserved(row, 'the client does not watch the list of tools');
      expectSecond(expect, row, peer.requestsOfCase('tools/list'), scripted);
    },
  }),

  scenario.client('client/caching/expired', {
    title: 'a client requests a list again whose ttlMs has passed',
    verifies: ['caching.refetch-when-stale'],
    era: 'modern',
    serve: {
      // the call takes a quiet window: longer than the ttlMs, and shorter than twice the ttlMs
      'tools/list': (_, { peer }) => ({
        tools: [tool('t')],
        ttlMs: Math.floor(peer.timing.quiet * 0.7),
        cacheScope: 'private',
      }),
      'tools/call': afterAWhile,
    },
    does: [['connect'], ['list', 'tools'], ['call', 't'], ['list', 'tools'], ['close']],
    lasts: 100,
    run: context => expectTwice(context, 'caching.refetch-when-stale', 'tools/list'),
  }),

  scenario.client('client/caching/idle', {
    title: 'a client that waits does not request a list again whenever its ttlMs passes',
    verifies: ['caching.ttl-no-polling'],
    era: 'modern',
    serve: {
      'tools/list': { tools: [tool('t')], ...shortLived },
      // the first poll of a busy client may come at the end of the first window
      'tools/call': async (params, at) => {
        await at.peer.quietWindow();
        return afterAWhile(params, at);
      },
    },
    does: [['connect'], ['list', 'tools'], ['call', 't'], ['close']],
    lasts: 200,
    async run({ peer, expect }) {
      const row = 'caching.ttl-no-polling';
      await peer.caseOver();
      const asked = peer.requestsOfCase('tools/list');
      const [waited] = peer.requestsOfCase('tools/call');
      if (!asked[0] || !waited?.reply)
        return expect.notObserved(row, 'the client does not list its tools and call one');
      const polls = pollsDuring(asked, waited);
      // one more request may have another reason
      expect.that(row, {
        ok: polls.length < 2,
        expected: 'while the response to tools/call is awaited, no tools/list whenever the ttlMs has passed',
        evidence: [asked[0], ...polls, waited],
        actual: `${polls.length} requests, each within ${slack} ms after the ttlMs of ${shortLived.ttlMs} ms`,
      });
    },
  }),

  scenario.client('client/caching/page-lost', {
    title: 'a client begins a list anew after the server rejected a cursor that it had accepted',
    verifies: ['caching.invalid-cursor-discards-pages'],
    era: 'modern',
    serve: {
      'tools/list': ({ cursor }, { peer }) => {
        if (cursor === undefined) return { tools: [tool('one')], nextCursor: secondPage, ...fresh };
        const times = peer.requestsOfCase('tools/list').filter(isSecondPage).length;
        if (times > 1) throw new RefusedRequest(-32602, 'The cursor is no longer valid.');
        return { tools: [tool('two')], ttlMs: 0, cacheScope: 'private' };
      },
    },
    does: [['connect'], ['list', 'tools'], ['list', 'tools'], ['list', 'tools'], ['close']],
    async run({ peer, expect }) {
      const row = 'caching.invalid-cursor-discards-pages';
      await peer.caseOver();
      const asked = peer.requestsOfCase('tools/list');
      const at = asked.findIndex(exchange => exchange.reply?.kind === 'error');
      const next = asked[at + 1];
      if (at < 0 || !next)
        return expect.notObserved(row, 'the client does not list again after the rejection');
      expect.that(row, {
        ok: !isSecondPage(next),
        expected: 'a tools/list without a cursor',
        evidence: [asked[at], next],
        actual: 'a tools/list with the rejected cursor',
      });
    },
  }),

  scenario.client.http('client/caching/another-token', {
    title: 'a client does not use a private list that it received with another access token',
    verifies: ['caching.private-not-shared'],
    era: 'modern',
    serve: {
      'tools/list': { tools: [tool(lastTool)], ...fresh },
      'tools/call': says('Done.'),
    },
    protection: {
      // the call is refused once, and only a new authorization leads to another token
      refuse({ message, token }, { notes }) {
        if (message?.method !== 'tools/call' || notes.has('refused') || !token) return undefined;
        notes.set('refused', 1);
        token.revoked = true;
        return { why: 'bad token' };
      },
      authorities: { main: { token: ({ refresh_token: _, ...answer }) => answer } },
    },
    does: [['connect'], ['list', 'tools'], goesOn, ['list', 'tools'], goesOn, ['close']],
    official: 'auth/metadata-default',
    begins: 'started',
    async run({ protectedServer, expect, scripted }) {
      const row = 'caching.private-not-shared';
      await protectedServer.over;
      const admitted = (method: string) =>
        protectedServer.admitted.filter(({ message }) => message?.method === method);
      const [first] = admitted('tools/list');
      const call = admitted('tools/call').find(({ token }) => token !== first?.token);
      const [, last] = admitted('tools/call').filter(({ token }) => token === call?.token);
      const again = admitted('tools/list').find(({ token }) => token === call?.token);
      // in a script a second call shows that the client has passed the list between the calls
      if (!first?.exchange || !call?.exchange || (!again && !(last && scripted)))
        return expect.notObserved(row, 'the client did not list its tools with two access tokens');
      expect.that(row, {
        ok: again !== undefined,
        expected: 'another tools/list with the new access token',
        evidence: [first.exchange, call.exchange, (again ?? last)?.exchange],
        actual: 'the private list of the previous access token is used',
      });
    },
  }),
];
