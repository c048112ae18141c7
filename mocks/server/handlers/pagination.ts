/** server/utilities/pagination: cursors that say where to go on, and nothing to the client. */

import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import { codes, Refusal } from '../refusal.js';
import type { World } from '../world.js';

const encode = (list: string, from: number): string => Buffer.from(`${list} ${from}`).toString('base64url');

function decode(list: string, cursor: string, length: number): number {
  const [, from] = /^\S+ ([1-9]\d*)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const start = Number(from);
  // encoded again, so that nothing but what was handed out is taken; the list may have become shorter since
  if (!from || encode(list, start) !== cursor || start > length)
    throw new Refusal(codes.invalidParams, 'This cursor was not handed out here.');
  return start;
}

/**
 * One page of a list.
 * @param list names the list, and the member of the result that holds it
 * @throws {Refusal} for a cursor of another list, or of none
 */
export function page(
  list: string,
  items: readonly JsonObject[],
  cursor: Json | undefined,
  { pageSize, emptyLastPage }: Pick<World, 'pageSize' | 'emptyLastPage'>,
): JsonObject {
  const from = cursor === undefined ? 0 : decode(list, String(cursor), items.length);
  const to = emptyLastPage ? Math.max(from + 1, Math.min(from + pageSize, items.length)) : from + pageSize;
  return {
    [list]: items.slice(from, to),
    ...((to < items.length || (emptyLastPage && to === items.length)) && { nextCursor: encode(list, to) }),
  };
}
