import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grouped } from '../../harness/grouped.js';
import { isRunRule } from '../../harness/judge/rule.js';
import { type RequirementId, requirement } from '../../spec/requirement.js';
import { revisions } from '../../spec/revisions.js';
import { exampleFile } from '../selftest/case-files.js';
import { expectNoGaps } from '../selftest/gaps.js';
import { namesIn } from '../selftest/lists.js';
import { examplePlaces, rulePlaces } from '../selftest/places.js';
import { toExample } from './example.test.util.js';
import { examples } from './examples.test.util.js';
import { rules } from './index.js';
import { judge, linesOf, outcomeOf, shownExamples } from './judge-example.test.util.js';
import type { Line } from './record.test.util.js';

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
  const judgedAcrossRun: readonly string[] = rules.filter(isRunRule).map(r => r.requirement);

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
        .filter(id => !judged.includes(id) && !judgedAcrossRun.includes(id))
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

  it('have only examples that a revision shows', () => {
    const shown = new Set([...shownExamples()].map(({ id, kind, place }) => `${id}, ${kind} ${place}`));
    const all = Object.entries(examples).flatMap(([id, { good, legal = [], bad }]) =>
      Object.entries({ good, legal, bad }).flatMap(([kind, some]) =>
        some.map((_, at) => ({ what: `${id}, ${kind} ${at + 1}`, file: fileOf(examplePlaces, id) })),
      ),
    );
    expectNoGaps(
      'Each example is shown in a revision',
      all
        .filter(({ what }) => !shown.has(what))
        .map(one => ({ ...one, next: 'correct `when` or `era` of the example' })),
    );
  });

  describe.each([...grouped([...shownExamples()], ({ id }) => id)])('%s', (id, shown) => {
    it.each(shown.map(one => [`${one.kind} ${one.place}, ${one.revision.id}`, one] as const))(
      '%s',
      (_, one) => {
        const { reported, due, next } = outcomeOf(one);
        expect(reported, about(id, `${one.kind} example ${one.place}`, next)).toEqual(due);
      },
    );
  });

  it('keep their findings, whatever events follow', () => {
    const all = Object.values(examples)
      .flatMap(e => [...e.good, ...(e.legal ?? []), ...e.bad])
      .map(toExample)
      // HTTP exchanges have numbers assigned by hand: two records in sequence would be one invalid record
      .filter(example => example.transport === undefined || example.transport === 'stdio')
      .filter(example => example.era !== 'modern');
    const one = fc.constantFrom(...all);
    const isDeadline = (line: Line | undefined) =>
      line !== undefined && 'kind' in line && line.kind === 'deadline';
    fc.assert(
      fc.property(one, one, fc.constantFrom(...revisions), fc.nat(), (first, second, revision, cut) => {
        // a handshake of another revision would change the revision of the whole record
        fc.pre([first, second].every(({ when }) => when?.(revision) ?? true));
        const lines = untilExit([...linesOf(first, revision), ...withOtherIds(linesOf(second, revision))]);
        const at = cut % (lines.length + 1);
        // a later handshake counts in the place of one without a result (harness/record/opening.ts)
        const [earlier, later] = [lines.slice(0, at), lines.slice(at)].map(part => JSON.stringify(part));
        const begins = (part: string | undefined) => part?.includes('"method":"initialize"') === true;
        fc.pre(!begins(earlier) || !begins(later) || earlier!.includes('"result":{"protocolVersion"'));
        // the record reports the scheduling delay of the machine at its end, and the delay excuses late
        // messages
        const lag = lines.slice(at).filter(line => 'kind' in line && line.kind === 'lag');
        const before = judge(first, revision, [...lines.slice(0, at), ...lag]);
        const after = judge(first, revision, lines);
        for (const found of before.filter(f => f.verdict === 'fail')) {
          const kept = after.find(
            f =>
              f.requirement === found.requirement &&
              (f.verdict === 'fail' || f.verdict === 'inconclusive'
                ? found.evidence.every(seq => f.evidence.includes(seq))
                : // a late response takes back that none came (the first event of a record is its opening)
                  f.evidence[0] === found.evidence[0] && isDeadline(lines[found.evidence.at(-1)! - 2])),
          );
          expect(kept, `${found.requirement} ${found.evidence}`).toBeDefined();
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 300) },
    );
  });
});
