import { expect, test } from 'vitest';
import { Company } from './idle-wait.js';

const never = new Promise<void>(() => {});

test('who waits beside others waits until they are done', async () => {
  const company = new Company(3);
  const waits = [company.beside(never), company.beside(never)];
  company.leave();
  expect(await Promise.all(waits)).toEqual([false, false]);
});

test('what comes before that is told, and who goes on is company again', async () => {
  const company = new Company(2);
  expect(await company.beside(Promise.resolve())).toBe(true);
  const other = company.beside(never);
  company.leave();
  expect(await other).toBe(false);
});

test('who is alone waits as long as it takes', async () => {
  expect(await new Company(1).beside(new Promise(resolve => setImmediate(resolve)))).toBe(true);
});
