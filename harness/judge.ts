/** Runs the rules over a record, live or stored. No clock, no I/O. */

import { clauseIn, type Requirement, requirement } from '../spec/requirement.js';
import type { Finding, Judgement } from './finding.js';
import type { Conversation } from './history.js';
import { isRunRule, type Rule, type RunRule } from './rule.js';

/** Whether a requirement is in force for the subject of this conversation. */
export function bindsIn(row: Requirement, conversation: Conversation): boolean {
  return (
    clauseIn(row, conversation.revision.id) !== undefined &&
    (row.binds === 'both' || row.binds === conversation.subject) &&
    (!row.over || row.over.includes(conversation.transport))
  );
}

/** Judges one conversation by every rule that binds there. */
export function* judgeConversation(
  conversation: Conversation,
  rules: readonly (Rule | RunRule)[],
): Generator<Finding> {
  const cases = caseIndex(conversation);
  for (const rule of rules) {
    if (isRunRule(rule) || !bindsIn(requirement(rule.requirement), conversation)) continue;
    yield* attribute(rule.requirement, rule.judge(conversation), seq => cases.get(seq));
  }
}

/** Judges by the rules that need several conversations; a rule sees those in which its requirement binds. */
export function* judgeRun(
  conversations: readonly Conversation[],
  rules: readonly (Rule | RunRule)[],
): Generator<Finding> {
  const cases = conversations.map(caseIndex);
  const find = (seq: number) => cases.map(index => index.get(seq)).find(found => found !== undefined);
  for (const rule of rules) {
    if (!isRunRule(rule)) continue;
    const binding = conversations.filter(c => bindsIn(requirement(rule.requirement), c));
    if (binding.length > 0) yield* attribute(rule.requirement, rule.judgeRun(binding), find);
  }
}

/** A finding belongs to the case that had the link when the last piece of evidence was observed. */
function* attribute(
  requirement: Finding['requirement'],
  judgements: Iterable<Judgement>,
  caseOf: (seq: number) => number | undefined,
): Generator<Finding> {
  for (const { verdict, evidence, expected, actual, message } of judgements) {
    let last = 0;
    for (const seq of evidence) if (seq > last) last = seq;
    const finding = { requirement, source: 'rule', case: caseOf(last) ?? 0, verdict, evidence } as const;
    // most are passes without a word; spelling the rest out costs twice the time
    if (expected === undefined && actual === undefined && message === undefined) yield finding;
    else
      yield {
        ...finding,
        ...(expected !== undefined && { expected }),
        ...(actual !== undefined && { actual }),
        ...(message !== undefined && { message }),
      };
  }
}

const caseIndex = (conversation: Conversation): Map<number, number> =>
  new Map(conversation.events.map(e => [e.seq, e.case]));
