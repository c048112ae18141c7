/** The profile as text. */

import { expect, test, vi } from 'vitest';
import { console } from './console.js';
import { profile } from './profile.js';
import { caseStart, frame, run, wire, written } from './samples.test.util.js';

vi.mock('../spec/requirement.js', async actual => {
  const { withTestRows } = await import('./samples.test.util.js');
  return withTestRows(await actual<object>());
});

const events = run(0, [
  caseStart(1, 'server/ping/idle'),
  wire(1, 0, { kind: 'open', transport: 'stdio', revision: '2025-11-25', pid: 7 }),
  frame(2, 1, 'client', '{"jsonrpc":"2.0","id":1,"method":"ping"}'),
  frame(3, 1501, 'server', '{"jsonrpc":"2.0","id":1,"result":{}}'),
  frame(4, 1501, 'client', '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'),
  frame(5, 1541, 'server', '{"jsonrpc":"2.0","id":2,"result":{}}'),
  wire(6, 2000, { kind: 'input-closed' }),
  wire(7, 4000, { kind: 'exit', code: 0, signal: null }),
]);

test('is a table, the largest share of the critical path first', () => {
  expect(written(profile, events)).toBe(`
Where 4.2 s went
  waiting for                       total   alone
  exits, from the end of the input    2 s     2 s  1 exit
  starts, until the first message   1.5 s   1.5 s  1 start
  responses                         40 ms   40 ms  1 response
  nothing: the harness itself              659 ms
  total: summed over all conversations; alone: nothing else was under way
`);
});

test('is one line of the detailed console report', () => {
  expect(written(console, events, { verbose: true, columns: 200 })).toContain(
    'waited only for: exits 2 s, starts 1.5 s, mcp-conform itself 659 ms, responses 40 ms (--profile shows all)',
  );
  expect(written(console, events)).not.toContain('waited only for');
});
