/**
 * Waits with a limit. Deadlines are extended by the time in which they could not be met: in which this
 * process, or the subject, was ready to run and got no CPU.
 */

import { availableParallelism, loadavg } from 'node:os';
import { ownThreads, type Share, type Threads } from './cpu-time.js';

/** A wait that ended without result. */
export interface Overdue {
  /** The timeout in milliseconds. */
  readonly ms: number;
  /**
   * State at the last extension, if the machine was still busy with other processes: the missing result shows
   * nothing.
   */
  readonly starved?: Starved;
}

/** A wait during CPU starvation. */
export interface Starved {
  /** Total duration of the wait in milliseconds. */
  readonly waited: number;
  /** Milliseconds of the wait in which this process or the subject waited for a CPU. */
  readonly kept: number;
  /** Share of a CPU that the subject got at last; absent when the subject did not have to wait. */
  readonly share?: number;
}

/** A source of CPU times; an endpoint of a subject. */
interface Watched {
  threads?(): Threads;
}

/** Maximum factor by which a wait is extended. */
export const longest = 6;

/** Lower bound (ms) for the extended deadline. */
const shortest = 500;

/** Missing CPU time of at most this many milliseconds, or this share of the timeout, extends no wait. */
const negligible = { ms: 5, part: 0.05 };

/** Reuse a CPU reading up to this old (ms) at the start of a wait; one per request costs too much. */
const fresh = 20;

/** Number of slices of a wait; most waits end in the first slice. */
const parts = 8;

/** A timer counts as late if its delay exceeds this share of its time. */
const lateBy = 0.1;

/**
 * Maximum number of stored readings, for waits with different start times. Hundreds of waits run at once; the
 * older readings are further apart.
 */
const kept = 512;

interface Reading {
  readonly at: number;
  readonly threads: Threads;
}

/** CPU times between two moments, in milliseconds. */
interface CpuInterval extends Share {
  readonly took: number;
}

/** Minimum of missing CPU time, in milliseconds, that is recorded for rules about time. */
const minDelayMs = 250;

/** A subject that uses less than this share of a CPU is idle. */
const idleShare = 0.1;

const nothing: Share = { ran: 0, waited: 0 };

const sum = (shares: readonly Share[]): Share =>
  shares.reduce((all, { ran, waited }) => ({ ran: all.ran + ran, waited: all.waited + waited }), nothing);

const busiest = (shares: readonly Share[]): Share =>
  shares.reduce((most, share) => (share.ran > most.ran ? share : most), nothing);

/** Reads CPU times, at the end of a wait and not before. */
class CpuMeter {
  private readings: Reading[] = [{ at: Number.NEGATIVE_INFINITY, threads: new Map() }];
  private readonly began = performance.now();

  /**
   * @param together combines the times of threads: work passes from one thread to the next, or one thread
   *   does all the work
   */
  constructor(
    private readonly threads: () => Threads,
    private readonly together: (shares: readonly Share[]) => Share,
  ) {}

  read(): Reading {
    const last = this.readings.at(-1)!;
    const at = performance.now();
    // many waits end at the same moment
    if (at - last.at < 1) return last;
    const reading = { at, threads: this.threads() };
    this.readings.push(reading);
    if (this.readings.length > kept) this.thin();
    return reading;
  }

  /** Removes every second reading of the older half, except the first reading. */
  private thin(): void {
    this.readings = this.readings.filter((_, n) => n % 2 === 1 || n === 0 || n > kept / 2);
  }

  /** CPU times since the last reading before a moment: at least since that moment. */
  since(moment: number): CpuInterval {
    const before = this.readings.findLast(({ at }) => at <= moment)!;
    const now = this.read();
    const shares = [...now.threads].map(([thread, { ran, waited }]) => {
      const had = before.threads.get(thread) ?? nothing;
      return { ran: ran - had.ran, waited: waited - had.waited };
    });
    return { took: now.at - Math.max(before.at, this.began), ...this.together(shares) };
  }
}

