/** Findings from the expectations of a case, for any kind of subject. */

import type { Party } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import { type Finding, inconclusive } from '../judge/finding.js';
import type { Report } from '../scenario/expect.js';
import type { Case, Suite } from './plan.js';

/** Turns the expectations of a scenario into findings. */
export const reportTo =
  ({ scenario, verifies }: Case, number: number, findings: Finding[]): Report =>
  (requirement, judgement) => {
    if (!scenario.verifies.includes(requirement))
      throw new Error(`${scenario.name} judges ${requirement} without citing it in verifies.`);
    if (verifies.includes(requirement))
      findings.push({ requirement, source: 'scenario', case: number, ...judgement });
  };

/** Finding for a bug of the suite. */
export const suiteError = (planned: Case, number: number, error: unknown): Finding => ({
  requirement: planned.verifies[0]!,
  source: 'suite',
  case: number,
  verdict: 'error',
  message: `The scenario itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  evidence: [],
});

/** Findings of a case that was not run, with the reason. */
export const notRun = (planned: Case, number: number, reason: string): Finding[] =>
  planned.verifies.map(requirement => ({
    requirement,
    source: 'suite',
    case: number,
    ...inconclusive(reason),
  }));

/**
 * Findings of a case whose generated values ended at a limit: where a scenario without such values judges the requirement
 * too, they are not observed instead of inconclusive, because a slow machine shows nothing about the subject.
 */
export const notObservedWhereOthersJudge = (
  findings: readonly Finding[],
  { scenarios }: Suite,
  role: Party,
): Finding[] =>
  findings.map(finding =>
    scenarios.some(
      scenario =>
        scenario.role === role &&
        scenario.verifies.includes(finding.requirement) &&
        !('generated' in scenario && scenario.generated),
    )
      ? { ...finding, verdict: 'none' }
      : finding,
  );

/** The requirements of a case without a finding so far, as not observed. */
export const notObserved = (
  planned: Case,
  number: number,
  reason: string,
  found: readonly Finding[],
): Finding[] =>
  planned.verifies
    .filter(requirement => !found.some(f => f.requirement === requirement))
    .map(requirement => ({
      requirement,
      source: 'scenario',
      case: number,
      verdict: 'none',
      message: reason,
      evidence: [],
    }));

/** A requirement without an observation, because the subject lacks what its cases need. */
export const notSeen = (requirement: RequirementId, number: number, message: string): Finding => ({
  requirement,
  source: 'suite',
  case: number,
  verdict: 'none',
  message,
  evidence: [],
});

/** Requirements whose cases were not planned, as not observed. */
export const notPlanned = (
  requirements: readonly RequirementId[],
  reasons: ReadonlyMap<RequirementId, string> = new Map(),
): Finding[] =>
  requirements.flatMap(requirement => {
    const reason = reasons.get(requirement);
    return reason === undefined ? [] : [notSeen(requirement, 0, reason)];
  });
