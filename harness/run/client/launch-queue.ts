/** The launches of a client that are still to be done, and how many of them run at the same time. */

import { type ClientLane, type ClientLanes, hasProtection, hasWaits } from './schedule.js';

/** A planned launch. */
export interface PendingLaunch {
  readonly lanes: ClientLanes;
  /** Number of crashes in the launches that these lanes remain from. */
  readonly crashes: number;
  /** True if a process of the client may run this launch after another one. */
  readonly continues: boolean;
}

/** What a launch reports while it runs. */
export interface LaunchEvents {
  /** The client has connected and does nothing for a while. */
  onInactive(): void;
  /** The client is done, and the harness still closes the test servers. */
  onOver(): void;
}

interface QueueOptions {
  /** Number of launches at the same time. */
  readonly jobs: number;
  /** True if clients that do nothing for a while leave their turn to others. */
  readonly mayGrow: boolean;
  /** True if a further launch with authorization would have to wait. */
  isBusy(): boolean;
}

/** So many launches of clients that do nothing for a while leave their turn to others: each needs memory. */
const mostInactive = 12;

/** True if the client asks for authorization in a launch. */
export const hasAuthorization = (lanes: readonly ClientLane[]): boolean => lanes.some(hasProtection);

const isSlow = ({ lanes, continues }: PendingLaunch): boolean => continues && lanes.some(hasWaits);

export class LaunchQueue {
  /** Launches whose client is at work. */
  private readonly active = new Set<PendingLaunch>();
  private limit: number;
  /** Launches that are not finished. */
  private open = 0;
  private resolve: () => void = () => {};
  private reject: (error: unknown) => void = () => {};

  /** @param perform runs a launch. @returns the remaining work */
  constructor(
    private readonly waiting: PendingLaunch[],
    private readonly options: QueueOptions,
    private readonly perform: (next: PendingLaunch, events: LaunchEvents) => Promise<PendingLaunch[]>,
  ) {
    this.limit = options.jobs;
  }

  /** Resolves when nothing is left. */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      [this.resolve, this.reject] = [resolve, reject];
      this.beginMore();
    });
  }

  private beginMore(): void {
    while (this.active.size < this.limit) {
      const next = this.next();
      if (!next) break;
      this.open++;
      this.begin(next).catch(this.reject);
    }
    if (this.open === 0) this.resolve();
  }

  private async begin(next: PendingLaunch): Promise<void> {
    const { jobs, mayGrow } = this.options;
    this.active.add(next);
    let isInactive = false;
    const onInactive = () => {
      // a client that waits leaves the CPU to another launch
      isInactive = mayGrow && this.limit < jobs + mostInactive;
      if (isInactive) this.limit++;
      this.beginMore();
    };
    const onOver = () => {
      if (!this.active.delete(next)) return;
      if (isInactive) this.limit--;
      this.beginMore();
    };
    this.waiting.push(...(await this.perform(next, { onInactive, onOver })));
    this.open--;
    onOver();
    this.beginMore();
  }

  /**
   * The next launch. One that would have to wait for its turn comes after the others. One launch at least has no
   * waits, so that the others use the CPU meanwhile.
   */
  private next(): PendingLaunch | undefined {
    const isFree = (one: PendingLaunch) => !this.options.isBusy() || !hasAuthorization(one.lanes);
    const slow = [...this.active].filter(isSlow).length;
    const prefersSlow = slow > 0 ? slow < this.options.jobs - 1 : this.active.size > 0;
    const fit = this.waiting.findIndex(one => isFree(one) && isSlow(one) === prefersSlow);
    const free = fit < 0 ? this.waiting.findIndex(isFree) : fit;
    return this.waiting.splice(Math.max(free, 0), 1)[0];
  }
}
