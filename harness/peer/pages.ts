/** The pages of a list method. */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { type Exchange, resultOf } from '../record/message.js';
import type { Timing } from '../time/timing.js';

export interface Pages {
  readonly items: JsonObject[];
  readonly exchanges: Exchange[];
  /** Whether the walk ended at a limit before the last page. */
  readonly isCut: boolean;
}

/**
 * Follows the cursors of a list method; stops at a repeated cursor, after `pages`, or when all pages together take
 * longer than one response may take: the time then counts as late.
 */
export async function readPages(
  request: (params: JsonObject | undefined) => Promise<Exchange>,
  key: string,
  { answer, budget }: Timing,
  pages = 100,
): Promise<Pages> {
  const began = performance.now();
  const items: JsonObject[] = [];
  const exchanges: Exchange[] = [];
  const seen = new Set<string>();
  let isCut = true;
  let cursor: Json | undefined;
  for (let page = 0; page < pages; page++) {
    const exchange = await request(cursor === undefined ? undefined : { cursor });
    exchanges.push(exchange);
    const result = resultOf(exchange);
    const found = result?.[key];
    if (Array.isArray(found)) items.push(...found.filter(isObject));
    cursor = result?.nextCursor;
    if (typeof cursor !== 'string' || seen.has(cursor)) {
      isCut = false;
      break;
    }
    seen.add(cursor);
    if (performance.now() - began > answer) {
      budget?.count(began);
      break;
    }
  }
  return { items, exchanges, isCut };
}
