/**
 * The requirements that a release counts. A requirement that is new, or that has become stricter, is pending in the
 * first release that has it: its failures are notes, so that an upgrade fails no build without notice.
 */

import { readFileSync } from 'node:fs';
import type { Requirement } from '../../spec/requirement.js';
import type { RevisionId } from '../../spec/revisions.js';
import { type Grade, gradeOf, type Verdict } from './verdict.js';

/** Grades of a failure that a release counts, by requirement and revision. */
type Counted = Readonly<Record<string, Partial<Record<RevisionId, Grade>>>>;

/** Data of `spec/release.json`, which `npm run freeze` writes for each release. */
interface ReleaseSet {
  /** The release for which the set was written; null before the first one. */
  readonly release: string | null;
  readonly counted: Counted;
  /** In this release for the first time; the next release counts them. */
  readonly pending: Counted;
}

let loaded: ReleaseSet | undefined;

function releaseSet(): ReleaseSet {
  loaded ??= JSON.parse(
    readFileSync(new URL('../../spec/release.json', import.meta.url), 'utf8'),
  ) as ReleaseSet;
  return loaded;
}

/** Grades of a failure, the mildest first. */
const strictness: readonly (Grade | undefined)[] = [undefined, 'note', 'warning', 'violation'];

/** As before the first release. */
export const everything: ReleaseSet = { release: null, counted: {}, pending: {} };

/** The grade of a verdict in a release: of a failure at most the one that the release counts. */
export function gradeInRelease(
  row: Requirement,
  revision: RevisionId,
  verdict: Verdict,
  set?: ReleaseSet,
): Grade {
  const grade = gradeOf(row, revision, verdict);
  const at = strictness.indexOf(grade);
  if (at < 2) return grade;
  const { release, counted } = set ?? releaseSet();
  if (release === null) return grade;
  const most = strictness.indexOf(counted[row.id]?.[revision]);
  return at <= most ? grade : (strictness[Math.max(most, 1)] ?? grade);
}
