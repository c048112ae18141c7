/** The faults of the HTTP transports are killed, exactly, over a socket; each once for every set of rows it breaks. */

import { describe, expect, test } from 'vitest';
import { breaksIn } from '../../mocks/fault.js';
import { faults } from '../../mocks/faults/index.js';
import { requirement } from '../../spec/requirement.js';
import { newestFirst, type TransportId } from '../../spec/revisions.js';
import { explainFindings, tryMock } from './trial.js';

const transports: readonly TransportId[] = ['streamable-http', 'http-sse'];

/** It breaks something that only HTTP has. */
const aboutHttp = faults.filter(f =>
  f.breaks.some(id => requirement(id).over?.some(t => transports.includes(t))),
);

describe.each(transports)('%s', transport => {
  const shown = aboutHttp.flatMap(({ id, ...fault }) => {
    const seen = new Set<string>();
    return newestFirst()
      .filter(revision => revision.transports.includes(transport))
      .map(revision => ({ id, revision, breaks: breaksIn({ id, ...fault }, revision, transport) }))
      .filter(({ breaks }) => breaks.some(row => requirement(row).over))
      .filter(({ breaks }) => !seen.has(breaks.join()) && seen.add(breaks.join()));
  });

  test.each(shown)('$id, $revision.id', { timeout: 120_000 }, async ({ id, revision, breaks }) => {
    const { failed, report } = await tryMock(revision, { transport, faults: [id] });
    expect([...failed.keys()].sort(), explainFindings(failed.values())).toEqual([...breaks].sort());
    expect(report.summary.error).toBe(0);
  });
});
