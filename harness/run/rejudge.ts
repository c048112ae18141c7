/**
 * Judges a stored run again: the record and the findings of scenarios stay, the findings of rules are
 * computed again.
 */

import { findDefinedRevision } from '../../spec/revisions.js';
import { grouped } from '../grouped.js';
import type { Finding } from '../judge/finding.js';
import { judgeConversation, judgeRun, rulesInForce } from '../judge/judge.js';
import type { Rule, RunRule } from '../judge/rule.js';
import type { Conversation } from '../record/conversation.js';
import type { Event } from '../record/event.js';
import { History } from '../record/history.js';
import { ExitCode } from '../report/exit-code.js';
import type { RunEvent } from '../report/run-event.js';
import { judgeBoth } from './judge-both.js';
import { isOfOtherEra } from './other-era.js';

/** The events of the run with new findings, those of each revision before its end. */
export function* rejudge(
  events: readonly RunEvent[],
  rules: readonly (Rule | RunRule)[],
): Generator<RunEvent> {
  const exitCode = new ExitCode();
  const role = events.find(e => e.kind === 'run-start')?.role;
  const subject = role === 'client' || role === 'authorization-server' ? role : 'server';
  if (role === 'watch' || role === 'network') return yield* rejudgeBoth(events, rules);
  const pass = function* (event: RunEvent) {
    exitCode.add(event);
    yield event;
  };
  const counterexamples = new Counterexamples(events);
  let wire: Event[] = [];
  let inForce = rules;
  let hasRevision = false;
  for (const event of events) {
    if (event.kind === 'finding' && event.finding.source === 'rule') continue;
    if (event.kind === 'run-end') {
      yield* flush();
      yield { ...event, exitCode: exitCode.at(event) };
      continue;
    }
    if (event.kind === 'revision-start') {
      inForce = rulesInForce(rules, event.notApplicable);
      hasRevision = true;
    }
    if (event.kind === 'wire') wire.push(event.event);
    if (event.kind === 'revision-end') yield* flush();
    yield* pass(event);
  }

  function* flush() {
    // a run that ended before its first revision has no place for findings
    if (!hasRevision) return;
    const all = [...History.from(wire, subject).conversations.values()];
    const conversations = role === 'client' ? all.filter(isInRun(events)) : all;
    const found = [
      ...conversations.flatMap(conversation => judgeConversation(conversation, inForce)),
      ...byPart(conversations).flatMap(some => [...judgeRun(some, inForce)]),
    ];
    for (const finding of counterexamples.restore(found)) yield* pass({ kind: 'finding', finding });
    wire = [];
  }
}

/**
 * Whether a run judged this conversation of a client: not if it is in an era that is not in the run. A run without
 * cases judged each client that connected.
 */
function isInRun(events: readonly RunEvent[]): (conversation: Conversation) => boolean {
  if (!events.some(e => e.kind === 'case-start')) return () => true;
  const revisions = events.flatMap(e =>
    e.kind === 'revision-start' ? [findDefinedRevision(e.revision)] : [],
  );
  const eras = new Set(revisions.map(revision => revision?.era));
  return conversation =>
    eras.has(conversation.isStateless ? 'modern' : 'legacy') && !isOfOtherEra(conversation);
}

/** The conversations of each part of a merged record. */
const byPart = (conversations: readonly Conversation[]): Conversation[][] => [
  ...grouped(conversations, c => c.opened?.part ?? 0).values(),
];

/** Like `rejudge`, for a run of the proxy: judges both sides from the one record. */
function* rejudgeBoth(events: readonly RunEvent[], rules: readonly (Rule | RunRule)[]): Generator<RunEvent> {
  const exitCode = new ExitCode();
  const kept = events.filter(e => e.kind === 'run-start' || e.kind === 'wire');
  const wire = kept.flatMap(e => (e.kind === 'wire' ? [e.event] : []));
  for (const event of [...kept, ...judgeBoth(History.from(wire, 'server'), rules)]) {
    exitCode.add(event);
    yield event;
  }
  for (const event of events) if (event.kind === 'run-end') yield { ...event, exitCode: exitCode.at(event) };
}

/** Counterexamples of the stored run: of several similar failures, the run reported only the shrunk one. */
class Counterexamples {
  private readonly told = new Map<string, Finding[]>();

  constructor(events: readonly RunEvent[]) {
    for (const event of events)
      if (event.kind === 'finding' && event.finding.counterexample) {
        const key = keyOf(event.finding);
        this.told.set(key, [...(this.told.get(key) ?? []), event.finding]);
      }
  }

  /** The findings with their counterexamples, without those that another finding represents. */
  restore(findings: readonly Finding[]): Finding[] {
    const stood = new Set<string>();
    const restored = findings.map(finding => {
      const same = this.sameAs(finding);
      if (!same) return finding;
      stood.add(keyOf(finding));
      return { ...finding, counterexample: same.counterexample! };
    });
    return restored.filter(f => f.verdict !== 'fail' || f.counterexample || !stood.has(keyOf(f)));
  }

  private sameAs({ verdict, evidence, ...finding }: Finding): Finding | undefined {
    const told = verdict === 'fail' ? this.told.get(keyOf(finding)) : undefined;
    return told?.find(t => t.evidence.some(seq => evidence.includes(seq)));
  }
}

const keyOf = ({ case: number, requirement }: Pick<Finding, 'case' | 'requirement'>): string =>
  `${number} ${requirement}`;
