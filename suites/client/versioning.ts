/** basic/versioning: how a client finds out the era and the version of its server. */

import { RefusedRequest } from '../../harness/peer/requests.js';
import { errorCodes, namedVersion } from '../../harness/record/envelope.js';
import type { Exchange, Message } from '../../harness/record/message.js';
import type { ClientContext } from '../../harness/scenario/client.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Script } from '../../harness/scenario/script.js';
import { deliberately, held, pages } from '../../harness/scenario/serve.js';
import { asText } from '../../spec/json-rpc.js';
import { latestRevision } from '../../spec/revisions.js';
import {
  allOf,
  discover,
  expectEraKept,
  expectNoFallback,
  fellBack,
  future,
  inTurn,
  isWithEnvelope,
  legacyErrors,
  ofBothEras,
  olderRevisions,
  refusals,
  refusing,
  sentIn,
  speaking,
} from './eras.js';
import { tool } from './world.js';

const visit: Script = [['connect'], ['list', 'tools'], ['close']];

/** Refuses a request in another version, or in every version, with the list of supported versions. */
const supports = (...versions: readonly string[]) =>
  deliberately((_, { request }) => {
    throw new RefusedRequest(errorCodes.unsupportedVersion, 'Unsupported protocol version', {
      supported: [...versions],
      requested: asText(namedVersion(request) ?? ''),
    });
  });

/** Requests in a version that neither the first request nor the list of supported versions has. */
const inOtherVersion = (all: readonly Message[], first: Message, refusal: Message | undefined) =>
  all.find(
    m => refusal && m.seq > refusal.seq && ![namedVersion(first), future].includes(namedVersion(m) as string),
  );

/** Error -32021, which only a server without a handshake sends. */
const lacksCapability = new RefusedRequest(
  errorCodes.missingCapability,
  'Missing required client capability',
  { requiredCapabilities: { 'x-conformance': {} } },
);

type Probing = 'stdio.dual-era-probe' | 'stdio.modern-only-probe';

/** The first request of a client, and the row that judges it. */
async function expectProbe(context: ClientContext<Probing>): Promise<void> {
  const { expect, speaksHandshake } = context;
  const all = sentIn(await allOf(context));
  const [first] = all;
  const isDual = speaksHandshake || all.some(m => m.method === 'initialize');
  const [row, other]: readonly Probing[] = isDual
    ? ['stdio.dual-era-probe', 'stdio.modern-only-probe']
    : ['stdio.modern-only-probe', 'stdio.dual-era-probe'];
  expect.notObserved(other!, isDual ? 'the client speaks both eras' : 'the client speaks one era');
  if (first)
    expect.that(row!, {
      ok: first.method === discover,
      expected: `${discover} as the first request`,
      evidence: [first],
      actual: first.method,
    });
}

const nth = <T>(items: readonly T[], at: number): T => items[at % items.length]!;

const notModernOnly = 'the client is not known to speak a revision with a handshake';

