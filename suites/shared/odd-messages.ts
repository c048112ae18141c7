/** Messages that servers and clients get alike: invalid envelopes, unusual ids, cancellations of nothing. */

import type { Peer } from '../../harness/peer/peer.js';
import type { JsonObject, RequestId } from '../../spec/json-rpc.js';

/**
 * JSON messages with an invalid envelope, to which no result is allowed. The ids of these messages are used
 * nowhere else.
 */
export function wrongEnvelopes(peer: Peer): readonly [what: string, text: string][] {
  const { jsonrpc, id: _, ...rest } = peer.harmlessMessage(0);
  const text = (json: JsonObject) => JSON.stringify(json);
  return [
    ['no "jsonrpc"', text({ id: 'wrong-1', ...rest })],
    ['"jsonrpc" of another version', text({ jsonrpc: '1.0', id: 'wrong-2', ...rest })],
    ['a numeric method', text({ jsonrpc: jsonrpc!, id: 'wrong-3', ...rest, method: 7 })],
    ['an object as id', text({ jsonrpc: jsonrpc!, id: { wrong: 4 }, ...rest })],
    ['an array as id', text({ jsonrpc: jsonrpc!, id: ['wrong-5'], ...rest })],
    ['neither method nor result', '{"jsonrpc":"2.0"}'],
    ['a bare string', '"ping"'],
  ];
}

/** Request ids, all of them valid. */
export const legalIds: readonly RequestId[] = [
  0,
  '',
  '0',
  -1,
  '-1',
  Number.MAX_SAFE_INTEGER,
  '9007199254740991',
  '1e3',
  'null',
  '\u2028 é漢🎉',
];

/** Cancellations that name no request in progress. */
export const nonsense: readonly (JsonObject | undefined)[] = [
  { requestId: 'nobody-asked-this' },
  { requestId: 2 ** 40 },
  { requestId: null },
  { requestId: { a: 1 } },
  { requestId: true },
  {},
  undefined,
  { requestId: 'nobody-asked-this', reason: 'long '.repeat(20_000) },
];
