/** Test support: the exact rows that a fault breaks, and quirks that break none. */

import { expect } from 'vitest';
import type { Grade } from '../../harness/judge/verdict.js';
import type { RequirementId } from '../../spec/requirement.js';
import { explainFindings, inIsolation, type Trial } from './run-mock.js';

/** Attempts of a fault: the race that some of them win or lose does not take place on a busy machine. */
const mostAttempts = 5;

/** So many of the attempts run beside other trials. */
const besideOthers = 2;

/**
 * Expects that a fault breaks exactly its rows. A row that no attempt breaks fails the test, and so does any other
 * row that one attempt breaks.
 * @param attempts at most
 */
export async function expectBroken(
  breaks: readonly RequirementId[],
  attempt: () => Promise<Trial>,
  attempts = mostAttempts,
): Promise<Trial> {
  let trial = await attempt();
  const isMissed = () => breaks.some(row => !trial.failed.has(row));
  const hasOthers = () => [...trial.failed.keys()].some(row => !breaks.includes(row));
  for (let made = 1; made < attempts && isMissed() && !hasOthers(); made++)
    trial = await (made < besideOthers ? attempt() : inIsolation(attempt));
  const { failed, report } = trial;
  expect([...failed.keys()].sort(), explainFindings(failed.values())).toEqual([...breaks].sort());
  expect(report.summary.error).toBe(0);
  return trial;
}

/** Expects a judged run without violation and error. @param others grades that the run does not have either */
export function expectLegal({ report }: Trial, ...others: Grade[]): void {
  const grades: readonly Grade[] = ['violation', 'error', ...others];
  const wrong = report.runs.flatMap(r => r.findings).filter(f => grades.includes(f.grade));
  expect(wrong.map(f => `${f.requirement}: ${f.actual ?? f.message}`)).toEqual([]);
  expect(report.unjudged).toBeNull();
}
