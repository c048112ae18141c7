/** Speed of the generation of values; `npm run bench` prints it. */

import fc from 'fast-check';
import { definedRevisions } from '../../spec/revisions.js';
import { invalidMessage } from './invalid.js';
import { message } from './message.js';
import { arbitraryOf } from './schema.js';

interface GenerationSpeed {
  /** Small valid messages: a tool call, a ping, a progress notification, … */
  readonly messagesPerSecond: number;
  /** The same messages made invalid by one step, checked by the validator. */
  readonly invalidMessagesPerSecond: number;
  /**
   * Elements per second in an array of 20 000, divided by the same for 2 000: about 1 when the work is linear
   * in size.
   */
  readonly linearity: number;
}

const names = ['tools/call', 'tools/list', 'ping', 'notifications/progress', 'notifications/cancelled'];

/**
 * Values per second of CPU time, after all parts are compiled; the best of four rounds. CPU time, because
 * other programs may use the machine.
 */
function rate(arbitrary: fc.Arbitrary<unknown>, count: number): number {
  const round = (seed: number): number => {
    const start = process.cpuUsage();
    fc.sample(arbitrary, { numRuns: count, seed });
    const { user, system } = process.cpuUsage(start);
    return count / ((user + system) / 1e6);
  };
  round(0);
  return Math.max(...[1, 2, 3, 4].map(round));
}

/** Takes about two seconds. */
export function generationSpeed(): GenerationSpeed {
  const revision = definedRevisions.find(({ era }) => era === 'legacy')!;
  const arrays = (length: number) =>
    arbitraryOf({
      type: 'array',
      minItems: length,
      maxItems: length,
      items: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'boolean' } } },
    }).arbitrary;
  return {
    messagesPerSecond: rate(fc.oneof(...names.map(name => message(revision, name))), 5_000),
    invalidMessagesPerSecond: rate(fc.oneof(...names.map(name => invalidMessage(revision, name))), 1_000),
    linearity: (rate(arrays(20_000), 1) * 20_000) / (rate(arrays(2_000), 10) * 2_000),
  };
}
