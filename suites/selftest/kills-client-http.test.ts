/** Each fault of clients about an HTTP transport alone fails exactly its rows, over that transport. */

import { describe, test } from 'vitest';
import {
  clientAuthorizationFaults,
  clientExtensionFaults,
  clientFaults,
} from '../../mocks/client/faults/index.js';
import { faultsInGroups } from './fault-groups.js';
import { everywhere, faultMatrix } from './fault-matrix.js';
import { isHttpCase, tryMockClient } from './run-mock-client.js';

/** Faults about authorization have their own tests. */
const elsewhere = new Set([...clientAuthorizationFaults, ...clientExtensionFaults].map(({ id }) => id));

const faults = clientFaults.filter(({ id, over }) => over && !over.includes('stdio') && !elsewhere.has(id));

describe.each(['streamable-http', 'http-sse'] as const)('%s', transport => {
  const selected = (name: string) => everywhere || isHttpCase(name);
  const shown = faultsInGroups(faultMatrix(faults, transport), (revision, ids) =>
    tryMockClient(revision, { transport, faults: ids, selected }),
  );

  test.each(shown)('$id, $revision.id', ({ show }) => show());
});
