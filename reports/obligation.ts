/** The sentence of a requirement, and the reason why a failure is graded below the level of its clause. */

import type { Grade } from '../harness/judge/verdict.js';
import { type RequirementId, requirement } from '../spec/requirement.js';

export const obligationOf = (id: RequirementId): string => requirement(id).says;

/** @returns undefined if the grade corresponds to the level */
export function whyMild(
  { id, level }: { readonly id: RequirementId; readonly level: string },
  grade: Grade,
): string | undefined {
  const { contested, basis } = requirement(id);
  const ofProse = basis === 'prose' || Object.values(basis ?? {}).includes('prose');
  if (grade === 'note' && contested?.startsWith('The extension is a draft')) return `Note only. ${contested}`;
  if (grade === 'note' && contested)
    return `Note only: implementers disagree, or the text is silent. ${contested}`;
  if (grade === 'note' && level !== 'MAY')
    return 'Only a note in this release, because the requirement is new: the next release counts it (now: --pending).';
  if (grade === 'warning' && level.startsWith('MUST') && !ofProse)
    return 'Only a warning in this release: the next release counts it as a violation (now: --pending).';
  if (grade === 'warning' && level.startsWith('MUST'))
    return 'Only a warning: the specification has no MUST in capital letters for this, or its text permits another reading.';
  return undefined;
}
