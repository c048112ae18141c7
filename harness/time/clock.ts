/**
 * Waiting with an end. Deadlines are credited with the time in which nobody could have kept them: in which this process, or the
 * subject, was ready to run and the machine gave it no processor.
 */

import { availableParallelism, loadavg } from 'node:os';
import { ownThreads, type Share, type Threads } from './cpu-time.js';

/** A wait that ended without what it waited for. */
export interface Overdue {
  /** Milliseconds that were given. */
  readonly ms: number;
  /** What it had come to when no more was added, though the machine was still busy with others: it shows nothing. */
  readonly starved?: Starved;
}

/** A wait on a machine that is busy with others. */
export interface Starved {
  /** Milliseconds that were waited in all. */
  readonly waited: number;
  /** Milliseconds of them in which this process or the subject waited for a processor. */
  readonly kept: number;
  /** The part of a processor that the subject got at last; absent when it was not the subject that had to wait. */
  readonly share?: number;
}

/** What can be asked how much of a processor it has had; an endpoint of a subject. */
export interface Watched {
  threads?(): Threads;
}

/** No wait becomes longer than so many times what was given. */
export const longest = 6;

/** A wait of a few milliseconds may become so long in any case. */
const shortest = 500;

/** So few milliseconds in vain, or so small a part of what was given, are no reason to wait longer. */
const negligible = { ms: 5, part: 0.05 };

/** What this process had run so many milliseconds ago will do at the beginning of a wait: nearly every request asks. */
const fresh = 20;

/** The parts of a wait; most waits are over in the first. */
const parts = 8;

/** A timer is late that fires after so much more than its time. */
const lateBy = 0.1;

/** Readings that are kept: of waits that began at different times. */
const kept = 16;

interface Reading {
  readonly at: number;
  readonly threads: Threads;
}

/** What somebody got between two moments, in milliseconds. */
interface CpuInterval extends Share {
  readonly took: number;
}

const nothing: Share = { ran: 0, waited: 0 };

const sum = (shares: readonly Share[]): Share =>
  shares.reduce((all, { ran, waited }) => ({ ran: all.ran + ran, waited: all.waited + waited }), nothing);

const busiest = (shares: readonly Share[]): Share =>
  shares.reduce((most, share) => (share.ran > most.ran ? share : most), nothing);

/** Reads how much of a processor somebody has had: when a wait is over, not before. */
class CpuMeter {
  private readonly readings: Reading[] = [{ at: Number.NEGATIVE_INFINITY, threads: new Map() }];
  private readonly began = performance.now();

  /** @param together what threads got as one: work goes from one to the next, or one does it all */
  constructor(
    private readonly threads: () => Threads,
    private readonly together: (shares: readonly Share[]) => Share,
  ) {}

  read(): Reading {
    const last = this.readings.at(-1)!;
    const at = performance.now();
    // many waits end at one moment
    if (at - last.at < 1) return last;
    const reading = { at, threads: this.threads() };
    this.readings.push(reading);
    if (this.readings.length > kept) this.readings.splice(1, 1);
    return reading;
  }

  /** What it got since the last reading before a moment: at least since then. */
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

/** Milliseconds of a wait in which nobody could run. */
interface Lack {
  readonly ms: number;
  readonly share?: number;
}

const starved = (waited: number, { ms, share }: Lack): Starved => ({
  waited: Math.round(waited),
  kept: Math.round(ms),
  ...(share !== undefined && { share }),
});

/** Milliseconds without a processor. Who runs on one processor all the time lacks nothing, however many threads wait. */
const lacking = ({ took, ran, waited }: CpuInterval): number => Math.min(waited, Math.max(0, took - ran));

const own = new CpuMeter(ownThreads, busiest);

/** Measures waits for somebody. */
export class Clock {
  private readonly subjects: CpuMeter[] = [];
  private underWay = 0;

  constructor(...subjects: readonly Watched[]) {
    for (const subject of subjects) this.watch(subject);
  }

  /** From now on waits are for this one, too. */
  watch(subject: Watched): void {
    if (subject.threads) this.subjects.push(new CpuMeter(() => subject.threads!(), sum));
  }

  /** Somebody waits at present. */
  get isBusy(): boolean {
    return this.underWay > 0;
  }

  /**
   * Waits for a promise, but no longer than a time in which those who could settle it were able to run.
   * @param ms the time in milliseconds
   * @param matters whether more time than that would be waited for anything
   * @returns nothing when it settled
   */
  waitAtMost(
    promise: Promise<unknown>,
    ms: number,
    matters: () => boolean = () => true,
  ): Promise<Overdue | undefined> {
    this.underWay++;
    return this.wait(promise, ms, matters).finally(() => {
      this.underWay--;
    });
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

  /** The same for a time in which mostly nothing comes, and which is short: what was lacking is looked at from its beginning. */
  window(promise: Promise<unknown>, ms: number): Promise<Overdue | undefined> {
    for (const gauge of [own, ...this.subjects]) gauge.read();
    return this.waitAtMost(promise, ms);
  }

  /**
   * Whether for the better part of the time since a moment nobody could run.
   * @param late for how long timers told that this process did not
   */
  starvedSince(moment: number, late: number): Starved | undefined {
    const waited = performance.now() - moment;
    const lack = this.lackSince(moment, late);
    return lack.ms < waited / 2 ? undefined : starved(waited, lack);
  }

  /** Milliseconds since a moment in which nobody could run; nothing where there is no process but this one. */
  schedulingDelaySince(moment: number): number {
    const isBusy = loadavg()[0]! > availableParallelism();
    if (this.subjects.length === 0 || !isBusy) return 0;
    return Math.round(this.lackSince(moment, 0).ms);
  }

  /**
   * How much of a time was lost, and what the subject got of a processor when it was that which lacked one.
   * @param late for how long timers told that this process did not run
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

/** For waits in which no process has a part that we know of. */
export const ownClock = new Clock();

/**
 * Waits for a promise, but no longer than a window.
 * @param ms the window in milliseconds
 * @param clock who has a part in it; default: this process only
 * @returns whether the promise settled within it
 */
export const waitFor = async (promise: Promise<unknown>, ms: number, clock = ownClock): Promise<boolean> =>
  (await clock.waitAtMost(promise, ms)) === undefined;

/**
 * Waits in parts, of which those do not count whose timer fires late although this process was not busy: on every system that
 * tells that it did not run.
 * @param ms that have to count
 * @param end the moment at which it is over in any case
 * @returns the milliseconds that do not count; nothing when the promise settled
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
 * How long this process has run.
 * @param now the moment until which it counts
 * @param age how many milliseconds earlier is near enough
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
 * The same by the clock on the wall: for pauses.
 * A timer that fires late, because this process was busy, first lets what has already arrived be looked at.
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

/** In words why a wait shows nothing. */
export function starvedInWords({ waited, kept, share }: Starved): string {
  const took = `${(waited / 1000).toFixed(1)} s`;
  return share === undefined
    ? `the machine kept mcp-conform from running for ${(kept / 1000).toFixed(1)} of ${took}`
    : `the machine gave the subject ${Math.round(share * 100)} % of a processor in ${took}`;
}