/** Milliseconds of a wait without a CPU. */
interface Lack {
  readonly ms: number;
  readonly share?: number;
}

const starved = (waited: number, { ms, share }: Lack): Starved => ({
  waited: Math.round(waited),
  kept: Math.round(ms),
  ...(share !== undefined && { share }),
});

/**
 * Milliseconds without a CPU. A process that runs on one CPU all the time lacks nothing, even if other
 * threads of it wait.
 */
const lacking = ({ took, ran, waited }: CpuInterval): number => Math.min(waited, Math.max(0, took - ran));

const own = new CpuMeter(ownThreads, busiest);

/** One meter for each subject: several launches wait for one process. */
const meters = new WeakMap<Watched, CpuMeter>();

/** Measures waits for subjects. */
export class Clock {
  private readonly subjects: CpuMeter[] = [];
  private underWay = 0;

  constructor(...subjects: readonly Watched[]) {
    for (const subject of subjects) this.watch(subject);
  }

  /** Adds a subject to all later waits. */
  watch(subject: Watched): void {
    if (!subject.threads) return;
    const meter = meters.get(subject) ?? new CpuMeter(() => subject.threads!(), sum);
    meters.set(subject, meter);
    this.subjects.push(meter);
  }

  /** Counts a wait, or work of the harness that the other side waits for. @returns a function that ends it */
  begin(): () => void {
    this.underWay++;
    return () => {
      this.underWay--;
    };
  }

  /** True during a wait, and during work that the other side waits for. */
  get isBusy(): boolean {
    return this.underWay > 0;
  }

  /**
   * Waits for a promise, with a limit that counts only the time in which this process and the subjects could
   * run.
   * @param ms the limit in milliseconds
   * @param matters whether the wait may be extended
   * @returns undefined when the promise settled
   */
  waitAtMost(
    promise: Promise<unknown>,
    ms: number,
    matters: () => boolean = () => true,
  ): Promise<Overdue | undefined> {
    const ended = this.begin();
    return this.wait(promise, ms, matters).finally(ended);
  }

  private async wait(
    promise: Promise<unknown>,
    ms: number,
    matters: () => boolean,
  ): Promise<Overdue | undefined> {
    const began = performance.now();
    const most = Math.max(ms * longest, shortest);
    let lost = 0;
    for (let [from, quietWindow] = [began, ms]; ; from = performance.now()) {
      const unseen = await lateness(promise, quietWindow, began + most);
      if (unseen === undefined) return;
      if (!matters()) return { ms };
      const spent = performance.now() - began;
      const lack = this.lackSince(from, unseen);
      lost += lack.ms;
      const owed = ms - (spent - lost);
      if (owed <= Math.max(negligible.ms, ms * negligible.part)) return { ms };
      quietWindow = Math.min(owed, most - spent);
      if (quietWindow <= 0) return { ms, starved: starved(spent, { ...lack, ms: lost }) };
    }
  }

  /**
   * Like `within`, for a short time in which a result is mostly not expected: missing CPU time counts from
   * its beginning.
   */
  quietWindow(promise: Promise<unknown>, ms: number): Promise<Overdue | undefined> {
    for (const gauge of [own, ...this.subjects]) gauge.read();
    return this.waitAtMost(promise, ms);
  }

  /**
   * Whether CPU time was missing for the larger part of the time since a moment.
   * @param late total delay of timers, which shows that this process did not run
   */
  starvedSince(moment: number, late: number): Starved | undefined {
    const waited = performance.now() - moment;
    const lack = this.lackSince(moment, late);
    return lack.ms < waited / 2 ? undefined : starved(waited, lack);
  }

  /** True if the subjects used hardly any CPU time since a moment. */
  idleSince(moment: number): boolean {
    return this.subjects.every(gauge => {
      const { took, ran } = gauge.since(moment);
      return ran < took * idleShare;
    });
  }

