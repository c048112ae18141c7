/** The result of a command line. */

/** Set by the command that ran. */
export interface Outcome {
  exitCode: number;
}
