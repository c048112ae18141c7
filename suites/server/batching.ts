/** basic/index#batching, in the only revision that has batches. Rules judge the responses. */

import { scenario } from '../../harness/scenario/scenario.js';
import type { JsonObject } from '../../spec/json-rpc.js';

const request = (id: number, method = 'ping'): JsonObject => ({ jsonrpc: '2.0', id, method });
const notification: JsonObject = { jsonrpc: '2.0', method: 'notifications/nobody-knows' };

export const scenarios = [
  scenario('server/batching/several', {
    title: 'each request of a batch gets a response, a request with an unknown method gets an error',
    verifies: ['batch.receive', 'batch.response-per-request'],
    async run({ peer, expect }) {
      const unknown = request(peer.nextId(), peer.unused('method'));
      const mixed = [request(peer.nextId()), notification, unknown, request(peer.nextId())];
      const single = () => peer.batch([request(peer.nextId())]);
      // in parallel, so that the timeout of a subject without batches is waited for only once
      const answered = await Promise.all([peer.batch(mixed, { deliberate: true }), single(), single()]);
      if (answered.flat().every(exchange => !exchange.reply))
        expect.notObserved('batch.response-per-request', 'the server does not respond to arrays');
    },
  }),

  scenario('server/batching/only-notifications', {
    title: 'a batch of notifications gets no response, not even an empty array',
    verifies: ['batch.only-notifications'],
    async run({ peer }) {
      await peer.sendThenBarrier(JSON.stringify([notification, notification]));
    },
  }),

  scenario('server/batching/empty', {
    title: 'an empty array gets a single error',
    verifies: ['batch.empty-array'],
    async run({ peer, expect }) {
      const { sent, unmatchedReplies: replies } = await peer.sendThenBarrier('[]');
      const refused = peer.conversation.http().find(e => 'exchange' in sent && e.number === sent.exchange);
      if (replies.length > 0) return;
      if (refused?.status && refused.status >= 400) expect.noViolation('batch.empty-array', [refused]);
      else expect.notObserved('batch.empty-array', 'the server ignores the empty array');
    },
  }),
];
