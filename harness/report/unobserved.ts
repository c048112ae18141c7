import { clauseIn, clauseUrl, type Level, type RequirementId, requirement } from '../../spec/requirement.js';
import type { RevisionId } from '../../spec/revisions.js';
import { entry } from '../grouped.js';
import type { RequirementReport } from './report.js';

/** The rows of each revision: every run needs most of them. */
const rows = new Map<RevisionId, Map<RequirementId, RequirementReport>>();

/** The row of a requirement without a judgement so far. */
export function unobserved(id: RequirementId, revision: RevisionId): RequirementReport {
  const ofRevision = entry(rows, revision, () => new Map());
  return { ...entry(ofRevision, id, () => rowOf(id, revision)) };
}

function rowOf(id: RequirementId, revision: RevisionId): RequirementReport {
  const row = requirement(id);
  // A conversation may have negotiated another revision than the planned one; its clause is the closest to
  // cite.
  const [citing, clause] = clauseIn(row, revision)
    ? [revision, clauseIn(row, revision)!]
    : (Object.entries(row.clauses) as [RevisionId, { level: Level; place: string }][]).at(-1)!;
  return { id, level: clause.level, grade: 'notObserved', examined: 0, url: clauseUrl(citing, clause) };
}
