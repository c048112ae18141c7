/** server/utilities/logging: malformed and unusual messages. */

import { scenario } from '../../harness/scenario/scenario.js';
import { held } from '../../harness/scenario/serve.js';
import type { Json, JsonObject } from '../../spec/json-rpc.js';

const deep = Array.from({ length: 200 }).reduce<Json>(inner => ({ inner }), 'the end');

export const messages: readonly [what: string, params: JsonObject][] = [
  ['an unknown level', { level: 'catastrophic', data: 'x' }],
  ['no data', { level: 'info' }],
  ['no level', { data: 'x' }],
  ['a logger that is not a string', { level: 'info', logger: 7, data: 'x' }],
  ['nested data', { level: 'info', data: deep }],
  ['long data', { level: 'info', data: 'much '.repeat(20_000) }],
];

export const scenarios = [
  scenario.client('client/logging/odd-messages', {
    title: 'malformed, nested or long log messages do not break a client',
    verifies: ['logging.implementations-validate-data'],
    era: 'legacy',
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    async run({ peer, expect }) {
      const listing = await peer.nextDeferred('tools/list');
      if (!(await peer.barrier())) return;
      for (const [what, params] of messages) {
        const [note] = peer.notify('notifications/message', params, { deliberate: true });
        const alive = await peer.barrier();
        const { why, shownBy } = peer.liveness.silence();
        const evidence = alive ? [note] : [note, ...shownBy];
        expect.that('logging.implementations-validate-data', {
          ok: alive,
          expected: `a response to ping after a log message with ${what}`,
          evidence,
          actual: why ?? 'no response to ping',
        });
        if (!alive) return;
      }
      listing.release();
    },
  }),
];
