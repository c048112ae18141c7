/** Runs the rules over a record, live or stored. No clock, no I/O. */

import { clauseIn, type Requirement, type RequirementId, requirement } from '../../spec/requirement.js';
import type { Conversation } from '../record/conversation.js';
import type { Event } from '../record/event.js';
import type { Starved } from '../time/clock.js';
import { excused, type Finding, inconclusive, type Judgement } from './finding.js';
import { isRunRule, type Rule, type RunRule } from './rule.js';

/** Whether a requirement is in force for the subject of this conversation. */
export function bindsIn(row: Requirement, conversation: Conversation): boolean {
  return (
    clauseIn(row, conversation.revision.id) !== undefined &&
    ((row.binds === 'both' && conversation.party !== 'authorization-server') ||
      row.binds === conversation.party) &&
    (!row.over || row.over.includes(conversation.transport))
  );
}

/** Judges one conversation by every rule that binds there. */
export function judgeConversation(conversation: Conversation, rules: readonly (Rule | RunRule)[]): Finding[] {
  const findings: Finding[] = [];
  judgeEach(conversation, rules, finding => findings.push(finding));
  return findings;
}

/**
 * The same, each finding handed over as it is made: there are several for each message, and a list of all, or a generator
 * in between, costs as much as a good part of the rules.
 * @param found is not to throw: that would be taken for a failure of the rule
 */
export function judgeEach(
  conversation: Conversation,
  rules: readonly (Rule | RunRule)[],
  found: (finding: Finding) => void,
): void {
  const cases = caseIndex(conversation.events);
  const excuses = new StarvationExcuse([conversation]);
  for (const rule of bindingRules(conversation, rules)) {
    const id = rule.requirement;
    try {
      rule.judge(conversation, judgement => found(toFinding(id, excuses.look(judgement), cases)));
    } catch (error) {
      found(toFinding(id, trouble(error), cases));
    }
  }
}

/** Rules that judge this subject: what is said of authorization holds only where a server asks for it in this way. */
export function rulesInForce(
  rules: readonly (Rule | RunRule)[],
  notApplicable: readonly { readonly id: RequirementId }[],
): readonly (Rule | RunRule)[] {
  const out = new Set(notApplicable.map(n => n.id).filter(id => requirement(id).needs === 'authorization'));
  return out.size === 0 ? rules : rules.filter(rule => !out.has(rule.requirement));
}

const bindingCache = new WeakMap<readonly (Rule | RunRule)[], Map<string, readonly Rule[]>>();

/** The rules in force, looked up once for each kind of conversation. */
function bindingRules(conversation: Conversation, rules: readonly (Rule | RunRule)[]): readonly Rule[] {
  const kinds = bindingCache.get(rules) ?? new Map<string, readonly Rule[]>();
  bindingCache.set(rules, kinds);
  const kind = `${conversation.revision.id} ${conversation.party} ${conversation.transport}`;
  const found =
    kinds.get(kind) ??
    rules.filter((r): r is Rule => !isRunRule(r) && bindsIn(requirement(r.requirement), conversation));
  kinds.set(kind, found);
  return found;
}

/** Judges by the rules that need several conversations; a rule sees those in which its requirement binds. */
export function* judgeRun(
  conversations: readonly Conversation[],
  rules: readonly (Rule | RunRule)[],
): Generator<Finding> {
  const cases = caseIndex(conversations.flatMap(c => c.events));
  for (const rule of rules) {
    const id = rule.requirement;
    if (!isRunRule(rule)) continue;
    const binding = conversations.filter(c => bindsIn(requirement(id), c));
    if (binding.length === 0) continue;
    const excuses = new StarvationExcuse(binding);
    try {
      for (const judgement of rule.judgeRun(binding)) yield toFinding(id, excuses.look(judgement), cases);
    } catch (error) {
      yield toFinding(id, trouble(error), cases);
    }
  }
}

/**
 * A rule that throws takes nobody with it. Values nested deeper than the stack of this process are legal JSON, and
 * nothing can be said about them; anything else is a bug of the suite.
 */
function trouble(error: unknown): Judgement {
  return error instanceof RangeError
    ? inconclusive('a message is nested too deep to be judged')
    : { verdict: 'error', message: `the rule failed: ${String(error)}`, evidence: [] };
}

/** Waits for which the machine left no time: what only they show is no failure. */
class StarvationExcuse {
  private readonly starved = new Map<number, Starved>();

  constructor(conversations: readonly Conversation[]) {
    for (const conversation of conversations)
      for (const { seq, starved, ...event } of [
        ...conversation.eventsOf('deadline'),
        ...conversation.eventsOf('quiet'),
      ]) {
        if (!starved) continue;
        this.starved.set(seq, starved);
        // what our end did not wait for any longer
        if (event.kind === 'deadline' && event.label === 'idle')
          for (const closing of conversation.eventsOf('closing')) this.starved.set(closing.seq, starved);
      }
  }

  look(judgement: Judgement): Judgement {
    if (this.starved.size === 0 || judgement.verdict !== 'fail') return judgement;
    const excuse = judgement.evidence.find(seq => this.starved.has(seq));
    return excuse === undefined ? judgement : excused(judgement, this.starved.get(excuse)!);
  }
}

/** A finding belongs to the case that had the link when the last piece of evidence was observed. */
function toFinding(requirement: Finding['requirement'], judgement: Judgement, caseAt: CaseIndex): Finding {
  const { verdict, evidence } = judgement;
  let last = 0;
  for (let i = 0; i < evidence.length; i++) if (evidence[i]! > last) last = evidence[i]!;
  const finding: Finding = { requirement, source: 'rule', case: caseAt(last), verdict, evidence };
  // most are passes without a word; copying the rest costs twice the time
  return verdict === 'pass' && judgement.message === undefined ? finding : { ...finding, ...judgement };
}

type CaseIndex = (seq: number) => number;

/** Numbers of events lie close together, so that a list serves better than a map; but for records put together by hand. */
function caseIndex(events: readonly Event[]): CaseIndex {
  let [first, last] = [events[0]?.seq ?? 0, 0];
  for (const { seq } of events) [first, last] = [Math.min(first, seq), Math.max(last, seq)];
  if (last - first > 1_000_000) {
    const byNumber = new Map(events.map(event => [event.seq, event.case]));
    return seq => byNumber.get(seq) ?? 0;
  }
  const cases = new Uint32Array(Math.max(0, last - first) + 1);
  for (const event of events) cases[event.seq - first] = event.case;
  return seq => cases[seq - first] ?? 0;
}
