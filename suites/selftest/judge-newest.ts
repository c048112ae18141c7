/**
 * Judges the mock in the newest revision, without faults and with each fault named on the command line; prints one JSON
 * object. For `next-revision.test.ts`, which runs it in a copy of the project with one more revision.
 */

import { definedRevisions } from '../../spec/revisions.js';
import { tryMock } from './run-mock.js';

/** The outcome of a run in the newest revision. */
export interface Outcome {
  readonly revision: string;
  readonly requirementsJudged: number;
  /** Failures, as `grade id`. */
  readonly failures: readonly string[];
}

const revision = definedRevisions.at(-1)!;
const outcomes: Record<string, Outcome> = {};
for (const fault of ['none', ...process.argv.slice(2)]) {
  const { report } = await tryMock(revision, { faults: fault === 'none' ? [] : [fault] });
  const failures = report.runs.flatMap(r => r.findings).map(f => `${f.grade} ${f.requirement}`);
  outcomes[fault] = {
    revision: report.runs[0]!.revision,
    requirementsJudged: report.summary.requirementsJudged,
    failures: [...new Set(failures)].sort(),
  };
}
console.log(JSON.stringify(outcomes));
process.exit(0);
