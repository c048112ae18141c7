/** basic/versioning: how a client finds out the era and the version of its server. */

import { NotObserved } from '../../harness/peer/deferred.js';
import { RefusedRequest } from '../../harness/peer/requests.js';
import type { Conversation } from '../../harness/record/conversation.js';
import { errorCodes, namedVersion } from '../../harness/record/envelope.js';
import type { Exchange, Message } from '../../harness/record/message.js';
import type { ClientContext } from '../../harness/scenario/client.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Script } from '../../harness/scenario/script.js';
import { deliberately } from '../../harness/scenario/serve.js';

const discover = 'server/discover';
const future = '2027-01-01';

const visit: Script = [['connect'], ['list', 'tools'], ['close']];

/** All conversations that the client opens, until it exits. */
async function allOf({ peer, another }: Pick<ClientContext, 'peer' | 'another'>): Promise<Conversation[]> {
  const found = [peer];
  try {
    for (;;) found.push(await another());
  } catch (error) {
    if (!(error instanceof NotObserved)) throw error;
  }
  await Promise.all(found.map(one => one.caseOver()));
  return found.map(({ conversation }) => conversation);
}

const sentIn = (conversations: readonly Conversation[]): Message[] =>
  conversations.flatMap(c => [...c.sent('subject')]).sort((a, b) => a.seq - b.seq);

/** Errors of servers of the older era to a request that they do not know. */
const legacyErrors: readonly (readonly [code: number, message: string])[] = [
  [-32601, 'Method not found'],
  [-32602, 'Invalid request parameters'],
  [-32600, 'Server not initialized'],
  [-32000, 'Bad Request: Server not initialized'],
];

/** Whether initialize follows a refused probe, before the next probe. */
function fellBack(all: readonly Message[], probe: Message): Message | undefined {
  const later = all.filter(m => m.seq > probe.seq);
  const next = later.findIndex(m => m.method === discover);
  return (next === -1 ? later : later.slice(0, next)).find(m => m.method === 'initialize');
}

/** A server of the older era that refuses each probe in another way. */
function inTurn(): () => RefusedRequest {
  let turn = 0;
  return () => new RefusedRequest(...legacyErrors[turn++ % legacyErrors.length]!);
}

/** Refuses a request in another version, or in every version, with the list of supported versions. */
const supports = (...versions: readonly string[]) =>
  deliberately((_, { request }) => {
    throw new RefusedRequest(errorCodes.unsupportedVersion, 'Unsupported protocol version', {
      supported: [...versions],
      requested: String(namedVersion(request) ?? ''),
    });
  });

const isWithEnvelope = (m: Message): boolean => m.kind === 'request' && namedVersion(m) !== undefined;

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
    expect.that(row!, first.method === discover, `${discover} as the first request`, [first], first.method);
}

/** What a server without a handshake answers to the first request, and whether initialize may follow. */
const refusals: readonly {
  readonly slug: string;
  readonly what: string;
  readonly status: number;
  readonly body: string | object;
  readonly isModern: boolean;
}[] = [
  {
    slug: 'unsupported-version',
    what: 'an unsupported version',
    status: 400,
    body: {
      jsonrpc: '2.0',
      id: null,
      error: {
        code: errorCodes.unsupportedVersion,
        message: 'Unsupported protocol version',
        data: { supported: [future], requested: '' },
      },
    },
    isModern: true,
  },
  {
    slug: 'header-mismatch',
    what: 'a header mismatch',
    status: 400,
    body: {
      jsonrpc: '2.0',
      id: null,
      error: { code: errorCodes.headerMismatch, message: 'Header mismatch' },
    },
    isModern: true,
  },
  {
    slug: 'missing-capability',
    what: 'a missing capability',
    status: 400,
    body: {
      jsonrpc: '2.0',
      id: null,
      error: {
        code: errorCodes.missingCapability,
        message: 'Missing required client capability',
        data: { requiredCapabilities: { sampling: {} } },
      },
    },
    isModern: true,
  },
  { slug: 'empty-400', what: 'status 400 without a body', status: 400, body: '', isModern: false },
  { slug: 'text-400', what: 'status 400 with a text', status: 400, body: 'Bad Request', isModern: false },
  {
    slug: 'other-error',
    what: 'status 400 with error -32000',
    status: 400,
    body: {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, message: 'Bad Request: Server not initialized' },
    },
    isModern: false,
  },
  { slug: 'not-found', what: 'status 404 without a body', status: 404, body: '', isModern: false },
];

