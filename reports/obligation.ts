/** What is obliged, in a sentence; and why a failure is not as grave as the level of its clause. */

import type { Grade } from '../harness/judge/verdict.js';
import { type RequirementId, requirement } from '../spec/requirement.js';

export const sentenceOf = (id: RequirementId): string => requirement(id).says;

/** @returns undefined where the grade is just what the level says */
export function whyMild(
  { id, level }: { readonly id: RequirementId; readonly level: string },
  grade: Grade,
): string | undefined {
  const { contested } = requirement(id);
  if (grade === 'note' && contested) return `Only noted, as it is contested. ${contested}`;
  if (grade === 'warning' && level.startsWith('MUST'))
    return 'Only a warning: the specification obliges here, but not in the capital letters that bind.';
  return undefined;
}
