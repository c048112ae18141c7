/** The revisions and transports in which the faults of the mocks are shown. */

import type { Deviation, Fault } from '../../mocks/fault.js';
import { clauseIn, type RequirementId, requirement } from '../../spec/requirement.js';
import {
  definedRevisions,
  type EraId,
  newestFirst,
  type Revision,
  type TransportId,
} from '../../spec/revisions.js';

export interface MatrixEntry {
  readonly id: string;
  readonly revision: Revision;
  /** The rows that fail, and no others. */
  readonly breaks: readonly RequirementId[];
}

/** Every fault in every revision: the whole matrix, on request. */
export const everywhere = process.env.MCP_CONFORM_ALL_REVISIONS !== undefined;

/** True for `npm run test:quick`: a test that runs in many forms runs in one. */
export const quick = process.env.MCP_CONFORM_QUICK !== undefined;

const httpHooks: readonly string[] = [
  'listens',
  'headerNames',
  'httpRequest',
  'http',
  'httpHead',
  'streamBytes',
  'block',
];

/** The socket that a deviation needs: the address or the spelling of headers shows over a socket only. */
export const socketFor = ({ middleware }: Deviation): boolean | 'started' => {
  if (middleware.some(hooks => hooks.listens)) return 'started';
  return middleware.some(hooks => hooks.headerNames);
};

/** The deviation changes only HTTP. */
export const isAboutHttp = ({ middleware }: Deviation<object>): boolean =>
  middleware.every(hooks => Object.keys(hooks).every(hook => httpHooks.includes(hook)));

/**
 * The requirements that a fault breaks in a revision over a transport; empty when the fault is not visible
 * there.
 */
export function breaksIn(
  deviation: Deviation<object>,
  revision: Revision,
  transport: TransportId,
): RequirementId[] {
  if (deviation.where && !deviation.where(revision)) return [];
  if (deviation.over && !deviation.over.includes(transport)) return [];
  if (transport === 'stdio' && isAboutHttp(deviation)) return [];
  return deviation.breaks.filter(id => {
    const row = requirement(id);
    return clauseIn(row, revision.id) && (row.over?.includes(transport) ?? true);
  });
}

/** The revisions in which a party is judged, the newest first. */
const revisionsOf = ({ role }: Deviation<object>): readonly Revision[] =>
  role === 'authorization-server' ? newestFirst() : [...definedRevisions].reverse();

/**
 * Each fault once for every set of rows it breaks over a transport, in the newest such revision of an era. A fault that
 * breaks the same rows in both eras is shown in one of them: half of these faults in each.
 */
export const faultMatrix = (faults: readonly Deviation<object>[], transport: TransportId): MatrixEntry[] =>
  faults.flatMap((fault, at) => {
    const entries = revisionsOf(fault)
      .filter(revision => revision.transports.includes(transport))
      .map(revision => ({ id: fault.id, revision, breaks: breaksIn(fault, revision, transport) }))
      .filter(({ breaks }) => breaks.length > 0);
    if (everywhere) return entries;
    const preferred = at % 2 === 0 ? entries : entries.toSorted(newerEraLast);
    return [...new Map(preferred.toReversed().map(entry => [entry.breaks.join(), entry])).values()];
  });

const newerEraLast = (one: MatrixEntry, other: MatrixEntry): number =>
  Number(one.revision.era === 'modern') - Number(other.revision.era === 'modern');

const isOfTransport = (id: RequirementId): boolean => requirement(id).over !== undefined;

/** `showings` over an HTTP transport, of the server faults that break a row of HTTP or act only through HTTP. */
export const faultMatrixOverHttp = (faults: readonly Fault[], transport: TransportId): MatrixEntry[] => {
  /** Faults that act through HTTP, or are visible over HTTP only, and break no row about transports. */
  const general = new Set(
    faults
      .filter(f => isAboutHttp(f) || (f.over && !f.over.includes('stdio')))
      .filter(f => !f.breaks.some(isOfTransport))
      .map(f => f.id),
  );
  const aboutHttp = faults.filter(
    f => general.has(f.id) || f.breaks.some(id => requirement(id).over?.some(t => t !== 'stdio')),
  );
  return faultMatrix(aboutHttp, transport).filter(
    ({ id, breaks }) => general.has(id) || breaks.some(isOfTransport),
  );
};

const overAny: readonly TransportId[] = ['stdio', 'streamable-http', 'http-sse'];

/** Whether a deviation is visible in an era; a quirk, which breaks nothing, is where it applies. */
const isIn = (era: EraId, deviation: Deviation<object>): boolean =>
  definedRevisions
    .filter(revision => revision.era === era)
    .some(revision =>
      deviation.breaks.length === 0
        ? (deviation.where?.(revision) ?? true)
        : overAny
            .filter(transport => revision.transports.includes(transport))
            .some(transport => breaksIn(deviation, revision, transport).length > 0),
    );

/** The faults, or quirks, that exist in one era only. */
export const onlyIn = <D extends Deviation<object>>(era: EraId, deviations: readonly D[]): D[] =>
  deviations.filter(one => isIn(era, one) && !isIn(era === 'modern' ? 'legacy' : 'modern', one));

/** Faults that no revision and no transport shows. */
export const idle = (
  faults: readonly Deviation<object>[],
  transports: readonly TransportId[] = overAny,
): string[] => faults.filter(f => transports.every(t => faultMatrix([f], t).length === 0)).map(f => f.id);
