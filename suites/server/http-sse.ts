/** basic/transports#http-with-sse: one stream, one endpoint, foreign origins. */

import { NotObserved } from '../../harness/peer/deferred.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { failsWithoutOrigin, foreignOrigins, isOnLoopback, ping, withForeignOrigin } from './http.js';

export const scenarios = [
  scenario.httpSse('server/http-sse/stream-and-endpoint', {
    title: 'a stream begins with the endpoint event, and responses arrive on it as message events',
    verifies: ['http-sse.two-endpoints', 'http-sse.endpoint-event', 'http-sse.message-events'],
    async run({ peer }) {
      await peer.barrier();
    },
  }),

  scenario.httpSse('server/http-sse/foreign-origin', {
    title: 'GET and POST with a foreign Origin are refused',
    verifies: ['http-sse.origin-validated'],
    async run({ peer, http, expect }) {
      const row = 'http-sse.origin-validated';
      if (!isOnLoopback(http.url))
        throw new NotObserved('the server is not on loopback: it may accept any origin');
      for (const Origin of foreignOrigins) {
        for (const method of ['GET', 'POST']) {
          const request = () => (method === 'GET' ? { method } : { body: ping(peer) });
          const { e, isRefused } = await withForeignOrigin(http, request, Origin);
          if (isRefused === undefined) return expect.inconclusive(row, failsWithoutOrigin);
          expect.that(row, {
            ok: isRefused,
            expected: `${method} with Origin ${Origin} to be refused`,
            evidence: [e],
            actual: e.outcome,
          });
        }
      }
    },
  }),

  scenario.httpSse('server/http-sse/two-clients', {
    title: 'two clients that use the same ids at the same time each get their own responses',
    verifies: ['jsonrpc.response-id-matches', 'jsonrpc.request-answered-once'],
    fixtures: ['prompt test_prompt_with_arguments'],
    async run({ peer, newConversation, expect }) {
      const other = await newConversation();
      await other.open({ capabilities: {} });
      const name = 'test_prompt_with_arguments';
      const ask = (who: typeof peer, arg1: string) =>
        who.request('prompts/get', { name, arguments: { arg1, arg2: arg1 } }, { id: 'same' });
      const asked = await Promise.all([ask(peer, 'apple'), ask(other, 'pear')]);
      for (const [n, fruit] of ['apple', 'pear'].entries())
        expect('jsonrpc.response-id-matches', asked[n]!).result(r =>
          JSON.stringify(r).includes(fruit) ? undefined : `the response about ${fruit}`,
        );
    },
  }),
];
