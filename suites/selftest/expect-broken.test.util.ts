/** Test support: the exact rows that a fault breaks. */

import { expect } from 'vitest';
import type { RequirementId } from '../../spec/requirement.js';
import { explainFindings, type Trial } from './run-mock.js';

/** Attempts of a fault: the race that some of them win or lose does not take place on a busy machine. */
const mostAttempts = 5;

/**
 * Expects that a fault breaks exactly its rows. A row that no attempt breaks fails the test, and so does any other
 * row that one attempt breaks.
 */
export async function expectBroken(
  breaks: readonly RequirementId[],
  attempt: () => Promise<Trial>,
): Promise<Trial> {
  let trial = await attempt();
  const isMissed = () => breaks.some(row => !trial.failed.has(row));
  const hasOthers = () => [...trial.failed.keys()].some(row => !breaks.includes(row));
  for (let left = mostAttempts - 1; left > 0 && isMissed() && !hasOthers(); left--) trial = await attempt();
  const { failed, report } = trial;
  expect([...failed.keys()].sort(), explainFindings(failed.values())).toEqual([...breaks].sort());
  expect(report.summary.error).toBe(0);
  return trial;
}
