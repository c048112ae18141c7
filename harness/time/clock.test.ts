/** Length of waits for processes with different CPU times, on a clock of the tests. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { longest, starvedInWords } from './clock.js';
import { type Threads, threadsOf } from './cpu-time.js';

/** CPU times of this process. */
let own: () => Threads = () => new Map();

vi.mock('./cpu-time.js', async original => ({
  ...(await original<typeof import('./cpu-time.js')>()),
  ownThreads: () => own(),
}));

interface Watched {
  threads?(): Threads;
}

const never = new Promise<void>(() => {});

/**
 * A process that runs and waits for a CPU for given shares of the time, from the beginning or until a moment.
 */
const running = (ran: number, waited: number, until = Number.POSITIVE_INFINITY) => ({
  threads: (): Threads => {
    const now = Math.min(performance.now(), until);
    return new Map([['1', { ran: now * ran, waited: now * waited }]]);
  },
});

/** The modules under test read the clock of the tests as soon as they are loaded. */
async function clockOf(subject: Watched) {
  vi.resetModules();
  const { Clock } = await import('./clock.js');
  return new Clock(subject);
}

/** Virtual milliseconds, except those that pass while timers fire. */
const since = (moment: number): number => Math.round((performance.now() - moment) / 20) * 20;

/** Duration and result of a wait of one second for a process. */
async function wait(subject: Watched, promise: Promise<unknown> = never) {
  const clock = await clockOf(subject);
  const began = performance.now();
  const waiting = clock.waitAtMost(promise, 1_000);
  await vi.runAllTimersAsync();
  const late = await waiting;
  return { late, took: since(began) };
}

describe('a deadline', () => {
  beforeEach(() => {
    own = () => new Map();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    ['a sleeper', running(0, 0)],
    ['an endless loop on a free CPU', running(1, 0)],
    ['endless threads, each on its own CPU', running(2, 6)],
    ['a process that sleeps after a busy start', running(0.01, 0.02)],
    ['a subject without a process', {}],
  ])('comes after the given time for %s', async (_, subject) => {
    expect(await wait(subject)).toEqual({ late: { ms: 1_000 }, took: 1_000 });
  });

  test('comes later for a process without CPU time, and stays extended after that', async () => {
    const { late, took } = await wait(running(0, 1, 1_500));
    expect(late).toEqual({ ms: 1_000 });
    expect(took).toBeGreaterThanOrEqual(2_000);
    expect(took).toBeLessThan(1_000 * longest);
  });

  test('is not moved for a process that used the lost CPU time itself', async () => {
    const slow = new Promise<void>(resolve => void setTimeout(resolve, 4_000));
    expect(await wait(running(0.1, 0.9), slow)).toEqual({
      late: undefined,
      took: 4_000,
    });
  });

  test('comes in the end, and reports why it shows nothing', async () => {
    const { late, took } = await wait(running(0.05, 0.95));
    expect(took).toBe(1_000 * longest);
    expect(late?.ms).toBe(1_000);
    expect(starvedInWords(late!.starved!)).toBe('the subject got 5 % CPU in 6.0 s');
  });

  test('counts an endless loop by its CPU time', async () => {
    const { late, took } = await wait(running(0.5, 0.5));
    expect(late).toEqual({ ms: 1_000 });
    expect(took).toBeGreaterThanOrEqual(1_900);
    expect(took).toBeLessThanOrEqual(2_000);
  });

  test('comes later when this process itself got no CPU time', async () => {
    own = running(0.01, 0.99).threads;
    const { late } = await wait({});
    expect(starvedInWords(late!.starved!)).toMatch(/^mcp-conform got no CPU for \d\.\d of 6\.0 s/);
  });

  test('comes later where timers fire late, which shows that this process got no CPU time', async () => {
    const { setTimeout } = globalThis;
    const stuttering = ((act: () => void, ms: number) => setTimeout(act, ms + 50)) as typeof setTimeout;
    vi.stubGlobal('setTimeout', stuttering);
    const { late, took } = await wait({});
    vi.unstubAllGlobals();
    expect(took).toBeGreaterThanOrEqual(1_000 * longest);
    expect(late?.starved).toMatchObject({ kept: late?.starved?.waited });
  });

  test('is not moved by CPU time lost before the wait, even if many other waits end meanwhile', async () => {
    const clock = await clockOf(running(0, 1, 500));
    await vi.advanceTimersByTimeAsync(600);
    const began = performance.now();
    const waiting = clock.quietWindow(never, 3_000);
    for (let n = 0; n < 1_200; n++) {
      void clock.quietWindow(never, 1);
      await vi.advanceTimersByTimeAsync(2);
    }
    await vi.runAllTimersAsync();
    expect(await waiting).toEqual({ ms: 3_000 });
    expect(since(began)).toBe(3_000);
  });

  test('of a short window is not moved by CPU time lost before the window', async () => {
    const clock = await clockOf(running(0, 1, 500));
    await vi.advanceTimersByTimeAsync(600);
    const began = performance.now();
    const waiting = clock.quietWindow(never, 100);
    await vi.runAllTimersAsync();
    expect(await waiting).toEqual({ ms: 100 });
    expect(since(began)).toBe(100);
  });
});

test.runIf(existsSync('/proc/self/schedstat'))(
  'the CPU times of a process and its children are read from the system',
  async () => {
    const work = 'const end = process.cpuUsage().user + 5e4; while (process.cpuUsage().user < end);';
    const program = `${work} require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(`${work} console.log(1); setInterval(() => {}, 1e6)`)}], { stdio: 'inherit' })`;
    const child = spawn(process.execPath, ['-e', program], { detached: true });
    try {
      await once(child.stdout!, 'data');
      const shares = [...threadsOf(child.pid!)().values()];
      expect(shares.reduce((sum, { ran }) => sum + ran, 0)).toBeGreaterThan(95);
      expect(Math.min(...shares.map(({ waited }) => waited))).toBeGreaterThanOrEqual(0);
    } finally {
      process.kill(-child.pid!, 'SIGKILL');
    }
  },
);
