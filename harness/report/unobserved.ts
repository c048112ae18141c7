import { clauseIn, clauseUrl, type Level, type RequirementId, requirement } from '../../spec/requirement.js';
import type { RevisionId } from '../../spec/revisions.js';
import { entry } from '../grouped.js';
import type { RequirementReport } from './report.js';
import type { RevisionStart } from './run-event.js';

/** The rows of each revision and transport: every run needs most of them. */
const rows = new Map<string, Map<RequirementId, RequirementReport>>();

/** The row of a requirement without a judgement so far. */
export function unobserved(id: RequirementId, where: Where): RequirementReport {
  const ofRevision = entry(rows, `${where.revision}/${where.transport}`, () => new Map());
  return { ...entry(ofRevision, id, () => rowOf(id, where)) };
}

type Where = Pick<RevisionStart, 'revision' | 'transport'>;

function rowOf(id: RequirementId, { revision, transport }: Where): RequirementReport {
  const row = requirement(id);
  // A conversation may have negotiated another revision than the planned one; its clause is the closest to
  // cite.
  const [citing, clause] = clauseIn(row, revision)
    ? [revision, clauseIn(row, revision)!]
    : (Object.entries(row.clauses) as [RevisionId, { level: Level; place: string }][]).at(-1)!;
  return {
    id,
    level: clause.level,
    grade: 'notObserved',
    examined: 0,
    url: clauseUrl(citing, clause, transport),
  };
}
