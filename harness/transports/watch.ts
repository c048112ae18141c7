/** Waiting until something that is recorded comes true. */

import { waitFor } from '../wait.js';

export class Watch {
  private readonly watchers = new Set<() => void>();

  /** Something has happened: whoever waits looks again. */
  changed(): void {
    for (const look of [...this.watchers]) look();
  }

  /** @returns false when it did not come true within so many milliseconds */
  async until(holds: () => boolean, ms: number): Promise<boolean> {
    if (holds()) return true;
    let look = () => {};
    const happened = new Promise<void>(resolve => {
      look = () => {
        if (holds()) resolve();
      };
      this.watchers.add(look);
    });
    const inTime = await waitFor(happened, ms);
    this.watchers.delete(look);
    return inTime || holds();
  }
}
