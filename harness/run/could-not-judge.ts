/** The error that ends a run in which nothing can be judged. */

/** Thrown when nothing can be judged; `details` has the last output of the subject. */
export class CouldNotJudge extends Error {
  constructor(
    message: string,
    readonly details: readonly string[] = [],
  ) {
    super(message);
  }
}
