/** The durations of a run. */

/** The only durations there are, in milliseconds; `--slow` multiplies all, `--timeout` sets `answer`. */
export interface Timing {
  /** The longest wait for one answer. */
  readonly answer: number;
  /** How long a process may take to go after its input was closed. */
  readonly exit: number;
  /** The window watched where only waiting can show that nothing comes. */
  readonly quiet: number;
}

export const defaultTiming: Timing = { answer: 10_000, exit: 2_000, quiet: 100 };

export const scaleTiming = (timing: Timing, factor: number): Timing => ({
  answer: timing.answer * factor,
  exit: timing.exit * factor,
  quiet: timing.quiet * factor,
});
