/** What keeps the known false alarms away exists under its name. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allQuirks } from '../../mocks/all.js';
import { examples } from '../rules/examples.test.util.js';
import { falseAlarms } from './false-alarms.js';

test('each of the 17 false alarms is kept away by a quirk, a test or an example, and each of these exists', () => {
  expect(Object.keys(falseAlarms)).toEqual(Array.from({ length: 17 }, (_, n) => `F${n + 1}`));
  const quirks = new Set(allQuirks.map(({ id }) => id));
  const missing = Object.entries(falseAlarms).flatMap(([id, alarm]) => {
    const names = [...(alarm.quirks ?? []), ...(alarm.tests ?? []), ...(alarm.examples ?? [])];
    return [
      ...(names.length === 0 ? [`${id}: nothing`] : []),
      ...(alarm.quirks ?? []).filter(name => !quirks.has(name)).map(name => `${id}: quirk ${name}`),
      ...(alarm.tests ?? [])
        .filter(([file, title]) => !readFileSync(file, 'utf8').includes(title))
        .map(([file, title]) => `${id}: ${file}: ${title}`),
      ...(alarm.examples ?? [])
        .filter(row => !Object.hasOwn(examples, row))
        .map(row => `${id}: examples of ${row}`),
    ];
  });
  expect(missing).toEqual([]);
});
