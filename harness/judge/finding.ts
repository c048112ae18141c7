/** One judgement: a requirement, a verdict, and the events that show it. */

import type { RequirementId } from '../../spec/requirement.js';
import { HttpExchange } from '../record/http-exchange.js';
import type { Message } from '../record/message.js';
import { type Starved, starvedInWords } from '../time/clock.js';
import type { Counterexample } from './counterexample.js';
import type { Verdict } from './verdict.js';

/** What a rule or an expectation says about one subject matter it met. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Any of these would have been right. */
  readonly expected?: readonly string[];
  readonly actual?: string;
  /** More for the reader: which path of the message, which earlier event. */
  readonly message?: string;
  /** Numbers of the events that show it. */
  readonly evidence: readonly number[];
}

export interface Finding extends Judgement {
  readonly requirement: RequirementId;
  /** The name of the rule or scenario that judged. */
  readonly source: 'rule' | 'scenario' | 'suite';
  /** Number of the case it belongs to; 0 for the probe. */
  readonly case: number;
  /** The generated value that shows it. */
  readonly counterexample?: Counterexample;
}

type Evidence = { readonly seq: number } | Message | undefined;

/** One or two pieces, as most have, need no loop and no spare room: there are several findings for each message. */
function seqs(evidence: readonly Evidence[]): number[] {
  const [a, b] = evidence;
  if (evidence.length === 1 && a) return [a.seq];
  if (evidence.length === 2 && a && b) return [a.seq, b.seq];
  return evidence.flatMap(e => (e ? [e.seq] : []));
}

/** Of an HTTP exchange either end may be what is wrong. */
const inFull = (e: Evidence): readonly Evidence[] =>
  e instanceof HttpExchange && e.ends.length > 0 ? e.ends : [e];

/** Passes that one event shows differ in its number only, and most findings are such: made once for each number. */
const alone = new Array<Judgement | undefined>(50_000);

export function pass(evidence: readonly Evidence[]): Judgement {
  const seq = evidence.length === 1 ? evidence[0]?.seq : undefined;
  if (seq === undefined || seq >= alone.length) return { verdict: 'pass', evidence: seqs(evidence) };
  const judgement = alone[seq] ?? { verdict: 'pass', evidence: [seq] };
  alone[seq] = judgement;
  return judgement;
}

/** @param expected what would have been right: "Expected (any of)". */
export function fail(
  expected: string | readonly string[],
  evidence: readonly Evidence[],
  actual?: string,
  message?: string,
): Judgement {
  return {
    verdict: 'fail',
    expected: typeof expected === 'string' ? [expected] : expected,
    evidence: seqs(evidence.flatMap(inFull)),
    ...(actual !== undefined && { actual }),
    ...(message !== undefined && { message }),
  };
}

export const inconclusive = (message: string, evidence: readonly Evidence[] = []): Judgement => ({
  verdict: 'inconclusive',
  message,
  evidence: seqs(evidence),
});

/** What did not come in time on a machine that left no time for it is no failure. */
export const excused = <J extends Judgement>(judgement: J, starved: Starved): J => {
  const { expected, actual, ...rest } = judgement;
  const missing = expected ? `no telling whether there would have been ${expected.join(' or ')}: ` : '';
  return { ...rest, verdict: 'inconclusive', message: `${missing}${starvedInWords(starved)}` } as J;
};
