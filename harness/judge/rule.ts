/** Passive judgement: a pure function from a recorded conversation to judgements. */

import type { RequirementId } from '../../spec/requirement.js';
import type { Conversation } from '../record/conversation.js';
import type { Judgement } from './finding.js';

export interface Rule {
  readonly requirement: RequirementId;
  /** Hands over each judgement as it is made. */
  readonly judge: (conversation: Conversation, found: (judgement: Judgement) => void) => void;
}

export interface RunRule {
  readonly requirement: RequirementId;
  readonly judgeRun: (conversations: readonly Conversation[]) => Iterable<Judgement>;
}

/**
 * Declares how a requirement is judged on any conversation. One yield per subject matter met; no yield, nothing observed.
 * The runner calls it only where the requirement has a clause, binds the subject and covers the transport.
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
 * The same for what is said of each message, frame or answer by itself, which needs no generator.
 * @param items what it looks at
 * @param judge what it says of one; undefined: nothing was observed
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

/** The same for what only several conversations together can show. */
rule.acrossRun = (requirement: RequirementId, judgeRun: RunRule['judgeRun']): RunRule => ({
  requirement,
  judgeRun,
});

export const isRunRule = (r: Rule | RunRule): r is RunRule => 'judgeRun' in r;
