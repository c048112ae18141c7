import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CellStore } from './cell-store.js';

test('the time of a resumed run is that of all parts, and a new run begins again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cells-'));
  const matrix = { title: 'm', servers: [], clients: [], steps: [] };
  const store = (resumes: boolean) => new CellStore(folder, matrix, resumes);
  const first = store(true);
  first.saveTimes(first.times('2026-01-01T00:00:00.000Z', 1_000));
  first.saveTimes(first.times('2026-01-01T00:00:00.000Z', 3_000));
  const second = store(true);
  const both = { startedAt: '2026-01-01T00:00:00.000Z', durationMs: 5_000 };
  expect(second.times('2026-01-02T00:00:00.000Z', 2_000)).toEqual(both);
  const own = { startedAt: '2026-01-02T00:00:00.000Z', durationMs: 2_000 };
  expect(store(false).times('2026-01-02T00:00:00.000Z', 2_000)).toEqual(own);
});
