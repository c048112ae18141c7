/** Each fault fails exactly the rows that it breaks. */

import { expect, test } from 'vitest';
import { defaultRuns } from '../../harness/scenario/generation.js';
import type { Fault } from '../../mocks/fault.js';
import { generatedOnlyFaults } from '../../mocks/server/faults/generated-only.js';
import { faults } from '../../mocks/server/faults/index.js';
import { quirks } from '../../mocks/server/quirks/index.js';
import { definedRevisions, type Revision } from '../../spec/revisions.js';
import { faultsInGroups } from './fault-groups.js';
import { breaksIn, faultMatrix, idle } from './fault-matrix.js';
import { tryMock } from './run-mock.js';

/** Faults that need generated values; the others are found faster without them. */
const unusual = new Set(generatedOnlyFaults.map(f => f.id));

const runsFor = (id: string): number => (unusual.has(id) ? defaultRuns : 0);

const attempt = (revision: Revision, ids: readonly string[]) =>
  tryMock(revision, { faults: ids, runs: runsFor(ids[0]!) });

const shown = faultsInGroups(faultMatrix(faults, 'stdio'), attempt, runsFor);

test.concurrent.each(shown)('$id, $revision.id', ({ show }) => show());

test('there are at least 40 quirks', () => {
  expect(quirks.length).toBeGreaterThanOrEqual(40);
});

/** Whether a deviation exists in revisions without a handshake only. */
const isModernOnly = (isIn: (revision: Revision) => boolean): boolean =>
  definedRevisions.every(revision => isIn(revision) === (revision.era === 'modern'));

test('at least 150 faults and 30 quirks exist only without a handshake', () => {
  const shows = (fault: Fault) => (revision: Revision) =>
    revision.transports.some(transport => breaksIn(fault, revision, transport).length > 0);
  expect(faults.filter(fault => isModernOnly(shows(fault))).length).toBeGreaterThanOrEqual(150);
  expect(quirks.filter(({ where }) => where && isModernOnly(where)).length).toBeGreaterThanOrEqual(30);
});

test('there are at least 180 faults on stdio, and each fault shows in some revision', () => {
  expect(faults.length - idle(faults, ['stdio']).length).toBeGreaterThanOrEqual(180);
  expect(idle(faults)).toEqual([]);
});
