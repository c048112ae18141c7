/** Which rows are judged, by what, and which fault proves it. */

import type { Fault } from '../../mocks/fault.js';
import { faults } from '../../mocks/faults/index.js';
import { clauseIn, type Level, type Requirement, requirements, whyUnjudged } from '../../spec/requirement.js';
import { type RevisionId, revisions, type TransportId } from '../../spec/revisions.js';
import { suite } from '../index.js';

/** Rows some rule or scenario judges. */
export const judged: ReadonlySet<string> = new Set([
  ...suite.rules.map(r => r.requirement),
  ...suite.scenarios.flatMap(s => s.verifies),
]);

/** Rows some fault breaks. */
export const killed: ReadonlySet<string> = new Set(faults.flatMap((f: Fault) => f.breaks));

/** A MAY gives a freedom; there is nothing to judge, only something not to flag. */
export const isFreedom = (row: Requirement): boolean =>
  Object.values(row.clauses).every(clause => clause.level === 'MAY');

const strong: readonly Level[] = ['MUST', 'MUST NOT'];

export interface CoverageRow {
  readonly revision: RevisionId;
  readonly level: 'MUST' | 'SHOULD';
  readonly judged: number;
  /** Of those judged, how many no fault breaks. */
  readonly unproven: number;
  readonly judgeable: number;
  readonly unjudged: number;
}

/** Counts rows that bind a role over a transport, by revision and level. */
export function coverage(role: 'server' | 'client', transport: TransportId): CoverageRow[] {
  return revisions
    .filter(r => r.transports.includes(transport))
    .flatMap(revision =>
      (['MUST', 'SHOULD'] as const).map(level => {
        const rows = [...requirements().values()].filter(row => {
          const clause = clauseIn(row, revision.id);
          if (!clause || clause.level === 'MAY') return false;
          if (row.binds !== role && row.binds !== 'both') return false;
          if (row.over && !row.over.includes(transport)) return false;
          return strong.includes(clause.level) === (level === 'MUST');
        });
        const judgeable = rows.filter(row => !whyUnjudged(row, role));
        return {
          revision: revision.id,
          level,
          judged: judgeable.filter(row => judged.has(row.id)).length,
          unproven: judgeable.filter(row => judged.has(row.id) && !killed.has(row.id)).length,
          judgeable: judgeable.length,
          unjudged: rows.length - judgeable.length,
        };
      }),
    );
}
