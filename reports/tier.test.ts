/** The form of the official suite's tier check. */

import { expect, test } from 'vitest';
import type { Finding } from '../harness/judge/finding.js';
import { officialScenarios } from '../harness/report/expected-failures.js';
import type { RunEvent } from '../harness/report/run-event.js';
import type { RequirementId } from '../spec/requirement.js';
import { definedRevisions } from '../spec/revisions.js';
import { runEnd, runStart, written } from './samples.test.util.js';
import { type TierResult, tier } from './tier.js';

const { id: revision } = definedRevisions.at(-1)!;
const requirements = [
  'caching.hints-on-cacheable-results',
  'completion.max-100-values',
  'tools.name-length',
] as RequirementId[];

const finding = (requirement: string, verdict: Finding['verdict']): RunEvent => ({
  kind: 'finding',
  finding: {
    requirement: requirement as RequirementId,
    source: 'rule',
    case: 0,
    verdict,
    evidence: [],
    ...(verdict === 'fail' && { expected: ['a whole number'], actual: '1.5' }),
  },
});

function result(findings: readonly RunEvent[]): TierResult {
  const start: RunEvent = {
    kind: 'revision-start',
    revision,
    transport: 'stdio',
    info: null,
    capabilities: {},
    offers: [revision],
    planned: 0,
    requirements,
    notApplicable: [],
  };
  const end: RunEvent = { kind: 'revision-end', revision, transport: 'stdio', durationMs: 1 };
  return JSON.parse(written(tier, [runStart(), start, ...findings, end, runEnd(0)]));
}

test('a scenario passes when a requirement of it holds and none is violated', () => {
  const told = result([finding('completion.max-100-values', 'pass'), finding(requirements[0]!, 'fail')]);
  expect(told).toMatchObject({ status: 'fail', pass_rate: 0.5, passed: 1, failed: 1, total: 2 });
  const scenarios = Object.fromEntries(told.details.map(d => [d.scenario, d]));
  expect(scenarios['completion-complete']).toMatchObject({
    passed: true,
    checks_passed: 1,
    checks_failed: 0,
  });
  expect(scenarios.caching).toMatchObject({ passed: false, checks_failed: 1 });
  expect(scenarios.caching!.checks[0]).toMatchObject({
    id: requirements[0],
    status: 'FAILURE',
    errorMessage: 'expected a whole number, got 1.5',
  });
});

test('a scenario of which nothing was judged is not scored', () => {
  const told = result([finding('completion.max-100-values', 'pass')]);
  expect(told).toMatchObject({ status: 'pass', pass_rate: 1, passed: 1, failed: 0, total: 1 });
  expect(told.not_scored.total).toBe(told.details.length - 1);
  expect(told.details.every(d => officialScenarios('server').includes(d.scenario))).toBe(true);
});

test('a run without a verdict has its reason as the error', () => {
  const unjudged = { reason: 'It exited.', details: [] };
  const told = JSON.parse(written(tier, [runStart(), runEnd(3, { unjudged })]));
  expect(told).toMatchObject({ status: 'fail', total: 0, error: 'It exited.', details: [] });
});
