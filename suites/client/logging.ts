/** server/utilities/logging: messages that are not what they should be. */

import { scenario } from '../../harness/scenario/scenario.js';
import { held } from '../../harness/scenario/serve.js';
import type { Json, JsonObject } from '../../spec/json-rpc.js';

const deep = Array.from({ length: 200 }).reduce<Json>(inner => ({ inner }), 'the end');

const messages: readonly [what: string, params: JsonObject][] = [
  ['a level nobody knows', { level: 'catastrophic', data: 'x' }],
  ['no data', { level: 'info' }],
  ['no level', { data: 'x' }],
  ['a logger that is no text', { level: 'info', logger: 7, data: 'x' }],
  ['deep data', { level: 'info', data: deep }],
  ['much data', { level: 'info', data: 'much '.repeat(20_000) }],
];

export const scenarios = [
  scenario.client('client/logging/odd-messages', {
    title: 'a client bears log messages that are malformed, deep or long',
    verifies: ['logging.implementations-validate-data'],
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    async run({ peer, expect }) {
      const listing = await peer.nextDeferred('tools/list');
      if (!(await peer.barrier())) return;
      for (const [what, params] of messages) {
        const [note] = peer.notify('notifications/message', params, { deliberate: true });
        const alive = await peer.barrier();
        const { why, shownBy } = peer.silence();
        const evidence = alive ? [note] : [note, ...shownBy];
        expect.that('logging.implementations-validate-data', alive, `a pong after ${what}`, evidence, why);
        if (!alive) return;
      }
      listing.release();
    },
  }),
];
