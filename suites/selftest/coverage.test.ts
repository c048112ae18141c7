/** Rows, cases and faults belong together; missing ones are in two lists that may only become shorter. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { requirement, requirements } from '../../spec/requirement.js';
import { revisions } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { isFreedom, judged, judgedFor, killedFor, whyNotFor } from './coverage.js';
import { markdownTable } from './coverage-table.js';

const listed = (name: string): string[] =>
  readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'));

describe('every row is judged, has a reason against a judgement, or is on the list', () => {
  const notYet = listed('not-judged-yet.txt');

  test('no row is without a rule or a scenario', () => {
    const open = [...requirements().values()].filter(
      row =>
        typeof row.unjudged !== 'string' &&
        !isFreedom(row) &&
        !judged.has(row.id) &&
        !notYet.includes(row.id),
    );
    const next = open.map(({ id }) => `${id}: run \`npm run new:case -- ${id}\``);
    expect(next, 'rows without a rule or a scenario').toEqual([]);
  });

  test('no judged row has a reason against a judgement', () => {
    expect([...judged].filter(id => typeof requirement(id as never).unjudged === 'string')).toEqual([]);
  });

  test('the list contains no judged row and no unknown row, and is sorted', () => {
    expect(notYet.filter(id => judged.has(id) || !requirements().has(id as never))).toEqual([]);
    expect(notYet).toEqual([...new Set(notYet)].sort());
  });
});

describe.each([
  { role: 'server', list: 'unproven.txt' },
  { role: 'client', list: 'unproven-client.txt' },
  { role: 'authorization-server', list: 'unproven.txt' },
] as const)('every row that is judged for a $role has a fault that breaks it', ({ role, list }) => {
  const unproven = listed(list);
  const [judged, killed] = [judgedFor[role], killedFor[role]];

  test('no judged row is without a fault', () => {
    const open = [...judged].filter(id => !whyNotFor(requirement(id as never), role) && !killed.has(id));
    const next = open.filter(id => !unproven.includes(id)).sort();
    const hint = `add a fault to mocks/${role}/faults/ whose \`breaks\` names the row`;
    expect(next, hint).toEqual([]);
  });

  test('the list contains no row that has a fault', () => {
    expect(unproven.filter(id => killed.has(id) || !judged.has(id))).toEqual([]);
  });

  test('no fault breaks a row that is not judged', () => {
    expect([...killed].filter(id => !judged.has(id))).toEqual([]);
  });
});

test('the README shows the table of `npm run coverage -- --markdown`', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, table] = /<!-- coverage -->\n([\s\S]*?)\n<!-- \/coverage -->/.exec(readme) ?? [];
  expect(table, 'run `npm run coverage -- --write`').toBe(markdownTable());
});

test('each scenario cites a row that applies in a judged revision', () => {
  const idle = suite.scenarios.filter(s =>
    s.verifies.every(id => revisions.every(r => !requirement(id).clauses[r.id])),
  );
  expect(idle.map(s => s.name)).toEqual([]);
});
