/**
 * The result in the form that the tier check of the official suite makes of its runs: scenarios of that suite, each
 * with the requirements of mcp-conform that belong to it (`spec/official-suite.json`) as its checks.
 */

import type { Grade } from '../harness/judge/verdict.js';
import { officialScenarios, requirementsOf } from '../harness/report/expected-failures.js';
import { fits } from '../harness/report/pattern.js';
import type { Report, RequirementReport, RunReport } from '../harness/report/report.js';
import { requirement } from '../spec/requirement.js';
import { atRunEnd } from './at-run-end.js';
import { safeJson, visible } from './escape.js';
import type { ReporterFactory } from './reporter.js';

/** A result of the official suite, as in `checks.json`. */
interface Check {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly timestamp: string;
  readonly specReferences: readonly { readonly id: string; readonly url: string }[];
  readonly errorMessage?: string;
}

/** A scenario in the result of a tier check. */
export interface TierDetail {
  readonly scenario: string;
  readonly passed: boolean;
  readonly checks_passed: number;
  readonly checks_failed: number;
  readonly revision: string;
  /** Why it does not count: nothing of it was judged. */
  readonly notScoredReason?: string;
  readonly checks: readonly Check[];
}

/** The members `conformance` and `client_conformance` of a tier check. */
export interface TierResult {
  readonly status: 'pass' | 'partial' | 'fail' | 'skipped';
  readonly pass_rate: number;
  readonly passed: number;
  readonly failed: number;
  readonly total: number;
  readonly not_scored: { readonly total: number; readonly failed: number };
  readonly error?: string;
  readonly role: 'server' | 'client';
  readonly timestamp: string;
  readonly details: readonly TierDetail[];
}

export const tier: ReporterFactory = ({ out }) =>
  atRunEnd(({ report }) => out.write(`${safeJson(tierResult(report), 2)}\n`));

const statuses: Readonly<Record<Grade, Check['status']>> = {
  pass: 'SUCCESS',
  violation: 'FAILURE',
  knownFailing: 'FAILURE',
  warning: 'WARNING',
  note: 'INFO',
  inconclusive: 'SKIPPED',
  notObserved: 'SKIPPED',
  error: 'SKIPPED',
};

/** Share of passing scenarios from which the official suite calls a result partial. */
const partialFrom = 0.8;

function tierResult(report: Report): TierResult {
  const details = report.runs.flatMap(run => detailsOf(run, report));
  const scored = details.filter(d => d.notScoredReason === undefined);
  const passed = scored.filter(d => d.passed).length;
  const total = scored.length;
  const rate = total > 0 ? passed / total : 0;
  const reason = report.unjudged?.reason ?? report.stopped;
  return {
    status: rate >= 1 ? 'pass' : rate >= partialFrom ? 'partial' : 'fail',
    pass_rate: rate,
    passed,
    failed: total - passed,
    total,
    not_scored: { total: details.length - total, failed: 0 },
    ...(reason !== undefined && { error: visible(reason) }),
    role: roleOf(report),
    timestamp: report.startedAt,
    details,
  };
}

const roleOf = ({ role }: Report): 'server' | 'client' => (role === 'client' ? 'client' : 'server');

function detailsOf(run: RunReport, report: Report): TierDetail[] {
  const role = roleOf(report);
  return officialScenarios(role).flatMap((scenario): TierDetail[] => {
    const patterns = requirementsOf(scenario, role) ?? [];
    const rows = run.requirements.filter(({ id }) => patterns.some(pattern => fits(pattern, id)));
    if (rows.length === 0) return [];
    const checks = rows.map(row => checkOf(row, run, report));
    const count = (status: Check['status']) => checks.filter(c => c.status === status).length;
    const [good, bad] = [count('SUCCESS'), count('FAILURE')];
    return [
      {
        scenario,
        passed: good > 0 && bad === 0,
        checks_passed: good,
        checks_failed: bad,
        revision: run.revision,
        ...(good + bad === 0 && { notScoredReason: 'no requirement of the scenario was judged' }),
        checks,
      },
    ];
  });
}

function checkOf({ id, grade, url, reason }: RequirementReport, run: RunReport, report: Report): Check {
  const { says } = requirement(id);
  const status = statuses[grade];
  const finding = run.findings.find(f => f.requirement === id && f.grade === grade);
  const told =
    finding?.message ??
    (finding &&
      `expected ${finding.expected.join(' or ')}${finding.actual ? `, got ${finding.actual}` : ''}`) ??
    reason;
  return {
    id,
    name: id,
    description: says,
    status,
    timestamp: report.startedAt,
    specReferences: [{ id: url.split('#')[1] ?? id, url }],
    ...(status !== 'SUCCESS' && told !== undefined && { errorMessage: visible(told) }),
  };
}
