/** Why no value, or not every kind of value, can be made from a schema. */

/**
 * - `impossible`: the schema itself allows nothing here;
 * - `unsupported`: it may allow something, and we cannot make it;
 * - `deep`: there is something, but only deeper than the limit.
 */
export type Reason = 'impossible' | 'unsupported' | 'deep';

/** Thrown when not a single value can be made; names the place in the schema and the keyword. */
export class CannotGenerate extends Error {
  override readonly name = 'CannotGenerate';

  constructor(
    /** Where in the schema: a JSON pointer with `#` before it. */
    readonly path: string,
    /** Which keyword is to blame. */
    readonly keyword: string,
    readonly why: string,
    readonly reason: Reason = 'unsupported',
  ) {
    super(`${path || '#'}: ${keyword}: ${why}`);
  }
}

export const impossible = (path: string, keyword: string, why: string): CannotGenerate =>
  new CannotGenerate(path, keyword, why, 'impossible');

/** What `make` makes, as a list of one; nothing when it cannot be generated. */
export function generated<T>(make: () => T): T[] {
  try {
    return [make()];
  } catch (error) {
    if (error instanceof CannotGenerate) return [];
    throw error;
  }
}
