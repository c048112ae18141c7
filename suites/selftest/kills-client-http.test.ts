/** Every fault of clients that is about an HTTP transport is killed, exactly, over that transport. */

import { expect, test } from 'vitest';
import { clientFaults } from '../../mocks/client-faults/index.js';
import { breaksIn } from '../../mocks/fault.js';
import { newestFirst, type TransportId } from '../../spec/revisions.js';
import { explainFindings } from './trial.js';
import { tryMockClient } from './trial-client.js';

/** Each fault once for every set of rows it breaks, in the newest such revision; in every revision on request. */
const everywhere = process.env.MCP_CONFORM_ALL_REVISIONS !== undefined;

/** The pages that are about HTTP, or that a fault there shows in; every page on request. */
const pages = /\/client\/(streamable-http|streams|http-sse|lifecycle|elicitation|pagination|cancellation)\//;

const transports: readonly TransportId[] = ['streamable-http', 'http-sse'];

const shown = clientFaults
  .filter(({ over }) => over && !over.includes('stdio'))
  .flatMap(fault => {
    const seen = new Set<string>();
    return newestFirst()
      .flatMap(revision => transports.map(transport => ({ fault, revision, transport })))
      .filter(({ revision, transport }) => revision.transports.includes(transport))
      .map(at => ({ ...at, id: fault.id, breaks: breaksIn(fault, at.revision, at.transport) }))
      .filter(({ breaks }) => breaks.length > 0)
      .filter(({ breaks }) => everywhere || (!seen.has(breaks.join()) && seen.add(breaks.join())));
  });

test.each(shown)('$id, $revision.id, $transport', async ({ id, revision, transport, breaks }) => {
  const selected = everywhere ? undefined : (name: string) => pages.test(name);
  const { failed, report } = await tryMockClient(revision, {
    transport,
    faults: [id],
    ...(selected && { selected }),
  });
  expect([...failed.keys()].sort(), explainFindings(failed.values())).toEqual([...breaks].sort());
  expect(report.summary.error).toBe(0);
});
