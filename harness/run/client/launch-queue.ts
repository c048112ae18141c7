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
  /** Number of launches at the same time; read again for each one. */
  jobs(): number;
  /** True if clients that do nothing for a while leave their turn to others. */
  readonly mayGrow: boolean;
  /** True if a further launch with authorization would have to wait. */
  isBusy(): boolean;
  /** True if no other launch may run at the same time. */
  runsAlone(launch: PendingLaunch): boolean;
}

/** So many launches of clients that do nothing for a while leave their turn to others: each needs memory. */
const mostInactive = 12;

/** True if the client asks for authorization in a launch. */
export const hasAuthorization = (lanes: readonly ClientLane[]): boolean => lanes.some(hasProtection);

const isSlow = ({ lanes, continues }: PendingLaunch): boolean => continues && lanes.some(hasWaits);

export class LaunchQueue {
  /** Launches whose client is at work. */
  private readonly active = new Set<PendingLaunch>();
  /** Number of inactive ones among them: others run in addition. */
  private inactive = 0;
  /** Launches that are not finished. */
  private open = 0;
  private resolve: () => void = () => {};
  private reject: (error: unknown) => void = () => {};

  /** @param perform runs a launch. @returns the remaining work */
  constructor(
    private readonly waiting: PendingLaunch[],
    private readonly options: QueueOptions,
    private readonly perform: (next: PendingLaunch, events: LaunchEvents) => Promise<PendingLaunch[]>,
  ) {}

  /** Resolves when nothing is left. */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      [this.resolve, this.reject] = [resolve, reject];
      this.beginMore();
    });
  }

  private beginMore(): void {
    const { jobs, runsAlone } = this.options;
    while (this.active.size < jobs() + this.inactive && ![...this.active].some(runsAlone)) {
      const next = this.next();
      if (!next) break;
      this.open++;
      this.begin(next).catch(this.reject);
    }
    if (this.open === 0) this.resolve();
  }

  private async begin(next: PendingLaunch): Promise<void> {
    const { mayGrow } = this.options;
    this.active.add(next);
    let isInactive = false;
    const onInactive = () => {
      // a client that waits leaves the CPU to another launch
      isInactive = mayGrow && this.inactive < mostInactive;
      if (isInactive) this.inactive++;
      this.beginMore();
    };
    const onOver = () => {
      if (!this.active.delete(next)) return;
      if (isInactive) this.inactive--;
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
    const { isBusy, jobs, runsAlone } = this.options;
    const isFirst = this.active.size === 0;
    const mayRun = (one: PendingLaunch) => isFirst || !runsAlone(one);
    const isFree = (one: PendingLaunch) => mayRun(one) && (!isBusy() || !hasAuthorization(one.lanes));
    const slow = [...this.active].filter(isSlow).length;
    const prefersSlow = slow > 0 ? slow < jobs() - 1 : !isFirst;
    const choices = [
      (one: PendingLaunch) => isFirst && runsAlone(one),
      (one: PendingLaunch) => isFree(one) && isSlow(one) === prefersSlow,
      isFree,
      mayRun,
    ];
    for (const fits of choices) {
      const at = this.waiting.findIndex(fits);
      if (at >= 0) return this.waiting.splice(at, 1)[0];
    }
    return undefined;
  }
}
