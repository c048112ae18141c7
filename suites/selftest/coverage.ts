/** The rows that are judged, the rules and scenarios that judge them, and the faults that prove it. */

import { judgedBy } from '../../harness/entry/traceability.js';
import { allFaults } from '../../mocks/all.js';
import type { Party } from '../../spec/json-rpc.js';
import {
  clauseIn,
  type Level,
  type Requirement,
  type RequirementId,
  requirement,
  requirements,
} from '../../spec/requirement.js';
import { definedRevisions, type RevisionId, type TransportId } from '../../spec/revisions.js';
import { suite } from '../index.js';

const binds = ({ binds }: Requirement, party: Party): boolean =>
  binds === party || (binds === 'both' && party !== 'authorization-server');

/** The reason why a row cannot be judged for a role. Authorization servers are bound only by rows that name them. */
export const whyNotFor = ({ unjudged }: Requirement, party: Party): string | undefined =>
  typeof unjudged === 'object' ? unjudged[party === 'authorization-server' ? 'server' : party] : unjudged;

const forEach = (
  idsFor: (party: Party) => readonly RequirementId[],
): Readonly<Record<Party, ReadonlySet<string>>> => {
  const isInForce = (id: RequirementId) => definedRevisions.some(r => clauseIn(requirement(id), r.id));
  const of = (party: Party) =>
    new Set(idsFor(party).filter(id => binds(requirement(id), party) && isInForce(id)));
  return { server: of('server'), client: of('client'), 'authorization-server': of('authorization-server') };
};

/** Rows that a rule or a scenario judges, by the tested role. */
export const judgedFor = forEach(party => [
  ...suite.rules.map(r => r.requirement),
  ...suite.scenarios.filter(s => s.role === party).flatMap(s => s.verifies),
]);

/** Rows that a fault breaks, by the tested role. */
export const killedFor = forEach(party => allFaults.filter(f => f.role === party).flatMap(f => f.breaks));

/** Rows that a rule or a scenario judges. */
export const judged: ReadonlySet<string> = judgedBy(suite);

/** A MAY gives a freedom: there is nothing to judge, and the behaviour is not reported. */
export const isFreedom = (row: Requirement): boolean =>
  Object.values(row.clauses).every(clause => clause.level === 'MAY');

const strong: readonly Level[] = ['MUST', 'MUST NOT'];

export interface CoverageRow {
  readonly revision: RevisionId;
  readonly level: 'MUST' | 'SHOULD';
  readonly judged: number;
  /** The number of judged rows that no fault breaks. */
  readonly unproven: number;
  readonly judgeable: number;
  readonly unjudged: number;
}

/**
 * Counts rows that bind a party over a transport, by revision and level.
 * @param extension the rows of this version of an extension; default: those of the revisions
 */
export function coverage(party: Party, transport: TransportId, extension?: string): CoverageRow[] {
  const [judged, killed] = [judgedFor[party], killedFor[party]];
  return definedRevisions
    .filter(r => r.transports.includes(transport))
    .flatMap(revision =>
      (['MUST', 'SHOULD'] as const).map(level => {
        const rows = [...requirements().values()].filter(row => {
          const clause = clauseIn(row, revision.id);
          if (!clause || clause.level === 'MAY' || clause.extension !== extension) return false;
          if (!binds(row, party)) return false;
          if (row.over && !row.over.includes(transport)) return false;
          return strong.includes(clause.level) === (level === 'MUST');
        });
        const judgeable = rows.filter(row => !whyNotFor(row, party));
        return {
          revision: revision.id,
          level,
          judged: judgeable.filter(row => judged.has(row.id)).length,
          unproven: judgeable.filter(row => judged.has(row.id) && !killed.has(row.id)).length,
          judgeable: judgeable.length,
          unjudged: rows.length - judgeable.length,
        };
      }),
    )
    .filter(row => extension === undefined || row.judgeable + row.unjudged > 0);
}
