/** One judgement: a requirement, a verdict, and the events that are its evidence. */

import type { RequirementId } from '../../spec/requirement.js';
import { HttpExchange } from '../record/http-exchange.js';
import type { Message } from '../record/message.js';
import { type Starved, starvedInWords } from '../time/clock.js';
import type { Counterexample } from './counterexample.js';
import type { Verdict } from './verdict.js';

/** Verdict of a rule or an expectation on one item. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Alternatives, any of which is valid. */
  readonly expected?: readonly string[];
  readonly actual?: string;
  /** Additional details: the path in the message, an earlier event. */
  readonly message?: string;
  /** Numbers of the events that are the evidence. */
  readonly evidence: readonly number[];
}

export interface Finding extends Judgement {
  readonly requirement: RequirementId;
  /** The kind of judge: a rule, a scenario, or the suite itself. */
  readonly source: 'rule' | 'scenario' | 'suite';
  /** Number of the case; 0 for the probe. */
  readonly case: number;
  /** The generated value that caused the finding. */
  readonly counterexample?: Counterexample;
  /** Number of judgements; absent for one. The passes of a rule in a case are one finding, with the evidence of all. */
  readonly times?: number;
}

type Evidence = { readonly seq: number } | Message | undefined;

/**
 * One or two pieces of evidence, the usual number, need no loop and no spare capacity: there are several
 * findings for each message.
 */
function seqs(evidence: readonly Evidence[]): number[] {
  const [a, b] = evidence;
  if (evidence.length === 1 && a) return [a.seq];
  if (evidence.length === 2 && a && b) return [a.seq, b.seq];
  return evidence.flatMap(e => (e ? [e.seq] : []));
}

/** In an HTTP exchange either the request or the response may be invalid: both are evidence. */
const inFull = (e: Evidence): readonly Evidence[] =>
  e instanceof HttpExchange && e.ends.length > 0 ? e.ends : [e];

/**
 * Most findings are passes with one event as evidence, which differ only in its number: one object per number
 * is cached.
 */
const alone = new Array<Judgement | undefined>(50_000);

export function pass(evidence: readonly Evidence[]): Judgement {
  const seq = evidence.length === 1 ? evidence[0]?.seq : undefined;
  if (seq === undefined || seq >= alone.length) return { verdict: 'pass', evidence: seqs(evidence) };
  const judgement = alone[seq] ?? { verdict: 'pass', evidence: [seq] };
  alone[seq] = judgement;
  return judgement;
}

/** Characters kept of a text of a finding. */
const longestText = 4_000;

/** The beginning of a long text, as a text of its own: a part made by `slice` keeps the whole in memory. */
const bounded = (text: string): string =>
  text.length <= longestText
    ? text
    : `${Buffer.from(text.slice(0, longestText)).toString()}… (${text.length} characters)`;

/**
 * @param expected the valid alternatives: "Expected (any of)"
 * @param actual the actual behaviour; undefined stands for none
 */
export function fail(
  expected: string | readonly string[],
  evidence: readonly Evidence[],
  actual: string | undefined,
  message?: string,
): Judgement {
  return {
    verdict: 'fail',
    expected: (typeof expected === 'string' ? [expected] : expected).map(bounded),
    evidence: seqs(evidence.flatMap(inFull)),
    actual: bounded(actual ?? 'none'),
    ...(message !== undefined && { message: bounded(message) }),
  };
}

export const inconclusive = (message: string, evidence: readonly Evidence[] = []): Judgement => ({
  verdict: 'inconclusive',
  message: bounded(message),
  evidence: seqs(evidence),
});

/** Turns a failure into inconclusive, with the reason. */
export const unjudged = <J extends Judgement>(judgement: J, reason: string): J => {
  const { expected, actual, ...rest } = judgement;
  const missing = expected ? `not judged (expected ${expected.join(' or ')}): ` : '';
  return { ...rest, verdict: 'inconclusive', message: `${missing}${reason}` } as J;
};

/** Turns a failure into inconclusive when a message was late because of CPU starvation. */
export const excused = <J extends Judgement>(judgement: J, starved: Starved): J =>
  unjudged(judgement, starvedInWords(starved));
