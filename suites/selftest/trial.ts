/** Test support: the whole suite against the mock in this process. */

import type { Finding } from '../../harness/finding.js';
import type { Timing } from '../../harness/link.js';
import { run } from '../../harness/run.js';
import { inProcess } from '../../harness/subject.js';
import { type Report, Summary } from '../../harness/summary.js';
import { type MockServerOptions, mockServer } from '../../mocks/server.js';
import type { RequirementId } from '../../spec/requirement.js';
import type { Revision } from '../../spec/revisions.js';
import { suite } from '../index.js';

/** Answers come at once or never here; a late timer first looks at what has arrived (harness/wait.ts). */
const timing: Timing = { answer: 400, exit: 250, quiet: 20 };

export interface Trial {
  readonly report: Report;
  /** Requirements with at least one failed judgement, whatever its grade, with what failed. */
  readonly failed: ReadonlyMap<RequirementId, Finding>;
  readonly findings: readonly Finding[];
}

/** Runs everything under one revision. */
export async function tryMock(
  revision: Revision,
  options: Omit<MockServerOptions, 'revisions'> & { fixtures?: boolean } = {},
): Promise<Trial> {
  const { fixtures = true, ...mock } = options;
  const summary = new Summary();
  const findings: Finding[] = [];
  const failed = new Map<RequirementId, Finding>();
  const events = run({
    subject: inProcess(streams => mockServer({ delayMs: 2, ...mock }).serve(streams)),
    suite,
    revision,
    fixtures,
    jobs: 16,
    timing,
  });
  for await (const event of events) {
    summary.add(event);
    if (event.kind !== 'finding') continue;
    findings.push(event.finding);
    if (event.finding.verdict === 'fail') failed.set(event.finding.requirement, event.finding);
  }
  return { report: summary.report(), failed, findings };
}

/** What a person needs to see why a self-test failed. */
export const explainFindings = (findings: Iterable<Finding>): string =>
  [...findings]
    .map(
      f =>
        `${f.verdict} ${f.requirement}: expected ${f.expected?.join(' or ') ?? '–'}, got ${f.actual ?? '–'}; ${f.message ?? ''}`,
    )
    .join('\n');
