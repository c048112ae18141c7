/** basic/transports#streamable-http: streams that end or break before everything is said on them. */

import type { HttpExchange } from '../../harness/record/http-exchange.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { held } from '../../harness/scenario/serve.js';
import { lastEventId } from '../rules/derived/http.js';
import { says } from './world.js';

/** Long enough to tell whether it is waited for, in milliseconds. */
const retry = 400;

/** It goes on with a stream. */
const resumes = (exchange: HttpExchange): boolean => lastEventId(exchange) !== undefined;

const isGet = ({ request }: HttpExchange): boolean => request?.method === 'GET';

const asks =
  (method: string) =>
  ({ sent }: HttpExchange): boolean =>
    sent.some(m => m.method === method);

const script = [
  ['connect'],
  ['list', 'tools'],
  ['call', 'test_simple_text'],
  ['list', 'prompts'],
  ['close'],
] as const;

export const scenarios = [
  scenario.client.http('client/streams/polling', {
    title: 'a client whose stream is closed before the answer comes back for it, when it is told to',
    verifies: ['streamable-http.client-polls', 'streamable-http.client-respects-retry'],
    serve: { 'tools/list': held, 'tools/call': held },
    does: script,
    lasts: 400,
    async run({ peer, expect, http }) {
      const listing = await peer.nextDeferred('tools/list');
      http.behave({ polling: true, retry });
      listing.release();
      const call = await peer.nextDeferred('tools/call');
      const stream = peer.conversation.httpOf(call.request)!;
      const gaveUp = asks('prompts/list');
      const next = await peer.link.httpServer!.request(e => resumes(e) || gaveUp(e));
      // what it asks later is answered at once
      http.behave({ polling: false });
      call.release();
      if (next && gaveUp(next))
        expect.that(
          'streamable-http.client-polls',
          false,
          'the client to come back',
          [stream, next],
          'its next request',
        );
    },
  }),

  scenario.client.http('client/streams/polling-again', {
    title: 'a client whose stream is closed once more before anything came on it comes back once more',
    verifies: ['streamable-http.client-polls', 'streamable-http.client-resumes-by-get'],
    serve: { 'tools/list': held, 'tools/call': held },
    // who does not come back would wait for ever
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'test_simple_text', {}, { timeoutMs: 8_000 }],
      ['list', 'prompts'],
      ['close'],
    ],
    async run({ peer, expect, http }) {
      const listing = await peer.nextDeferred('tools/list');
      // nothing is said of how long it waits
      http.behave({ polling: true, retry: 10 });
      listing.release();
      const call = await peer.nextDeferred('tools/call');
      const ours = peer.link.httpServer!;
      const gaveUp = asks('prompts/list');
      const first = await ours.request(e => resumes(e) || gaveUp(e));
      if (!first || gaveUp(first)) {
        call.release();
        return expect.notObserved('streamable-http.client-polls', 'it does not come back at all');
      }
      await ours.until(first, e => e.isStream);
      const listens = ours.listening !== undefined;
      ours.endStream(first, 'complete');
      const later = (e: HttpExchange) => e.number > first.number;
      // who has a stream of its own opens another one in place of the one that it no longer knows how to ask for
      const anew = (e: HttpExchange) => listens && isGet(e) && !resumes(e);
      const next = await ours.request(e => later(e) && (resumes(e) || anew(e) || gaveUp(e)));
      // what it asks later is answered at once
      http.behave({ polling: false });
      if (!next || resumes(next)) return call.release();
      const expected = 'the client to come back once more';
      const actual = gaveUp(next) ? 'its next request' : 'a stream from now on';
      expect.that('streamable-http.client-polls', false, expected, [first, next], actual);
      if (gaveUp(next)) return;
      // so that it waits no longer
      const answer = { jsonrpc: '2.0', id: call.request.id, result: says('Here, as nowhere else.') };
      await ours.until(next, e => e.isStream);
      ours.write(next, { event: 'message', data: JSON.stringify(answer) });
    },
  }),

  scenario.client.http('client/streams/broken-off', {
    title: 'a client that goes on with a stream that broke asks for what came after the last event it read',
    verifies: ['streamable-http.client-resumes-by-get'],
    serve: { 'tools/call': held },
    // else it comes back when it thinks best
    http: { retry: 10 },
    does: script,
    async run({ peer, expect }) {
      const row = 'streamable-http.client-resumes-by-get';
      const call = await peer.nextDeferred('tools/call');
      const stream = peer.conversation.httpOf(call.request);
      // what is answered has been read
      for (let n = 0; n < 2; n++) await peer.request('ping');
      const ours = peer.link.httpServer!;
      if (stream) ours.endStream(stream, 'break');
      const next = await ours.request(e => resumes(e) || asks('prompts/list')(e));
      call.release();
      if (!next || !resumes(next)) expect.notObserved(row, 'it does not go on with a stream that broke');
    },
  }),

  scenario.client.http('client/streams/standing-stream', {
    title: 'a client whose stream of its own ends comes back, if it does, when it was told last',
    verifies: ['streamable-http.client-respects-retry', 'streamable-http.client-resumes-by-get'],
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    lasts: 400,
    async run({ peer, expect }) {
      const ours = peer.link.httpServer!;
      await peer.request('ping');
      const stream = ours.listening;
      // it has closed it, or is gone
      if (!stream) return;
      // who takes one word of several takes the last
      for (const ms of [10, retry]) ours.write(stream, { retry: String(ms) });
      ours.endStream(stream, 'complete');
      const again = await ours.request(e => isGet(e) && e.number > stream.number);
      (await peer.nextDeferred('tools/list')).release();
      if (again && resumes(again)) return;
      const why = again ? 'it begins anew' : 'it does not come back';
      expect.notObserved('streamable-http.client-resumes-by-get', why);
      if (!again) expect.notObserved('streamable-http.client-respects-retry', why);
    },
  }),
];
