/** Test support: records of the references, as input for tests of the rules. */

import { grouped } from '../../harness/grouped.js';
import type { Event } from '../../harness/record/event.js';
import { latestRevision, latestStateless, type Revision, revisions } from '../../spec/revisions.js';
import { type Trial, tryMock } from './run-mock.js';
import { tryMockClient } from './run-mock-client.js';

interface Source {
  readonly name: string;
  readonly party: 'server' | 'client';
  readonly record: () => Promise<Trial>;
}

/** The events of each conversation of a run. */
export const links = ({ wire }: Trial): Event[][] => [...grouped(wire, event => event.link).values()];

const over = (revision: Revision) => revision.transports.filter(t => t !== 'stdio');

/** The references without deviations: the server in each revision over each transport, and the client of each era. */
export const sources: readonly Source[] = [
  ...revisions.map(
    (revision): Source => ({
      name: `server, ${revision.id} on stdio`,
      party: 'server',
      record: () => tryMock(revision),
    }),
  ),
  ...revisions.flatMap(revision =>
    over(revision).map(
      (transport): Source => ({
        name: `server, ${revision.id} on ${transport}`,
        party: 'server',
        record: () => tryMock(revision, { transport }),
      }),
    ),
  ),
  ...[latestRevision, latestStateless].flatMap(revision =>
    (['stdio', 'streamable-http'] as const).map(
      (transport): Source => ({
        name: `client, ${revision.id} on ${transport}`,
        party: 'client',
        record: () => tryMockClient(revision, { transport }),
      }),
    ),
  ),
];
