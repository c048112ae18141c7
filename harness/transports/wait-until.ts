/** Waiting until something comes true that may change with whatever happens. */

import type { Overdue } from '../time/clock.js';

export class ChangeSignal {
  private readonly watchers = new Set<() => void>();

  /** Called whenever something has happened. */
  onChange(listener: () => void): void {
    this.watchers.add(listener);
  }

  /** Something has happened: whoever waits looks again. */
  changed(): void {
    for (const look of [...this.watchers]) look();
  }

  /**
   * @param wait for how long it is waited for
   * @returns nothing when it came true in time
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
