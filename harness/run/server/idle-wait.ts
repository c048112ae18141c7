/**
 * Tracks concurrent lanes, so that a lane with nothing left but a wait ends the wait when the others have
 * finished.
 */

export class LaneTracker {
  private running: number;
  private readonly wakes = new Set<() => void>();

  /** @param all number of lanes */
  constructor(private readonly all: number) {
    this.running = all;
  }

  /** Marks one lane as finished. */
  finish(): void {
    this.running--;
    if (this.running > 0) return;
    for (const wake of this.wakes) wake();
    this.wakes.clear();
  }

  /**
   * Waits for a promise while another lane is running; a single lane waits without a limit.
   * @returns true if the promise resolved
   */
  async waitWhileOthersRun(promise: Promise<unknown>): Promise<boolean> {
    const came = promise.then(() => true);
    if (this.all <= 1) return came;
    const left = new Promise<boolean>(resolve => this.wakes.add(() => resolve(false)));
    this.finish();
    const first = await Promise.race([came, left]);
    this.running++;
    return first;
  }
}
