/** A finding as an issue. */

import { expect, test, vi } from 'vitest';
import { attacked } from './attack.test.util.js';
import { issue } from './issue.js';
import { allWell, oneViolation, written } from './samples.test.util.js';

vi.mock('../spec/requirement.js', async actual => {
  const { testRows } = await import('./samples.test.util.js');
  return {
    ...(await actual<object>()),
    requirements: () => testRows,
    requirement: (name: string) => testRows.get(name as never),
  };
});

test('has the requirement, the exchange, the command and the versions', () => {
  const text = written(issue, oneViolation());
  for (const part of [
    /^# test\.must: expected error -32602 or error -32601, got result/,
    'A call to a tool that does not exist is answered with an error.',
    '- Expected: `error -32602`',
    '←',
    '## How to see it\n\n```sh\nmcp-conform server --run',
    /- Protocol: (<revision>|20[\d-]+) on stdio/,
    /- mcp-conform \S+, seed \d+/,
  ])
    expect(text).toMatch(part);
});

test.each(['1', 'test.must'])('is about the finding %j', finding => {
  expect(written(issue, oneViolation(), { finding })).toMatch(/^# test\.must/);
});

test('an unknown finding: the numbers to choose from', () => {
  expect(() => written(issue, oneViolation(), { finding: '7' })).toThrow(
    /^there is no finding "7":\n {2}1 {2}violation {2}test\.must/,
  );
});

test('a run without findings is refused', () => {
  expect(() => written(issue, allWell())).toThrow('nothing to report');
});

test('text of a subject is inert', () => {
  const text = written(issue, attacked(), { finding: '1' });
  expect(text).not.toMatch(/[^\n\P{Cc}]|\p{Cf}|\p{Cs}/u);
  expect(text.replace(/(`+).*?\1/gs, '')).not.toMatch(/<img|<script|@everyone|\]\(javascript/);
});
