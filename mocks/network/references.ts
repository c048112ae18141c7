/** The reference client and the reference server at the ends of a faulty network, in this process. */

import { type Endpoint, inProcess, type ProcessSubject } from '../../harness/subject/subject.js';
import type { RevisionId } from '../../spec/revisions.js';
import { mockClient } from '../client/client.js';
import type { ClientDeviation } from '../client/fault.js';
import type { MockClientTask } from '../client/process.js';
import type { Deviation } from '../fault.js';
import { type Hosted, hosted } from '../server/hosted.js';
import { mockServer } from '../server/server.js';

/** Milliseconds that the reference client waits for a response that the network may have lost. */
const usualPatienceMs = 1_500;

interface ReferenceClient {
  readonly inThisProcess: true;
  start(task: MockClientTask): Endpoint;
}

interface ReferenceServer {
  readonly stdio: ProcessSubject;
  /** Listens on a free port. */
  listen(): Promise<Hosted>;
}

interface Patience {
  /** Milliseconds that the client waits for a response. */
  readonly patienceMs?: number | undefined;
  /** Milliseconds that it waits for the first response: a program may begin slowly. Default: as for every response. */
  readonly openingMs?: number | undefined;
}

export function referenceClient(
  revision: RevisionId,
  faults: readonly ClientDeviation[] = [],
  { patienceMs = usualPatienceMs, openingMs = patienceMs }: Patience = {},
): ReferenceClient {
  const client = mockClient({ revisions: [revision], faults, patienceMs, openingMs, graceMs: 60 });
  return {
    inThisProcess: true,
    start: task => inProcess(streams => client.perform(task, streams)).start(),
  };
}

/** A server whose sessions begin anew each time that it listens. */
export function referenceServer(revision: RevisionId, faults: readonly Deviation[] = []): ReferenceServer {
  const server = mockServer({ revisions: [revision], faults, delayMs: 1 });
  return {
    stdio: inProcess(server.serve),
    listen: () => hosted(server.http()),
  };
}
