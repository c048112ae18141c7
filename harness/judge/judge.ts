/** Runs the rules over a record, live or stored, without clock and I/O. */

import { clauseIn, type Requirement, type RequirementId, requirement } from '../../spec/requirement.js';
import { entry } from '../grouped.js';
import type { Conversation } from '../record/conversation.js';
import type { Event } from '../record/event.js';
import { HeapGrowth } from '../record/large-garbage.js';
import { isPortTaken } from '../record/port-taken.js';
import type { Starved } from '../time/clock.js';
import { excused, type Finding, inconclusive, type Judgement, unjudged } from './finding.js';
import { isRateLimit, rateLimited } from './rate-limit.js';
import { isRunRule, type Rule, type RunRule } from './rule.js';

/** Whether a requirement applies to the subject of this conversation. */
export function bindsIn(
  row: Requirement,
  { party, revision, transport }: Pick<Conversation, 'party' | 'revision' | 'transport'>,
): boolean {
  return (
    clauseIn(row, revision.id) !== undefined &&
    (row.binds === party || (row.binds === 'both' && party !== 'authorization-server')) &&
    (!row.over || row.over.includes(transport))
  );
}

/** Judges one conversation by every rule that applies. */
export function judgeConversation(conversation: Conversation, rules: readonly (Rule | RunRule)[]): Finding[] {
  const findings: Finding[] = [];
  judgeEach(conversation, rules, finding => findings.push(finding));
  return findings;
}

/**
 * Like `judgeConversation`, but passes each finding on at once: there are several per message, and a list of
 * all findings, or a generator, costs as much time as a large part of the rules.
 * @param found must not throw: an exception would count as a failure of the rule
 */
export function judgeEach(
  conversation: Conversation,
  rules: readonly (Rule | RunRule)[],
  found: (finding: Finding) => void,
): void {
  // the harness holds the port in another conversation
  if (isPortTaken(conversation)) return;
  const cases = caseIndex(conversation.events);
  const excuses = new Excuses([conversation]);
  const heap = charactersOf(conversation) > largeConversation ? new HeapGrowth() : undefined;
  for (const rule of bindingIn(conversation, rules).rules) {
    const id = rule.requirement;
    heap?.collect(() => conversation.forgetDerived());
    const passes = new JoinedPasses(id, found);
    try {
      rule.judge(conversation, judgement => {
        if (isPassOnly(judgement)) passes.add(judgement, caseOf(judgement, cases));
        else found(excuses.look(toFinding(id, judgement, cases)));
      });
    } catch (error) {
      found(toFinding(id, trouble(error), cases));
    }
    passes.end();
  }
}

/** Nearly all judgements are passes without a message. */
const isPassOnly = ({ verdict, message }: Judgement): boolean => verdict === 'pass' && message === undefined;

/** Joins the passes of a rule in a case: a finding for each of them would cost as much time as the rules. */
class JoinedPasses {
  private case = 0;
  private times = 0;
  /** Each event once: a list of 10,000 tools is one message. */
  private evidence = new Set<number>();

  constructor(
    private readonly requirement: RequirementId,
    private readonly found: (finding: Finding) => void,
  ) {}

  add({ evidence }: Judgement, number: number): void {
    if (number !== this.case) {
      this.end();
      this.case = number;
    }
    this.times++;
    for (const seq of evidence) this.evidence.add(seq);
  }

  /** Reports what has been joined so far. */
  end(): void {
    const { requirement, times } = this;
    if (times === 0) return;
    const evidence = [...this.evidence];
    const finding: Finding = { requirement, source: 'rule', case: this.case, verdict: 'pass', evidence };
    this.found(times > 1 ? { ...finding, times } : finding);
    this.times = 0;
    this.evidence.clear();
  }
}

/**
 * Conversations of this size (characters) are judged with a limit for the memory of derived values and of garbage: the
 * derived values are dropped then, and computed again by the next rule that needs them.
 */
const largeConversation = 8 * 2 ** 20;

const charactersOf = (conversation: Conversation): number =>
  conversation.eventsOf('frame').reduce((sum, { text }) => sum + text.length, 0);

/**
 * Rules that apply to this subject: requirements on authorization apply only where a server uses MCP
 * authorization.
 */
export function rulesInForce(
  rules: readonly (Rule | RunRule)[],
  notApplicable: readonly { readonly id: RequirementId }[],
): readonly (Rule | RunRule)[] {
  const out = new Set(notApplicable.map(n => n.id).filter(id => requirement(id).needs === 'authorization'));
  if (out.size === 0) return rules;
  const selections = selectionCache.get(rules) ?? new Map<string, readonly (Rule | RunRule)[]>();
  selectionCache.set(rules, selections);
  return entry(selections, [...out].join(' '), () => rules.filter(rule => !out.has(rule.requirement)));
}

/** The rules in force by the requirements that are not, so that the rules of each kind of conversation are found once. */
const selectionCache = new WeakMap<readonly (Rule | RunRule)[], Map<string, readonly (Rule | RunRule)[]>>();

