/** A part of a run: several machines run one part each, and `mcp-conform merge` puts the parts together. */

/** The part `at`, from 1, of `of` parts. */
export interface Shard {
  readonly at: number;
  readonly of: number;
}

/** Every n-th element, so that parts have equal numbers and neighbours are spread. */
export const inShard = <T>(all: readonly T[], { at, of }: Shard): readonly T[] =>
  all.filter((_, index) => index % of === at - 1);
