/** The filters of `mcp-conform list`. */

import { Command } from 'commander';
import { afterEach, expect, test, vi } from 'vitest';
import { latestRevision } from '../../../spec/revisions.js';
import { UsageError } from '../../report/pattern.js';
import type { Outcome } from '../outcome.js';
import { listCommand } from './list.js';

afterEach(() => vi.restoreAllMocks());

/** The ids of the entries. */
async function listed(...args: string[]): Promise<string[]> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const program = new Command();
  listCommand(program, {} as Outcome);
  await program.parseAsync(['list', ...args, '--json'], { from: 'user' });
  return (JSON.parse(log.mock.lastCall?.[0] as string) as { id: string }[]).map(({ id }) => id);
}

test('--revision names the scenarios and faults of one revision', async () => {
  const scenarios = await listed('scenarios', '--revision', latestRevision.id);
  expect(scenarios).toContain('server/ping/plain');
  expect(scenarios.filter(id => id.startsWith('server/mrtr/'))).toEqual([]);
  expect(await listed('faults', '--revision', latestRevision.id)).not.toContain('state-as-number');
});

test('--level names the faults that break a requirement of this level', async () => {
  const [all, ofLevel] = [await listed('faults'), await listed('faults', '--level', 'should')];
  expect(ofLevel.length).toBeGreaterThan(0);
  expect(ofLevel.length).toBeLessThan(all.length);
});

test('a list without requirements takes neither of them', async () => {
  await expect(listed('quirks', '--revision', latestRevision.id)).rejects.toThrow(UsageError);
  await expect(listed('quirks', '--level', 'MUST')).rejects.toThrow('--level is for the lists of');
});
