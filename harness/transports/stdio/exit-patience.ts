/** How long the exits of the processes of one subject are waited for. */

import { type Clock, type Overdue, settles } from '../../time/clock.js';

/**
 * What is waited for: the exit after the end of input, after the end of a script, after SIGTERM, and of child processes
 * after the exit.
 */
type Exit = 'exit-after-eof' | 'exit-after-script' | 'exit-after-sigterm' | 'left-behind';

/** Share of the timeout that is waited for once a process of the subject was late. */
const hurriedPart = 1 / 8;

/**
 * One process that does not exit in time is the evidence: the others are not waited for in full, and nothing is
 * recorded about their time.
 */
export class ExitPatience {
  private readonly shown = new Map<Exit, Shown>();

  /**
   * Waits for an exit.
   * @param ms the timeout in milliseconds
   * @returns `exited`; the deadline that passed; or `given up`, because another process has shown the same
   */
  async wait(
    exit: Exit,
    gone: Promise<unknown>,
    clock: Pick<Clock, 'waitAtMost'>,
    ms: number,
  ): Promise<Overdue | 'exited' | 'given up'> {
    const began = performance.now();
    let isGone = false;
    const end = gone.then(() => {
      isGone = true;
    });
    const late = await clock.waitAtMost(Promise.race([end, this.of(exit).seen]), ms);
    if (late && !isGone) {
      this.add(exit, late);
      return late;
    }
    const left = Math.max(0, ms * hurriedPart - (performance.now() - began));
    return isGone || (await settles(end, left)) ? 'exited' : 'given up';
  }

  /** Records a deadline that passed. Without CPU time it shows nothing. */
  add(exit: Exit, { starved }: Overdue): void {
    if (!starved) this.of(exit).show();
  }

  private of(exit: Exit): Shown {
    const known = this.shown.get(exit) ?? new Shown();
    this.shown.set(exit, known);
    return known;
  }
}

class Shown {
  show: () => void = () => {};
  readonly seen = new Promise<void>(resolve => {
    this.show = resolve;
  });
}
