/**
 * A fault of one side is no finding about the other: each fault of the mock client meets the reference server, each
 * fault of the mock server meets the reference client, and `watch` judges both.
 */

import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { watchStdio } from '../../harness/run/proxy/stdio.js';
import type { Script } from '../../harness/scenario/script.js';
import { inProcess } from '../../harness/subject/subject.js';
import { mockClient } from '../../mocks/client/client.js';
import { clientFaults } from '../../mocks/client/faults/index.js';
import type { Deviation } from '../../mocks/fault.js';
import { faults } from '../../mocks/server/faults/index.js';
import { mockServer } from '../../mocks/server/server.js';
import type { Json, Role } from '../../spec/json-rpc.js';
import { latestRevision, latestStateless, type RevisionId } from '../../spec/revisions.js';
import { rules } from '../rules/index.js';
import { breaksIn, everywhere } from './fault-matrix.js';
import { observe, steadily } from './run-mock.js';

const script: Script = [
  ['connect'],
  ['list', 'tools'],
  ['call', 'test_simple_text'],
  ['call', 'test_elicitation'],
  ['call', 'test_sampling'],
  ['call', 'test_roots'],
  ['call', 'test_error'],
  ['list', 'prompts'],
  ['list', 'resources'],
  ['get', 'test_simple_prompt'],
  ['read', 'test://static-text'],
  ['close'],
];

interface Pair {
  readonly revision: RevisionId;
  readonly client?: string;
  readonly server?: string;
}

/** Runs a client and a server with the proxy between them, in this process. */
async function meet({ revision, client, server }: Pair) {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const options = { rules, input, output, errors, onSignal: () => {}, grace: 500 };
  const subject = inProcess(streams =>
    mockServer({ revisions: [revision], faults: server === undefined ? [] : [server] }).serve(streams),
  );
  const watching = observe(watchStdio({ ...options, server: subject })).finally(() => output.end());
  const connect = () => ({
    stdin: input,
    stdout: output,
    stderr: new PassThrough(),
    exited: watching.then(() => ({ code: 0, signal: null })),
    kill: () => void input.end(),
    survivors: () => [],
  });
  const faultsOfClient = client === undefined ? [] : [client];
  await mockClient({ revisions: [revision], faults: faultsOfClient, patienceMs: 500, graceMs: 200 }).perform(
    { address: { connect }, transport: 'stdio', script: script as unknown as Json },
    { stderr: new PassThrough(), signal: new AbortController().signal },
  );
  input.end();
  return watching;
}

const others: Readonly<Record<Role, Role>> = { client: 'server', server: 'client' };

const all: readonly (readonly [Role, readonly Deviation<object>[]])[] = [
  ['client', clientFaults],
  ['server', faults],
];

/** Each fault in one era; with the whole matrix in both. */
const pairs = all.flatMap(([role, deviations]) =>
  [latestRevision, latestStateless].flatMap((revision, era) =>
    deviations
      .filter(fault => breaksIn(fault, revision, 'stdio').length > 0)
      .filter((_, at) => everywhere || at % 4 === era * 2)
      .map(({ id }) => ({ id, role, revision: revision.id })),
  ),
);

test.concurrent.each(pairs)('$role $id, $revision', async ({ id, role, revision }) => {
  const { report } = await steadily(() => meet({ revision, [role]: id }));
  const ofTheOther = report.runs
    .filter(({ side }) => side === others[role])
    .flatMap(({ findings }) => findings)
    .filter(({ grade }) => grade === 'violation' || grade === 'warning');
  expect(ofTheOther.map(f => `${f.requirement}: ${f.actual ?? f.message}`)).toEqual([]);
});
