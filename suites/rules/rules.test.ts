import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeConversation } from '../../harness/judge/judge.js';
import { isRunRule } from '../../harness/judge/rule.js';
import { clauseIn, type RequirementId, requirement } from '../../spec/requirement.js';
import { type Revision, revisions } from '../../spec/revisions.js';
import { type Example, toExample } from './example.test.util.js';
import { examples } from './examples.test.util.js';
import { rules } from './index.js';
import { type Line, record } from './record.test.util.js';

const linesOf = (example: Example, revision: Revision): readonly Line[] =>
  typeof example.lines === 'function' ? example.lines(revision) : example.lines;

const judge = (example: Example, revision: Revision, lines = linesOf(example, revision)) =>
  judgeConversation(record(revision, lines, example), rules);

const inForce = (id: RequirementId, example: Example): Revision[] =>
  revisions.filter(r => clauseIn(requirement(id), r.id) && (example.when?.(r) ?? true));

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
const withoutExamples = readFileSync(new URL('without-examples.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter(line => line !== '' && !line.startsWith('#'));

describe('rules', () => {
  it('have one file entry each, with passing and failing examples', () => {
    const ids = rules.filter(r => !isRunRule(r)).map(r => r.requirement);
    // a row that binds both sides may have a different rule for each
    const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
    expect(twice.filter(id => requirement(id).binds !== 'both')).toEqual([]);
    expect(new Set(twice).size).toBe(twice.length);
    expect([...Object.keys(examples), ...withoutExamples].sort()).toEqual([...new Set(ids)].sort());
  });

  for (const [key, { good, legal = [], bad }] of Object.entries(examples)) {
    const id = key as RequirementId;
    const bound = requirement(id).binds;
    const binds = bound === 'client' || bound === 'authorization-server' ? bound : 'server';
    const prepare = (e: Parameters<typeof toExample>[0]): Example => ({ subject: binds, ...toExample(e) });
    describe(id, () => {
      good.map(prepare).forEach((example, n) => {
        it.each(inForce(id, example).map(r => [r.id, r] as const))(`good ${n + 1}, %s`, (_, revision) => {
          const findings = judge(example, revision);
          expect(failed(findings)).toEqual([]);
          expect(findings.filter(f => f.requirement === id).map(f => f.verdict)).toContain('pass');
        });
      });
      legal.map(prepare).forEach((example, n) => {
        it.each(inForce(id, example).map(r => [r.id, r] as const))(`legal ${n + 1}, %s`, (_, revision) => {
          // a contested row may fail too: legal for one row does not mean recommended by another
          const hard = failed(judge(example, revision)).filter(
            other => !requirement(other as RequirementId).contested,
          );
          expect(hard).toEqual([]);
        });
      });
      bad.map(prepare).forEach((example, n) => {
        it.each(inForce(id, example).map(r => [r.id, r] as const))(`bad ${n + 1}, %s`, (_, revision) => {
          const holds = (other: RequirementId) => clauseIn(requirement(other), revision.id) !== undefined;
          const also = (example.also ?? []).filter(holds);
          expect(failed(judge(example, revision))).toEqual([id, ...also].sort());
        });
      });
    });
  }

  it('keep their findings, whatever events follow', () => {
    const all = Object.values(examples)
      .flatMap(e => [...e.good, ...(e.legal ?? []), ...e.bad])
      .map(toExample)
      // HTTP exchanges have numbers assigned by hand: two records in sequence would be one invalid record
      .filter(example => example.transport === undefined || example.transport === 'stdio');
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