  /** Milliseconds without a CPU since a moment, of this process or of a subject; 0 where they are few. */
  schedulingDelaySince(moment: number): number {
    // reading takes time, and a time this short cannot have lost more
    if (performance.now() - moment < minDelayMs) return 0;
    const isBusy = loadavg()[0]! > availableParallelism();
    if (!isBusy) return 0;
    const ms = Math.round(this.lackSince(moment, 0).ms);
    return ms < minDelayMs ? 0 : ms;
  }

  /**
   * The lost part of a time, and the share of a CPU that the subject got, if the subject lacked CPU time.
   * @param late total delay of timers, which shows that this process did not run
   */
  private lackSince(from: number, late: number): Lack {
    const spent = performance.now() - from;
    const ours = Math.max(late, lacking(own.since(from)));
    const theirs = this.subjects.map(gauge => gauge.since(from));
    const worst = Math.max(0, ...theirs.map(lacking));
    const hungry = theirs.find(stretch => lacking(stretch) === worst && worst >= Math.min(ours, spent / 2));
    const ms = Math.min(spent, ours + worst);
    return { ms, ...(hungry && worst > 0 && { share: hungry.ran / hungry.took }) };
  }
}

/** For waits without any known subject process. */
export const ownClock = new Clock();

/**
 * Waits for a promise, but at most for a window.
 * @param ms the window in milliseconds
 * @param clock the clock of the subjects; default: this process only
 * @returns whether the promise settled within the window
 */
export const waitFor = async (promise: Promise<unknown>, ms: number, clock = ownClock): Promise<boolean> =>
  (await clock.waitAtMost(promise, ms)) === undefined;

/**
 * A wait is several timers; a slice that fires late while this process was idle is not counted: on every
 * system a late timer shows that the process did not run.
 * @param ms the time that has to count
 * @param end the latest end of the wait
 * @returns the milliseconds that do not count; undefined when the promise settled
 */
async function lateness(promise: Promise<unknown>, ms: number, end: number): Promise<number | undefined> {
  const began = performance.now();
  let counted = 0;
  for (let now = began; counted < ms && now < end; ) {
    const part = Math.min(ms / parts, ms - counted);
    const before = ranUntil(now, fresh);
    if (await settles(promise, part)) return;
    const then = performance.now();
    const late = then - now - part;
    const excused = Math.max(negligible.ms, part * lateBy);
    if (late <= excused || late - (ranUntil(then) - before) <= excused) counted += then - now;
    now = then;
  }
  return performance.now() - began - counted;
}

let usage = { at: Number.NEGATIVE_INFINITY, ran: 0 };

/**
 * Running time of this process.
 * @param now the moment until which time counts
 * @param age maximum age of a reusable reading, in milliseconds
 * @returns milliseconds
 */
function ranUntil(now: number, age = negligible.ms): number {
  if (now - usage.at > age) {
    const { user, system } = process.cpuUsage();
    usage = { at: now, ran: (user + system) / 1_000 };
  }
  return usage.ran;
}

/**
 * Like `waitFor`, by wall-clock time: for pauses. After a timer that fires late because this process was
 * busy, input that has already arrived is handled first.
 */
export function settles(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise(resolve => {
    const timer = setTimeout(() => setImmediate(() => setImmediate(() => resolve(false))), ms);
    const settle = () => {
      clearTimeout(timer);
      resolve(true);
    };
    promise.then(settle, settle);
  });
}

/** The reason why a wait shows nothing, in words. */
export function starvedInWords({ waited, kept, share }: Starved): string {
  const took = `${(waited / 1000).toFixed(1)} s`;
  return share === undefined
    ? `mcp-conform got no CPU for ${(kept / 1000).toFixed(1)} of ${took}`
    : `the subject got ${Math.round(share * 100)} % CPU in ${took}`;
}
