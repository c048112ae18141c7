/** How much is generated, and what a generated value looks like in reports. */

/** How much is generated, and from what. */
export interface Generation {
  readonly seed: number;
  /** Values for each property; none when 0. */
  readonly runs: number;
  /** Only the value at this place: its number, and how it was made smaller. */
  readonly path?: string;
  /** In how many conversations values are tried at once, each of which may take so many times longer; default: one. */
  readonly atOnce?: number;
}

export const defaultRuns = 25;

/** The seed of runs that are held against others: what differs then is not what was tried. */
export const steadySeed = 0;

/**
 * The seed when none is given: random for a person at a terminal; always the same in continuous integration (`CI`), and
 * with a list of known failures.
 */
export const usualSeed = (
  withList: boolean,
  { CI = '' }: NodeJS.ProcessEnv = process.env,
): number | undefined =>
  withList || !['', '0', 'false'].includes(CI.toLowerCase()) ? steadySeed : undefined;

/** Whether a run tries all that any such run tries. */
export const isSteady = ({ seed, runs, path }: Generation): boolean =>
  seed === steadySeed && runs >= defaultRuns && path === undefined;
