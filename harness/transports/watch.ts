/** Waiting until something that is recorded comes true. */

import { type Overdue, ownClock } from '../wait.js';

export class Watch {
  private readonly watchers = new Set<() => void>();

  /** Something has happened: whoever waits looks again. */
  changed(): void {
    for (const look of [...this.watchers]) look();
  }

  /** @returns nothing when it came true within so many milliseconds */
  async until(holds: () => boolean, ms: number, clock = ownClock): Promise<Overdue | undefined> {
    if (holds()) return;
    let look = () => {};
    const happened = new Promise<void>(resolve => {
      look = () => {
        if (holds()) resolve();
      };
      this.watchers.add(look);
    });
    const late = await clock.within(happened, ms);
    this.watchers.delete(look);
    return holds() ? undefined : late;
  }
}
