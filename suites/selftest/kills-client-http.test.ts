/** Each fault of clients about an HTTP transport alone fails exactly its rows, over that transport. */

import { describe, expect, test } from 'vitest';
import { authorizationFaults } from '../../mocks/client/faults/authorization.js';
import { clientFaults } from '../../mocks/client/faults/index.js';
import { everywhere, faultMatrix } from './fault-matrix.js';
import { explainFindings } from './run-mock.js';
import { isHttpCase, tryMockClient } from './run-mock-client.js';

/** Faults about authorization have their own test. */
const elsewhere = new Set(authorizationFaults.map(({ id }) => id));

const faults = clientFaults.filter(({ id, over }) => over && !over.includes('stdio') && !elsewhere.has(id));

describe.each(['streamable-http', 'http-sse'] as const)('%s', transport => {
  test.each(faultMatrix(faults, transport))('$id, $revision.id', async ({ id, revision, breaks }) => {
    const selected = (name: string) => everywhere || isHttpCase(name);
    const { failed, report } = await tryMockClient(revision, { transport, faults: [id], selected });
    expect([...failed.keys()].sort(), explainFindings(failed.values())).toEqual([...breaks].sort());
    expect(report.summary.error).toBe(0);
  });
});
