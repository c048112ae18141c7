/** The durations of a run. */

import type { TimeBudget } from './budget.js';

/** All durations of a run, in milliseconds; `--slow` multiplies all of them, `--timeout` sets `answer`. */
export interface Timing {
  /** Timeout of one response. */
  readonly answer: number;
  /** Timeout for the exit of a process after its input was closed. */
  readonly exit: number;
  /** The quiet window, for checks in which only waiting shows that no message arrives. */
  readonly quiet: number;
  /** Counts the time that late responses take, and ends the run at a limit; absent outside of a run. */
  readonly budget?: TimeBudget;
}

export const defaultTiming: Timing = { answer: 10_000, exit: 2_000, quiet: 100 };

export const scaleTiming = (timing: Timing, factor: number): Timing => ({
  ...timing,
  answer: timing.answer * factor,
  exit: timing.exit * factor,
  quiet: timing.quiet * factor,
});
