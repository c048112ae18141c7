/**
 * `npm run prove -- <fault or row> …`: runs faults, or every fault that breaks a row, under each revision and transport with
 * a kill set of their own, and prints the difference between the failed rows and the kill set. `--modern` in place of a name: the
 * faults that exist in the era without a handshake only.
 */

import { suggest } from '../../harness/report/pattern.js';
import { defaultRuns } from '../../harness/scenario/generation.js';
import { authorizationFaults } from '../../mocks/authorization-server/faults/authorization-server.js';
import { clientCredentialsFaults } from '../../mocks/authorization-server/faults/ext-client-credentials.js';
import { dpopFaults } from '../../mocks/authorization-server/faults/ext-dpop.js';
import { dpopGateFaults } from '../../mocks/authorization-server/faults/ext-dpop-gate.js';
import { enterpriseFaults } from '../../mocks/authorization-server/faults/ext-enterprise.js';
import { type GateDeviation, gateFaults } from '../../mocks/authorization-server/faults/gate.js';
import { proxyFaults } from '../../mocks/authorization-server/faults/proxy.js';
import type { ClientDeviation } from '../../mocks/client/fault.js';
import {
  clientAuthorizationFaults,
  clientExtensionFaults,
  clientFaults,
} from '../../mocks/client/faults/index.js';
import type { Deviation, Fault } from '../../mocks/fault.js';
import { networkClientFaults } from '../../mocks/network/client-faults.js';
import { networkServerFaults } from '../../mocks/network/server-faults.js';
import { generatedOnlyFaults } from '../../mocks/server/faults/generated-only.js';
import { faults } from '../../mocks/server/faults/index.js';
import { clauseIn, type RequirementId, requirement, requirements } from '../../spec/requirement.js';
import { definedRevisions, type Revision, type TransportId } from '../../spec/revisions.js';
import { faultFile, rolesOf } from './case-files.js';
import {
  breaksIn,
  faultMatrix,
  faultMatrixOverHttp,
  type MatrixEntry,
  onlyIn,
  socketFor,
} from './fault-matrix.js';
import { type Trial, tryMock } from './run-mock.js';
import { tryAuthorizationServer, tryBinding, tryMachine, tryProxy } from './run-mock-authorization-server.js';
import { isAuthorizationExtension, isHttpCase, tryMockClient } from './run-mock-client.js';
import { shownBy, tryNetworkFault } from './run-mock-network.js';
import { tryProtected } from './run-mock-protected-server.js';

/** What the runs of a fault show. */
interface Proof {
  readonly failed: { has(id: RequirementId): boolean; keys(): Iterable<RequirementId> };
  /** Number of defects of the suite. */
  readonly errors: number;
}

interface Shown extends MatrixEntry {
  readonly transport: TransportId;
  attempt(): Promise<Proof>;
}

const unusual = new Set(generatedOnlyFaults.map(({ id }) => id));
const aboutExtensions = new Set(clientExtensionFaults.map(({ id }) => id));
const aboutAuthorization = new Set(clientAuthorizationFaults.map(({ id }) => id));

const guarded = definedRevisions.filter(r => r.authorization);
const withProxies = guarded.filter(({ id }) => clauseIn(requirement('auth.proxy-consent'), id));

const proofOf = ({ failed, report }: Trial): Proof => ({ failed, errors: report.summary.error });

/** The runs of each fault, as the tests have them. */
const shownOver = <F extends Deviation<object>>(
  transport: TransportId,
  faults: readonly F[],
  attempt: (fault: F, revision: Revision, transport: TransportId) => Promise<Trial>,
  of: (faults: readonly F[], transport: TransportId) => readonly MatrixEntry[] = faultMatrix,
): Shown[] => {
  const byId = new Map(faults.map(fault => [fault.id, fault]));
  return of(faults, transport).map(showing => ({
    ...showing,
    transport,
    attempt: () => attempt(byId.get(showing.id)!, showing.revision, transport).then(proofOf),
  }));
};

/** The runs of faults in each of the given revisions. */
const inEach =
  (among: readonly Revision[]) =>
  (faults: readonly Deviation<object>[], transport: TransportId): MatrixEntry[] =>
    among.flatMap(revision =>
      faults
        .map(fault => ({ id: fault.id, revision, breaks: breaksIn(fault, revision, transport) }))
        .filter(({ breaks }) => breaks.length > 0),
    );

const tryServer = (fault: Fault, revision: Revision, transport: TransportId): Promise<Trial> =>
  tryMock(revision, {
    transport,
    faults: [fault.id],
    runs: unusual.has(fault.id) ? defaultRuns : 0,
    socket: socketFor(fault),
  });

const tryClient = ({ id }: ClientDeviation, revision: Revision, transport: TransportId): Promise<Trial> => {
  const selected = aboutAuthorization.has(id)
    ? (name: string) => name.includes('/client/authorization/')
    : aboutExtensions.has(id)
      ? isAuthorizationExtension
      : isHttpCase;
  return tryMockClient(revision, { transport, faults: [id], ...(transport !== 'stdio' && { selected }) });
};

