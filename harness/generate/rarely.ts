/** Choices that are rare and never nested: huge texts, large arrays. */

import fc from 'fast-check';

/** Shared by all parts of one schema; `under` is above 0 while a rare value is being generated. */
export interface Occasions {
  under: number;
}

/** The usual value, or the rare value with a probability of 1 / `odds`. */
export const occasionally = <T>(
  occasions: Occasions,
  usual: fc.Arbitrary<T>,
  rare: fc.Arbitrary<T>,
  odds: number,
): fc.Arbitrary<T> => new Occasional(occasions, usual, rare, odds);

interface Made {
  readonly by: 'usual' | 'rare';
  readonly context: unknown;
}

class Occasional<T> extends fc.Arbitrary<T> {
  constructor(
    readonly occasions: Occasions,
    readonly usual: fc.Arbitrary<T>,
    readonly rare: fc.Arbitrary<T>,
    readonly odds: number,
  ) {
    super();
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<T> {
    if (this.occasions.under > 0 || random.nextInt(1, this.odds) > 1)
      return made('usual', this.usual.generate(random, bias));
    this.occasions.under++;
    try {
      return made('rare', this.rare.generate(random, bias));
    } finally {
      this.occasions.under--;
    }
  }

  override canShrinkWithoutContext(_value: unknown): _value is T {
    return false;
  }

  override shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    if (!isMade(context)) return fc.Stream.nil();
    return this[context.by].shrink(value, context.context).map(smaller => made(context.by, smaller));
  }
}

const made = <T>(by: Made['by'], value: fc.Value<T>): fc.Value<T> =>
  new fc.Value(value.value_, { by, context: value.context } satisfies Made);

const isMade = (context: unknown): context is Made =>
  typeof context === 'object' && context !== null && 'by' in context;
