/** basic/lifecycle: the handshake, and its consequences. */

import { NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import { type Exchange, resultOf } from '../../harness/record/message.js';
import { describe, type Expect } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import { findRevision } from '../../spec/revisions.js';
import { callAll } from './calls.js';
import { promptAsks, resourceAsks } from './every-method.js';
import { declaredLists } from './lists.js';

/** A version in the format of released ones that was never released. */
const otherYear = (peer: Peer, year: string): string => peer.revision.id.replace(/^\d{4}/, year);

/** The params of an initialize request in which only the capabilities matter. */
const introduction = (peer: Peer, capabilities: JsonObject): JsonObject => ({
  protocolVersion: peer.revision.id,
  capabilities,
  clientInfo: { name: 'mcp-conform', version: peer.version },
});

/** Asks for the version that the server has offered. */
async function tryOffer(
  expect: Expect<'lifecycle.version-counter-offer' | 'lifecycle.version-echo'>,
  peer: Peer,
  offer: string,
  offering: Exchange,
): Promise<void> {
  const settled = await peer.open({ protocolVersion: offer });
  if (settled.reply?.kind === 'error') {
    const [row, expected] = [
      'lifecycle.version-counter-offer',
      `a version that works: ${offer} is refused`,
    ] as const;
    expect.that(row, {
      ok: false,
      expected,
      evidence: [offering, settled],
      actual: 'an error for the offered version',
    });
    expect.notObserved('lifecycle.version-echo', 'the server refuses the version that it offered');
    return;
  }
  expect('lifecycle.version-echo', settled).result(r =>
    r.protocolVersion === offer ? undefined : `version ${offer}`,
  );
}

const roots = { name: 'test_roots', arguments: {} };

export const scenarios = [
  scenario('server/lifecycle/counter-offer', {
    title: 'initialize with an unknown version, past or future, gets another version, which then works',
    verifies: [
      'lifecycle.version-counter-offer',
      'lifecycle.version-counter-offer-as-result',
      'lifecycle.version-counter-latest',
      'lifecycle.version-echo',
      'lifecycle.init-errors-handled',
    ],
    isolation: 'uninitialized',
    era: 'legacy',
    opens: 1,
    async run({ peer, expect, known, newConversation }) {
      const later = await newConversation();
      const past = await peer.open({ protocolVersion: otherYear(peer, '1900') });
      const future = await later.open({ protocolVersion: otherYear(peer, '2999') });
      for (const exchange of [past, future]) {
        const asked = exchange === past ? peer : later;
        if (exchange.deadline && !exchange.reply) {
          const alive = await asked.barrier();
          // a server that is still starting cannot be distinguished from an unresponsive one
          if (!alive || asked.conversation.repliesTo(exchange.request).length > 0) {
            expect.inconclusive('lifecycle.version-counter-offer', 'no response within the timeout');
            continue;
          }
        }
        const version = exchange.request.params?.protocolVersion;
        const offer = resultOf(exchange)?.protocolVersion;
        const post = asked.conversation.httpOf(exchange.request);
        const status = exchange.reply ? undefined : post?.status;
        if (status !== undefined && status >= 400) {
          // a server with a limit of one session refuses the next one, whatever its version
          const third = await (await newConversation()).open();
          const row = 'lifecycle.version-counter-offer-as-result';
          expect.noViolation('lifecycle.init-errors-handled', [post]);
          expect.notObserved('lifecycle.version-counter-offer', 'the request is refused with an HTTP status');
          if (resultOf(third))
            expect.that(row, {
              ok: false,
              expected: 'a result',
              evidence: [post],
              actual: `status ${status}`,
            });
          else expect.inconclusive(row, `the server refuses every further initialize with status ${status}`);
          continue;
        }
        expect.that('lifecycle.init-errors-handled', {
          ok: !!exchange.reply,
          expected: 'a response of any kind',
          evidence: [exchange],
          actual: describe(exchange),
        });
        expect('lifecycle.version-counter-offer-as-result', exchange).result();
        // another row judges a refusal; a missing response is judged here
        const countered =
          exchange.reply?.kind === 'error' || (typeof offer === 'string' && offer !== version);
        expect.that('lifecycle.version-counter-offer', {
          ok: countered,
          expected: 'another version',
          evidence: [exchange],
          actual: `${offer ?? 'nothing'}`,
        });
        const newest = known.offers.find(id => findRevision(id)?.era === peer.revision.era);
        if (typeof offer !== 'string' || offer === version || !newest)
          expect.notObserved('lifecycle.version-counter-latest', 'the server offers no other version');
        else
          expect.that('lifecycle.version-counter-latest', {
            ok: offer >= newest,
            expected: `${newest} or newer`,
            evidence: [exchange],
            actual: offer,
          });
      }
      const offered = new Map<string, Exchange>();
      for (const exchange of [past, future]) {
        const offer = resultOf(exchange)?.protocolVersion;
        if (typeof offer === 'string' && offer !== exchange.request.params?.protocolVersion)
          offered.set(offer, exchange);
      }
      if (offered.size === 0)
        return expect.notObserved('lifecycle.version-echo', 'the server offers no other version');
      for (const [offer, exchange] of offered) {
        // the probe has already seen that the server accepts this version
        if (known.offers.includes(offer)) expect.noViolation('lifecycle.version-echo', [exchange]);
        else await tryOffer(expect, await newConversation(), offer, exchange);
      }
    },
  }),

  scenario('server/lifecycle/slow-handshake', {
    title: 'during the handshake ping gets a response, and the client receives no requests',
    verifies: [
      'ping.answered-empty',
      'lifecycle.server-waits-for-initialized',
      'lifecycle.version-echo',
      'lifecycle.capabilities-open-set',
      'base.components-supported',
    ],
    isolation: 'uninitialized',
    era: 'legacy',
    async run({ peer, expect }) {
      // disputed: a response to ping before initialize. A server that ends because of it is asked again without it:
      // initialize has to be the first request of a client
      const isAgain = (peer.conversation.opened?.attempt ?? 1) > 1;
      if (!isAgain) peer.sendRaw('{"jsonrpc":"2.0","id":"too-early","method":"ping"}');
      const capabilities = {
        ...peer.era.capabilities(peer),
        'x-conformance': { a: 1 },
        experimental: { 'com.example/x': {} },
      };
      const opening = peer.start('initialize', introduction(peer, capabilities));
      await peer.request('ping');
      const opened = await opening.done;
      expect('lifecycle.capabilities-open-set', opened).result();
      const { id } = peer.revision;
      if (opened.reply?.kind !== 'result')
        expect.notObserved('lifecycle.version-echo', 'initialize is refused');
      else
        expect('lifecycle.version-echo', opened).result(r =>
          r.protocolVersion === id ? undefined : `version ${id}`,
        );
      await peer.quietWindow();
      expect.noViolation('lifecycle.server-waits-for-initialized', [opened]);
      peer.notify('notifications/initialized');
      const first = [await peer.request('ping')];
      for (const { method } of declaredLists(peer)) first.push(await peer.request(method));
      const served = first.find(e => e.reply?.kind === 'result');
      // other rows judge the result itself
      if (served) expect.noViolation('base.components-supported', [served]);
      else expect('base.components-supported', first.find(e => !e.reply) ?? first[0]!).result();
    },
  }),

  scenario('server/lifecycle/incomplete-initialize', {
    title: 'initialize without a required member is refused, and a complete initialize is then served',
    verifies: ['jsonrpc.request-answered-once', 'jsonrpc.invalid-params'],
    isolation: 'uninitialized',
    era: 'legacy',
    async run({ peer, expect }) {
      const whole = introduction(peer, {});
      for (const missing of Object.keys(whole)) {
        const params = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== missing));
        const refused = await peer.request('initialize', params, { deliberate: true });
        // over HTTP the refusal may be a status
        if (refused.reply) expect('jsonrpc.invalid-params', refused).error(-32602, -32600);
        else expect.notObserved('jsonrpc.invalid-params', 'the server sent no JSON-RPC response');
        // after an initialize with a result, the next one is a second handshake
        if (refused.reply?.kind !== 'error') break;
      }
      await peer.open();
      await peer.barrier();
    },
  }),

  scenario('server/lifecycle/minimal-client', {
    title: 'a client that declares no capabilities receives no requests',
    verifies: ['lifecycle.respect-capabilities', 'roots.capability-checked'],
    declares: {},
    async run({ peer, expect, known, waitUntilTried }) {
      await waitUntilTried();
      await callAll(peer, known.callable.slice(0, 8), known);
      // prompts and resources may ask the client, too
      const asks = [...promptAsks(known).slice(0, 3), ...resourceAsks(known).slice(0, 3)];
      await Promise.all(asks.map(({ method, params }) => peer.request(method, params)));
      return () => {
        expect.noViolation('lifecycle.respect-capabilities', [peer.conversation.opening]);
        expect.noViolation('roots.capability-checked', [peer.conversation.opening]);
      };
    },
  }),

  scenario('server/lifecycle/minimal-client-subscribes', {
    title: 'a client that declares no capabilities and subscribes to a resource receives no requests',
    verifies: ['lifecycle.respect-capabilities'],
    declares: {},
    async run({ peer, expect, known }) {
      const [resource] = known.resources;
      if (typeof resource?.uri !== 'string' || !declares(peer.declared, 'resources.subscribe'))
        throw new NotObserved('the server has no resource to subscribe to');
      const listening = await peer.listen({ resourceSubscriptions: [resource.uri] });
      await listening.stop();
      return () => expect.noViolation('lifecycle.respect-capabilities', [peer.conversation.opening]);
    },
  }),

  scenario('server/lifecycle/tools-that-ask', {
    title: 'a tools/call of a tool that sends requests sends none to a client without capabilities',
    verifies: [
      'lifecycle.respect-capabilities',
      'elicitation.undeclared-mode-not-sent',
      'roots.capability-checked',
    ],
    declares: {},
    fixtures: ['role sampling'],
    async run({ peer, expect, known, tool }) {
      const asking = [tool('sampling', { prompt: 'Hi' }), tool('elicitation', { message: 'Hi' }), roots];
      const present = asking.filter(({ name }) => known.tools.some(t => t.name === name));
      for (const call of present) await peer.request('tools/call', call);
      const { opening } = peer.conversation;
      expect.noViolation('lifecycle.respect-capabilities', [opening]);
      expect.noViolation('elicitation.undeclared-mode-not-sent', [opening]);
      expect.noViolation('roots.capability-checked', [opening]);
    },
  }),
];
