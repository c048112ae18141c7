/** basic/transports#streamable-http: streams that are resumed, polled or parallel. */

import { NotObserved } from '../../harness/peer/deferred.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import { type HttpContext, scenario } from '../../harness/scenario/scenario.js';
import type { HttpControl } from '../../harness/transports/link.js';
import { originOf } from '../rules/derived/http.js';
import { provoked } from './lists.js';

/**
 * Closes the stream of a call after an event with an id; returns the id of the last one, if there was any.
 */
async function breakOff(http: HttpControl, post: HttpExchange): Promise<string | undefined> {
  await http.block(post, e => Boolean(e.id));
  http.drop(post, { resume: false });
  return post.events.findLast(e => e.id)?.id;
}

/**
 * Whether the server replays messages of a stream. Replay is optional; without it there is nothing to judge.
 */
export async function replays({
  peer,
  http,
  tool,
}: Pick<HttpContext, 'peer' | 'http' | 'tool'>): Promise<boolean> {
  const call = await peer.request('tools/call', tool('progress'), { meta: { progressToken: 'whole' } });
  const first = peer.conversation.httpOf(call.request)?.events.find(e => e.id)?.id;
  if (!first || call.reply?.kind !== 'result') return false;
  const again = await http.openGet({ lastEventId: first });
  const isTold = () => again.events.some(e => e.messages.some(m => m.id === call.request.id));
  if (again.isStream && !(await peer.waitUntil(isTold))) await peer.barrier();
  http.drop(again, { resume: false });
  return isTold();
}

/** A call whose stream was closed before its response; a call with an immediate response is repeated. */
async function brokenOff({ peer, http, tool }: Pick<HttpContext, 'peer' | 'http' | 'tool'>, name: string) {
  for (let left = 5; left > 0; left--) {
    const meta = { progressToken: `${name}-${left}` };
    const call = peer.start('tools/call', tool('progress'), { meta });
    const post = peer.conversation.httpOf(call.request)!;
    const last = await breakOff(http, post);
    if (last === undefined) return undefined;
    await call.done;
    if (post.closedBy !== 'server' && !post.received.some(m => m.id === call.id)) return { call, last };
  }
  return undefined;
}

