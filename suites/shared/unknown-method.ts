/** The rows about the response to a request with an unknown method, for both suites. */

import type { Exchange } from '../../harness/record/message.js';
import { resultOf } from '../../harness/record/message.js';
import type { Expect } from '../../harness/scenario/expect.js';
import { definedRevisions } from '../../spec/revisions.js';
import { vocabularyOf } from '../../spec/vocabulary.js';

export const unknownMethodRows = ['jsonrpc.method-not-found', 'jsonrpc.unknown-method-refused'] as const;

/** The name without the differences that a program may accept on purpose: case, white space, slashes and dots. */
const spelling = (method: string): string => method.toLowerCase().replace(/[\s\0/.]+/g, '');

const known = new Set(
  definedRevisions
    .map(vocabularyOf)
    .flatMap(({ requests: { client, server } }) => [...client, ...server].map(spelling)),
);

/** Expects error -32601. Only a result for a name that nobody has defined is more than a warning. */
export function expectRefusal(expect: Expect<(typeof unknownMethodRows)[number]>, exchange: Exchange): void {
  const served = resultOf(exchange) !== undefined;
  if (served && !known.has(spelling(exchange.request.method ?? ''))) {
    expect.notObserved('jsonrpc.method-not-found', 'the request gets a result');
    expect.that('jsonrpc.unknown-method-refused', {
      ok: false,
      expected: 'an error',
      evidence: [exchange],
      actual: 'a result',
    });
    return;
  }
  expect('jsonrpc.method-not-found', exchange).error(-32601);
  if (exchange.reply?.kind === 'error') expect.noViolation('jsonrpc.unknown-method-refused', [exchange]);
  else expect.notObserved('jsonrpc.unknown-method-refused', 'the request gets no error response');
}
