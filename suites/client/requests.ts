/**
 * Requests of a client without a handshake that are cancelled, lost, refused, or disturbed by messages that no
 * server may send.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Deferred } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { RefusedRequest } from '../../harness/peer/requests.js';
import type { Exchange } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Step } from '../../harness/scenario/script.js';
import { deliberately, held, pages } from '../../harness/scenario/serve.js';
import { asText, type JsonObject } from '../../spec/json-rpc.js';
import { nonsense } from '../shared/odd-messages.js';
import { messages as logMessages } from './logging.js';
import {
  beside,
  expectTimeouts,
  heldOrNone,
  isCancelled,
  isClosed,
  lastInTurn,
  owed,
  requestsInTurn,
  setsOwnTimeouts,
  timeoutRows,
  uncancelled,
} from './parts.js';
import { says, tool } from './world.js';

const howToCancel = (peer: Peer): string =>
  peer.link.httpServer ? 'the response stream is closed' : 'notifications/cancelled with the id';

/** Texts that are not messages, the least harmful first. */
const garbage = ['Hello, is anybody there?', '}', '{"jsonrpc":"2.0","method":"notifi', '['];

/** Codes that drafts of the revision gave to its errors. */
const draftCodes = [-32001, -32003, -32004];
/** The first code is an ordinary one: a client that repeats that call too repeats calls after any error. */
const refusedCodes = [-32603, ...draftCodes];
const refusedTools = refusedCodes.map(code => `refused${code}`);
const codeOf = (name: unknown): number => Number(asText(name).replace('refused', ''));

/** The same call with the same arguments, sent after the error. */
const repetition = (calls: readonly Exchange[], { request, reply }: Exchange): Exchange | undefined =>
  calls.find(
    ({ request: later }) =>
      reply !== undefined &&
      later.seq > reply.seq &&
      later.params?.name === request.params?.name &&
      isDeepStrictEqual(later.params?.arguments ?? {}, request.params?.arguments ?? {}),
  );

const short = { timeoutMs: 150 };

const call: Step = ['call', 'test_simple_text'];

