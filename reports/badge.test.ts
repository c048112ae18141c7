/** The picture for a README. */

import { expect, test, vi } from 'vitest';
import { badge } from './badge.js';
import { allWell, oneViolation, runEnd, runStart, written } from './samples.test.util.js';

vi.mock('../spec/requirement.js', async actual => {
  const { testRows } = await import('./samples.test.util.js');
  return {
    ...(await actual<object>()),
    requirements: () => testRows,
    requirement: (name: string) => testRows.get(name as never),
  };
});

test.each([
  [oneViolation(), /aria-label="MCP \S+: 1 violation"/],
  [allWell(), /aria-label="MCP \S+: \d+ of \d+ checked"/],
  [
    [runStart(), runEnd(3, { unjudged: { reason: 'It exited.', details: [] } })],
    /aria-label="MCP: not judged"/,
  ],
])('names the verdict (%#)', (events, label) => {
  const text = written(badge, events);
  expect(text).toMatch(label);
  expect(text).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
});
