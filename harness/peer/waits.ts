/** Waits of one conversation: for a message, for a condition, for the end, each with its limit on record. */

import type { RequestId } from '../../spec/json-rpc.js';
import type { Message } from '../record/message.js';
import type { Tap } from '../record/tap.js';
import { type Overdue, settles } from '../time/clock.js';
import type { Timing } from '../time/timing.js';
import type { Link } from '../transports/link.js';
import { ChangeSignal } from '../transports/wait-until.js';

export interface MessageWait {
  /** A timeout that is shorter than that of a response. */
  readonly ms?: number;
  /** The request that the message belongs to. */
  readonly request?: RequestId;
  /** Resolves when the message can no longer arrive. */
  readonly over?: Promise<unknown>;
  /** The timeout has passed, and the subject could run meanwhile. */
  readonly onLate?: () => void;
}

export class Waits {
  /** True if nothing more can arrive from the subject. */
  ended = false;
  private readonly watchers = new Set<(message: Message) => void>();
  private readonly endWatchers = new Set<() => void>();
  /** Called for all input, messages or not. */
  private readonly input = new ChangeSignal();
  private readonly openedAt = performance.now();

  constructor(
    private readonly link: Link,
    private readonly tap: Tap,
    private readonly timing: Timing,
  ) {
    link.onActivity?.(() => this.input.changed());
  }

  received(message: Message): void {
    for (const watch of [...this.watchers]) watch(message);
    this.input.changed();
  }

  end(): void {
    this.ended = true;
    for (const watcher of this.endWatchers) watcher();
    this.input.changed();
    this.endWatchers.clear();
  }

  /** Resolves when nothing more can arrive. */
  closed(): Promise<void> {
    return this.ended ? Promise.resolve() : new Promise(resolve => this.endWatchers.add(resolve));
  }

  next(fits: (message: Message) => boolean, givenUp?: AbortSignal): Promise<Message | undefined> {
    return new Promise(resolve => {
      const settle = (found?: Message) => {
        this.watchers.delete(watch);
        this.endWatchers.delete(end);
        givenUp?.removeEventListener('abort', end);
        resolve(found);
      };
      const watch = (message: Message) => fits(message) && settle(message);
      const end = () => settle();
      if (this.ended || givenUp?.aborted) return end();
      this.watchers.add(watch);
      this.endWatchers.add(end);
      givenUp?.addEventListener('abort', end, { once: true });
    });
  }

  async message(fits: (message: Message) => boolean, wait: MessageWait = {}): Promise<Message | undefined> {
    const given = new AbortController();
    const next = this.next(fits, given.signal);
    void wait.over?.then(() => given.abort());
    await this.settlesInTime(next, wait);
    given.abort();
    return next;
  }

  /** Waits at most the timeout of a response; false at the timeout, which is recorded. */
  async settlesInTime(
    happened: Promise<unknown>,
    { ms, request, onLate }: MessageWait = {},
  ): Promise<boolean> {
    const began = performance.now();
    const isShort = ms !== undefined;
    const late = await this.link.clock.waitAtMost(happened, ms ?? this.timing.answer);
    this.countLate(began, late, isShort);
    if (!late) return true;
    if (!late.starved) onLate?.();
    this.tap({
      kind: 'deadline',
      label: 'message',
      ...late,
      ...(request !== undefined && { request }),
      ...(isShort && { hurried: true }),
    });
    return false;
  }

  async until(holds: () => boolean): Promise<boolean> {
    const ends = () => this.ended || holds();
    const late = await this.input.until(ends, met => this.link.clock.quietWindow(met, this.timing.quiet));
    if (late) this.tap({ kind: 'quiet', ...late });
    return holds();
  }

  /**
   * Waits for an action that the subject owes, at most the timeout of a response. @param part of this timeout, for an
   * action that needs no time
   */
  async untilDeadline(holds: () => boolean, part = 1): Promise<boolean> {
    const ends = () => this.ended || holds();
    const { answer, quiet } = this.timing;
    await this.input.until(ends, async happened => {
      await this.settlesInTime(happened, part < 1 ? { ms: Math.max(answer * part, quiet * 10) } : {});
      return undefined;
    });
    return holds();
  }

  async pause(ms = this.timing.quiet / 5): Promise<void> {
    await settles(this.closed(), ms);
  }

  async quiet(): Promise<void> {
    await this.link.clock.quietWindow(this.closed(), this.timing.quiet);
    this.tap({ kind: 'quiet', ms: this.timing.quiet });
  }

  /** Counts a wait in the time budget of the run. @param isShort the wait was shorter than usual */
  countLate(began: number, late: Overdue | undefined, isShort = false): void {
    const { budget } = this.timing;
    if (late?.starved) return;
    if (late && isShort) budget?.count(began);
    else budget?.waited(began);
  }

  /** Records the CPU wait time of this conversation, if it was long. */
  recordSchedulingDelay(): void {
    const ms = this.link.clock.schedulingDelaySince(this.openedAt);
    if (ms > 0) this.tap({ kind: 'lag', ms });
  }
}
