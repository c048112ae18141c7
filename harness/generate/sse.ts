/** Event streams in all their dialects. */

import fc from 'fast-check';
import { type SseDialect, type SseEvent, sseText } from '../framing/sse-dialect.js';

export { plainDialect, type SseDialect, type SseEvent, sseText } from '../framing/sse-dialect.js';

/** All dialects; they shrink towards the plain dialect. */
export const sseDialects: fc.Arbitrary<SseDialect> = fc.record(
  {
    lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
    bom: fc.boolean(),
    comments: fc.constantFrom('none', 'between', 'inside', 'everywhere'),
    space: fc.boolean().map(without => !without),
    order: fc.constantFrom('data-last', 'data-first'),
    unknownFields: fc.boolean(),
    emptyLines: fc.constantFrom(0, 1, 2),
  },
  { noNullPrototype: true },
);

/** The texts of a stream of events. */
export const sseTexts = (events: readonly SseEvent[]): fc.Arbitrary<string> =>
  sseDialects.map(dialect => sseText(events, dialect));
