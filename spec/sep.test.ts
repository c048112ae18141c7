/** The table of SEPs and the patterns in it. */

import { describe, expect, test } from 'vitest';
import { resolveSeps } from './compile-requirements.js';
import { requirements } from './requirement.js';
import { seps, sepsOf } from './sep.js';

const must = { level: 'MUST', place: 'server/tools', citations: [] } as const;
const rows = [
  { id: 'tools.old', clauses: { '2025-06-18': must, '2025-11-25': must } },
  { id: 'tools.new', clauses: { '2025-11-25': must } },
  { id: 'tools.newest', clauses: { '2026-07-28': must } },
];
const resolve = (...patterns: string[]) =>
  resolveSeps({ 1: { title: 'T', revision: '2025-11-25', rows: patterns } }, rows)[1]!.rows;

describe('a pattern', () => {
  test('with * takes the rows that are new in the revision', () => {
    expect(resolve('tools.*')).toEqual(['tools.new']);
  });

  test('without * takes any row that is in force in the revision', () => {
    expect(resolve('tools.old', 'tools.new')).toEqual(['tools.new', 'tools.old']);
    expect(() => resolve('tools.newest')).toThrow('seps.yaml: 1: no row of 2025-11-25 fits tools.newest');
  });

  test('that no row fits is an error', () => {
    expect(() => resolve('tool.*')).toThrow('no row of 2025-11-25 fits tool.*');
  });
});

test('each requirement of a SEP is in force in the revision of the SEP', () => {
  const known = requirements();
  for (const [, { revision, rows: ids }] of seps())
    for (const id of ids) expect(known.get(id)?.clauses[revision], id).toBeDefined();
  expect(sepsOf('caching.ttl-not-negative')).toEqual([2549]);
  expect(sepsOf('ping.answered-empty')).toEqual([]);
});
