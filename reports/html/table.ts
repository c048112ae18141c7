/** The requirements of a report, each with its result in every run: the data of the grid and the outline. */

import type { Report, RunReport } from '../../harness/report/summary.js';
import {
  clauseIn,
  clauseUrl,
  placeOf,
  type RequirementId,
  requirement,
  requirements,
} from '../../spec/requirement.js';
import { rank, type Shown } from './grade-style.js';

export interface Cell {
  readonly grade: Shown;
  readonly examined: number;
  /** Reason why the requirement is not applicable, or was not observed. */
  readonly reason?: string;
}

export interface Row {
  readonly id: RequirementId;
  readonly says: string;
  readonly level: string;
  /** Page and anchor, in the newest judged revision that contains the requirement. */
  readonly place: string;
  readonly url: string;
  /**
   * One cell for each run of the report, in the same order; undefined where the requirement does not apply.
   */
  readonly cells: readonly (Cell | undefined)[];
  /** The worst grade of all cells. */
  readonly worst: Shown;
}

/** In the order of the catalogue, the same as the order of the pages of the specification. */
export function tableOf(report: Report): Row[] {
  const columns = report.runs.map(cellsOf);
  const ids = new Set(columns.flatMap(column => [...column.keys()]));
  const catalogue = [...requirements().keys()].filter(id => ids.has(id));
  return catalogue.map(id => {
    const cells = columns.map(column => column.get(id));
    const home = report.runs.find((_, i) => cells[i]) as RunReport;
    const row = requirement(id);
    const clause = clauseIn(row, home.revision) ?? Object.values(row.clauses).at(-1)!;
    const grades = cells.flatMap(cell => cell?.grade ?? []);
    return {
      id,
      says: row.says,
      level: clause.level,
      place: placeOf(clause, home.transport),
      url: clauseUrl(home.revision, clause, home.transport),
      cells,
      worst: grades.reduce((a, b) => (rank(a) <= rank(b) ? a : b)),
    };
  });
}

function cellsOf(run: RunReport): Map<RequirementId, Cell> {
  return new Map<RequirementId, Cell>([
    ...run.notApplicable.map(({ id, reason }): [RequirementId, Cell] => [
      id,
      { grade: 'notApplicable', examined: 0, reason },
    ]),
    ...run.requirements.map(({ id, grade, examined, reason }): [RequirementId, Cell] => [
      id,
      { grade, examined, ...(reason && { reason }) },
    ]),
  ]);
}
