/** A filter with a limit of tries: the filter of fast-check searches without a limit. */

import fc from 'fast-check';
import type { CannotGenerate } from './cannot-generate.js';

/**
 * Tries before a schema is given up; tries before a single value is given up, once some value is known to
 * exist.
 */
const [trial, tries] = [1_000, 20_000];

/** Parts of a schema that are compared with values in search of a valid one; docs/limits.md lists it. */
const mostCompared = 20_000_000;

/**
 * The work that the search for values of one schema may take. It is counted, not timed, so that a seed yields the
 * same values on each machine.
 */
export class SearchEffort {
  private left = mostCompared;

  /** @param parts of the schema that are compared with one value */
  constructor(private readonly parts: number) {}

  /** The number of further tries, at most this many. */
  allowed(most: number): number {
    return Math.min(most, Math.ceil(this.left / this.parts));
  }

  spend(used: number): void {
    this.left -= used * this.parts;
  }

  /** Tries for a single value, once some value is known to exist. */
  get perValue(): number {
    return Math.max(trial, Math.min(tries, Math.ceil(mostCompared / this.parts)));
  }
}

/**
 * The values that pass a check.
 * @param effort shared by all searches of a schema; without it each search may take all of its tries
 * @throws the result of `failure`, when a thousand tries find none, or the effort is spent
 */
export function bounded<T>(
  arbitrary: fc.Arbitrary<T>,
  accepts: (value: T) => boolean,
  failure: () => CannotGenerate,
  effort?: SearchEffort,
): fc.Arbitrary<T> {
  let used = 0;
  const counted = (value: T) => {
    used++;
    return accepts(value);
  };
  const most = effort?.allowed(trial) ?? trial;
  try {
    fc.sample(new Bounded(arbitrary, counted, failure, most), { numRuns: 1, seed: 1 });
  } finally {
    effort?.spend(used);
  }
  return new Bounded(arbitrary, accepts, failure, effort?.perValue ?? tries);
}

/** Values tried for each different value that is needed. */
const triesForEach = 50;

/**
 * True if an arbitrary has so many different values: `fc.uniqueArray` searches for them without a limit.
 * @param keyOf what makes values different
 */
export function hasDifferent<T>(
  arbitrary: fc.Arbitrary<T>,
  keyOf: (value: T) => unknown,
  needed: number,
): boolean {
  if (needed <= 1) return true;
  const found = new Set<unknown>();
  for (let seed = 1; seed <= triesForEach && found.size < needed; seed++)
    for (const value of fc.sample(arbitrary, { numRuns: needed, seed })) found.add(keyOf(value));
  return found.size >= needed;
}

class Bounded<T> extends fc.Arbitrary<T> {
  constructor(
    readonly arbitrary: fc.Arbitrary<T>,
    readonly accepts: (value: T) => boolean,
    readonly failure: () => CannotGenerate,
    readonly tries: number,
  ) {
    super();
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<T> {
    for (let left = this.tries; left > 0; left--) {
      const value = this.arbitrary.generate(random, bias);
      if (this.accepts(value.value)) return value;
    }
    throw this.failure();
  }

  override canShrinkWithoutContext(value: unknown): value is T {
    return this.arbitrary.canShrinkWithoutContext(value) && this.accepts(value);
  }

  override shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    return this.arbitrary.shrink(value, context).filter(smaller => this.accepts(smaller.value));
  }
}
