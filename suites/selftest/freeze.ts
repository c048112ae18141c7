/**
 * `npm run freeze -- <version>`: writes `spec/release.json` for a release, once, when its version is chosen. It names
 * the requirements that the release counts, and those that it only announces.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { everything } from '../../harness/judge/release.js';
import { type Grade, gradeOf } from '../../harness/judge/verdict.js';
import { requirements } from '../../spec/requirement.js';
import type { RevisionId } from '../../spec/revisions.js';

export type ReleaseSet = typeof everything;
type Counted = ReleaseSet['counted'];

/** Grades of a failure, the mildest first. */
const strictness: readonly (Grade | undefined)[] = [undefined, 'note', 'warning', 'violation'];

const file = new URL('../../spec/release.json', import.meta.url);

/** The grades of a failure by the present catalogue, without notes. */
function countedNow(): Counted {
  const all = [...requirements().values()].flatMap(row => {
    const grades = (Object.keys(row.clauses) as RevisionId[])
      .map((revision): [RevisionId, Grade] => [revision, gradeOf(row, revision, 'fail')])
      .filter(([, grade]) => grade !== 'note');
    return grades.length > 0 ? [[row.id, Object.fromEntries(grades)] as const] : [];
  });
  return Object.fromEntries(all);
}

/**
 * The set of the next release: what the last one announced counts now, and all that is new since then is announced.
 * @param now the grades of a failure by the present catalogue
 */
export function nextReleaseSet(release: string, before: ReleaseSet, now: Counted): ReleaseSet {
  const counted: Record<string, Partial<Record<RevisionId, Grade>>> = {};
  const pending: Record<string, Partial<Record<RevisionId, Grade>>> = {};
  const announced = (id: string, revision: RevisionId) =>
    Math.max(...[before.counted, before.pending].map(set => strictness.indexOf(set[id]?.[revision])));
  for (const [id, grades] of Object.entries(now))
    for (const [revision, grade] of Object.entries(grades) as [RevisionId, Grade][]) {
      const at = strictness.indexOf(grade);
      const known = before.release === null ? at : Math.min(at, announced(id, revision));
      if (known > 0) counted[id] = { ...counted[id], [revision]: strictness[known]! };
      if (known < at) pending[id] = { ...pending[id], [revision]: grade };
    }
  return { release, counted, pending };
}

function freeze(version: string | undefined): string {
  if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version))
    return 'Name the version of the release, as in: npm run freeze -- 0.2.0';
  const before = JSON.parse(readFileSync(file, 'utf8')) as ReleaseSet;
  if (before.release === version) return `spec/release.json is the set of ${version} already.`;
  const set = nextReleaseSet(version, before, countedNow());
  writeFileSync(file, `${JSON.stringify(set, null, 1)}\n`);
  const [counted, pending] = [set.counted, set.pending].map(part => Object.keys(part));
  return [
    `${version} counts ${counted!.length} requirements and announces ${pending!.length}.`,
    ...(pending!.length > 0
      ? ['Name these in CHANGELOG.md, under Verdicts:', ...pending!.map(id => `  ${id}`)]
      : []),
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(freeze(process.argv[2]));