export const scenarios = [
  scenario.http('server/streamable-http/disconnected-call', {
    title: 'a tools/call continues when its connection breaks, and a resumed stream delivers the response',
    verifies: ['streamable-http.disconnect-not-cancel'],
    fixtures: ['role progress'],
    async run({ peer, http, expect, tool }) {
      const row = 'streamable-http.disconnect-not-cancel';
      if (!(await replays({ peer, http, tool }))) throw new NotObserved('the server does not replay streams');
      let came = false;
      const tried: ({ seq: number } | undefined)[] = [];
      // a response may be lost when the new GET races with the end of the previous connection
      for (const [round, returns] of [20, 7, 7].entries()) {
        const broken = came ? undefined : await brokenOff({ peer, http, tool }, `disconnected-${round}`);
        if (!broken) break;
        const { call, last } = broken;
        // messages sent without a listener may be kept for the next GET
        for (let n = 0; n < returns && !came; n++) {
          const again = await http.openGet({ lastEventId: last });
          if (!again.isStream) break;
          if (n === 0) tried.push(call.request, peer.conversation.httpOf(call.request)?.end, again);
          came = await peer.waitUntil(() =>
            again.received.some(m => m.id === call.id && m.kind === 'result'),
          );
          http.drop(again, { resume: false });
        }
      }
      if (tried.length === 0) expect.notObserved(row, 'there is no stream to resume');
      else
        expect.that(row, {
          ok: came,
          expected: 'the response on the resumed stream',
          evidence: tried,
          actual: 'no response to any of the calls',
        });
    },
  }),

  scenario.http('server/streamable-http/resumed-beside-another', {
    title: 'a resumed stream delivers messages of its own call, and none of a parallel call',
    verifies: ['streamable-http.no-cross-stream-replay', 'streamable-http.event-id-unique'],
    fixtures: ['role progress'],
    async run({ peer, http, expect, tool }) {
      if (!(await replays({ peer, http, tool }))) {
        expect.notObserved('streamable-http.no-cross-stream-replay', 'the server does not replay streams');
        return expect.notObserved('streamable-http.event-id-unique', 'the server does not replay streams');
      }
      const calls = ['one', 'other'].map(progressToken =>
        peer.start('tools/call', tool('progress'), { meta: { progressToken } }),
      );
      const post = peer.conversation.httpOf(calls[0]!.request)!;
      const last = await breakOff(http, post);
      await Promise.all(calls.map(call => call.done));
      const again = last === undefined ? undefined : await http.openGet({ lastEventId: last });
      const isAnswered = (e: HttpExchange) => e.received.some(m => m.kind === 'result');
      // a response that came before the stream was closed need not come again
      if (again?.isStream && isAnswered(post)) await peer.waitUntil(() => isAnswered(again));
      else if (again?.isStream) await http.until(again, isAnswered);
      if (!again?.received.length)
        expect.notObserved('streamable-http.no-cross-stream-replay', 'the server replayed nothing');
    },
  }),

  scenario.http('server/streamable-http/questions-of-a-call', {
    title: 'requests of a tool to the client arrive on the stream of its call',
    verifies: ['streamable-http.get-unrelated-messages'],
    isolation: 'shared',
    fixtures: ['role sampling'],
    async run({ peer, expect, tool }) {
      const row = 'streamable-http.get-unrelated-messages';
      const call = await peer.request('tools/call', tool('sampling', { prompt: 'Hi' }));
      const question = peer.conversation
        .requests({ by: 'subject', method: 'sampling/createMessage' })
        .find(m => m.seq > call.request.seq);
      const post = peer.conversation.httpOf(call.request);
      if (!question) throw new NotObserved('the tool sends no request to the client');
      // a server that responds with JSON has no other stream for the request
      if (!post?.isStream) throw new NotObserved('the call gets a JSON response');
      const on = peer.conversation.httpOf(question);
      const actual = `on the stream of ${on?.request?.method ?? 'nobody'} ${on?.number ?? ''}`;
      expect.that(row, {
        // a server may close the connection of the call, and continue its stream on a GET
        ok: on !== undefined && originOf(peer.conversation, on) === post,
        expected: 'the request on the stream of the call',
        evidence: [post, question],
        actual,
      });
    },
  }),

  scenario.http('server/streamable-http/updates-of-another-session', {
    title: 'a session without subscriptions receives no notifications/resources/updated',
    verifies: ['resources.updated-only-after-subscribe'],
    fixtures: ['resource test://watched-resource', 'tool test_update_resource'],
    async run({ peer, newConversation, expect }) {
      const other = await newConversation();
      await other.open({ capabilities: {} });
      const listening = await peer.listen({ resourceSubscriptions: ['test://watched-resource'] });
      const { told: update } = await provoked(peer, 'notifications/resources/updated', () =>
        peer.request('tools/call', { name: 'test_update_resource', arguments: {} }),
      );
      await other.barrier();
      // a rule checks the messages of the other session
      if (update) expect.noViolation('resources.updated-only-after-subscribe', [update]);
      else
        expect.notObserved(
          'resources.updated-only-after-subscribe',
          'the server sends no notifications/resources/updated',
        );
      await listening.stop();
    },
  }),

  scenario.http('server/streamable-http/two-calls-at-once', {
    title: 'two calls in parallel each get their progress and response on their own stream',
    verifies: ['streamable-http.sse-related-messages', 'streamable-http.sse-response-arrives'],
    isolation: 'shared',
    fixtures: ['role progress'],
    async run({ peer, expect, tool }) {
      const call = (progressToken: string) =>
        peer.request('tools/call', tool('progress'), { meta: { progressToken } });
      const [one] = await Promise.all([call('at-once-1'), call('at-once-2')]);
      const post = peer.conversation.httpOf(one.request);
      if (post?.isStream) {
        // on a resumed stream the messages come elsewhere
        const hasProgress = peer.conversation
          .notifications({ by: 'subject', method: 'notifications/progress' })
          .some(({ seq }) => seq > one.request.seq);
        if (one.reply && post.received.length === 1 && !hasProgress)
          expect.inconclusive(
            'streamable-http.sse-related-messages',
            'the stream of a call has its response only',
          );
        return;
      }
      expect.notObserved('streamable-http.sse-related-messages', 'calls get JSON responses');
      expect.notObserved('streamable-http.sse-response-arrives', 'calls get JSON responses');
    },
  }),

  scenario.http('server/streamable-http/polled-call', {
    title: 'a server that closes a connection before the response first sends a retry interval',
    verifies: ['streamable-http.sse-retry-before-close'],
    fixtures: ['tool test_reconnection'],
    async run({ peer, expect }) {
      const call = await peer.request('tools/call', { name: 'test_reconnection', arguments: {} });
      const post = peer.conversation.httpOf(call.request);
      const whole = post?.received.some(m => m.id === call.request.id);
      if (whole || !post?.isStream)
        expect.notObserved(
          'streamable-http.sse-retry-before-close',
          'the server does not close the connection before the response',
        );
      else if (!call.reply)
        expect.notObserved('streamable-http.sse-retry-before-close', 'the stream ended without a response');
    },
  }),

  scenario.http('server/streamable-http/two-clients', {
    title: 'two clients that use the same ids at the same time each get their own responses',
    verifies: ['jsonrpc.response-id-matches', 'jsonrpc.request-answered-once'],
    fixtures: ['prompt test_prompt_with_arguments'],
    async run({ peer, newConversation, expect }) {
      const other = await newConversation();
      await other.open({ capabilities: {} });
      const ask = (who: typeof peer, arg1: string) =>
        who.request(
          'prompts/get',
          { name: 'test_prompt_with_arguments', arguments: { arg1, arg2: arg1 } },
          { id: 'same' },
        );
      const asked = await Promise.all([ask(peer, 'apple'), ask(other, 'pear')]);
      for (const [n, fruit] of ['apple', 'pear'].entries())
        expect('jsonrpc.response-id-matches', asked[n]!).result(r =>
          JSON.stringify(r).includes(fruit) ? undefined : `the response about ${fruit}`,
        );
    },
  }),

  scenario.http('server/streamable-http/echoed-characters', {
    title: 'prompts/get returns characters of every UTF-8 length unchanged',
    verifies: ['transport.utf8'],
    isolation: 'shared',
    fixtures: ['prompt test_prompt_with_arguments'],
    async run({ peer, expect }) {
      const text = 'é 漢 🎉 \u0085 \u2028 \r\n \\u0041 \u0000';
      const params = { name: 'test_prompt_with_arguments', arguments: { arg1: text, arg2: '\u{10FFFD}' } };
      const got = await peer.request('prompts/get', params);
      const written = JSON.stringify(text).slice(1, -1);
      expect('transport.utf8', got).result(r =>
        JSON.stringify(r).includes(written) ? undefined : `the text ${written}`,
      );
    },
  }),
];
