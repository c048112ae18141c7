import { expect, test } from 'vitest';
import { LaneTracker } from './idle-wait.js';

const never = new Promise<void>(() => {});

test('who waits beside others waits until they are done', async () => {
  const lanes = new LaneTracker(3);
  const waits = [lanes.waitWhileOthersRun(never), lanes.waitWhileOthersRun(never)];
  lanes.finish();
  expect(await Promise.all(waits)).toEqual([false, false]);
});

test('what comes before that is told, and who goes on is company again', async () => {
  const lanes = new LaneTracker(2);
  expect(await lanes.waitWhileOthersRun(Promise.resolve())).toBe(true);
  const other = lanes.waitWhileOthersRun(never);
  lanes.finish();
  expect(await other).toBe(false);
});

test('who is alone waits as long as it takes', async () => {
  expect(await new LaneTracker(1).waitWhileOthersRun(new Promise(resolve => setImmediate(resolve)))).toBe(
    true,
  );
});
