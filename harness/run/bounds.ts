/** The bounds of one run: its time, and the input that it keeps. */

import { sentence } from '../report/sentence.js';
import { TimeBudget } from '../time/budget.js';
import { defaultTiming, type Timing } from '../time/timing.js';
import { Intake } from '../transports/intake.js';
import { CouldNotJudge } from './could-not-judge.js';
import type { CommonOptions } from './recorder.js';

export class RunBounds {
  readonly timing: Timing & { readonly budget: TimeBudget };
  readonly intake: Intake;

  /** @param subject the subject in the reason: `server`, `client`, `authorization server` */
  constructor(options: CommonOptions & { readonly timing?: Timing }, subject: string) {
    const { timing = defaultTiming, runs, maxMs, maxMessageBytes, interrupt } = options;
    const budget = new TimeBudget({ answer: timing.answer, runs, maxMs, subject });
    this.timing = { ...timing, budget };
    this.intake = new Intake({ messageBytes: maxMessageBytes, runs, onFull: limit => budget.end(limit) });
    const end = () => budget.end(String(interrupt?.reason));
    if (interrupt?.aborted) end();
    else interrupt?.addEventListener('abort', end, { once: true });
  }

  /** The limit that ended the run, or the current revision, in words; undefined while it may continue. */
  get limit(): string | undefined {
    return this.timing.budget.reason;
  }

  /** The reason for cases without a result; undefined while cases may run. */
  get stopped(): string | undefined {
    return this.limit === undefined ? undefined : `not judged: ${this.limit}`;
  }

  /** The reason why nothing is judged: the limit that ended the run, if any, else the error itself. */
  reasonOf(error: CouldNotJudge): CouldNotJudge {
    const { limit } = this;
    if (limit === undefined) return error;
    return new CouldNotJudge(sentence(limit), error.details);
  }

  /** Waits; a run that may not continue does not wait any longer. */
  pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms);
      this.timing.budget.onOver(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** The run is over. @returns the limit that ended the run, or a revision, early, if any */
  end(): string | undefined {
    this.timing.budget.stop();
    return this.timing.budget.firstReason;
  }
}
