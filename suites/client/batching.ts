/** basic/index#batching, in the only revision that has batches. Rules judge most of it. */

import { scenario } from '../../harness/scenario/scenario.js';
import { held } from '../../harness/scenario/serve.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import { beside } from './parts.js';

const notification: JsonObject = { jsonrpc: '2.0', method: 'notifications/nobody-knows' };

export const scenarios = [
  scenario.client('client/batching/arrays', {
    title: 'a client accepts messages in arrays, and responds to the requests in them',
    verifies: [
      'batch.receive',
      'batch.response-per-request',
      'batch.only-notifications',
      'batch.empty-array',
      'batch.initialize-not-batched',
    ],
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    async run({ peer, expect }) {
      const listing = await peer.nextDeferred('tools/list');
      const ask = (method = 'ping'): JsonObject => ({ jsonrpc: '2.0', id: peer.nextId(), method });
      const mixed = [ask(), notification, ask(peer.unused('method')), ask()];
      await Promise.all([peer.batch(mixed, { deliberate: true }), peer.batch([ask()])]);
      const aside = (text: string) => peer.sendThenBarrier(() => beside(peer, listing, text));
      await aside(JSON.stringify([notification, notification]));
      const { unmatchedReplies: replies } = await aside('[]');
      // a client that does not respond may not support arrays at all
      if (replies.length === 0)
        expect.notObserved('batch.empty-array', 'the client does not respond to an empty array');
      listing.release();
    },
  }),
];
