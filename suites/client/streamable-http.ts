/** basic/transports#streamable-http: how a client sends, what it reads, and its sessions. */

import type { Peer } from '../../harness/peer/peer.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { deliberately, held } from '../../harness/scenario/serve.js';
import type { HttpListenOptions } from '../../harness/transports/http/server/behaviour.js';
import { revisions } from '../../spec/revisions.js';
import { heldOrNone, introduction } from './parts.js';
import { tool } from './world.js';

/** Every character that a session id may have. */
const visible = Array.from({ length: 0x7e - 0x20 }, (_, n) => String.fromCharCode(0x21 + n)).join('');

/** Characters of every length, some of which look like an end of line, or of a message. */
const text = 'é 漢 🎉 \u0085 \u2028 \r\n\r\n data: {}';

/** Ways to answer that mean the same, the usual ones first. */
const forms: readonly (readonly [what: string, form: HttpListenOptions])[] = [
  ['as JSON', { answers: 'json' }],
  ['as JSON that names its character set', { answers: 'json', charset: true }],
  ['on a stream that names its character set', { charset: true }],
  ['on a stream without ids of events', { resumable: false, primes: false }],
  ['on a stream without names of events', { namesMessages: false }],
  ['on a stream with lines that end in CRLF', { dialect: { lineEnd: '\r\n' } }],
  ['on a stream with comments', { dialect: { comments: 'everywhere', emptyLines: 2 } }],
  ['on a stream with unknown fields', { dialect: { unknownFields: true, order: 'data-first' } }],
  ['on a stream without a space after the colon', { dialect: { space: false } }],
  ['on a stream that begins with a byte order mark', { dialect: { bom: true } }],
  ['on a stream with messages over several lines', { multiline: true }],
  ['on a stream of single bytes', { chunk: 1 }],
  ['on a stream with events without data', { before: [{ id: 'x' }, { retry: '10' }, ': ping\n\n'] }],
  ['on a stream with events of a type nobody knows', { before: [{ event: 'x-unknown', data: '1' }] }],
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

/** Nobody who is refused asks more often by mistake. */
const mostGets = 20;

const refusedGet = ({ request, status }: HttpExchange): boolean =>
  request?.method === 'GET' && status === 405;

const isExpired = (e: HttpExchange): boolean =>
  e.status === 404 && e.request?.method !== 'DELETE' && e.requestHeader('mcp-session-id') !== undefined;

export const scenarios = [
  scenario.client.http('client/streamable-http/requests', {
    title: 'a client POSTs each message with its headers, and takes leave with DELETE',
    verifies: rowsOfRequests,
    http: { sessions: () => visible },
    does: [['connect'], ['list', 'tools'], ['call', 'test_simple_text'], ['list', 'prompts'], ['close']],
    async run({ peer, expect, scripted }) {
      const row = 'streamable-http.client-deletes-session';
      await peer.caseOver();
      const { conversation } = peer;
      const end = conversation.http().find(e => e.request?.method === 'DELETE');
      const [last] = conversation
        .exchanges({ by: 'subject' })
        .filter(e => e.request.method === 'prompts/list');
      if (end) expect.noViolation(row, [end]);
      // one that was not told to close may want to come back
      else if (scripted && last?.reply) expect.that(row, false, 'DELETE', [last], 'nothing');
      else expect.notObserved(row, 'the client did not come to an end of its own');
    },
  }),

  scenario.client.http('client/streamable-http/ways-to-answer', {
    title: 'a client reads JSON and event streams in every form alike',
    verifies: ['streamable-http.client-accepts-both'],
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    lasts: 100,
    async run({ peer, expect, http }) {
      const first = await peer.nextDeferred('tools/list');
      http.behave(forms[0]![1]);
      first.answer({ tools: [tool('first')], nextCursor: 'page' });
      // whoever has followed one page follows the next, unless it could not read this one
      let listing = await peer.nextDeferred('tools/list');
      for (const [n, [what]] of forms.entries()) {
        http.behave({ ...plain, ...forms[n + 1]?.[1] });
        listing.answer({ tools: [tool(`tool-${n}`)], nextCursor: `${n} ${text}` });
        const next = await heldOrNone(peer, 'tools/list');
        const post = peer.conversation.httpOf(listing.request);
        const evidence = [post, ...(post?.events ?? []), next?.request];
        const expected = `the page after one ${what}, by its cursor`;
        const whole = next !== undefined && !String(next.params.cursor).includes('\uFFFD');
        const actual = next ? JSON.stringify(next.params.cursor) : 'nothing more';
        expect.that('streamable-http.client-accepts-both', whole, expected, evidence, actual);
        if (!next) return;
        listing = next;
      }
      listing.answer({ tools: [tool('last')] });
    },
  }),

  ...(['json', 'sse'] as const).map(answers =>
    scenario.client.http(`client/streamable-http/initialize-as-${answers}`, {
      title: `a client goes on when initialize is answered ${answers === 'json' ? 'as JSON' : 'on a stream'}`,
      verifies: ['streamable-http.client-accepts-both'],
      http: { answers },
      does: [['connect'], ['list', 'tools'], ['close']],
      begins: 'connected',
      async run({ peer, expect }) {
        const row = 'streamable-http.client-accepts-both';
        await peer.caseOver();
        const { handshake } = peer.conversation;
        if (!handshake?.reply) return expect.notObserved(row, 'it did not initialize');
        const next = peer.conversation.sent('subject').find(m => m.seq > handshake.reply!.seq);
        expect.that(row, !!next, 'it goes on', [handshake, next], 'nothing more');
      },
    }),
  ),

  scenario.client.http('client/streamable-http/lone-carriage-returns', {
    title: 'a client reads streams whose lines end in CR',
    verifies: ['streamable-http.client-reads-lone-cr'],
    serve: { 'tools/list': held, 'prompts/list': held },
    // who reads nothing would wait for ever
    does: [['connect'], ['list', 'tools', { timeoutMs: 500 }], ['list', 'prompts'], ['close']],
    lasts: 500,
    async run({ peer, expect, http }) {
      const first = await peer.nextDeferred('tools/list');
      // without ids, so that who does not see the end of an event does not ask for it again
      http.behave({ dialect: { lineEnd: '\r' }, resumable: false, primes: false });
      first.answer({ tools: [tool('first')], nextCursor: 'second' });
      const second = await peer.nextDeferred('tools/list');
      http.behave({ dialect: {} });
      second.answer({ tools: [tool('second')], nextCursor: 'third' }, { deliberate: true });
      const third = await Promise.race([
        heldOrNone(peer, 'tools/list'),
        heldOrNone(peer, 'prompts/list').then(() => undefined),
      ]);
      third?.answer({ tools: [tool('last')] });
      const evidence = [peer.conversation.httpOf(second.request), third?.request];
      expect.that('streamable-http.client-reads-lone-cr', !!third, 'the next page', evidence, 'nothing more');
    },
  }),

  scenario.client.http('client/streamable-http/stream-refused', {
    title: 'a client whose GET is refused with 405 goes on without that stream',
    verifies: ['streamable-http.client-tolerates-405', 'streamable-http.get-accept'],
    serve: { 'tools/list': held, 'prompts/list': held },
    http: { getStream: false },
    does: [['connect'], ['list', 'tools'], ['list', 'prompts'], ['close']],
    async run({ peer, expect, scripted }) {
      const row = 'streamable-http.client-tolerates-405';
      const listing = await heldOrNone(peer, 'tools/list');
      await peer.pause();
      listing?.release();
      const next = listing && (await heldOrNone(peer, 'prompts/list'));
      const gets = peer.conversation.http().filter(refusedGet);
      const [get] = gets;
      if (!get) return expect.notObserved(row, 'it asks for no stream');
      const said = peer.conversation.sent('subject').find(m => m.seq > get.response!.seq);
      const later = scripted ? next?.request : said;
      if (gets.length > mostGets)
        expect.that(row, false, 'no GET without end', gets.slice(-2), `${gets.length} of them`);
      else if (later) expect.noViolation(row, [get, later]);
      else if (scripted) expect.that(row, false, 'the next request', [get], 'nothing more');
      else expect.notObserved(row, 'it had nothing more to ask');
    },
  }),

  scenario.client.http('client/streamable-http/session-expires', {
    title: 'a client whose session is over begins another one',
    verifies: ['streamable-http.client-new-session-on-404'],
    does: [
      ['connect'],
      ['list', 'tools'],
      ['list', 'prompts'],
      ['list', 'resources'],
      ['list', 'templates'],
      ['close'],
    ],
    serve: { 'tools/list': held },
    async run({ peer, another, expect, scripted }) {
      const listing = await peer.nextDeferred('tools/list');
      peer.link.httpServer!.expire();
      listing.release();
      if (await another().catch(() => undefined)) return;
      const row = 'streamable-http.client-new-session-on-404';
      const [told, ...more] = peer.conversation.http().filter(isExpired);
      // it was to ask for three lists, and has no other way to get them; to go on as before is another matter
      if (told && scripted && more.length < 2)
        expect.that(row, false, 'a new session', [told, ...more], 'none, with more to ask for');
      else if (more.length < 2)
        expect.notObserved(row, told ? 'it had nothing more to ask' : 'it was told nothing');
    },
  }),

  scenario.client.http('client/streamable-http/older-server', {
    title: 'a client that is refused asks for the stream of the first HTTP transport, and talks there',
    verifies: ['streamable-http.client-falls-back-to-sse'],
    serve: {
      initialize: deliberately((_, { peer }) => ({
        ...introduction(peer),
        protocolVersion: revisions.find(r => r.transports.includes('http-sse'))!.id,
        capabilities: { tools: {} },
      })),
    },
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
        return expect.notObserved(row, 'it does not try the older transport after the newer one');
      await older.caseOver();
      const [stream] = older.conversation.http().filter(e => e.isStream);
      const [asked] = older.conversation.sent('subject');
      const evidence = [refused.conversation.http()[0], stream, asked];
      expect.that(row, !!asked, 'initialize, to the endpoint it was told', evidence, 'nothing more');
    },
  }),
];
