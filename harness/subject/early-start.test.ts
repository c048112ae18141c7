import { expect, test } from 'vitest';
import { startEarly } from './early-start.js';
import { inProcess } from './subject.js';

test('the first start gives the process that runs already, later ones start further processes', async () => {
  let started = 0;
  const subject = startEarly(
    inProcess(async () => {
      started++;
      return started;
    }),
  );
  expect(started).toBe(1);
  const endpoints = [subject.start(), subject.start(), subject.start()];
  const codes = await Promise.all(endpoints.map(async ({ exited }) => (await exited).code));
  expect(codes).toEqual([1, 2, 3]);
});
