/** basic/transports#streamable-http: requests by hand, sessions, broken streams. */

import { NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { probeOf } from '../shared/probe.js';
import { codeOf, shown } from './header-requests.js';
import {
  failsWithoutOrigin,
  foreignOrigins,
  isOnLoopback,
  opening,
  ping,
  refused,
  withForeignOrigin,
  withoutSession,
} from './http.js';
import { replays } from './streams.js';

/** Streams of the conversation that have the response to their request. */
const answeredStreams = ({ conversation }: Peer): HttpExchange[] =>
  conversation
    .exchanges({ by: 'peer' })
    .filter(({ reply }) => reply !== undefined)
    .flatMap(({ request, reply }) => {
      const post = conversation.httpOf(request);
      return post?.isStream && conversation.httpOf(reply!) === post ? [post] : [];
    });

const originRows = ['streamable-http.origin-validated', 'streamable-http.origin-403'] as const;

const served = (e: HttpExchange): boolean => e.status !== undefined && e.status < 300;

export const scenarios = [
  scenario.http('server/streamable-http/taken-without-a-word', {
    title: 'notifications and responses get status 202 without a body',
    verifies: ['streamable-http.accepted-202'],
    isolation: 'shared',
    async run({ peer, http, expect }) {
      const fetch = (body: object) => http.fetch({ body: { jsonrpc: '2.0', ...body } });
      const posts = [
        await fetch({ method: 'notifications/cancelled', params: { requestId: 'never-sent' } }),
        await fetch({ method: 'notifications/nobody-knows' }),
        // a client without a handshake sends no responses
        ...(peer.conversation.isStateless ? [] : [await fetch({ id: 'never-asked', result: {} })]),
      ];
      if (posts.every(({ hasErrorStatus }) => hasErrorStatus))
        expect.notObserved('streamable-http.accepted-202', 'the server refuses notifications and responses');
    },
  }),

  scenario.http('server/streamable-http/refused-notification', {
    title: 'a notification without a valid session is accepted, or refused with an error status',
    verifies: ['streamable-http.post-notification-rejected'],
    isolation: 'shared',
    async run({ http, expect }) {
      const body = { jsonrpc: '2.0', method: 'notifications/nobody-knows' };
      const none = await http.fetch({ body, headers: { 'Mcp-Session-Id': null } });
      const odd = await http.fetch({ body: { ...body, method: 'notifications/progress', params: 7 } });
      const wrong = await http.fetch({ body, headers: { 'Mcp-Session-Id': 'mcp-conform-no-such-session' } });
      // a rule judges the refusals; acceptance is valid too
      expect.noViolation('streamable-http.post-notification-rejected', [none, odd, wrong]);
    },
  }),

  scenario.http('server/streamable-http/unreadable-body', {
    title: 'a POST whose body is not JSON is refused, and later requests get a response',
    verifies: ['jsonrpc.parse-error-survived', 'jsonrpc.parse-error'],
    isolation: 'destructive',
    async run({ peer, http, expect }) {
      // a server that does not respond to ping shows nothing here
      if (!(await peer.barrier()))
        return expect.inconclusive(
          'jsonrpc.parse-error-survived',
          `the server does not respond to ${probeOf(peer)}`,
        );
      const message = JSON.stringify(ping(peer));
      for (const [what, body] of [
        ['plain text', 'Hello, is anybody there?'],
        ['a truncated message', message.slice(0, 30)],
        ['two messages', `${message}${message}`],
      ] as const) {
        const e = await http.fetch({ body });
        const alive = await peer.barrier();
        const { why, shownBy } = peer.liveness.silence();
        expect.that('jsonrpc.parse-error-survived', {
          ok: alive,
          expected: `a response to ${probeOf(peer)} after a POST with ${what}`,
          evidence: [e, ...shownBy],
          actual: why,
        });
        if (!alive) return;
        // without a handshake the request lacks headers, too
        const codes = [undefined, -32700, -32600, ...(peer.conversation.isStateless ? [-32020] : [])];
        expect.that('jsonrpc.parse-error', {
          ok: codes.includes(codeOf(e) as number | undefined),
          expected: `error -32700, or no JSON-RPC error, for ${what}`,
          evidence: [e],
          actual: shown(e),
        });
      }
    },
  }),

  scenario.http('server/streamable-http/answers-and-ends', {
    title: 'a request gets JSON or a stream, and the stream ends after the response',
    verifies: ['streamable-http.request-json-or-sse', 'streamable-http.sse-closed-after-response'],
    isolation: 'shared',
    async run({ peer, http, expect }) {
      const { request } = await peer.harmless();
      const post = peer.conversation.httpOf(request)!;
      if (post.isStream) await http.over(post);
      // by now tools have been called: their responses may be streams
      return async () => {
        const row = 'streamable-http.sse-closed-after-response';
        const streams = answeredStreams(peer);
        const open = streams.find(e => !e.end);
        if (open) await http.over(open);
        if (streams.length === 0) expect.notObserved(row, 'every response is JSON');
        else expect.noViolation(row, [open ?? streams[0]]);
      };
    },
  }),

  scenario.http('server/streamable-http/stream-with-get', {
    title: 'GET opens an event stream, or is refused with 405',
    verifies: ['streamable-http.get-sse-or-405', 'streamable-http.single-endpoint'],
    era: 'legacy',
    async run({ http, expect }) {
      const { listening } = http;
      if (listening) http.drop(listening, { resume: false });
      const stream = await http.openGet();
      http.drop(stream, { resume: false });
      // a server that sends no headers before the first event does not notice that its stream is closed
      if (stream.status === 409)
        expect.notObserved(
          ['streamable-http.get-sse-or-405', 'streamable-http.single-endpoint'],
          'status 409: to the server the closed stream of this session is still open',
        );
      if (stream.status !== undefined) return;
      const why =
        'no response: a server that waits for a first event cannot be distinguished from one that hangs';
      expect.inconclusive('streamable-http.get-sse-or-405', why);
      expect.inconclusive('streamable-http.single-endpoint', why);
    },
  }),

  // this scenario waits for a quiet window itself, not at the end of the conversation
  scenario.http('server/streamable-http/resumed-by-another-session', {
    title: 'a session that resumes a stream of another session receives none of its messages',
    verifies: ['streamable-http.no-cross-stream-replay'],
    fixtures: ['role progress'],
    async run({ peer, http, newConversation, expect, tool }) {
      const row = 'streamable-http.no-cross-stream-replay';
      if (!(await replays({ peer, http, tool }))) throw new NotObserved('the server does not replay streams');
      const other = await newConversation();
      await other.open({ capabilities: {} });
      const [own, foreign] = [http.sessionId, other.link.http?.sessionId];
      if (own === undefined || foreign === undefined || own === foreign)
        throw new NotObserved('the server assigns no session IDs');
      const progressToken = 'of-one-session';
      const call = await peer.request('tools/call', tool('progress'), { meta: { progressToken } });
      const lastEventId = peer.conversation.httpOf(call.request)?.events.find(e => e.id)?.id;
      if (lastEventId === undefined) throw new NotObserved('there is no stream to resume');
      const again = await other.link.http!.openGet({ lastEventId });
      if (again.isStream) await other.quietWindow();
      other.link.http!.drop(again, { resume: false });
      const leaked = again.received.find(
        m => m.kind === 'result' || m.params?.progressToken === progressToken,
      );
      expect.that(row, {
        ok: !leaked,
        expected: 'no message of the other session',
        evidence: [again, leaked],
        actual: 'its messages',
      });
    },
  }),

  scenario.http('server/streamable-http/two-streams', {
    title: 'with two GET streams open a message arrives on one of them only, and responses on neither',
    verifies: ['streamable-http.one-stream-per-message', 'streamable-http.no-broadcast'],
    fixtures: ['role progress'],
    async run({ peer, http, expect, tool }) {
      const second = await http.openGet();
      const call = await peer.request('tools/call', tool('progress'), {
        meta: { progressToken: 'two-streams' },
      });
      expect.noViolation('streamable-http.one-stream-per-message', [second, call]);
      expect.noViolation('streamable-http.no-broadcast', [second, call]);
      if (second.isStream) http.drop(second, { resume: false });
    },
  }),

  scenario.http('server/streamable-http/foreign-origin', {
    title: 'POST with a foreign Origin is refused',
    verifies: originRows,
    isolation: 'shared',
    async run({ peer, http, expect }) {
      if (!isOnLoopback(http.url))
        return expect.notObserved(originRows, 'the server is not on loopback: it may accept any origin');
      for (const Origin of foreignOrigins) {
        const { e, isRefused } = await withForeignOrigin(http, () => ({ body: ping(peer) }), Origin);
        if (isRefused === undefined) {
          for (const row of originRows) expect.inconclusive(row, failsWithoutOrigin);
          return;
        }
        expect.that('streamable-http.origin-validated', {
          ok: isRefused,
          expected: `POST with Origin ${Origin} to be refused`,
          evidence: [e],
          actual: e.outcome,
        });
        expect('streamable-http.origin-403', e).status(403);
        // a server that accepts the most obvious foreign origin checks none
        if (!isRefused) return;
      }
      if (peer.conversation.isStateless) return;
      // the request that opens a session has none
      const request = () => ({ body: opening(peer, peer.nextId()), headers: withoutSession });
      const { e, isRefused } = await withForeignOrigin(http, request, foreignOrigins[0]);
      if (isRefused === undefined) return;
      expect.that('streamable-http.origin-validated', {
        ok: isRefused,
        expected: `${peer.era.opensWith} with Origin ${foreignOrigins[0]} to be refused`,
        evidence: [e],
        actual: e.outcome,
      });
      expect('streamable-http.origin-403', e).status(403);
    },
  }),

  scenario.http('server/streamable-http/foreign-origin-beside-post', {
    title: 'GET and DELETE with a foreign Origin are refused',
    verifies: originRows,
    async run({ http, expect }) {
      if (!isOnLoopback(http.url))
        return expect.notObserved(originRows, 'the server is not on loopback: it may accept any origin');
      for (const method of ['GET', 'DELETE']) {
        const { e, isRefused } = await withForeignOrigin(http, () => ({ method }), foreignOrigins[0]);
        if (isRefused === undefined) {
          for (const row of originRows) expect.inconclusive(row, failsWithoutOrigin);
          return;
        }
        expect.that('streamable-http.origin-validated', {
          ok: isRefused,
          expected: `${method} with Origin ${foreignOrigins[0]} to be refused`,
          evidence: [e],
          actual: e.outcome,
        });
        // a server may refuse a method that it does not offer before it checks the Origin
        if (refused(e) && e.status !== 403)
          expect.notObserved('streamable-http.origin-403', 'the request is refused with another status');
        else expect('streamable-http.origin-403', e).status(403);
      }
    },
  }),

  scenario.http('server/streamable-http/missing-session', {
    title: 'a request without the session ID is refused with 400, or served',
    verifies: ['streamable-http.missing-session-400'],
    isolation: 'shared',
    async run({ peer, http, expect }) {
      const row = 'streamable-http.missing-session-400';
      if (http.sessionId === undefined) throw new NotObserved('the server assigns no session ID');
      const e = await http.fetch({ body: ping(peer), headers: { 'Mcp-Session-Id': null } });
      const error = served(e) && e.received.some(m => m.kind === 'error');
      expect.that(row, {
        ok: e.status === 400 || (served(e) && !error),
        expected: 'status 400',
        evidence: [e],
        actual: error ? `${e.outcome} and a JSON-RPC error` : e.outcome,
      });
    },
  }),

  scenario.http('server/streamable-http/ended-session', {
    title: 'a request after DELETE gets 404',
    verifies: ['streamable-http.ended-session-404'],
    async run({ peer, http, expect }) {
      const row = 'streamable-http.ended-session-404';
      if (http.sessionId === undefined) throw new NotObserved('the server assigns no session ID');
      const end = await http.fetch({ method: 'DELETE', polite: true });
      if (!served(end)) throw new NotObserved('the server does not accept DELETE');
      const post = await http.fetch({ body: ping(peer) });
      expect.that(row, {
        ok: post.status === 404,
        expected: 'status 404',
        evidence: [end, post],
        actual: post.outcome,
      });
      const note = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'nobody' } };
      const posted = await http.fetch({ body: note });
      expect.that(row, {
        ok: posted.status === 404,
        expected: 'status 404 for a notification',
        evidence: [end, posted],
        actual: posted.outcome,
      });
      const get = await http.fetch({ method: 'GET' });
      const none = get.status === 404 || get.status === 405;
      // streamable-http.get-sse-or-405 judges the status that each GET gets, also in the session
      const others = peer.conversation.http().filter(e => e.request?.method === 'GET' && e !== get);
      if (!served(get) && others.some(e => e.status === get.status)) return;
      expect.that(row, { ok: none, expected: 'status 404', evidence: [end, get], actual: get.outcome });
    },
  }),

  scenario.http('server/streamable-http/odd-version-header', {
    title: 'a request with an unknown MCP-Protocol-Version is refused with 400',
    verifies: ['streamable-http.invalid-version-400'],
    isolation: 'shared',
    async run({ peer, http, expect }) {
      for (const version of ['1900-01-01', 'banana']) {
        const headers = { 'MCP-Protocol-Version': version };
        const e = await http.fetch({ body: ping(peer), headers });
        const row = 'streamable-http.invalid-version-400';
        expect.that(row, {
          ok: e.status === 400,
          expected: `status 400 for ${version}`,
          evidence: [e],
          actual: e.outcome,
        });
        if (served(e)) return;
      }
    },
  }),

  scenario.http('server/streamable-http/odd-version-beside-post', {
    title: 'GET and DELETE with an unknown MCP-Protocol-Version are not served',
    verifies: ['streamable-http.invalid-version-400'],
    async run({ http, expect }) {
      const row = 'streamable-http.invalid-version-400';
      for (const method of ['GET', 'DELETE']) {
        const e = await http.fetch({ method, headers: { 'MCP-Protocol-Version': '1900-01-01' } });
        if (!e.end) http.drop(e, { resume: false });
        // a server may refuse the method, or a second stream, before it looks at the version
        if (e.status !== 400 && !served(e)) expect.notObserved(row, `${method} is refused in any case`);
        else
          expect.that(row, {
            ok: e.status === 400,
            expected: `status 400 for ${method} with an unknown MCP-Protocol-Version`,
            evidence: [e],
            actual: e.outcome,
          });
      }
    },
  }),

  scenario.http('server/streamable-http/no-version-header', {
    title: 'a request without MCP-Protocol-Version is served',
    verifies: ['streamable-http.server-default-version'],
    isolation: 'shared',
    async run({ peer, http, expect }) {
      const e = await http.fetch({ body: ping(peer), headers: { 'MCP-Protocol-Version': null } });
      expect.that('streamable-http.server-default-version', {
        ok: served(e),
        expected: 'a response',
        evidence: [e],
        actual: e.outcome,
      });
    },
  }),
];
