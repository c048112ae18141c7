/** Waits for a condition that any event may change. */

import type { Overdue } from '../time/clock.js';

export class ChangeSignal {
  private readonly watchers = new Set<() => void>();

  /** Adds a listener for every event. */
  onChange(listener: () => void): void {
    this.watchers.add(listener);
  }

  /** Reports an event: every wait checks its condition again. */
  changed(): void {
    for (const look of [...this.watchers]) look();
  }

  /**
   * @param wait the time limit of the wait
   * @returns undefined when the condition holds in time
   */
  async until(
    holds: () => boolean,
    wait: (happened: Promise<void>) => Promise<Overdue | undefined>,
  ): Promise<Overdue | undefined> {
    if (holds()) return;
    let look = () => {};
    const happened = new Promise<void>(resolve => {
      look = () => {
        if (holds()) resolve();
      };
      this.watchers.add(look);
    });
    const late = await wait(happened);
    this.watchers.delete(look);
    return holds() ? undefined : late;
  }
}
