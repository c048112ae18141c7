/** The reason why no value, or not every kind of value, can be generated from a schema. */

/**
 * - `impossible`: the schema itself allows no value here;
 * - `unsupported`: the schema may allow a value, but the generator does not support it;
 * - `deep`: there is a value, but only deeper than the limit.
 */
export type Reason = 'impossible' | 'unsupported' | 'deep';

/** Thrown when no value can be generated; names the place in the schema and the keyword. */
export class CannotGenerate extends Error {
  override readonly name = 'CannotGenerate';

  constructor(
    /** Place in the schema: a JSON pointer with `#` before it. */
    readonly path: string,
    /** The keyword that is the cause. */
    readonly keyword: string,
    readonly why: string,
    readonly reason: Reason = 'unsupported',
  ) {
    super(`${path || '#'}: ${keyword}: ${why}`);
  }
}

export const impossible = (path: string, keyword: string, why: string): CannotGenerate =>
  new CannotGenerate(path, keyword, why, 'impossible');

/** The result of `make`, as a list of one; an empty list when it cannot be generated. */
export function generated<T>(make: () => T): T[] {
  try {
    return [make()];
  } catch (error) {
    if (error instanceof CannotGenerate) return [];
    throw error;
  }
}
