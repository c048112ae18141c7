/** basic/transports#streamable-http: streams that end or break before all messages are sent. */

import type { Deferred } from '../../harness/peer/deferred.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import type { Expect } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Script } from '../../harness/scenario/script.js';
import { held } from '../../harness/scenario/serve.js';
import type { HttpServerLink } from '../../harness/transports/http/server/behaviour.js';
import { lastEventId } from '../rules/derived/http.js';
import { goesOn, isLastCall, releaseFurther } from './parts.js';
import { says } from './world.js';

/** Milliseconds until a reconnection: long enough to detect whether the client waits. */
const retry = 400;

/** Milliseconds before a reconnection that show a delay of the client's own, in which a shorter retry value does not show. */
const ownDelay = { least: 1.5 * retry, most: 2_000 };

/** Whether the request resumes a stream. */
const resumes = (exchange: HttpExchange): boolean => lastEventId(exchange) !== undefined;

const isGet = ({ request }: HttpExchange): boolean => request?.method === 'GET';

/**
 * Whether a request shows that the client gave up a stream that was lost: it is that of the last step. A client without a
 * script may send several requests at once.
 */
const givesUp =
  (stream: HttpExchange | undefined, scripted: boolean) =>
  ({ request, sent }: HttpExchange): boolean => {
    const lost = stream?.end?.seq ?? Number.POSITIVE_INFINITY;
    return scripted && (request?.seq ?? 0) > lost && sent.some(isLastCall);
  };

/**
 * Whether a request opens a new stream, although the client has one that it opened with GET: it stands for the request
 * that should have resumed the stream.
 */
const opensAnew = ({ listening }: HttpServerLink, stream: HttpExchange | undefined) => {
  const lost = listening && stream ? stream.number : Number.POSITIVE_INFINITY;
  return (e: HttpExchange): boolean => e.number > lost && isGet(e) && !resumes(e);
};

/** Reports the request of a client in place of one that resumes a stream. */
function failPolls(
  expect: Pick<Expect<'streamable-http.client-polls'>, 'that'>,
  expected: string,
  stream: HttpExchange,
  next: HttpExchange,
): void {
  expect.that('streamable-http.client-polls', {
    ok: false,
    expected,
    evidence: [stream, next],
    actual: isGet(next) ? 'a new GET without Last-Event-ID' : 'the next request of the client',
  });
}

/** Sends the response, on a new stream if the client opened one: it would wait without end. */
async function endWait(ours: HttpServerLink, next: HttpExchange | undefined, call: Deferred): Promise<void> {
  if (!next || !isGet(next)) return call.release();
  const answer = { jsonrpc: '2.0', id: call.request.id, result: says('Here, as nowhere else.') };
  await ours.until(next, e => e.isStream);
  ours.write(next, { event: 'message', data: JSON.stringify(answer) });
}

const script: Script = [['connect'], ['list', 'tools'], ['call', 'test_simple_text'], goesOn, ['close']];

