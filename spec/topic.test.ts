/** The topics of change between revisions. */

import { describe, expect, test } from 'vitest';
import { resolveTopics } from './compile-topics.js';
import { requirement } from './requirement.js';
import { topics } from './topic.js';

const must = { level: 'MUST', place: 'server/tools' } as const;
const revisions = ['2025-11-25', '2026-07-28'] as const;
const rows = [
  { id: 'tools.stays', clauses: { [revisions[0]]: must, [revisions[1]]: must } },
  { id: 'tools.ends', clauses: { [revisions[0]]: must } },
  { id: 'tools.begins', clauses: { [revisions[1]]: must } },
  { id: 'ping.begins', clauses: { [revisions[1]]: must } },
];
const topic = (patterns: string[], more = {}) => ({
  to: revisions[1],
  title: 'T',
  change: 'C.',
  rows: patterns,
  ...more,
});
// the rows of the example begin with 2025-11-25, too
const before = { before: { ...topic(['*']), to: revisions[0] } };
const resolve = (source: Record<string, ReturnType<typeof topic>>) =>
  resolveTopics({ ...before, ...source }, rows);
const rowsOf = (id: string, resolved: ReturnType<typeof resolve>) =>
  resolved.find(each => each.id === id)?.rows;

describe('a topic', () => {
  test('takes the rows that begin or end with its revision, the first topic first', () => {
    const resolved = resolve({ one: topic(['tools.*']), other: topic(['*']) });
    expect(rowsOf('one', resolved)).toEqual(['tools.begins', 'tools.ends']);
    expect(rowsOf('other', resolved)).toEqual(['ping.begins']);
  });

  test('of the rest is made where a revision has none', () => {
    expect(rowsOf('further-2026-07-28', resolve({ one: topic(['tools.*']) }))).toEqual(['ping.begins']);
  });

  test.each([
    ['a pattern takes no row', { one: topic(['*', 'tools.*']) }, 'one: tools.* takes no row'],
    [
      'a sign is unknown',
      { one: topic(['*'], { seen: [{ verb: 'GET' }] }) },
      'one: a sign has one of method',
    ],
    ['a member is unknown', { one: topic(['*'], { host: 'Do.' }) }, 'one: there is no member host'],
    ['a text is missing', { one: topic(['*'], { change: undefined }) }, 'one: change is missing'],
  ])('is refused where %s', (_, source, message) => {
    expect(() => resolve(source)).toThrow(`topics.yaml: ${message}`);
  });
});

test('a topic with obligations of a role has work for it, unless it collects the rest', () => {
  const missing = topics().flatMap(({ id, rows: ids, ...texts }) =>
    id.startsWith('further-')
      ? []
      : (['server', 'client'] as const)
          .filter(role => texts[role] === undefined && ids.some(row => requirement(row).binds === role))
          .map(role => `${id}: ${role}`),
  );
  expect(missing).toEqual([]);
});