export const scenarios = [
  scenario.client.stdio('client/versioning/first-request', {
    title: 'the first request of a client to a new server process is server/discover',
    verifies: ['stdio.dual-era-probe', 'stdio.modern-only-probe'],
    era: 'modern',
    countsProbes: true,
    older: speaking(latestRevision),
    does: visit,
    begins: 'connected',
    run: expectProbe,
  }),

  scenario.client('client/versioning/open-capabilities', {
    title: 'a client continues with a server that lists unknown capabilities in server/discover',
    verifies: ['lifecycle.capabilities-open-set'],
    era: 'modern',
    serve: {
      [discover]: (_, { peer }) => ({
        supportedVersions: [peer.revision.id],
        capabilities: { tools: {}, 'x-conformance': { a: 1 }, experimental: { 'com.example/x': {} } },
      }),
    },
    does: visit,
    async run({ peer, expect }) {
      const row = 'lifecycle.capabilities-open-set';
      await peer.caseOver();
      const [asked] = peer.requestsOfCase(discover);
      const [next] = peer.requestsOfCase('tools/list');
      if (!asked?.reply) return expect.notObserved(row, `the client sends no ${discover}`);
      expect.that(row, {
        ok: next !== undefined,
        expected: 'a further request',
        evidence: [asked, next],
        actual: 'none',
      });
    },
  }),

  scenario.client.stdio('client/versioning/older-server', {
    title: 'a client of both eras falls back to initialize after any error of an older server',
    verifies: ['stdio.fallback-any-error', 'versioning.era-cached'],
    era: 'modern',
    countsProbes: true,
    older: inTurn,
    does: legacyErrors.flatMap(() => visit),
    begins: 'connected',
    lasts: 300,
    async run(context) {
      const { expect } = context;
      const conversations = await allOf(context);
      const all = sentIn(conversations);
      const probes = conversations.flatMap(c => c.exchanges({ by: 'subject', method: discover }));
      const isEarly = ({ request }: Exchange) =>
        conversations.every(
          ({ handshake }) =>
            handshake?.request.frame.link !== request.frame.link || handshake.request.seq > request.seq,
        );
      const refused = probes.filter(probe => probe.reply?.kind === 'error' && isEarly(probe));
      const isDual = all.some(m => m.method === 'initialize');
      if (!isDual || refused.length === 0)
        return expect.notObserved(
          ['stdio.fallback-any-error', 'versioning.era-cached'],
          'the client speaks one era only, or does not ask for the era',
        );
      for (const { request, reply } of refused) {
        const next = fellBack(all, request);
        const error = JSON.stringify((reply!.json as { error?: unknown }).error).slice(0, 100);
        expect.that('stdio.fallback-any-error', {
          ok: next !== undefined,
          expected: `initialize after ${error}`,
          evidence: [request, reply, next],
          actual: 'none',
        });
      }
      for (const conversation of conversations) expectEraKept({ conversation, expect });
    },
  }),

  scenario.client.stdio('client/versioning/other-version', {
    title:
      'a client does not fall back to initialize when the server supports only other versions without it',
    verifies: ['stdio.modern-error-no-fallback'],
    era: 'modern',
    countsProbes: true,
    serve: { [discover]: supports(future), 'tools/list': supports(future) },
    does: visit,
    begins: 'connected',
    run: context => expectNoFallback(context, errorCodes.unsupportedVersion),
  }),

  scenario.client('client/versioning/unsupported', {
    title: 'a client that supports none of the listed versions stops, and does not repeat its request',
    verifies: ['versioning.client-picks-supported'],
    era: 'modern',
    countsProbes: true,
    http: { answers: 'json' },
    serve: { [discover]: supports(future), 'tools/list': supports(future), 'tools/call': supports(future) },
    does: [['connect'], ['list', 'tools'], ['call', 'test_simple_text'], ['close']],
    begins: 'connected',
    async run(context) {
      const row = 'versioning.client-picks-supported';
      const conversations = await allOf(context);
      const all = sentIn(conversations).filter(isWithEnvelope);
      const [first] = all;
      if (!first) return context.expect.notObserved(row, 'the client sends no request with an envelope');
      const [refusal] = conversations.flatMap(c => c.repliesTo(first));
      const other = inOtherVersion(all, first, refusal);
      context.expect.that(row, {
        ok: !other,
        expected: `a version of the list: ${future}`,
        evidence: [first, refusal, other],
        actual: other && asText(namedVersion(other)),
      });
      const isAgain = (m: Message) => m.method === first.method && namedVersion(m) === namedVersion(first);
      // each operation of a client may have a process of its own, which asks once
      const repeated = conversations
        .map(c => sentIn([c]).filter(m => isWithEnvelope(m) && isAgain(m)))
        .reduce((most, one) => (one.length > most.length ? one : most));
      context.expect.that(row, {
        ok: repeated.length <= 3,
        expected: 'another version, or an error for the user',
        evidence: [repeated[0], repeated.at(-1)],
        actual: `${repeated.length} requests ${first.method} in ${asText(namedVersion(first))}`,
      });
    },
  }),

  scenario.client('client/versioning/unsupported-call', {
    title: 'a client does not repeat a call in a version that the server does not support',
    verifies: ['versioning.client-picks-supported'],
    era: 'modern',
    http: { answers: 'json' },
    serve: {
      'tools/list': pages([[tool('refused'), tool('outdated')]]),
      'tools/call': deliberately(({ name }, at) => {
        if (name === 'outdated') return supports(future)({}, at);
        throw new RefusedRequest(-32603, 'Refused');
      }),
    },
    does: [['connect'], ['list', 'tools'], ['call', 'refused'], ['call', 'outdated'], ['close']],
    async run({ peer, expect, scripted }) {
      const row = 'versioning.client-picks-supported';
      await peer.caseOver();
      const calls = (name: string) =>
        peer.requestsOfCase('tools/call').filter(({ request }) => request.params?.name === name);
      const [call, again] = calls('outdated');
      if (!call?.reply) return expect.notObserved(row, 'the client does not call the tool');
      if (!scripted) return expect.notObserved(row, 'a user may call a tool again');
      const isAsked = peer.requestsOfCase(discover).some(({ request }) => request.seq > call.reply!.seq);
      // server/discover lists the version, so that a client that asks again may repeat the call
      if (again && (isAsked || calls('refused').length > 1))
        return expect.notObserved(row, 'the client may repeat a call after any error');
      expect.that(row, {
        ok: !again || namedVersion(again.request) !== namedVersion(call.request),
        expected: 'no second call in this version',
        evidence: [call, again],
        actual: 'the same call again',
      });
    },
  }),

  scenario.client.stdio('client/versioning/refused-capability', {
    title: 'a client does not fall back to initialize when the server lacks a capability of the client',
    verifies: ['stdio.modern-error-no-fallback'],
    era: 'modern',
    countsProbes: true,
    older: () => ({ refuse: () => lacksCapability }),
    does: visit,
    begins: 'connected',
    run: context => expectNoFallback(context, errorCodes.missingCapability),
  }),

  scenario.client.stdio('client/versioning/silent', {
    title:
      'a client of both eras sends initialize to a server that does not respond to server/discover in time',
    verifies: ['stdio.fallback-any-error'],
    era: 'modern',
    countsProbes: true,
    older: ofBothEras,
    serve: { [discover]: held },
    does: [['connect', { timeoutMs: 400 }], ['list', 'tools'], ['close']],
    begins: 'connected',
    lasts: 900,
    async run(context) {
      const { peer, expect, speaksHandshake } = context;
      const row = 'stdio.fallback-any-error';
      const probe = await peer.nextDeferred(discover);
      // a server that starts slowly responds to the probe after the client has gone on
      if (await peer.next(m => m.method === 'initialize')) probe.refuse(-32601, 'Method not found');
      probe.neverAnswer();
      const all = sentIn(await allOf(context));
      const handshake = all.find(m => m.method === 'initialize');
      if (handshake) return expect.noViolation(row, [probe.request, handshake]);
      if (!speaksHandshake) return expect.notObserved(row, notModernOnly);
      if (!context.scripted) return expect.notObserved(row, 'not judged: the client sets its own timeout');
      expect.that(row, {
        ok: false,
        expected: `initialize, ${discover} got no response`,
        evidence: [probe.request],
        actual: 'none',
      });
    },
  }),

  scenario.client('client/versioning/dual-server', {
    title: 'a client of both eras stays without a handshake when the server responds to server/discover',
    verifies: ['versioning.client-stays-modern'],
    era: 'modern',
    countsProbes: true,
    older: ofBothEras,
    does: visit,
    begins: 'connected',
    async run(context) {
      const row = 'versioning.client-stays-modern';
      const { expect, peer } = context;
      const conversations = await allOf(context);
      const found = conversations.flatMap(c => c.exchanges({ by: 'subject', method: discover }));
      const probe = found.find(({ reply }) => reply?.kind === 'result');
      if (!probe) return expect.notObserved(row, `the client sends no ${discover}`);
      const all = sentIn(conversations).filter(m => m.seq > probe.reply!.seq);
      const handshake = all.find(m => m.method === 'initialize');
      if (all.length === 0) return expect.notObserved(row, 'the client sends no further request');
      const version = peer.revision.id;
      expect.that(row, {
        ok: !handshake,
        expected: `requests in ${version}`,
        evidence: [probe, handshake ?? all[0]],
        actual: 'initialize',
      });
    },
  }),

  ...refusals.map(({ slug, what, status, body, isModern }, at) =>
    scenario.client.http(`client/versioning/${slug}`, {
      title: isModern
        ? `a client whose first request is refused with ${what} does not send initialize`
        : `a client of both eras whose first request gets ${what} sends initialize`,
      verifies: isModern
        ? ['streamable-http.dual-era-inspects-400']
        : ['streamable-http.dual-era-falls-back', 'versioning.era-cached'],
      era: 'modern',
      older: speaking(nth(olderRevisions('streamable-http'), at)),
      http: { ...refusing(status, body, asked => asked.id), answers: 'json' },
      does: visit,
      begins: 'connected',
      async run(context) {
        const { expect, speaksHandshake } = context;
        const conversations = await allOf(context);
        const all = sentIn(conversations);
        const asked = all.find(isWithEnvelope);
        const probe = asked ?? context.peer.conversation.http()[0]?.request;
        const handshake = all.find(m => m.method === 'initialize');
        const evidence = [probe, handshake];
        if (isModern)
          return expect.that('streamable-http.dual-era-inspects-400', {
            ok: !handshake,
            expected: 'no initialize',
            evidence: [probe, ...(asked ? conversations.flatMap(c => c.repliesTo(asked)) : []), handshake],
            actual: 'initialize',
          });
        if (handshake) expect.noViolation('streamable-http.dual-era-falls-back', evidence);
        else if (speaksHandshake)
          expect.that('streamable-http.dual-era-falls-back', {
            ok: false,
            expected: 'initialize',
            evidence,
            actual: 'none',
          });
        else expect.notObserved('streamable-http.dual-era-falls-back', notModernOnly);
        const judged = conversations.filter(conversation => expectEraKept({ conversation, expect }));
        if (judged.length === 0)
          expect.notObserved('versioning.era-cached', 'the client does not continue after initialize');
      },
    }),
  ),
];