/** Refuses every request with an envelope over HTTP. */
const refusing = (status: number, body: string | object, id: (peer: Message) => unknown) => ({
  intercept: ({ messages }: { readonly messages: readonly Message[] }) => {
    const asked = messages.find(isWithEnvelope);
    if (!asked) return undefined;
    const whole = typeof body === 'object' ? { ...body, id: id(asked) } : body;
    return { status, body: whole };
  },
});

const notModernOnly = 'the client is not known to speak a revision with a handshake';

export const scenarios = [
  scenario.client.stdio('client/versioning/first-request', {
    title: 'the first request of a client to a new server process is server/discover',
    verifies: ['stdio.dual-era-probe', 'stdio.modern-only-probe'],
    era: 'modern',
    countsProbes: true,
    older: () => () => new RefusedRequest(-32601, 'Method not found'),
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
      expect.that(row, next !== undefined, 'a further request', [asked, next], 'none');
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
        expect.that(
          'stdio.fallback-any-error',
          next !== undefined,
          `initialize after ${error}`,
          [request, reply, next],
          'none',
        );
      }
      for (const conversation of conversations) {
        const { handshake } = conversation;
        if (handshake?.reply?.kind !== 'result') continue;
        const again = conversation
          .sent('subject')
          .find(m => m.seq > handshake.reply!.seq && isWithEnvelope(m));
        const later = conversation.sent('subject').find(m => m.seq > handshake.reply!.seq);
        if (later)
          expect.that(
            'versioning.era-cached',
            again === undefined,
            'requests of the older era after initialize',
            [handshake, again ?? later],
            again?.method,
          );
      }
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
    async run(context) {
      const row = 'stdio.modern-error-no-fallback';
      const all = sentIn(await allOf(context));
      const refused = all.find(isWithEnvelope);
      const handshake = all.find(m => m.method === 'initialize' && m.seq > (refused?.seq ?? Infinity));
      if (!refused) return context.expect.notObserved(row, 'the client sends no request with an envelope');
      context.expect.that(
        row,
        !handshake,
        'no initialize after error -32022',
        [refused, handshake],
        'initialize',
      );
    },
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
      const all = sentIn(await allOf(context)).filter(isWithEnvelope);
      const [first] = all;
      if (!first) return context.expect.notObserved(row, 'the client sends no request with an envelope');
      const repeated = all.filter(m => m.method === first.method && namedVersion(m) === namedVersion(first));
      context.expect.that(
        row,
        repeated.length <= 3,
        'another version, or an error for the user',
        [first, repeated.at(-1)],
        `${repeated.length} requests ${first.method} in ${String(namedVersion(first))}`,
      );
    },
  }),

  ...refusals.map(({ slug, what, status, body, isModern }) =>
    scenario.client.http(`client/versioning/${slug}`, {
      title: isModern
        ? `a client whose first request is refused with ${what} does not send initialize`
        : `a client of both eras whose first request gets ${what} sends initialize`,
      verifies: [isModern ? 'streamable-http.dual-era-inspects-400' : 'streamable-http.dual-era-falls-back'],
      era: 'modern',
      older: () => () => new RefusedRequest(-32601, 'Method not found'),
      http: { ...refusing(status, body, asked => asked.id), answers: 'json' },
      does: visit,
      begins: 'connected',
      async run(context) {
        const { expect, speaksHandshake } = context;
        const all = sentIn(await allOf(context));
        const asked = all.find(isWithEnvelope);
        const probe = asked ?? context.peer.conversation.http()[0]?.request;
        const handshake = all.find(m => m.method === 'initialize');
        const evidence = [probe, handshake];
        if (isModern)
          expect.that(
            'streamable-http.dual-era-inspects-400',
            !handshake,
            'no initialize',
            evidence,
            'initialize',
          );
        else if (handshake) expect.noViolation('streamable-http.dual-era-falls-back', evidence);
        else if (speaksHandshake)
          expect.that('streamable-http.dual-era-falls-back', false, 'initialize', evidence, 'none');
        else expect.notObserved('streamable-http.dual-era-falls-back', notModernOnly);
      },
    }),
  ),
];
