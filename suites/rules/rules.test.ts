import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeConversation } from '../../harness/judge/judge.js';
import { isRunRule } from '../../harness/judge/rule.js';
import { clauseIn, type RequirementId, requirement, requirements } from '../../spec/requirement.js';
import { definedRevisions, type Revision, revisions } from '../../spec/revisions.js';
import { exampleFile } from '../selftest/case-files.js';
import { expectNoGaps } from '../selftest/gaps.js';
import { namesIn } from '../selftest/lists.js';
import { examplePlaces, rulePlaces } from '../selftest/places.js';
import { type Example, toExample } from './example.test.util.js';
import { examples } from './examples.test.util.js';
import { rules } from './index.js';
import { type Line, record } from './record.test.util.js';

const linesOf = (example: Example, revision: Revision): readonly Line[] =>
  typeof example.lines === 'function' ? example.lines(revision) : example.lines;

const judge = (example: Example, revision: Revision, lines = linesOf(example, revision)) =>
  judgeConversation(record(revision, lines, example), rules);

const inForce = (id: RequirementId, example: Example): Revision[] =>
  definedRevisions.filter(
    r =>
      r.era === (example.era ?? 'legacy') && clauseIn(requirement(id), r.id) && (example.when?.(r) ?? true),
  );

const failed = (findings: ReturnType<typeof judge>): string[] =>
  [...new Set(findings.filter(f => f.verdict === 'fail').map(f => f.requirement))].sort();

/** A process writes no message after its exit. */
function untilExit(lines: readonly Line[]): readonly Line[] {
  const exit = lines.findIndex(line => !Array.isArray(line) && (line as { kind: string }).kind === 'exit');
  return exit < 0 ? lines : lines.slice(0, exit + 1);
}

/** The same record with ids that no other record has: a reused id is a case of its own. */
function withOtherIds<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withOtherIds) as T;
  if (typeof value !== 'object' || value === null) return value;
  const other = (name: string, item: unknown) => {
    if (!['id', 'requestId', 'request'].includes(name)) return withOtherIds(item);
    return typeof item === 'number' ? item + 1_000 : typeof item === 'string' ? `${item}-` : item;
  };
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, other(name, item)])) as T;
}

/** Rows without examples; this list may only shrink. */
const list = 'suites/rules/without-examples.txt';
const withoutExamples = namesIn('../rules/without-examples.txt');

const fileOf = (places: typeof rulePlaces, id: string): string =>
  [...new Set(places.filter(({ row }) => row === id).map(({ file }) => file))].join(', ');

/** The text above a difference: which example it is, and where to correct it. */
const about = (id: string, example: string, next: string): string =>
  `${id}, ${example}\n  file: ${fileOf(examplePlaces, id)}\n  next: ${next} (the rule: ${fileOf(rulePlaces, id)})\n`;

