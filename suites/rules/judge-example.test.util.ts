/** Test support: what a rule has to report for each example, for the tests of the rules and for their mutants. */

import type { Finding } from '../../harness/judge/finding.js';
import { judgeConversation, judgeRun } from '../../harness/judge/judge.js';
import { clauseIn, type RequirementId, requirement, requirements } from '../../spec/requirement.js';
import { definedRevisions, type Revision } from '../../spec/revisions.js';
import { type Example, toExample } from './example.test.util.js';
import { examples } from './examples.test.util.js';
import { rules } from './index.js';
import { type Line, recordRun } from './record.test.util.js';

/** An example in one revision. */
interface Shown {
  readonly id: RequirementId;
  readonly kind: 'good' | 'legal' | 'bad';
  /** Its place among the examples of the row with this kind, from 1 upwards. */
  readonly place: number;
  readonly example: Example;
  readonly revision: Revision;
}

export const linesOf = ({ lines }: Pick<Example, 'lines'>, revision: Revision): readonly Line[] =>
  typeof lines === 'function' ? lines(revision) : lines;

export function judge(example: Example, revision: Revision, lines = linesOf(example, revision)): Finding[] {
  const others = (example.others ?? [])
    .map(toExample)
    .map(other => ({ ...other, lines: linesOf(other, revision) }));
  const all = recordRun(revision, lines, others, example);
  return [...judgeConversation(all[0]!, rules), ...(example.others ? judgeRun(all, rules) : [])];
}

const inForce = (id: RequirementId, example: Example): Revision[] =>
  definedRevisions.filter(
    r =>
      r.era === (example.era ?? 'legacy') && clauseIn(requirement(id), r.id) && (example.when?.(r) ?? true),
  );

const failed = (findings: ReturnType<typeof judge>): string[] =>
  [...new Set(findings.filter(f => f.verdict === 'fail').map(f => f.requirement))].sort();

/** All examples, by row and in the order of their table. */
export function* shownExamples(): Generator<Shown> {
  for (const [key, { good, legal = [], bad }] of Object.entries(examples)) {
    const id = key as RequirementId;
    if (!requirements().has(id)) continue;
    const bound = requirement(id).binds;
    const subject = bound === 'client' || bound === 'authorization-server' ? bound : 'server';
    for (const [kind, list] of Object.entries({ good, legal, bad }) as [Shown['kind'], typeof good][])
      for (const [at, given] of list.entries()) {
        const example: Example = { subject, ...toExample(given) };
        for (const revision of inForce(id, example)) yield { id, kind, place: at + 1, example, revision };
      }
  }
}

/** What the rules report for an example and should, with the next step. */
interface Outcome {
  readonly reported: readonly string[];
  readonly due: readonly string[];
  readonly next: string;
}

/** What any finding has: evidence, and for a failure a text that says what was expected. */
function flawOf({
  requirement: id,
  verdict,
  expected = [],
  actual,
  message,
  evidence,
}: Finding): string | undefined {
  if (verdict === 'error') return `${id}: ${message}`;
  if (evidence.length === 0) return `${id}: no evidence`;
  if (verdict === 'inconclusive' && message === '') return `${id}: an empty text`;
  if (verdict !== 'pass' && verdict !== 'fail') return undefined;
  const texts = [...expected, ...(actual === undefined ? [] : [actual])];
  return verdict === 'fail' && (expected.length === 0 || texts.includes(''))
    ? `${id}: an empty text`
    : undefined;
}

export function outcomeOf({ id, kind, example, revision }: Shown): Outcome {
  const findings = judge(example, revision);
  const all = [...failed(findings), ...findings.flatMap(f => flawOf(f) ?? [])];
  if (kind === 'legal') {
    // another contested row may fail too: legal for one row does not mean recommended by another
    const reported = all.filter(
      other => other === id || !requirements().get(other as RequirementId)?.contested,
    );
    if (example.isUnobserved && findings.some(f => f.requirement === id && f.verdict === 'pass'))
      reported.push('a pass');
    if (example.isInconclusive && !findings.some(f => f.requirement === id && f.verdict === 'inconclusive'))
      reported.push('nothing inconclusive');
    return { reported, due: [], next: 'make the example legal, or the rule tolerant' };
  }
  if (kind === 'good') {
    const isPassed = findings.some(f => f.requirement === id && f.verdict === 'pass');
    return isPassed
      ? { reported: all, due: [], next: 'make the example valid' }
      : { reported: ['no pass'], due: [], next: 'the rule yields no pass: add the message that it judges' };
  }
  const also = (example.also ?? []).filter(other => clauseIn(requirement(other), revision.id));
  return {
    reported: all,
    due: [id, ...also].sort(),
    next: 'make the example violate the row, and state other rows in `also`',
  };
}
