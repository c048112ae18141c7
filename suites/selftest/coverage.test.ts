/** Rows, cases and faults belong together; missing ones are in two lists that may only become shorter. */

import { describe, expect, test } from 'vitest';
import { requirement, requirements } from '../../spec/requirement.js';
import { definedRevisions } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { faultFile, judgedIn, rolesOf, rowFile, ruleFile, scenarioFile } from './case-files.js';
import { isFreedom, judged, judgedFor, killedFor, whyNotFor } from './coverage.js';
import { markdownTable, tableInReadme } from './coverage-table.js';
import { faultPlaces } from './fault-places.js';
import { expectNoGaps, type Gap } from './gaps.js';
import { namesIn } from './lists.js';

/** Lines of a list to remove. */
const toRemove = (list: string, ids: readonly string[], why: (id: string) => string): Gap[] =>
  ids.map(id => ({ what: id, file: `suites/selftest/${list}`, next: `remove the line: ${why(id)}` }));

describe('every row is judged, or has a reason against a judgement', () => {
  test('no row is without a rule or a scenario', () => {
    const open = [...requirements().values()].filter(
      row => typeof row.unjudged !== 'string' && !isFreedom(row) && !judged.has(row.id),
    );
    const gaps = open.map((row): Gap => {
      const roles = rolesOf(row);
      const reason = `state the reason against a judgement as \`unjudged\` in ${rowFile(row.id)}`;
      if (roles.length === 0) return { what: row.id, file: rowFile(row.id)!, next: reason };
      const command = `npm run new:case -- ${row.id} --write`;
      const scenarios = roles.map(role => scenarioFile(row, role)).join(' and ');
      return {
        what: row.id,
        file: `${ruleFile(row)}, or ${scenarios}`,
        next: `${command} for a rule, with --scenario for a scenario; or ${reason}`,
      };
    });
    expectNoGaps('Each row is judged by a rule or a scenario', gaps);
  });

  test.each(['server', 'client', 'authorization-server'] as const)(
    'no row that binds a %s is judged for the other role only',
    role => {
      const open = [...requirements().values()].filter(
        row =>
          rolesOf(row).includes(role) &&
          definedRevisions.some(r => row.clauses[r.id]) &&
          !isFreedom(row) &&
          !whyNotFor(row, role) &&
          !judgedFor[role].has(row.id),
      );
      const gaps = open.map(row => ({
        what: row.id,
        file: scenarioFile(row, role),
        next: `judge the row for a ${role}, or state the reason as \`unjudged: ${role}\` in ${rowFile(row.id)}`,
      }));
      expectNoGaps(`A row that binds a ${role} is judged for a ${role}, or has a reason against it`, gaps);
    },
  );

  test('no judged row has a reason against a judgement', () => {
    const both = [...judged].filter(id => typeof requirement(id as never).unjudged === 'string');
    const gaps = both.map(id => ({
      what: id,
      file: rowFile(id)!,
      next: `remove \`unjudged\` and run npm run spec, or remove the ${judgedIn(id).join(', the ')}`,
    }));
    expectNoGaps('A judged row has no reason against a judgement', gaps);
  });
});

describe.each([
  { role: 'server', list: 'unproven.txt' },
  { role: 'client', list: 'unproven-client.txt' },
  { role: 'authorization-server', list: 'unproven.txt' },
] as const)('every row that is judged for a $role has a fault that breaks it', ({ role, list }) => {
  const unproven = namesIn(list);
  const [judged, killed] = [judgedFor[role], killedFor[role]];

  test('no judged row is without a fault', () => {
    const open = [...judged].filter(id => !whyNotFor(requirement(id as never), role) && !killed.has(id));
    const gaps = open
      .filter(id => !unproven.includes(id))
      .sort()
      .map(id => ({
        what: `${id}, judged by the ${judgedIn(id).join(', the ')}`,
        file: faultFile(requirement(id as never), role),
        next: `npm run new:case -- ${id} prints the stub of a fault; npm run prove -- ${id} runs it`,
      }));
    expectNoGaps(`A row that is judged for a ${role} has a fault that breaks it`, gaps);
  });

  test('the list contains no row that has a fault', () => {
    expectNoGaps('The list contains only judged rows without a fault', [
      ...toRemove(
        list,
        unproven.filter(id => killed.has(id)),
        id =>
          `broken by ${faultPlaces.filter(f => f.role === role && f.breaks.some(row => row === id)).map(f => f.id)}`,
      ),
      ...toRemove(
        list,
        unproven.filter(id => !judged.has(id)),
        () => `the row is not judged for a ${role}`,
      ),
    ]);
  });

  test('no fault breaks a row that is not judged', () => {
    const gaps = faultPlaces
      .filter(fault => fault.role === role)
      .flatMap(fault =>
        fault.breaks
          .filter(id => killed.has(id) && !judged.has(id))
          .map(id => ({
            what: `${id}, broken by ${fault.id}`,
            file: fault.file,
            next: `npm run new:case -- ${id} prints a rule and a scenario; or remove the row from \`breaks\``,
          })),
      );
    expectNoGaps('A row that a fault breaks is judged', gaps);
  });
});

test('the README shows the table of `npm run coverage -- --markdown`', () => {
  expect(tableInReadme(), 'the table in README.md differs: run npm run coverage -- --write').toBe(
    markdownTable(),
  );
});

test('each scenario cites a row that applies in a judged revision', () => {
  const idle = suite.scenarios.filter(s =>
    s.verifies.every(id => definedRevisions.every(r => !requirement(id).clauses[r.id])),
  );
  const gaps = idle.map(({ name, verifies }) => ({
    what: `${name}: ${verifies.join(', ')}`,
    file: `suites/${name.slice(0, name.lastIndexOf('/'))}.ts`,
    next: 'cite in `verifies` a row with a clause in a judged revision, or remove the scenario',
  }));
  expectNoGaps('A scenario cites a row that applies in a judged revision', gaps);
});
