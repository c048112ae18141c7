/** The error that ends a run in which nothing can be judged. */

/** Why nothing can be judged; `details` is what the subject last said. */
export class CouldNotJudge extends Error {
  constructor(
    message: string,
    readonly details: readonly string[] = [],
  ) {
    super(message);
  }
}
