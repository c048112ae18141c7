/** Passive judgement: a pure function from a recorded conversation to judgements. */

import type { RequirementId } from '../../spec/requirement.js';
import type { Conversation } from '../record/conversation.js';
import type { Judgement } from './finding.js';

export interface Rule {
  readonly requirement: RequirementId;
  /** Passes each judgement on as it is made. */
  readonly judge: (conversation: Conversation, found: (judgement: Judgement) => void) => void;
}

export interface RunRule {
  readonly requirement: RequirementId;
  readonly judgeRun: (conversations: readonly Conversation[]) => Iterable<Judgement>;
}

/**
 * Declares the judgement of a requirement on any conversation. One yield per item; no yield means not
 * observed. The runner calls the rule only where the requirement has a clause, binds the subject and covers
 * the transport.
 */
export const rule = (
  requirement: RequirementId,
  judge: (conversation: Conversation) => Iterable<Judgement>,
): Rule => ({
  requirement,
  judge(conversation, found) {
    for (const judgement of judge(conversation)) found(judgement);
  },
});

/**
 * Declares a rule for items that are judged one by one (messages, frames or responses), without a generator.
 * @param items the items to judge
 * @param judge the judgement of an item; undefined: not observed
 */
rule.each = <T>(
  requirement: RequirementId,
  items: (conversation: Conversation) => readonly T[],
  judge: (item: T, conversation: Conversation) => Judgement | undefined,
): Rule => ({
  requirement,
  judge(conversation, found) {
    for (const item of items(conversation)) {
      const judgement = judge(item, conversation);
      if (judgement) found(judgement);
    }
  },
});

/** Declares a rule that needs several conversations together. */
rule.acrossRun = (requirement: RequirementId, judgeRun: RunRule['judgeRun']): RunRule => ({
  requirement,
  judgeRun,
});

export const isRunRule = (r: Rule | RunRule): r is RunRule => 'judgeRun' in r;
