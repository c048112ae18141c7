/**
 * Each fault that was found in real software is shown by a fault, a quirk or a requirement here, or has a
 * reason why not.
 */

import { expect, test } from 'vitest';
import { allFaults, allQuirks } from '../../mocks/all.js';
import { requirements } from '../../spec/requirement.js';
import { metInTheWild } from './known-bugs.js';

/** The number of entries under each letter of the catalogue. */
const counts = {
  A: 15,
  B: 18,
  C: 19,
  D: 6,
  E: 16,
  F: 6,
  G: 20,
  H: 23,
  I: 13,
  J: 12,
  K: 6,
  L: 20,
  M: 18,
  N: 18,
  O: 13,
};

test('the catalogue is complete', () => {
  const ids = Object.entries(counts).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, n) => `${letter}${String(n + 1).padStart(2, '0')}`),
  );
  expect(Object.keys(metInTheWild)).toEqual(ids);
});

test('each name in the catalogue exists, and each entry without names has a reason', () => {
  const known = new Set<string>([
    ...[...allFaults, ...allQuirks].map(({ id }) => id),
    ...requirements().keys(),
  ]);
  const named = Object.entries(metInTheWild).map(([id, [, shownBy, why]]) => ({
    id,
    names: shownBy.split(' ').filter(name => name !== ''),
    why,
  }));
  expect(named.flatMap(({ id, names }) => names.filter(n => !known.has(n)).map(n => `${id} ${n}`))).toEqual(
    [],
  );
  expect(named.filter(({ names, why }) => names.length === 0 && !why).map(({ id }) => id)).toEqual([]);
});
