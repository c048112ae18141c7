/** The response to a read of a resource that does not exist. */

import type { Peer } from '../../harness/peer/peer.js';
import { type Exchange, errorOf, resultOf } from '../../harness/record/message.js';
import type { Expect } from '../../harness/scenario/expect.js';
import { whyUnrelated } from './unrelated-refusals.js';

const rows = ['resources.not-found-code-32002', 'resources.not-found-code-32602'] as const;

/**
 * The server decides which URIs exist: a result with contents is no violation. A server that does not know the methods
 * of resources at all, although it declares them, has no missing resource: `resources.list-answered` reports it.
 */
export async function expectNotFound(
  peer: Peer,
  expect: Expect<(typeof rows)[number] | 'resources.no-empty-contents-when-missing'>,
  read: Exchange,
): Promise<void> {
  const contents = resultOf(read)?.contents;
  const isEmpty = Array.isArray(contents) && contents.length === 0;
  expect.that('resources.no-empty-contents-when-missing', {
    ok: !isEmpty,
    expected: 'an error, or contents',
    evidence: [read],
    actual: 'an empty list',
  });
  if (read.reply?.kind === 'result') {
    expect.notObserved(rows, 'the server returns a result for any URI');
    return;
  }
  if (isUnknownMethod(read) && isUnknownMethod(await peer.request('resources/list'))) {
    expect.notObserved(rows, 'the server knows neither resources/list nor resources/read');
    return;
  }
  const unrelated = whyUnrelated(peer, read);
  if (unrelated !== undefined) {
    expect.notObserved(rows, unrelated);
    return;
  }
  expect('resources.not-found-code-32002', read).error(-32002);
  expect('resources.not-found-code-32602', read).error(-32602);
}

const isUnknownMethod = (exchange: Exchange): boolean => errorOf(exchange)?.code === -32601;
