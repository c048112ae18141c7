/** `--shard n/m`: a stable part of a run. */

import { UsageError } from '../report/pattern.js';
import type { Shard } from '../report/shard.js';

export const shardHelp =
  'run part n of m parts, for example 2/5; `mcp-conform merge` puts the parts together';

/** @throws UsageError for anything but two whole numbers, the first at most the second */
export function parseShard(text: string): Shard {
  const [, at, of] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const shard = { at: Number(at), of: Number(of) };
  if (at === undefined || shard.at < 1 || shard.at > shard.of)
    throw new UsageError(`--shard takes a part and the number of parts, as in 2/5, not "${text}".`);
  return shard;
}