/** What binds the party of a kind of conversation. */
interface Binding {
  readonly rules: readonly Rule[];
  /** Of these rules, and of those that need several conversations; sorted. */
  readonly requirements: readonly RequirementId[];
}

const bindingCache = new WeakMap<readonly (Rule | RunRule)[], Map<string, Binding>>();

/** The rules that bind the party of a conversation, found once for each kind of conversation. */
function bindingIn(conversation: Conversation, rules: readonly (Rule | RunRule)[]): Binding {
  const kinds = bindingCache.get(rules) ?? new Map<string, Binding>();
  bindingCache.set(rules, kinds);
  return entry(kinds, `${conversation.revision.id} ${conversation.party} ${conversation.transport}`, () => {
    const all = rules.filter(r => bindsIn(requirement(r.requirement), conversation));
    return {
      rules: all.filter((r): r is Rule => !isRunRule(r)),
      requirements: [...new Set(all.map(r => r.requirement))].sort(),
    };
  });
}

/** The requirements that bind the party of a conversation and are judged by these rules, sorted. */
export const requirementsIn = (
  conversation: Conversation,
  rules: readonly (Rule | RunRule)[],
): readonly RequirementId[] => bindingIn(conversation, rules).requirements;

/**
 * Judges by the rules that need several conversations; a rule gets the conversations in which its requirement
 * applies.
 */
export function* judgeRun(
  conversations: readonly Conversation[],
  rules: readonly (Rule | RunRule)[],
): Generator<Finding> {
  const judged = conversations.filter(c => !isPortTaken(c));
  const cases = caseIndex(judged.flatMap(c => c.events));
  for (const rule of rules) {
    const id = rule.requirement;
    if (!isRunRule(rule)) continue;
    const binding = judged.filter(c => bindsIn(requirement(id), c));
    if (binding.length === 0) continue;
    const excuses = new Excuses(binding);
    try {
      for (const judgement of rule.judgeRun(binding)) yield excuses.look(toFinding(id, judgement, cases));
    } catch (error) {
      yield toFinding(id, trouble(error), cases);
    }
  }
}

/**
 * Judgement for a rule that throws, so that the other rules still run. Values nested deeper than the stack of
 * this process are valid JSON and cannot be judged; any other exception is a bug of the suite.
 */
function trouble(error: unknown): Judgement {
  return error instanceof RangeError
    ? inconclusive('a message is nested too deeply to be judged')
    : { verdict: 'error', message: `the rule failed: ${String(error)}`, evidence: [] };
}

/**
 * Failures that are not the fault of the subject become inconclusive: the only evidence is a starved wait, or an
 * earlier request of the same case was refused because of the rate of requests.
 */
class Excuses {
  /** Collected for the first failure; most conversations have none. */
  private found: Excusing | undefined;

  constructor(private readonly conversations: readonly Conversation[]) {}

  look(finding: Finding): Finding {
    if (finding.verdict !== 'fail') return finding;
    this.found ??= excusing(this.conversations);
    const { starved, limited } = this.found;
    const excuse = finding.evidence.find(seq => starved.has(seq));
    if (excuse !== undefined) return excused(finding, starved.get(excuse)!);
    const refused = limited.get(finding.case);
    const isLater = refused !== undefined && finding.evidence.some(seq => seq >= refused);
    return isLater ? unjudged(finding, rateLimited) : finding;
  }
}

/** The events that excuse failures. */
interface Excusing {
  readonly starved: Map<number, Starved>;
  /** By case: the first response that refused a request. */
  readonly limited: Map<number, number>;
}

function excusing(conversations: readonly Conversation[]): Excusing {
  const [starved, limited] = [new Map<number, Starved>(), new Map<number, number>()];
  for (const conversation of conversations) {
    collectStarved(conversation, starved);
    if (conversation.party !== 'server') continue;
    for (const event of conversation.events) {
      const first = limited.get(event.case) ?? Number.POSITIVE_INFINITY;
      if (event.seq < first && isRateLimit(event)) limited.set(event.case, event.seq);
    }
  }
  return { starved, limited };
}

function collectStarved(conversation: Conversation, found: Map<number, Starved>): void {
  for (const { seq, starved, ...event } of [
    ...conversation.eventsOf('deadline'),
    ...conversation.eventsOf('quiet'),
  ]) {
    if (!starved) continue;
    found.set(seq, starved);
    // the harness closed the conversation because of this wait
    if (event.kind === 'deadline' && event.label === 'idle')
      for (const closing of conversation.eventsOf('closing')) found.set(closing.seq, starved);
  }
}

/** A finding belongs to the case of the link at the last event of its evidence. */
function caseOf({ evidence }: Judgement, caseAt: CaseIndex): number {
  let last = 0;
  for (let i = 0; i < evidence.length; i++) if (evidence[i]! > last) last = evidence[i]!;
  return caseAt(last);
}

const toFinding = (requirement: RequirementId, judgement: Judgement, cases: CaseIndex): Finding => ({
  requirement,
  source: 'rule',
  case: caseOf(judgement, cases),
  ...judgement,
});

type CaseIndex = (seq: number) => number;

/**
 * Event numbers are close together, so that an array is faster than a map; hand-made records are the
 * exception.
 */
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
