/** basic/index#batching, in the one revision that has it. */

import { errorOf } from '../../harness/history.js';
import { scenario } from '../../harness/scenario.js';
import type { JsonObject } from '../../spec/json-rpc.js';

const request = (id: number, method = 'ping'): JsonObject => ({ jsonrpc: '2.0', id, method });
const notification: JsonObject = { jsonrpc: '2.0', method: 'notifications/nobody-knows' };

export const scenarios = [
  scenario('server/batching/mixed', {
    title: 'each request of a batch is answered, what fails with an error of its own',
    verifies: ['batch.receive', 'batch.response-per-request'],
    async run({ peer, expect }) {
      const messages = [
        request(peer.nextId()),
        notification,
        request(peer.nextId(), peer.unused('method')),
        request(peer.nextId()),
      ];
      const exchanges = await peer.batch(messages, { deliberate: true });
      const answered = exchanges.filter(e => e.reply);
      expect.that('batch.receive', answered.length > 0, 'answers to the requests of a batch', exchanges);
      const [ok, unknown, also] = exchanges;
      const each = answered.length === 3 && !errorOf(ok!) && !!errorOf(unknown!) && !errorOf(also!);
      expect.that('batch.response-per-request', each, 'a result, an error, a result', exchanges);
    },
  }),

  scenario('server/batching/one-request', {
    title: 'batches of one request, several at once, are answered',
    verifies: ['batch.receive'],
    async run({ peer, expect }) {
      const batches = [1, 2, 3].map(() => peer.batch([request(peer.nextId())]));
      for (const [exchange] of await Promise.all(batches)) {
        const ok = exchange?.reply?.kind === 'result';
        expect.that('batch.receive', ok, 'a result for the only request', [exchange]);
      }
    },
  }),

  scenario('server/batching/only-notifications', {
    title: 'a batch of notifications is not answered, not even with an empty array',
    verifies: ['batch.only-notifications'],
    async run({ peer, expect }) {
      const text = JSON.stringify([notification, notification]);
      const { sent, replies, emptyArrays } = await peer.aside(text);
      const answer = replies[0] ?? emptyArrays[0];
      expect.that('batch.only-notifications', !answer, 'no answer', [sent, answer]);
    },
  }),

  scenario('server/batching/empty', {
    title: 'an empty array is answered with one error',
    verifies: ['batch.empty-array'],
    async run({ peer, expect }) {
      const { sent, replies, emptyArrays } = await peer.aside('[]');
      const [answer] = replies;
      // on stdio many say nothing to it, which leaves nobody waiting
      if (!answer && emptyArrays.length === 0) return expect.unclear('batch.empty-array', 'no answer came');
      const ok = answer?.kind === 'error' && !answer.batched && replies.length === 1;
      expect.that('batch.empty-array', ok, 'one error, not in an array', [sent, ...replies, emptyArrays[0]]);
    },
  }),
];
