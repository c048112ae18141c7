/** Settings of generated values, and the form of a generated value in reports. */

/** Number and origin of generated values. */
export interface Generation {
  readonly seed: number;
  /** Values per property; none when 0. */
  readonly runs: number;
  /** Runs only the value at this path: its number, and the steps that shrank it. */
  readonly path?: string;
  /**
   * Number of conversations in which values run concurrently; each one may take that many times longer.
   * Default: one.
   */
  readonly atOnce?: number;
  /** True if the responses of the subject are so large that each property tries one more value at most. */
  readonly isMemoryScarce?: () => boolean;
}

export const defaultRuns = 25;

/** The seed of runs that are compared: any difference is then not a difference of the input. */
export const steadySeed = 0;

/**
 * The default seed: random for a person at a terminal; constant in continuous integration (`CI`), and with a
 * list of known failures.
 */
export const usualSeed = (
  withList: boolean,
  { CI = '' }: NodeJS.ProcessEnv = process.env,
): number | undefined =>
  withList || !['', '0', 'false'].includes(CI.toLowerCase()) ? steadySeed : undefined;

/** Whether a run covers the complete default set of generated values. */
export const isSteady = ({ seed, runs, path }: Generation): boolean =>
  seed === steadySeed && runs >= defaultRuns && path === undefined;
