/** Launches of a client that run at the same time, and launches that run alone. */

import { expect, test } from 'vitest';
import { LaunchQueue, type PendingLaunch } from './launch-queue.js';

const launch = (name: string, isAlone = false): PendingLaunch => ({
  lanes: [[{ name, scenario: {} }]] as never,
  crashes: 0,
  continues: isAlone,
});

const nameOf = ({ lanes }: PendingLaunch): string => lanes[0][0].name;

test('a launch that runs alone begins before the others, and waits for those that run', async () => {
  const begun: string[] = [];
  const running: string[] = [];
  const together: string[] = [];
  const further = [launch('last', true)];
  const queue = new LaunchQueue(
    [launch('a'), launch('b'), launch('first', true), launch('c')],
    { jobs: () => 2, mayGrow: false, isBusy: () => false, runsAlone: ({ continues }) => continues },
    async next => {
      begun.push(nameOf(next));
      running.push(nameOf(next));
      together.push([...running].sort().join('+'));
      await new Promise(setImmediate);
      running.splice(running.indexOf(nameOf(next)), 1);
      return nameOf(next) === 'a' ? further : [];
    },
  );
  await queue.run();
  expect(begun.at(0)).toBe('first');
  expect([...begun].sort()).toEqual(['a', 'b', 'c', 'first', 'last']);
  expect(together.filter(names => names.includes('+') && /first|last/.test(names))).toEqual([]);
  expect(together).toContain('a+b');
});
