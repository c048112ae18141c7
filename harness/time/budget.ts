/** The time that a whole run may take, and the part of it that may be lost to a subject that is late. */

import { availableParallelism, loadavg } from 'node:os';

/** Bounds of a run, in milliseconds; docs/limits.md lists them. */
export const runLimits = {
  /** `--max-time`: the whole run. */
  maxMs: 600_000,
  /** The same without generated values (`--runs 0`). */
  maxMsWithoutValues: 120_000,
  /** Total time in which the subject is late in one revision; at least `late.min`, else this many timeouts of a response. */
  late: { min: 40_000, timeouts: 4 },
  /** A wait counts as late beyond this share of the timeout of a response. */
  lateFrom: 0.5,
  /** From this share of the total on, waits for responses are short. */
  hurriedFrom: 0.5,
};

interface BudgetOptions {
  /** Timeout of one response, in milliseconds. */
  readonly answer: number;
  /** Default: `runLimits`. */
  readonly maxMs?: number | undefined;
  /** The subject, for the reason: `server`, `client`, `authorization server`. */
  readonly subject: string;
  /** Number of generated values for each property; 0 for none. */
  readonly runs?: number | undefined;
}

/**
 * Shared by all waits of a run, whatever they wait for: late responses, missing responses, and conversations
 * without an end count together. Waits at the same time count once.
 */
export class TimeBudget {
  /** The limit that ended the run, or the current revision, in words; undefined while it may continue. */
  reason: string | undefined;
  /** The first of these limits in the run. */
  firstReason: string | undefined;
  /** Resolves when the run, or the current revision, may not continue; never rejects. */
  over: Promise<void>;
  private isFinal = false;
  private readonly lateMs: number;
  private readonly listeners = new Set<() => void>();
  private readonly timer: NodeJS.Timeout;
  private lost = 0;
  private countedUntil = 0;

  constructor(private readonly options: BudgetOptions) {
    const { answer, runs, maxMs = runs === 0 ? runLimits.maxMsWithoutValues : runLimits.maxMs } = options;
    this.lateMs = Math.max(runLimits.late.min, runLimits.late.timeouts * answer);
    this.over = this.nextEnd();
    this.timer = setTimeout(
      () => this.end(`the run reached its time limit of ${inSeconds(maxMs)} (--max-time)`),
      Math.min(maxMs, longestTimerMs),
    );
    this.timer.unref();
  }

  /** True if so much time is lost that waits for responses have to be short. */
  get isHurried(): boolean {
    return this.lost >= this.lateMs * runLimits.hurriedFrom;
  }

  /** Calls the listener whenever the run, or a revision, may not continue, and at once if that is so already. */
  onOver(listener: () => void): void {
    if (this.reason !== undefined) listener();
    if (!this.isFinal) this.listeners.add(listener);
  }

  /** The next revision begins: the subject was not late in it yet. */
  renew(): void {
    this.lost = 0;
    if (this.reason === undefined || this.isFinal) return;
    this.reason = undefined;
    this.over = this.nextEnd();
  }

  /** Counts a wait that ends now. @param began its beginning, by `performance.now()` */
  waited(began: number): void {
    const now = performance.now();
    if (now - began >= this.options.answer * runLimits.lateFrom) this.count(began, now);
  }

  /** Counts a time in which the subject was late, until now. */
  count(from: number, now = performance.now()): void {
    this.lost += Math.max(0, now - Math.max(from, this.countedUntil));
    this.countedUntil = Math.max(this.countedUntil, now);
    if (this.lost >= this.lateMs)
      this.reached(
        `the ${this.options.subject} was late for ${inSeconds(this.lateMs)} in total, the limit of one revision (--timeout and --slow raise the limit)${busyMachine()}`,
      );
  }

  /** Ends the run at a limit. @param reason the limit, in words */
  end(reason: string): void {
    if (this.isFinal) return;
    this.isFinal = true;
    clearTimeout(this.timer);
    this.reached(reason);
    this.listeners.clear();
  }

  private reached(reason: string): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.firstReason ??= reason;
    for (const listener of this.listeners) listener();
  }

  private nextEnd(): Promise<void> {
    return new Promise(resolve => this.listeners.add(resolve));
  }

  /** Stops the clock: the run is over. */
  stop(): void {
    clearTimeout(this.timer);
  }
}

/** More programs than this, for each CPU, that wait for a CPU make a machine busy. */
const busyFrom = 2;

/** The reason for late responses that is not the subject; empty on a machine that is not busy. */
function busyMachine([load = 0] = loadavg(), cpus = availableParallelism()): string {
  return load < busyFrom * cpus
    ? ''
    : `; the machine is busy (load ${Math.round(load)} on ${cpus} CPU${cpus === 1 ? '' : 's'}), which may be the reason`;
}

/** Longer timers fire at once. */
const longestTimerMs = 2 ** 31 - 1;

const inSeconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;