function tryGate(fault: GateDeviation, revision: Revision): Promise<Trial> {
  const { gate, needsToken = false, authority = {} } = fault;
  const authorizationServer = { policy: [authority] };
  return tryProtected(revision, { gate: [gate], faults: [fault], token: needsToken, authorizationServer });
}

/** Each network fault has many conversations at a time, and deadlines: their runs wait for one another. */
let lastOfNetwork: Promise<unknown> = Promise.resolve();

async function tryNetwork(fault: Deviation<object>): Promise<Proof> {
  const run = lastOfNetwork.then(() => tryNetworkFault(fault));
  lastOfNetwork = run.catch(() => {});
  const { found } = await run;
  const ids = [...found.keys()].map(key => key.split(' ')[1] as RequirementId);
  return { failed: new Set(ids), errors: 0 };
}

const networkFaults: readonly Deviation<object>[] = [...networkServerFaults, ...networkClientFaults];

const http = 'streamable-http';
const clientFaultsOverHttp = clientFaults.filter(({ over }) => over && !over.includes('stdio'));

/** The same runs as in the tests `kills*`, `authorization-server` and `protected`. */
const all: readonly Shown[] = [
  ...shownOver('stdio', faults, tryServer),
  ...shownOver(http, faults, tryServer, faultMatrixOverHttp),
  ...shownOver('http-sse', faults, tryServer, faultMatrixOverHttp),
  ...shownOver('stdio', clientFaults, tryClient),
  ...shownOver(http, clientFaultsOverHttp, tryClient),
  ...shownOver('http-sse', clientFaultsOverHttp, tryClient),
  ...shownOver(
    http,
    authorizationFaults,
    ({ policy }, revision) => tryAuthorizationServer(revision, { policy: [policy] }),
    inEach(guarded),
  ),
  ...shownOver(
    http,
    proxyFaults,
    ({ policy }, revision) => tryProxy(revision, [policy]),
    inEach(withProxies),
  ),
  ...shownOver(
    http,
    [...clientCredentialsFaults, ...enterpriseFaults],
    ({ policy }, revision) => tryMachine(revision, [policy]),
    inEach(guarded),
  ),
  ...shownOver(http, dpopFaults, ({ policy }, revision) => tryBinding(revision, [policy]), inEach(guarded)),
  ...shownOver(
    http,
    dpopGateFaults,
    ({ gate }, revision) => tryProtected(revision, { gate: [gate], dpop: true }),
    inEach(guarded),
  ),
  ...shownOver(http, gateFaults, tryGate, inEach(guarded)),
  ...networkFaults.map(fault => ({
    ...fault,
    ...shownBy(fault),
    attempt: () => tryNetwork(fault),
  })),
];

/** @returns rows missing from the kill set, and extra rows; empty if the fault is killed exactly */
async function difference({ breaks, attempt }: Shown): Promise<string[]> {
  const { failed, errors } = await attempt();
  const expected = new Set<RequirementId>(breaks);
  return [
    ...breaks.filter(row => !failed.has(row)).map(row => `missing ${row}`),
    ...[...failed.keys()].filter(row => !expected.has(row)).map(row => `extra ${row}`),
    ...(errors > 0 ? [`errors ${errors}`] : []),
  ];
}

const names = process.argv.slice(2);
if (names.length === 0) {
  console.error('usage: npm run prove -- <fault or row> …, or --modern');
  process.exit(2);
}
const ofOneEra = new Set(onlyIn('modern', [...faults, ...clientFaults]).map(({ id }) => id));
const isOf = (wanted: string, { id, breaks }: Shown): boolean =>
  wanted === '--modern' ? ofOneEra.has(id) : id === wanted || breaks.some(row => row === wanted);
const chosen = all.filter(shown => names.some(name => isOf(name, shown)));
const wanted = names.find(name => !chosen.some(shown => isOf(name, shown)));
if (wanted !== undefined) {
  const row = requirements().get(wanted as RequirementId);
  if (row) {
    const [role] = rolesOf(row);
    console.error(
      role
        ? `No fault breaks the row "${wanted}". Add one to ${faultFile(row, role)}: npm run new:case -- ${wanted} prints the stub.`
        : `The row "${wanted}" binds the ${row.binds}, which this repository does not test; it needs no fault.`,
    );
    process.exit(2);
  }
  const known = new Set(all.flatMap(({ id, breaks }) => [id, ...breaks]));
  const guess = suggest(wanted, [...known]);
  console.error(`No fault or row has the name "${wanted}".${guess ? ` Did you mean ${guess}?` : ''}`);
  process.exit(2);
}

let differs = false;
const queue = [...chosen];
const worker = async (): Promise<void> => {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const began = performance.now();
    const wrong = await difference(next);
    const took = `${((performance.now() - began) / 1_000).toFixed(1)} s`;
    if (wrong.length > 0) differs = true;
    console.log([next.id, next.revision.id, next.transport, wrong.join(', ') || 'ok', took].join('  '));
  }
};
await Promise.all(Array.from({ length: 4 }, worker));
const proved = new Set(chosen.map(({ id }) => id)).size;
if (proved > 1) console.log(`${proved} faults, ${chosen.length} runs${differs ? '' : ', all exact'}`);
process.exit(differs ? 1 : 0);
