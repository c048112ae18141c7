/** A filter with a limit of tries: the filter of fast-check searches without a limit. */

import fc from 'fast-check';
import type { CannotGenerate } from './cannot-generate.js';

/**
 * Tries before a schema is given up; tries before a single value is given up, once some value is known to
 * exist.
 */
const [trial, tries] = [1_000, 20_000];

/**
 * The values that pass a check.
 * @throws the result of `failure`, when a thousand tries find none
 */
export function bounded<T>(
  arbitrary: fc.Arbitrary<T>,
  accepts: (value: T) => boolean,
  failure: () => CannotGenerate,
): fc.Arbitrary<T> {
  fc.sample(new Bounded(arbitrary, accepts, failure, trial), { numRuns: 1, seed: 1 });
  return new Bounded(arbitrary, accepts, failure, tries);
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
