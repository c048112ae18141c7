/** The pairs of transports and the revisions in which a deviation of the gateway is shown. */

import type { GatewayDeviation } from '../../mocks/gateway/fault.js';
import { clauseIn, type RequirementId, requirement } from '../../spec/requirement.js';
import {
  definedRevisions,
  latestRevision,
  latestStateless,
  type Revision,
  type TransportId,
} from '../../spec/revisions.js';
import type { GatewayPair } from './run-mock-gateway.js';

const transports: readonly TransportId[] = ['stdio', 'streamable-http'];

export const allPairs: readonly Pick<GatewayPair, 'front' | 'back'>[] = transports.flatMap(front =>
  transports.map(back => ({ front, back })),
);

/** Where a deviation is visible: all pairs of the newest revision of each era. */
function pairsOf({ breaks, where = () => true, over, behind, translation }: GatewayDeviation): GatewayPair[] {
  const holds = (revision: Revision) =>
    breaks.length === 0 ||
    [revision.id, ...(translation ? [latestStateless.id] : [])].some(id =>
      breaks.some(row => clauseIn(requirement(row), id) !== undefined),
    );
  const of = translation && { behind: latestStateless.id };
  return allPairs
    .filter(({ front, back }) => (over?.includes(front) ?? true) && (behind?.includes(back) ?? true))
    .flatMap(pair =>
      [latestRevision, latestStateless]
        .filter(revision => definedRevisions.includes(revision) && where(revision) && holds(revision))
        .map(revision => ({ ...pair, revision: revision.id, ...of })),
    );
}

/** One pair for each era, in turns: each pair is shown by some of the deviations. */
export function pairsFor(deviation: GatewayDeviation): GatewayPair[] {
  const all = pairsOf(deviation);
  const start = [...deviation.id].reduce((sum, c) => sum + c.charCodeAt(0), 0);
  return [latestRevision.id, latestStateless.id].flatMap((revision, era) => {
    const own = all.filter(pair => pair.revision === revision);
    return own.length === 0 ? [] : [own[(start + era) % own.length]!];
  });
}

/** The requirements that a deviation breaks in a run: those with a clause, over one of its transports. */
export const breaksIn = (
  { breaks }: GatewayDeviation,
  { front, back, revision, behind }: GatewayPair,
): RequirementId[] =>
  breaks.filter(id => {
    const row = requirement(id);
    return (
      row.clauses[(row.binds === 'client' && behind) || revision] !== undefined &&
      (!row.over || row.over.includes(row.binds === 'client' ? back : front))
    );
  });
