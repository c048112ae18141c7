/** server/utilities/pagination: cursors that contain the next position, opaque to the client. */

import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import type { World } from '../interfaces.js';
import { codes, Refusal } from '../refusal.js';

const encode = (list: string, from: number): string => Buffer.from(`${list} ${from}`).toString('base64url');

function decode(list: string, cursor: string, length: number): number {
  const [, from] = /^\S+ ([1-9]\d*)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const start = Number(from);
  // encoded again and compared, so that only exact cursors are accepted; the list may have become shorter
  // since
  if (!from || encode(list, start) !== cursor || start > length)
    throw new Refusal(codes.invalidParams, 'The cursor is unknown.');
  return start;
}

/**
 * One page of a list.
 * @param list the name of the list, and the member of the result that holds it
 * @param shown an item as the list shows it
 * @throws {Refusal} for a cursor of another list, or an unknown one
 */
export function page<T>(
  list: string,
  items: readonly T[],
  cursor: Json | undefined,
  { pageSize, emptyLastPage }: Pick<World, 'pageSize' | 'emptyLastPage'>,
  shown: (item: T) => JsonObject,
): JsonObject {
  const from = cursor === undefined ? 0 : decode(list, String(cursor), items.length);
  const to = emptyLastPage ? Math.max(from + 1, Math.min(from + pageSize, items.length)) : from + pageSize;
  return {
    [list]: items.slice(from, to).map(shown),
    ...((to < items.length || (emptyLastPage && to === items.length)) && { nextCursor: encode(list, to) }),
  };
}
