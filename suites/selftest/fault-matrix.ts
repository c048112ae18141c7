/** The revisions and transports in which the faults of the mocks are shown. */

import { breaksIn, type Deviation, type Fault, isAboutHttp } from '../../mocks/fault.js';
import { type RequirementId, requirement } from '../../spec/requirement.js';
import { newestFirst, type Revision, type TransportId } from '../../spec/revisions.js';

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

/** Each fault once for every set of rows it breaks over a transport, in the newest such revision. */
export const faultMatrix = (faults: readonly Deviation<object>[], transport: TransportId): MatrixEntry[] =>
  faults.flatMap(fault => {
    const seen = new Set<string>();
    return newestFirst()
      .filter(revision => revision.transports.includes(transport))
      .map(revision => ({ id: fault.id, revision, breaks: breaksIn(fault, revision, transport) }))
      .filter(({ breaks }) => breaks.length > 0)
      .filter(({ breaks }) => everywhere || (!seen.has(breaks.join()) && seen.add(breaks.join())));
  });

const isOfTransport = (id: RequirementId): boolean => requirement(id).over !== undefined;

/** `showings` over an HTTP transport, of the server faults that break a row of HTTP or act only through HTTP. */
export const faultMatrixOverHttp = (faults: readonly Fault[], transport: TransportId): MatrixEntry[] => {
  /** Faults that act through HTTP and break no row about transports. */
  const general = new Set(faults.filter(f => isAboutHttp(f) && !f.breaks.some(isOfTransport)).map(f => f.id));
  const aboutHttp = faults.filter(
    f => general.has(f.id) || f.breaks.some(id => requirement(id).over?.some(t => t !== 'stdio')),
  );
  return faultMatrix(aboutHttp, transport).filter(
    ({ id, breaks }) => general.has(id) || breaks.some(isOfTransport),
  );
};

/** Faults that no revision and no transport shows. */
export const idle = (
  faults: readonly Deviation<object>[],
  transports: readonly TransportId[] = ['stdio', 'streamable-http', 'http-sse'],
): string[] => faults.filter(f => transports.every(t => faultMatrix([f], t).length === 0)).map(f => f.id);
