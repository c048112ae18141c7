/** basic/index: all kinds of valid ids. */

import fc from 'fast-check';
import { sequence } from '../../../harness/generate/sequence.js';
import { scenario } from '../../../harness/scenario/scenario.js';
import type { RequestId } from '../../../spec/json-rpc.js';
import { texts } from './values.js';

const edges = [31, 32, 53].map(bits => 2 ** bits - 1);

const integers: fc.Arbitrary<number> = fc.oneof(
  { withCrossShrink: true },
  fc.integer({ min: -1_000, max: 1_000 }),
  fc.integer({ min: 2 ** 31, max: 2 ** 32 - 1 }),
  fc.maxSafeInteger(),
  fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: -(2 ** 31) }),
  fc.constantFrom(...edges),
);

/** Every valid id; each one is a valid progress token too. */
export const ids: fc.Arbitrary<RequestId> = fc.oneof(
  { withCrossShrink: true },
  { weight: 2, arbitrary: integers.map(n => n + 0) },
  { weight: 3, arbitrary: texts },
);

export const scenarios = [
  scenario('server/generated/ids/results-and-errors', {
    title: 'each response has the id of its request with the same value and type, in results and in errors',
    verifies: ['jsonrpc.response-id-matches', 'jsonrpc.request-answered-once'],
    generated: true,
    async run({ property }) {
      await property(
        sequence(
          fc.record({ id: ids, of: fc.constantFrom('result', 'error') }, { noNullPrototype: true }),
          6,
        ),
        async (list, { peer }) => {
          // one after the other, so that each response belongs to a known request
          for (const { id, of } of list) {
            if (!peer.pending.isFresh(id)) continue;
            const message = peer.harmlessMessage(id);
            const unknown = of === 'error' && { method: peer.unused('method') };
            await peer.startMessage({ ...message, ...unknown }).done;
          }
        },
      );
    },
  }),
];
