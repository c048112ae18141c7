import { afterEach, describe, expect, test, vi } from 'vitest';
import { runLimits, TimeBudget } from './budget.js';

const answer = 10_000;
const total = runLimits.late.timeouts * answer;

afterEach(() => void vi.useRealTimers());

function frozen() {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const budget = new TimeBudget({ answer, subject: 'server' });
  const waits = (ms: number) => {
    const began = performance.now();
    vi.advanceTimersByTime(ms);
    return () => budget.waited(began);
  };
  return { budget, waits };
}

describe('the time budget of a run', () => {
  test('late waits of all kinds count together, up to a limit that the reason names', () => {
    const { budget, waits } = frozen();
    for (let ms = 0; ms < total; ms += 8_000) {
      expect(budget.reason).toBeUndefined();
      waits(8_000)();
    }
    expect(budget.reason).toMatch(/the server was late for 40 s in total.*--timeout/);
  });

  test('waits that end within half of the timeout do not count', () => {
    const { budget, waits } = frozen();
    for (let n = 0; n < 100; n++) waits(answer / 2 - 1)();
    expect([budget.reason, budget.isHurried]).toEqual([undefined, false]);
  });

  test('waits at the same time count once', () => {
    const { budget, waits } = frozen();
    const many = Array.from({ length: 20 }, () => waits(0));
    vi.advanceTimersByTime(answer);
    for (const end of many) end();
    expect(budget.isHurried).toBe(false);
  });

  test('half of the limit makes later waits short', () => {
    const { budget, waits } = frozen();
    waits(answer)();
    expect(budget.isHurried).toBe(false);
    waits(answer)();
    expect(budget.isHurried).toBe(true);
  });

  test('each revision has the whole limit', () => {
    const { budget, waits } = frozen();
    for (let revision = 0; revision < 4; revision++) {
      if (revision > 0) budget.renew();
      for (let ms = answer; ms < total; ms += answer) waits(answer)();
      expect([budget.reason, budget.isHurried]).toEqual([undefined, true]);
    }
  });

  test('a revision that ends at the limit ends no later one; the time limit of the run ends all', async () => {
    const { budget, waits } = frozen();
    const told = vi.fn();
    budget.onOver(told);
    const late = () => {
      for (let ms = 0; ms < total; ms += answer) waits(answer)();
      return budget.reason;
    };
    const first = late();
    expect(first).toMatch(/late for 40 s/);
    await budget.over;
    budget.renew();
    expect([budget.reason, budget.isHurried]).toEqual([undefined, false]);
    expect(late()).toBe(first);
    expect(told).toHaveBeenCalledTimes(2);
    budget.renew();
    vi.advanceTimersByTime(runLimits.maxMs);
    budget.renew();
    expect(budget.reason).toMatch(/time limit/);
    expect(budget.firstReason).toBe(first);
    await budget.over;
  });

  test.each([
    [{}, runLimits.maxMs],
    [{ runs: 0 }, runLimits.maxMsWithoutValues],
    [{ runs: 0, maxMs: 7_000 }, 7_000],
  ])('with %j the run ends after %d ms, whatever the subject does', async (options, ms) => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const budget = new TimeBudget({ answer, subject: 'server', ...options });
    const told = vi.fn();
    budget.onOver(told);
    vi.advanceTimersByTime(ms - 1);
    expect(told).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(told).toHaveBeenCalledOnce();
    expect(budget.reason).toContain(`time limit of ${ms / 1000} s (--max-time)`);
    await budget.over;
  });
});
