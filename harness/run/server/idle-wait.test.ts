import { expect, test } from 'vitest';
import { LaneTracker } from './idle-wait.js';

const never = new Promise<void>(() => {});

test('a lane that waits while others run waits until the others have finished', async () => {
  const lanes = new LaneTracker(3);
  const waits = [lanes.waitWhileOthersRun(never), lanes.waitWhileOthersRun(never)];
  lanes.finish();
  expect(await Promise.all(waits)).toEqual([false, false]);
});

test('an event before that is reported, and a lane that continues counts as running again', async () => {
  const lanes = new LaneTracker(2);
  expect(await lanes.waitWhileOthersRun(Promise.resolve())).toBe(true);
  const other = lanes.waitWhileOthersRun(never);
  lanes.finish();
  expect(await other).toBe(false);
});

test('a single lane waits without a limit', async () => {
  expect(await new LaneTracker(1).waitWhileOthersRun(new Promise(resolve => setImmediate(resolve)))).toBe(
    true,
  );
});
