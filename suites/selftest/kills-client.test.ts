/** Every fault of clients is killed, exactly: what fails is what the fault says it breaks, no less and no more. */

import { expect, test } from 'vitest';
import { clientFaults } from '../../mocks/client-faults/index.js';
import { breaksIn } from '../../mocks/fault.js';
import { newestFirst, revisions } from '../../spec/revisions.js';
import { explainFindings } from './trial.js';
import { tryMockClient } from './trial-client.js';

/** Each fault once for every set of rows it breaks, in the newest such revision; in every revision on request. */
const everywhere = process.env.MCP_CONFORM_ALL_REVISIONS !== undefined;

const shown = clientFaults.flatMap(fault => {
  const seen = new Set<string>();
  return newestFirst()
    .map(revision => ({ id: fault.id, revision, breaks: breaksIn(fault, revision, 'stdio') }))
    .filter(({ breaks }) => breaks.length > 0)
    .filter(({ breaks }) => everywhere || (!seen.has(breaks.join()) && seen.add(breaks.join())));
});

test.each(shown)('$id, $revision.id', async ({ id, revision, breaks }) => {
  const { failed, report } = await tryMockClient(revision, { faults: [id] });
  expect([...failed.keys()].sort(), explainFindings(failed.values())).toEqual([...breaks].sort());
  expect(report.summary.error).toBe(0);
});

test('each shows in some revision', () => {
  const idle = clientFaults.filter(f =>
    revisions.every(r => r.transports.every(t => breaksIn(f, r, t).length === 0)),
  );
  expect(idle.map(f => f.id)).toEqual([]);
});
