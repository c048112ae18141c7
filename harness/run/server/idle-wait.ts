/** Conversations side by side, one of which may have nothing to do but wait. */

export class LaneTracker {
  private running: number;
  private readonly wakes = new Set<() => void>();

  /** @param all how many conversations there are */
  constructor(private readonly all: number) {
    this.running = all;
  }

  /** One of them is over. */
  finish(): void {
    this.running--;
    if (this.running > 0) return;
    for (const wake of this.wakes) wake();
    this.wakes.clear();
  }

  /**
   * Waits for something as long as another conversation has something to do; who is alone waits as long as it takes.
   * @returns whether it came
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
