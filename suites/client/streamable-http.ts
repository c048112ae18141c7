/** basic/transports#streamable-http: requests of a client, the responses that it reads, and its sessions. */

import type { Peer } from '../../harness/peer/peer.js';
import type { HttpExchange, SseEvent } from '../../harness/record/http-exchange.js';
import { type Exchange, resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { deliberately, held } from '../../harness/scenario/serve.js';
import type { HttpListenOptions } from '../../harness/transports/http/server/behaviour.js';
import { asText } from '../../spec/json-rpc.js';
import { revisions } from '../../spec/revisions.js';
import { toEndpoint } from '../rules/client/streamable-http.js';
import {
  goesOn,
  heldOrNone,
  introduction,
  isLastCall,
  lastTool,
  nextPage,
  releaseFurther,
  secondPage,
} from './parts.js';
import { tool } from './world.js';

/** Events before a response that have no message, such as the first one of a stream, which only gives its id. */
const dataless = ({ conversation }: Peer, { request, reply }: Exchange): SseEvent[] =>
  conversation
    .httpOf(request)
    ?.events.filter(e => !e.data && e.messages.length === 0 && e.seq < reply!.seq) ?? [];

/** Every character that a session ID may contain. */
const visible = Array.from({ length: 0x7e - 0x20 }, (_, n) => String.fromCharCode(0x21 + n)).join('');

/** Characters of every UTF-8 length, and texts that resemble an end of line or of a message. */
const text = 'é 漢 🎉 \u0085 \u2028 \r\n\r\n data: {}';

const rowsOfForms = [
  'streamable-http.client-accepts-both',
  'streamable-http.client-ignores-unknown-events',
] as const;

/** Equivalent forms of a response, the usual ones first, and the row that judges each; default: the first one. */
const forms: readonly (readonly [
  what: string,
  form: HttpListenOptions,
  row?: (typeof rowsOfForms)[number],
])[] = [
  ['as JSON', { answers: 'json' }],
  ['as JSON that names its character set', { answers: 'json', charset: true }],
  ['on a stream that names its character set', { charset: true }],
  ['on a stream without event ids', { resumable: false, primes: false }],
  ['on a stream without event names', { namesMessages: false }],
  ['on a stream with lines that end in CRLF', { dialect: { lineEnd: '\r\n' } }],
  ['on a stream with comments', { dialect: { comments: 'everywhere', emptyLines: 2 } }],
  [
    'on a stream with unknown fields, one of them without a colon',
    { dialect: { unknownFields: true, order: 'data-first' } },
  ],
  ['on a stream without a space after the colon', { dialect: { space: false } }],
  ['on a stream that begins with a byte order mark', { dialect: { bom: true } }],
  ['on a stream with messages over several lines', { multiline: true }],
  ['on a stream of single bytes', { chunk: 1 }],
  ['on a stream with events without data', { before: [{ id: 'x' }, { retry: '10' }, ': ping\n\n'] }],
  [
    'on a stream with events of an unknown type',
    { before: [{ event: 'x-unknown', data: '1' }] },
    'streamable-http.client-ignores-unknown-events',
  ],
];

const plain: HttpListenOptions = {
  answers: 'sse',
  charset: false,
  namesMessages: true,
  resumable: true,
  primes: undefined,
  dialect: {},
  multiline: false,
  chunk: undefined,
  before: [],
};

const rowsOfRequests = [
  'streamable-http.message-per-post',
  'streamable-http.post-accept',
  'streamable-http.post-body',
  'streamable-http.client-sends-session',
  'streamable-http.client-deletes-session',
  'streamable-http.client-version-header',
  'streamable-http.client-version-header-negotiated',
] as const;

/** Maximum number of refused GET requests; more of them are a loop. */
const mostGets = 20;

const refusedGet = ({ request, status }: HttpExchange): boolean =>
  request?.method === 'GET' && status === 405;

const isExpired = (e: HttpExchange): boolean =>
  e.status === 404 && e.request?.method !== 'DELETE' && e.requestHeader('mcp-session-id') !== undefined;

export const scenarios = [
  scenario.client.http('client/streamable-http/requests', {
    title: 'a client POSTs each message with its headers, and ends its session with DELETE',
    verifies: rowsOfRequests,
    http: { sessions: () => visible },
    does: [['connect'], ['list', 'tools'], ['call', 'test_simple_text'], goesOn, ['close']],
    async run({ peer, expect, scripted }) {
      const row = 'streamable-http.client-deletes-session';
      await peer.caseOver();
      const { conversation } = peer;
      const [end] = toEndpoint(conversation, 'DELETE');
      const astray = conversation.http().find(e => e.request?.method === 'DELETE');
      const last = conversation.exchanges({ by: 'subject' }).find(e => isLastCall(e.request));
      if (end) expect.noViolation(row, [end]);
      // a client that was not instructed to close may return to the session
      else if (scripted && last?.reply)
        expect.that(row, {
          ok: false,
          expected: 'DELETE of the MCP endpoint',
          evidence: [last, astray],
          actual: astray ? `DELETE ${astray.request!.url}` : 'nothing',
        });
      else expect.notObserved(row, 'the client did not end the session itself');
    },
  }),

  scenario.client.http('client/streamable-http/ways-to-answer', {
    title: 'a client reads JSON and event streams in every valid form',
    verifies: rowsOfForms,
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    lasts: 100,
    async run({ peer, expect, http }) {
      const first = await peer.nextDeferred('tools/list');
      http.behave(forms[0]![1]);
      first.answer({ tools: [tool('first')], nextCursor: 'page' });
      // a client that followed one page follows the next, unless it could not read this one
      let listing = await secondPage(peer);
      for (const [n, [what, , row = rowsOfForms[0]]] of forms.entries()) {
        http.behave({ ...plain, ...forms[n + 1]?.[1] });
        listing.answer({ tools: [tool(`tool-${n}`)], nextCursor: `${n} ${text}` });
        const next = await nextPage(peer);
        const post = peer.conversation.httpOf(listing.request);
        const evidence = [post, ...(post?.events ?? []), next?.request];
        const expected = `a request with the cursor of the page sent ${what}`;
        const whole = next !== undefined && !asText(next.params.cursor).includes('\uFFFD');
        const actual = next ? JSON.stringify(next.params.cursor) : 'no message';
        expect.that(row, { ok: whole, expected, evidence, actual });
        if (!next) return;
        listing = next;
      }
      listing.answer({ tools: [tool('last')] });
    },
  }),

  scenario.client.http('client/streamable-http/stream-after-json', {
    title: 'a client that reads a page as JSON reads the next page on a stream',
    verifies: ['streamable-http.client-accepts-both'],
    era: 'modern',
    http: { answers: 'json' },
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    async run({ peer, expect, http }) {
      const first = await peer.nextDeferred('tools/list');
      http.behave(plain);
      first.answer({ tools: [tool('first')], nextCursor: 'second' });
      const second = await secondPage(peer);
      second.answer({ tools: [tool('second')], nextCursor: 'third' });
      const third = await nextPage(peer);
      third?.answer({ tools: [tool('third')] });
      const post = peer.conversation.httpOf(second.request);
      expect.that('streamable-http.client-accepts-both', {
        ok: !!third,
        expected: 'a request with the cursor of the page sent on a stream',
        evidence: [post, ...(post?.events ?? []), third?.request],
        actual: 'no message',
      });
    },
  }),

  ...(['json', 'sse'] as const).map(answers =>
    scenario.client.http(`client/streamable-http/initialize-as-${answers}`, {
      title: `a client continues when it receives the first responses ${answers === 'json' ? 'as JSON' : 'on a stream'}`,
      verifies: ['streamable-http.client-accepts-both'],
      http: { answers },
      does: [['connect'], ['list', 'tools'], ['call', 'test_simple_text'], ['close']],
      begins: 'connected',
      async run({ peer, expect, scripted }) {
        const row = 'streamable-http.client-accepts-both';
        await peer.caseOver();
        const { conversation } = peer;
        const { handshake } = conversation;
        if (!conversation.isStateless && !handshake?.reply)
          return expect.notObserved(row, 'the client did not initialize');
        const first =
          handshake ?? conversation.exchanges({ by: 'subject' }).find(exchange => resultOf(exchange));
        if (!first) return expect.notObserved(row, 'the client received no result');
        // without a handshake a client that could not read the list may request it again
        const next = handshake
          ? conversation.sent('subject').find(m => m.seq > first.reply!.seq)
          : conversation.requests({ by: 'subject', method: 'tools/call' })[0];
        if (!handshake && !next && !scripted) return expect.notObserved(row, 'the client called no tool');
        expect.that(row, {
          ok: !!next,
          expected: handshake ? 'a message after initialize' : 'a call of a listed tool',
          evidence: [first, ...(next ? [] : dataless(peer, first)), next],
          actual: handshake ? 'no message' : 'none',
        });
      },
    }),
  ),

  scenario.client.http('client/streamable-http/lone-carriage-returns', {
    title: 'a client reads streams whose lines end in CR',
    verifies: ['streamable-http.client-reads-lone-cr'],
    serve: { 'tools/list': held, 'tools/call': held },
    // a client that reads nothing would wait without end
    does: [['connect'], ['list', 'tools', { timeoutMs: 1000 }], goesOn, ['close']],
    lasts: 1000,
    async run({ peer, expect, http, scripted }) {
      // only in a script a call means that the client has given up
      if (!scripted) void releaseFurther(peer, 'tools/call');
      const gaveUp = scripted ? [heldOrNone(peer, 'tools/call').then(() => undefined)] : [];
      const first = await peer.nextDeferred('tools/list');
      // without ids, so that a client that misses the end of an event does not request the event again
      http.behave({ dialect: { lineEnd: '\r' }, resumable: false, primes: false });
      first.answer({ tools: [tool(lastTool)], nextCursor: 'second' });
      // a client that follows no page calls a tool, whose response waits for the end of this case
      const second = await Promise.race([nextPage(peer), ...gaveUp]);
      http.behave({ dialect: {} });
      if (!second)
        return expect.notObserved(
          'streamable-http.client-reads-lone-cr',
          'the client requests no further page',
        );
      second.answer({ tools: [tool('second')], nextCursor: 'third' }, { deliberate: true });
      const next = nextPage(peer);
      const hasNext = () =>
        peer.requestsOfCase('tools/list').filter(({ request }) => request.params?.cursor !== undefined)
          .length > 1;
      // a client without a script may wait for minutes
      const waits = !scripted && !(await peer.waitUntilDeadline(hasNext));
      const third = waits ? undefined : await Promise.race([next, ...gaveUp]);
      third?.answer({ tools: [tool('last')] });
      // it goes on with this response, though it comes on another stream
      if (waits && peer.hasOwnStream && !peer.ended)
        peer.sendRaw(JSON.stringify({ jsonrpc: '2.0', id: second.request.id, result: { tools: [] } }));
      const post = peer.conversation.httpOf(second.request);
      if (post?.isStream === false)
        return expect.notObserved(
          'streamable-http.client-reads-lone-cr',
          'the client reads no event streams',
        );
      const evidence = [post, third?.request];
      expect.that('streamable-http.client-reads-lone-cr', {
        ok: !!third,
        expected: 'a request for the next page',
        evidence,
        actual: 'no message',
      });
    },
  }),

  scenario.client.http('client/streamable-http/stream-refused', {
    title: 'a client whose GET is refused with 405 continues without that stream',
    verifies: ['streamable-http.client-tolerates-405', 'streamable-http.get-accept'],
    serve: { 'tools/list': held, 'tools/call': held },
    http: { getStream: false },
    does: [['connect'], ['list', 'tools'], goesOn, ['close']],
    async run({ peer, another, expect, scripted }) {
      const row = 'streamable-http.client-tolerates-405';
      const listing = await heldOrNone(peer, 'tools/list');
      await peer.pause();
      listing?.release();
      // some clients list twice before they call
      void releaseFurther(peer, 'tools/list');
      const next = listing && (await heldOrNone(peer, 'tools/call'));
      const gets = peer.conversation.http().filter(refusedGet);
      const [get] = gets;
      if (!get) return expect.notObserved(row, 'the client received no 405 for a GET');
      const said = peer.conversation.sent('subject').find(m => m.seq > get.response!.seq);
      // a program may have other requests to send than the script: one after the response to the list counts
      const [listed] = listing ? peer.conversation.repliesTo(listing.request) : [];
      const further = peer.conversation
        .requests({ by: 'subject' })
        .find(m => listed && m.seq > Math.max(listed.seq, get.response!.seq));
      const later = scripted ? (next?.request ?? further) : said;
      if (gets.length > mostGets)
        expect.that(row, {
          ok: false,
          expected: 'no endless GET requests',
          evidence: gets.slice(-2),
          actual: `${gets.length} of them`,
        });
      else if (later) expect.noViolation(row, [get, later]);
      else if (!scripted) expect.notObserved(row, 'the client had no further request to send');
      else if (await another().catch(() => undefined))
        expect.notObserved(row, 'the client went on in another conversation');
      else
        expect.that(row, { ok: false, expected: 'the next request', evidence: [get], actual: 'no message' });
    },
  }),

  scenario.client.http('client/streamable-http/session-expires', {
    title: 'a client whose session has ended begins a new session',
    verifies: ['streamable-http.client-new-session-on-404'],
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'test_simple_text'],
      ['call', 'test_tool_with_logging'],
      goesOn,
      ['close'],
    ],
    serve: { 'tools/list': held },
    async run({ peer, another, expect, scripted }) {
      const listing = await peer.nextDeferred('tools/list');
      peer.link.httpServer!.expire();
      listing.release();
      const anew = await another().catch(() => undefined);
      const row = 'streamable-http.client-new-session-on-404';
      const [told, ...more] = peer.conversation.http().filter(isExpired);
      if (told && anew) return;
      // three calls remain, and only a new session has their results; requests with the old session are another
      // matter
      if (told && scripted && more.length < 2)
        expect.that(row, {
          ok: false,
          expected: 'a new session',
          evidence: [told, ...more],
          actual: 'no new session, although requests remain',
        });
      else if (more.length < 2)
        expect.notObserved(
          row,
          told ? 'the client had no further request to send' : 'the client received no 404 for its session',
        );
    },
  }),

  scenario.client.http('client/streamable-http/older-server', {
    title: 'a client whose POST is refused opens the stream of the first HTTP transport, and continues there',
    verifies: ['streamable-http.client-falls-back-to-sse'],
    serve: {
      initialize: deliberately((_, { peer }) => ({
        ...introduction(peer),
        protocolVersion: revisions.find(r => r.transports.includes('http-sse'))!.id,
        capabilities: { tools: {} },
      })),
    },
    // without this, a client of both eras gets no response to initialize in the newest revision
    older: () => ({ refuse: () => undefined }),
    http: { older: true },
    does: [['connect'], ['list', 'tools'], ['close']],
    begins: 'started',
    async run({ another, expect }) {
      const row = 'streamable-http.client-falls-back-to-sse';
      const refused = await another();
      let older: Peer | undefined = refused;
      while (older && !older.conversation.http().some(e => e.stream === 'sse'))
        older = await another().catch(() => undefined);
      if (!older || older === refused)
        return expect.notObserved(row, 'the client does not try the older transport after the newer one');
      await older.caseOver();
      const [stream] = older.conversation.http().filter(e => e.isStream);
      const [asked] = older.conversation.sent('subject');
      // a client without the older transport may open a stream after any response; the older one has no such header
      if (!asked && stream?.requestHeader('mcp-protocol-version') !== undefined)
        return expect.notObserved(row, 'the client opens a stream of Streamable HTTP after the refusal');
      const evidence = [refused.conversation.http()[0], stream, asked];
      expect.that(row, {
        ok: !!asked,
        expected: 'initialize to the endpoint from the stream',
        evidence,
        actual: 'no message',
      });
    },
  }),
];