export const scenarios = [
  scenario.client('client/requests/cancelled', {
    title: 'a client cancels a request by the means of its transport',
    verifies: ['cancellation.client-notifies', 'cancellation.stdio-notification'],
    era: 'modern',
    serve: { 'tools/call': held, 'prompts/get': held },
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'test_simple_text', {}, { wait: false }],
      ['cancel', 'It is no longer needed.'],
      ['get', 'test_simple_prompt'],
      ['close'],
    ],
    isolation: 'shared',
    async run({ peer, expect, scripted }) {
      const rows = ['cancellation.client-notifies', 'cancellation.stdio-notification'] as const;
      let { request } = await peer.nextDeferred('tools/call');
      // a call of the case before may arrive late
      while (scripted && request.params?.name !== 'test_simple_text')
        ({ request } = await peer.nextDeferred('tools/call'));
      const next = await heldOrNone(peer, 'prompts/get');
      const isOver = await owed(peer, scripted, () => isCancelled(peer, request));
      if (!scripted && !isOver) return expect.notObserved(rows, 'the client did not cancel its request');
      const seen = uncancelled(peer, request, 'the request is abandoned', next?.request);
      for (const row of rows) expect.that(row, { ok: isOver, expected: howToCancel(peer), ...seen });
    },
  }),

  scenario.client('client/requests/never-answered', {
    title: 'a client gives up and cancels requests that get no response',
    verifies: ['timeouts.established', 'timeouts.cancel-on-expiry', 'tools.client-timeouts'],
    era: 'modern',
    serve: { 'resources/read': held, 'prompts/get': held, 'tools/call': held, 'prompts/list': held },
    does: [
      ['connect'],
      ['read', 'test://static-text', short],
      ['get', 'test_simple_prompt', {}, short],
      ['call', 'test_simple_text', {}, short],
      ['list', 'prompts'],
      ['close'],
    ],
    lasts: 400,
    async run({ peer, expect, scripted }) {
      const rows = ['timeouts.cancel-on-expiry', ...timeoutRows] as const;
      const { request: read } = await peer.nextDeferred('resources/read');
      const requests = scripted ? await requestsInTurn(peer) : [read];
      // the user decides on the length of a timeout: a client that ignores the option is not judged
      if (setsOwnTimeouts(peer.conversation, requests))
        return expect.notObserved(rows, 'not judged: the client sets its own timeout');
      const last = requests.at(-1)!;
      const all = last.method === lastInTurn;
      expectTimeouts(expect, requests, all, [last]);
      const givenUp = requests.slice(0, -1);
      await owed(peer, all, () => givenUp.every(request => isCancelled(peer, request)));
      const forgotten = givenUp.find(request => !isCancelled(peer, request));
      if (all)
        expect.that('timeouts.cancel-on-expiry', {
          ok: !forgotten,
          expected: howToCancel(peer),
          ...uncancelled(peer, forgotten ?? givenUp[0]!, 'the client goes on without it'),
        });
      else expect.notObserved('timeouts.cancel-on-expiry', 'the client does not give up each request');
    },
  }),

  scenario.client('client/requests/of-the-server', {
    title: 'a client does not respond to a request of the server',
    verifies: [
      'stdio.client-no-responses',
      'streamable-http.client-no-responses',
      'transport.message-directions',
    ],
    era: 'modern',
    serve: { 'tools/call': held },
    does: [['connect'], ['list', 'tools'], call, ['list', 'tools'], ['close']],
    lasts: 100,
    async run({ peer }) {
      const open = await peer.nextDeferred('tools/call');
      beside(peer, open, JSON.stringify({ jsonrpc: '2.0', id: 'forbidden', method: 'ping' }));
      const params = { message: 'Your name?', requestedSchema: { type: 'object', properties: {} } };
      beside(peer, open, JSON.stringify({ jsonrpc: '2.0', id: 4_711, method: 'elicitation/create', params }));
      await peer.quietWindow();
      open.release();
      await peer.caseOver();
    },
  }),

  scenario.client('client/requests/garbage', {
    title: 'texts that are not messages, and cancellations of nothing, leave a client usable',
    verifies: [
      'cancellation.invalid-ignored',
      'logging.implementations-validate-data',
      'jsonrpc.parse-error-survived',
    ],
    era: 'modern',
    serve: { 'tools/call': held },
    does: [['connect'], ['list', 'tools'], call, call, call, call, ['close']],
    async run({ peer, expect, scripted }) {
      const told = (method: string) => (params: JsonObject | undefined) => () =>
        void peer.notify(method, params, { deliberate: true });
      const groups: readonly (readonly [
        row:
          | 'cancellation.invalid-ignored'
          | 'logging.implementations-validate-data'
          | 'jsonrpc.parse-error-survived',
        what: string,
        acts: readonly ((open: Deferred) => void)[],
      ])[] = [
        [
          'cancellation.invalid-ignored',
          'notifications/cancelled without a request',
          nonsense.map(told('notifications/cancelled')),
        ],
        [
          'logging.implementations-validate-data',
          'malformed, nested or long log messages',
          logMessages.map(([, params]) => told('notifications/message')(params)),
        ],
        [
          'jsonrpc.parse-error-survived',
          'texts that are not messages',
          garbage.map(text => (open: Deferred) => beside(peer, open, text)),
        ],
      ];
      let open: Deferred | undefined = await peer.nextDeferred('tools/call');
      for (const [row, what, acts] of groups) {
        for (const act of acts) act(open);
        const { request }: Deferred = open;
        await peer.pause();
        open.release();
        // only the next request shows that the client is alive
        open = await heldOrNone(peer, 'tools/call');
        if (open) expect.noViolation(row, [request, open.request]);
        else if (scripted)
          expect.that(row, {
            ok: false,
            expected: `a further request after ${what}`,
            evidence: [request],
            actual: 'none',
          });
        else expect.notObserved(row, 'the client had no further request to send');
        if (!open) return;
      }
      open.release();
    },
  }),

  scenario.client.http('client/requests/comments', {
    title: 'a client ignores comments on a response stream',
    verifies: ['streamable-http.sse-comments-ignored'],
    era: 'modern',
    serve: { 'tools/call': held },
    does: [['connect'], ['list', 'tools'], call, call, ['close']],
    async run({ peer, expect, scripted }) {
      const row = 'streamable-http.sse-comments-ignored';
      const open = await peer.nextDeferred('tools/call');
      const exchange = peer.conversation.httpOf(open.request)!;
      await peer.waitUntil(() => exchange.isStream);
      for (const text of [':\r\n', ': ping\n\n', ':\n:\n\n']) {
        peer.link.httpServer!.write(exchange, text);
        await peer.pause();
      }
      open.release();
      // a library may have no prompts
      const next = await heldOrNone(peer, 'tools/call');
      next?.release();
      if (next) expect.noViolation(row, [open.request, next.request]);
      else if (scripted || isClosed(peer, open.request))
        expect.that(row, {
          ok: false,
          expected: 'the next request',
          evidence: [open.request],
          actual: 'none',
        });
      else expect.notObserved(row, 'the client had no further request to send');
    },
  }),

  scenario.client.http('client/requests/stream-lost', {
    title: 'a client that sends a request again after its stream was lost uses a new id',
    verifies: ['streamable-http.reissue-new-id'],
    era: 'modern',
    serve: { 'resources/read': held },
    does: [
      ['connect'],
      ['list', 'resources'],
      // some libraries do not notice that the stream is gone: without a limit they wait for a minute
      ['read', 'test://static-text', { timeoutMs: 600 }],
      ['list', 'prompts'],
      ['close'],
    ],
    lasts: 600,
    async run({ peer, expect }) {
      const row = 'streamable-http.reissue-new-id';
      const open = await peer.nextDeferred('resources/read');
      const exchange = peer.conversation.httpOf(open.request)!;
      await peer.waitUntil(() => exchange.isStream);
      peer.link.httpServer!.endStream(exchange, 'break');
      const again = await heldOrNone(peer, 'resources/read');
      again?.release();
      if (!again) return expect.notObserved(row, 'the client does not send the request again');
      expect.that(row, {
        ok: again.request.idKey !== open.request.idKey,
        expected: 'another id',
        evidence: [open.request, again.request],
        actual: JSON.stringify(again.request.id),
      });
    },
  }),

  scenario.client('client/requests/draft-codes', {
    title: 'a client attaches no meaning to error codes of drafts',
    verifies: ['error-codes.legacy-range-meaningless'],
    era: 'modern',
    http: { answers: 'json' },
    serve: {
      'tools/list': pages([refusedTools.map(name => tool(name))]),
      'tools/call': deliberately(({ name }) => {
        if (!refusedTools.includes(asText(name)))
          throw new RefusedRequest(-32602, `Unknown tool: ${asText(name)}`);
        throw new RefusedRequest(codeOf(name), 'Refused', {
          supported: ['2027-01-01'],
          requiredCapabilities: { sampling: {} },
        });
      }),
    },
    does: [
      ['connect'],
      ['list', 'tools'],
      ...refusedTools.map(name => ['call', name] as const),
      ['list', 'tools'],
      ['close'],
    ],
    isolation: 'shared',
    async run({ peer, expect }) {
      const row = 'error-codes.legacy-range-meaningless';
      await peer.caseOver();
      const calls = peer.requestsOfCase('tools/call');
      const ordinary = calls.filter(({ request }) => codeOf(request.params?.name) === refusedCodes[0]);
      const ofDrafts = calls.filter(({ request }) => draftCodes.includes(codeOf(request.params?.name)));
      if (ofDrafts.length === 0)
        return expect.notObserved(row, 'the client calls no tool that is refused with such a code');
      const repeatsAny = ordinary.some(call => repetition(calls, call));
      for (const call of ofDrafts) {
        const again = repetition(calls, call);
        if (again && (repeatsAny || ordinary.length === 0)) {
          expect.notObserved(row, 'the client may repeat a call after any error');
          continue;
        }
        expect.that(row, {
          ok: !again,
          expected: 'no second call after such an error, as after error -32603',
          evidence: [call, again],
          actual: 'the same call again',
        });
      }
    },
  }),

  scenario.client('client/requests/resource-not-found', {
    title: 'a client goes on after error -32002 of an older server as after error -32602',
    verifies: ['error-codes.client-accepts-32002', 'resources.client-accepts-32002'],
    era: 'modern',
    serve: {
      'resources/read': deliberately(({ uri }) => {
        throw new RefusedRequest(asText(uri).endsWith('old') ? -32002 : -32602, 'Resource not found');
      }),
    },
    does: [
      ['connect'],
      ['list', 'resources'],
      ['read', 'test://no-such/new'],
      ['read', 'test://no-such/old'],
      ['call', 'test_simple_text'],
      ['close'],
    ],
    async run({ peer, expect, scripted }) {
      const rows = ['error-codes.client-accepts-32002', 'resources.client-accepts-32002'] as const;
      await peer.caseOver();
      const reads = peer.requestsOfCase('resources/read');
      const old = reads.find(({ request }) => asText(request.params?.uri).endsWith('old'));
      if (!old?.reply) return expect.notObserved(rows, 'the client reads no such resource');
      const next = peer.conversation.requests({ by: 'subject' }).find(m => m.seq > old.reply!.seq);
      for (const row of rows)
        if (next) expect.noViolation(row, [old, next]);
        else if (scripted)
          expect.that(row, { ok: false, expected: 'the next request', evidence: [old], actual: 'none' });
        else expect.notObserved(row, 'the client had no further request to send');
    },
  }),

  scenario.client.http('client/requests/network-reference', {
    title: 'a client does not fetch a $ref over the network',
    verifies: [
      'json-schema.no-network-ref',
      'json-schema.ref-fetch-off-by-default',
      'tools.client-ref-resolution',
    ],
    era: 'modern',
    serve: {
      'tools/list': deliberately((_, { peer }) => ({ tools: [referring(peer), tool('sound')] })),
      'tools/call': deliberately({ ...says('Done.'), structuredContent: { a: 'x' } }),
    },
    does: [['connect'], ['list', 'tools'], ['call', 'refers', { a: 'x' }], ['call', 'sound'], ['close']],
    async run({ peer, expect }) {
      const rows = [
        'json-schema.no-network-ref',
        'json-schema.ref-fetch-off-by-default',
        'tools.client-ref-resolution',
      ] as const;
      await peer.caseOver();
      const [listed] = peer.requestsOfCase('tools/list');
      if (!listed?.reply) return expect.notObserved(rows, 'the client lists no tools');
      const fetched = peer.conversation
        .allHttp()
        .find(({ request }) => request && new URL(request.url).pathname.startsWith('/schemas/'));
      for (const row of rows)
        expect.that(row, {
          ok: !fetched,
          expected: 'no request for the schema',
          evidence: [listed, fetched?.request],
          actual: fetched?.request?.url,
        });
    },
  }),
];

/** A tool whose schemas refer to a page of the harness. */
function referring(peer: Peer): JsonObject {
  const at = (name: string) => `${peer.link.httpServer!.origin}/schemas/${name}.json`;
  return {
    ...tool('refers'),
    inputSchema: { type: 'object', properties: { a: { $ref: at('input') } } },
    outputSchema: { type: 'object', properties: { a: { $ref: at('output') } } },
  };
}
