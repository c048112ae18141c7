/**
 * The faults of the HTTP transports fail exactly their rows, in this process; each one is shown once for
 * every set of rows it breaks.
 */

import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { defaultRuns } from '../../harness/scenario/generation.js';
import { generatedOnlyFaults } from '../../mocks/server/faults/generated-only.js';
import { faults } from '../../mocks/server/faults/index.js';
import type { Revision, TransportId } from '../../spec/revisions.js';
import { faultsInGroups } from './fault-groups.js';
import { faultMatrix, faultMatrixOverHttp, socketFor } from './fault-matrix.js';
import { explainFindings, tryMock } from './run-mock.js';

const transports: readonly TransportId[] = ['streamable-http', 'http-sse'];

/** Faults that need generated values. */
const unusual = new Set(generatedOnlyFaults.map(f => f.id));

/** Faults that show where a server listens: a run detects this only for a server that it starts. */
const elsewhere = Object.values(networkInterfaces()).some(all => all?.some(a => !a.internal));
const socketOf = (id: string): boolean | 'started' => socketFor(faults.find(f => f.id === id)!);
const startedOnly = (id: string): boolean => socketOf(id) === 'started';

describe.concurrent.each(transports)('%s', transport => {
  const shown = faultMatrixOverHttp(faults, transport).filter(({ id }) => elsewhere || !startedOnly(id));
  const kindOf = (id: string) => ({ socket: socketOf(id), runs: unusual.has(id) ? defaultRuns : 0 });
  const attempt = (revision: Revision, ids: readonly string[]) =>
    tryMock(revision, { transport, faults: ids, ...kindOf(ids[0]!) });

  test.each(faultsInGroups(shown, attempt, kindOf))('$id, $revision.id', ({ show }) => show());
});

// another session changes the lists meanwhile
test('over sockets, with parallel sessions, results are still compared with definitions', async () => {
  const [fault] = faultMatrix(
    faults.filter(f => f.id === 'structured-content-misfit'),
    'streamable-http',
  );
  const { id, revision, breaks } = fault!;
  const transport = 'streamable-http';
  const { failed } = await tryMock(revision, { transport, faults: [id], socket: true, runs: defaultRuns });
  expect([...failed.keys()], explainFindings(failed.values())).toEqual(breaks);
});
