/**
 * Requirements that changed between revisions: behaviour that is invalid in one revision and valid in another
 * gets different verdicts.
 */

import { expect, test } from 'vitest';
import { faults } from '../../mocks/server/faults/index.js';
import { newestFirst, type TransportId } from '../../spec/revisions.js';
import { breaksIn } from './fault-matrix.js';
import { explainFindings, tryMock } from './run-mock.js';

const flips: readonly (readonly [what: string, fault: string, transport?: TransportId])[] = [
  ['servers send batches', 'batch-where-there-is-none'],
  ['every request of a batch gets a response', 'batch-one-forgotten'],
  ['invalid arguments give a result of the tool', 'arguments-protocol-error'],
  ['keys of _meta have a syntax', 'meta-key-malformed'],
  ['schemas are JSON Schema 2020-12', 'tuple-unread'],
  ['completion/complete for an unknown prompt is refused', 'completion-of-unknown-prompt'],
  ['a foreign Origin gets 403', 'origin-refused-with-400', 'streamable-http'],
  ['the MCP-Protocol-Version header is checked', 'version-header-unchecked', 'streamable-http'],
];

const runs = flips.flatMap(([what, id, transport = 'stdio']) => {
  const fault = faults.find(f => f.id === id)!;
  const all = newestFirst().filter(r => r.transports.includes(transport));
  const broken = all.find(r => breaksIn(fault, r, transport).length > 0)!;
  const legal = all.filter(r => breaksIn(fault, r, transport).length === 0);
  return [broken, ...legal].map(revision => ({
    what,
    id,
    transport,
    revision,
    breaks: breaksIn(fault, revision, transport),
  }));
});

test('each change has a revision on either side', () => {
  for (const [what] of flips) {
    const sides = runs.filter(r => r.what === what).map(r => r.breaks.length > 0);
    expect([what, new Set(sides).size]).toEqual([what, 2]);
  }
});

test.concurrent.each(runs)('$what: $id in $revision.id', async ({ id, revision, transport, breaks }) => {
  const { failed, report } = await tryMock(revision, { transport, faults: [id] });
  expect([...failed.keys()].sort(), explainFindings(failed.values())).toEqual([...breaks].sort());
  expect(report.unjudged).toBeNull();
});
