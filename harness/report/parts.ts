/** What the parts of one run have to have in common before they are put together. */

import { UsageError } from './pattern.js';
import type { Shard } from './shard.js';

/** A record or a report of a part. */
export interface PartFile<T> {
  readonly file: string;
  readonly content: T;
}

/** The description of a run, common to records and reports. */
interface RunFacts {
  readonly role: string;
  readonly tool: { readonly version: string };
  readonly subject: { readonly command: readonly string[] | null; readonly url: string | null };
  readonly seed: number;
  readonly shard?: Shard;
}

/** Facts that have to be equal, with the words for a message. */
const equal: readonly (readonly [what: string, of: (run: RunFacts) => unknown])[] = [
  ['kind of run', run => run.role],
  ['version of mcp-conform', run => run.tool.version],
  ['command', run => run.subject.command],
  ['URL', run => run.subject.url],
  ['seed', run => run.seed],
  ['number of parts', run => run.shard?.of],
];

/**
 * The parts in order.
 * @returns also the numbers of the missing parts
 * @throws UsageError for a run that is not a part, for a part that is given twice, and for parts of different runs
 */
export function inOrder<T>(
  files: readonly PartFile<T>[],
  factsOf: (content: T) => RunFacts,
): { readonly parts: readonly PartFile<T>[]; readonly missing: readonly number[]; readonly of: number } {
  const parts = new Map<number, PartFile<T>>();
  const first = factsOf(files[0]!.content);
  for (const part of files) {
    const facts = factsOf(part.content);
    if (!facts.shard)
      throw new UsageError(`${part.file}: a whole run, not a part. Give the runs of --shard 1/n to n/n.`);
    for (const [what, of] of equal) {
      const [one, other] = [of(first), of(facts)].map(value => JSON.stringify(value));
      if (one !== other)
        throw new UsageError(
          `${part.file}: another ${what} than ${files[0]!.file} (${other}, not ${one}): these are not parts of one run.`,
        );
    }
    const earlier = parts.get(facts.shard.at);
    if (earlier)
      throw new UsageError(
        `${part.file}: part ${facts.shard.at} of ${facts.shard.of}, as ${earlier.file}. Give each part once.`,
      );
    parts.set(facts.shard.at, part);
  }
  const { of } = first.shard!;
  const numbers = Array.from({ length: of }, (_, index) => index + 1);
  return {
    parts: numbers.flatMap(at => parts.get(at) ?? []),
    missing: numbers.filter(at => !parts.has(at)),
    of,
  };
}

/** Why a merged run is incomplete; undefined for a complete one. */
export function incompleteness(
  missing: readonly number[],
  of: number,
  unfinished: readonly { readonly at: number; readonly reason: string }[],
): string | undefined {
  const reasons = [
    ...missing.map(at => `part ${at} of ${of} is missing`),
    ...unfinished.map(({ at, reason }) => `part ${at} of ${of}: ${reason}`),
  ];
  return reasons.length > 0 ? reasons.join('; ') : undefined;
}