describe('rules', () => {
  const judged: readonly string[] = rules.filter(r => !isRunRule(r)).map(r => r.requirement);

  it('judge each row once; a row that binds both sides may have a rule for each', () => {
    const most = (id: string): number => (requirement(id as RequirementId).binds === 'both' ? 2 : 1);
    const gaps = [...new Set(judged)]
      .filter(id => judged.filter(other => other === id).length > most(id))
      .map(id => ({ what: id, file: fileOf(rulePlaces, id), next: 'keep one rule for the row' }));
    expectNoGaps('A row has one rule', gaps);
  });

  it('have passing and failing examples', () => {
    const shown = Object.keys(examples);
    expectNoGaps('Each rule has examples, and each example has a rule', [
      ...[...new Set(judged)]
        .filter(id => !shown.includes(id) && !withoutExamples.includes(id))
        .map(id => ({
          what: id,
          file: exampleFile(requirement(id as RequirementId)),
          next: `npm run new:case -- ${id} prints the stub of an example`,
        })),
      ...shown
        .filter(id => !judged.includes(id))
        .map(id => ({
          what: id,
          file: fileOf(examplePlaces, id),
          next: 'remove the examples, or add the rule and list its file in suites/rules/index.ts',
        })),
      ...withoutExamples
        .filter(id => shown.includes(id) || !judged.includes(id))
        .map(id => ({ what: id, file: list, next: 'remove the line' })),
    ]);
  });

  for (const [key, { good, legal = [], bad }] of Object.entries(examples)) {
    const id = key as RequirementId;
    if (!requirements().has(id)) continue;
    const bound = requirement(id).binds;
    const binds = bound === 'client' || bound === 'authorization-server' ? bound : 'server';
    const prepare = (e: Parameters<typeof toExample>[0]): Example => ({ subject: binds, ...toExample(e) });
    describe(id, () => {
      good.map(prepare).forEach((example, n) => {
        it.each(inForce(id, example).map(r => [r.id, r] as const))(`good ${n + 1}, %s`, (_, revision) => {
          const findings = judge(example, revision);
          expect(failed(findings), about(id, `good example ${n + 1}`, 'make the example valid')).toEqual([]);
          expect(
            findings.filter(f => f.requirement === id).map(f => f.verdict),
            about(id, `good example ${n + 1}`, 'the rule yields no pass: add the message that it judges'),
          ).toContain('pass');
        });
      });
      legal.map(prepare).forEach((example, n) => {
        it.each(inForce(id, example).map(r => [r.id, r] as const))(`legal ${n + 1}, %s`, (_, revision) => {
          // a contested row may fail too: legal for one row does not mean recommended by another
          const hard = failed(judge(example, revision)).filter(
            other => !requirement(other as RequirementId).contested,
          );
          expect(
            hard,
            about(id, `legal example ${n + 1}`, 'make the example legal, or the rule tolerant'),
          ).toEqual([]);
        });
      });
      bad.map(prepare).forEach((example, n) => {
        it.each(inForce(id, example).map(r => [r.id, r] as const))(`bad ${n + 1}, %s`, (_, revision) => {
          const holds = (other: RequirementId) => clauseIn(requirement(other), revision.id) !== undefined;
          const also = (example.also ?? []).filter(holds);
          expect(
            failed(judge(example, revision)),
            about(
              id,
              `bad example ${n + 1}`,
              'make the example violate the row, and state other rows in `also`',
            ),
          ).toEqual([id, ...also].sort());
        });
      });
    });
  }

  it('keep their findings, whatever events follow', () => {
    const all = Object.values(examples)
      .flatMap(e => [...e.good, ...(e.legal ?? []), ...e.bad])
      .map(toExample)
      // HTTP exchanges have numbers assigned by hand: two records in sequence would be one invalid record
      .filter(example => example.transport === undefined || example.transport === 'stdio')
      .filter(example => example.era !== 'modern');
    const one = fc.constantFrom(...all);
    fc.assert(
      fc.property(one, one, fc.constantFrom(...revisions), fc.nat(), (first, second, revision, cut) => {
        const lines = untilExit([...linesOf(first, revision), ...withOtherIds(linesOf(second, revision))]);
        const at = cut % (lines.length + 1);
        // the record reports the scheduling delay of the machine at its end, and the delay excuses late
        // messages
        const lag = lines.slice(at).filter(line => 'kind' in line && line.kind === 'lag');
        const before = judge(first, revision, [...lines.slice(0, at), ...lag]);
        const after = judge(first, revision, lines);
        for (const found of before.filter(f => f.verdict === 'fail')) {
          const kept = after.find(
            f =>
              f.requirement === found.requirement &&
              (f.verdict === 'fail' || f.verdict === 'inconclusive') &&
              found.evidence.every(seq => f.evidence.includes(seq)),
          );
          expect(kept, `${found.requirement} ${found.evidence}`).toBeDefined();
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 300) },
    );
  });
});