export const scenarios = [
  scenario.client.http('client/streams/polling', {
    title: 'a client whose stream is closed before the response resumes it after the retry interval',
    verifies: ['streamable-http.client-polls', 'streamable-http.client-respects-retry'],
    serve: { 'tools/list': held, 'tools/call': held },
    http: { answers: 'sse' },
    does: script,
    lasts: 400,
    async run({ peer, expect, http, scripted }) {
      const listing = await peer.nextDeferred('tools/list');
      http.behave({ polling: true, retry });
      listing.release();
      // some clients list twice before they call
      void releaseFurther(peer, 'tools/list');
      const call = await peer.nextDeferred('tools/call');
      const stream = peer.conversation.httpOf(call.request)!;
      const gaveUp = givesUp(stream, scripted);
      const ours = peer.link.httpServer!;
      const isAnew = opensAnew(ours, stream);
      const next = await ours.request(e => resumes(e) || isAnew(e) || gaveUp(e));
      const delay = next && resumes(next) && stream.end ? next.request!.at - stream.end.at : 0;
      if (next && delay >= ownDelay.least && delay <= ownDelay.most) {
        await ours.until(next, e => e.isStream);
        ours.write(next, { retry: `${Math.round(2 * delay) + retry}` });
        ours.endStream(next, 'complete');
        await ours.request(e => e.number > next.number && (resumes(e) || gaveUp(e)));
      }
      // later requests get an immediate response
      http.behave({ polling: false });
      if (!next || resumes(next)) return call.release();
      failPolls(expect, 'a GET that resumes the stream', stream, next);
      expect.notObserved('streamable-http.client-respects-retry', 'the client does not resume the stream');
      await endWait(ours, next, call);
    },
  }),

  scenario.client.http('client/streams/polling-again', {
    title: 'a client whose resumed stream is closed without a message resumes it again',
    verifies: ['streamable-http.client-polls', 'streamable-http.client-resumes-by-get'],
    serve: { 'tools/list': held, 'tools/call': held },
    http: { answers: 'sse' },
    // a client that does not resume would wait without end
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'test_simple_text', {}, { timeoutMs: 8_000 }],
      goesOn,
      ['close'],
    ],
    async run({ peer, expect, http, scripted }) {
      const listing = await peer.nextDeferred('tools/list');
      // the wait of the client is not judged
      http.behave({ polling: true, retry: 10 });
      listing.release();
      // some clients list twice before they call
      void releaseFurther(peer, 'tools/list');
      const call = await peer.nextDeferred('tools/call');
      const ours = peer.link.httpServer!;
      const stream = peer.conversation.httpOf(call.request)!;
      const gaveUp = givesUp(stream, scripted);
      const isAnew = opensAnew(ours, stream);
      const first = await ours.request(e => resumes(e) || isAnew(e) || gaveUp(e));
      if (!first || !resumes(first)) {
        http.behave({ polling: false });
        expect.notObserved(
          ['streamable-http.client-polls', 'streamable-http.client-resumes-by-get'],
          'the client does not resume the stream',
        );
        return endWait(ours, first, call);
      }
      await ours.until(first, e => e.isStream);
      const isAnewAgain = opensAnew(ours, first);
      ours.endStream(first, 'complete');
      const later = (e: HttpExchange) => e.number > first.number;
      const next = await ours.request(e => later(e) && (resumes(e) || isAnewAgain(e) || gaveUp(e)));
      // later requests get an immediate response
      http.behave({ polling: false });
      if (!next || resumes(next)) return call.release();
      failPolls(expect, 'another GET that resumes the stream', first, next);
      await endWait(ours, next, call);
    },
  }),

  scenario.client.http('client/streams/broken-off', {
    title: 'a client that resumes a broken stream sends the id of the last event that it read',
    verifies: ['streamable-http.client-resumes-by-get'],
    serve: { 'tools/call': held },
    // otherwise the client chooses the delay
    http: { answers: 'sse', retry: 10 },
    does: script,
    async run({ peer, expect, scripted }) {
      const row = 'streamable-http.client-resumes-by-get';
      const call = await peer.nextDeferred('tools/call');
      const stream = peer.conversation.httpOf(call.request);
      // events before a response to ping have been read
      for (let n = 0; n < 2; n++) await peer.request('ping');
      const ours = peer.link.httpServer!;
      const gaveUp = givesUp(stream, scripted);
      const isAnew = opensAnew(ours, stream);
      if (stream) ours.endStream(stream, 'break');
      const next = await ours.request(e => resumes(e) || isAnew(e) || gaveUp(e));
      if (next && resumes(next)) return call.release();
      expect.notObserved(row, 'the client does not resume a broken stream');
      await endWait(ours, next, call);
    },
  }),

  scenario.client.http('client/streams/one-of-two', {
    title: 'a client with two streams, one of which ends, sends a Last-Event-ID of the ended stream',
    verifies: ['streamable-http.client-resumes-by-get'],
    serve: { 'tools/call': held, 'prompts/get': held },
    http: { answers: 'sse', retry: 10 },
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'test_simple_text', {}, { wait: false, timeoutMs: 4_000 }],
      ['get', 'test_simple_prompt'],
      ['close'],
    ],
    async run({ peer, expect }) {
      const call = await peer.nextDeferred('tools/call');
      await peer.request('ping', undefined, { during: call.request });
      const prompt = await peer.nextDeferred('prompts/get');
      await peer.request('ping', undefined, { during: prompt.request });
      const ours = peer.link.httpServer!;
      const stream = peer.conversation.httpOf(call.request);
      const isAnew = opensAnew(ours, stream);
      if (stream) ours.endStream(stream, 'complete');
      const next = await ours.request(e => resumes(e) || isAnew(e));
      prompt.release();
      if (next && resumes(next)) return call.release();
      expect.notObserved('streamable-http.client-resumes-by-get', 'the client does not resume the stream');
      await endWait(ours, next, call);
    },
  }),

  scenario.client.http('client/streams/standing-stream', {
    title: 'a client whose GET stream ends reconnects, if at all, after the last retry interval',
    verifies: ['streamable-http.client-respects-retry', 'streamable-http.client-resumes-by-get'],
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    lasts: 400,
    async run({ peer, expect }) {
      const ours = peer.link.httpServer!;
      await peer.request('ping');
      const stream = ours.listening;
      // the client closed the stream, or disconnected
      if (!stream) return;
      // of several retry values the last one counts
      for (const ms of [10, retry]) ours.write(stream, { retry: `${ms}` });
      ours.endStream(stream, 'complete');
      const again = await ours.request(e => isGet(e) && e.number > stream.number);
      (await peer.nextDeferred('tools/list')).release();
      if (again && resumes(again)) return;
      const why = again
        ? 'the client opens a new stream instead of resuming'
        : 'the client does not open the stream again';
      // a rule judges the wait of a client that has no event ids
      expect.notObserved(
        ['streamable-http.client-resumes-by-get', 'streamable-http.client-respects-retry'],
        why,
      );
    },
  }),
];
