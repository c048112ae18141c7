/**
 * The facets of rows: each form of a breach has a fault that shows it, or an example of its rule; each legal variation has
 * a quirk or an example, or the references behave so; or the row has the reason why not. At least one form of each row has
 * a fault.
 */

import { expect, test } from 'vitest';
import { allFaults, allQuirks } from '../../mocks/all.js';
import { requirements } from '../../spec/requirement.js';
import { isFreedom } from './coverage.js';
import { facetNames, shownByExamples, shownByFaults, shownByQuirks } from './facets.js';
import { expectNoGaps } from './gaps.js';

const rows = [...requirements().values()];
/** A facet that is an object has the reason why nothing shows it. */
const isProven = (facet: unknown): boolean => typeof facet === 'string';

test('a fault, a quirk and an example show facets that exist', () => {
  const breaches = new Set(rows.flatMap(row => facetNames(row, 'breaches')));
  const legal = new Set(rows.flatMap(row => facetNames(row, 'legal')));
  const unknown = [
    ...allFaults.flatMap(({ id, breaks, shows = [] }) =>
      shows
        .filter(facet => !breaches.has(facet) || !breaks.some(row => facet.startsWith(`${row}#`)))
        .map(facet => `${id}: ${facet}`),
    ),
    ...allQuirks.flatMap(({ id, shows = [] }) =>
      shows.filter(facet => !legal.has(facet)).map(facet => `${id}: ${facet}`),
    ),
    ...[...shownByExamples(['good', 'legal'])].filter(facet => !legal.has(facet)),
    ...[...shownByExamples(['bad'])].filter(facet => !breaches.has(facet)),
  ];
  expect(unknown).toEqual([]);
});

test('each breach has a fault, and each legal variation a quirk or an example', () => {
  const killed = new Set([...shownByFaults, ...shownByExamples(['bad'])]);
  const quirky = new Set([...shownByQuirks, ...shownByExamples(['good', 'legal'])]);
  const gaps = rows.flatMap(row => [
    ...(row.breaches && !facetNames(row, 'breaches').some(name => shownByFaults.has(name))
      ? [
          {
            what: row.id,
            file: `spec/requirements: ${row.id}`,
            next: 'name one of its breaches under `shows` of a fault',
          },
        ]
      : []),
    ...Object.entries(row.breaches ?? {})
      .filter(([name, facet]) => isProven(facet) === !killed.has(`${row.id}#${name}`))
      .map(([name]) => ({
        what: `${row.id}#${name}`,
        file: `spec/requirements: ${row.id}`,
        next: 'name it under `shows` of a fault or of a bad example, or give `is` and `unproven`; not both',
      })),
    ...Object.entries(row.legal ?? {})
      .filter(([name, facet]) => isProven(facet) === !quirky.has(`${row.id}#${name}`))
      .map(([name]) => ({
        what: `${row.id}#${name}`,
        file: `spec/requirements: ${row.id}`,
        next: 'name it under `shows` of a quirk or of an example, or give `is` with `unproven` or `by`; not both',
      })),
  ]);
  expectNoGaps('Each facet is shown', gaps);
});

test('each row that is judged has the forms of its breach', () => {
  const gaps = rows
    .filter(row => typeof row.unjudged !== 'string' && !isFreedom(row) && !row.breaches)
    .map(({ id }) => ({
      what: id,
      file: `spec/requirements: ${id}`,
      next: 'list the forms of a breach under `breaches`',
    }));
  expectNoGaps('Each row has breaches', gaps);
});
