/** Test support: a matrix of the mocks, in this process. */

import { reportOf } from '../../harness/run/matrix/assemble.js';
import {
  type Matrix,
  type MatrixClient,
  type MatrixServer,
  planCells,
} from '../../harness/run/matrix/plan.js';
import { infosOf, runMatrix } from '../../harness/run/matrix/run.js';
import { inProcess } from '../../harness/subject/subject.js';
import { mockClient } from '../../mocks/client/client.js';
import type { ClientDeviation } from '../../mocks/client/fault.js';
import { type Host, host } from '../../mocks/host.js';
import { mockServer } from '../../mocks/server/server.js';
import { newestFirst, type RevisionId } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { program } from './program.test.util.js';

/** The newest revision with a handshake. */
export const { id: revision } = newestFirst().find(({ era }) => era === 'legacy')!;
export const base = { about: '', cwd: process.cwd(), env: {} };

export async function serverWith(
  fault: string | undefined,
  ids: readonly RevisionId[],
): Promise<MatrixServer & { readonly host: Host }> {
  const mock = mockServer({ faults: fault === undefined ? [] : [fault], revisions: [...ids] });
  const { fetch, paths } = mock.http();
  const own = await host(fetch);
  const url = own.origin + paths.mcp;
  return {
    ...base,
    name: fault ?? 'sound',
    revisions: ids,
    places: { 'streamable-http': { url } },
    host: own,
  };
}

/** The mock server as a process on stdio. */
export const serverOnStdio = (ids: readonly RevisionId[]): MatrixServer => ({
  ...base,
  name: 'sound',
  revisions: ids,
  places: { stdio: { command: [...program, 'mock', 'server', '--revisions', ids.join(',')] } },
});

export function clientWith(
  fault: string | ClientDeviation | undefined,
  ids: readonly RevisionId[],
  patienceMs?: number,
): MatrixClient {
  const faults = fault === undefined ? [] : [fault];
  const client = mockClient({
    faults,
    revisions: [...ids],
    graceMs: 60,
    ...(patienceMs !== undefined && { patienceMs }),
  });
  return {
    ...base,
    name: (typeof fault === 'object' ? fault.id : fault) ?? 'sound',
    command: [],
    transports: ['streamable-http', 'stdio'],
    revisions: ids,
    start: task => inProcess(streams => client.perform(task, streams)).start(),
  };
}

export async function run(matrix: Matrix, cells = planCells(matrix), cellMs = 20_000) {
  const results = await runMatrix({
    matrix,
    cells,
    rules: suite.rules,
    jobs: 8,
    cellMs,
    installMs: 60_000,
    wholeMs: 600_000,
    stop: new AbortController().signal,
    known: () => undefined,
    replay: ({ name }) => `mcp-conform matrix file --cell ${name}`,
    record: () => null,
    onStart: () => {},
    onResult: () => {},
  });
  const reports = results.map(result => result.report);
  const times = { startedAt: '2026-01-01T00:00:00.000Z', durationMs: 0 };
  const numbers = { planned: planCells(matrix).length, due: cells.length };
  return reportOf(matrix, numbers, reports, infosOf(results), times, false);
}
