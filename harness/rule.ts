/** Passive judgement: a pure function from a recorded conversation to judgements. */

import type { RequirementId } from '../spec/requirement.js';
import type { Judgement } from './finding.js';
import type { Conversation } from './history.js';

export interface Rule {
  readonly requirement: RequirementId;
  readonly judge: (conversation: Conversation) => Iterable<Judgement>;
}

export interface RunRule {
  readonly requirement: RequirementId;
  readonly judgeRun: (conversations: readonly Conversation[]) => Iterable<Judgement>;
}

/**
 * Declares how a requirement is judged on any conversation. One yield per subject matter met; no yield, nothing observed.
 * The runner calls it only where the requirement has a clause, binds the subject and covers the transport.
 */
export const rule = (requirement: RequirementId, judge: Rule['judge']): Rule => ({ requirement, judge });

/** The same for what only several conversations together can show. */
rule.acrossRun = (requirement: RequirementId, judgeRun: RunRule['judgeRun']): RunRule => ({
  requirement,
  judgeRun,
});

export const isRunRule = (r: Rule | RunRule): r is RunRule => 'judgeRun' in r;
