import { describe, expect, test } from 'vitest';
import { ExitPatience } from './exit-patience.js';

const timeout = 80;
const running = new Promise<void>(() => {});
const gone = Promise.resolve();

/** The time is up at once. */
const late = { waitAtMost: async () => ({ ms: timeout }) };
const starved = { waitAtMost: async () => ({ ms: timeout, starved: { waited: 480, kept: 400 } }) };
/** The time is never up. */
const patient = { waitAtMost: (promise: Promise<unknown>) => promise.then(() => undefined) };

describe('the wait for exits', () => {
  test('is in full until one process was late', async () => {
    const exits = new ExitPatience();
    expect(await exits.wait('exit-after-eof', gone, patient, timeout)).toBe('exited');
    expect(await exits.wait('exit-after-eof', running, starved, timeout)).toHaveProperty('starved');
    expect(await exits.wait('exit-after-eof', running, late, timeout)).toEqual({ ms: timeout });
    expect(await exits.wait('exit-after-eof', running, patient, timeout)).toBe('given up');
    expect(await exits.wait('exit-after-eof', gone, patient, timeout)).toBe('exited');
  });

  test('ends for all processes when one was late', async () => {
    const exits = new ExitPatience();
    const others = [1, 2].map(() => exits.wait('exit-after-eof', running, patient, timeout));
    await exits.wait('exit-after-eof', running, late, timeout);
    expect(await Promise.all(others)).toEqual(['given up', 'given up']);
  });

  test('is one for each kind of exit', async () => {
    const exits = new ExitPatience();
    exits.add('exit-after-eof', { ms: timeout });
    expect(await exits.wait('exit-after-sigterm', running, late, timeout)).toEqual({ ms: timeout });
    expect(await exits.wait('left-behind', running, late, timeout)).toEqual({ ms: timeout });
  });
});
