/** Lists that shrink by omitting any of their elements, as sequences of commands require. */

import fc from 'fast-check';

/** The arrays of fast-check keep the end of a list, not its relevant elements. */
export const sequence = <T>(item: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<readonly T[]> =>
  new Sequence(item, maxLength);

class Sequence<T> extends fc.Arbitrary<readonly T[]> {
  constructor(
    readonly item: fc.Arbitrary<T>,
    readonly maxLength: number,
  ) {
    super();
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<readonly T[]> {
    const length = random.nextInt(1, this.maxLength);
    return made(Array.from({ length }, () => this.item.generate(random, bias)));
  }

  override canShrinkWithoutContext(_value: unknown): _value is readonly T[] {
    return false;
  }

  override shrink(_value: readonly T[], context: unknown): fc.Stream<fc.Value<readonly T[]>> {
    return new fc.Stream(this.#smaller(context as fc.Value<T>[]));
  }

  *#smaller(items: readonly fc.Value<T>[]): IterableIterator<fc.Value<readonly T[]>> {
    const { length } = items;
    for (let size = length; size >= 1; size = Math.floor(size / 2))
      for (let start = 0; start + size <= length; start += size) yield made(items.toSpliced(start, size));
    for (const [index, { value_, context }] of items.entries())
      for (const smaller of this.item.shrink(value_, context)) yield made(items.with(index, smaller));
  }
}

const made = <T>(items: readonly fc.Value<T>[]): fc.Value<readonly T[]> =>
  new fc.Value(
    items.map(({ value_ }) => value_),
    items,
  );
