import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from './temporary-folder.js';

test('folders one after the other add one listener to this process', () => {
  const before = process.listenerCount('exit');
  const made = Array.from({ length: 20 }, () => {
    const { folder, remove } = temporaryFolder('mcp-conform-test');
    remove();
    return folder;
  });
  expect(process.listenerCount('exit')).toBeLessThanOrEqual(before + 1);
  expect(made.filter(existsSync)).toEqual([]);
});
