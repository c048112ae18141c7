import { describe, expect, it, vi } from 'vitest';
import {
  allWell,
  caseEnd,
  caseStart,
  finding,
  id,
  latest,
  older,
  oneViolation,
  revisionEnd,
  revisionStart,
  run,
  runEnd,
  runStart,
} from '../../reports/samples.test.util.js';
import type { RunEvent } from './run-event.js';
import { Summary } from './summary.js';

vi.mock('../../spec/requirement.js', async importActual => {
  const { withTestRows } = await import('../../reports/samples.test.util.js');
  return withTestRows(await importActual<object>());
});

function fold(events: readonly RunEvent[]): Summary {
  const summary = new Summary();
  for (const event of events) summary.add(event);
  return summary;
}

it('counts a requirement once: one that was judged although it does not apply counts as judged', () => {
  const notApplicable = ['test.must', 'test.may'].map(name => ({ id: id(name), reason: 'not declared' }));
  const report = fold([
    runStart(),
    revisionStart({ requirements: [id('test.should')], notApplicable }),
    caseStart(1, 'server/x'),
    finding('test.must', 1, { verdict: 'pass' }),
    caseEnd(1),
    revisionEnd(),
    runEnd(0),
  ]).report();
  expect(report.summary).toMatchObject({ pass: 1, notObserved: 1, notApplicable: 1 });
  expect(report.runs[0]!.notApplicable.map(row => row.id)).toEqual(['test.may']);
});

it('counts each judgement of a finding that has several', () => {
  const passes = [{ times: 3 }, {}].map(more => finding('test.must', 0, { verdict: 'pass', ...more }));
  const report = fold([runStart(), revisionStart(), ...passes, revisionEnd(), runEnd(0)]).report();
  expect(report.summary.checks).toBe(4);
  expect(report.runs[0]!.requirements.find(row => row.id === id('test.must'))?.examined).toBe(4);
});

it('exits with 3 when none of the selected cases applies; a shard may have none', () => {
  const probed = [revisionStart(), finding('test.must', 0, { verdict: 'pass' }), revisionEnd(), runEnd(0)];
  const codeOf = (more: Parameters<typeof runStart>[0]) => fold([runStart(more), ...probed]).exitCode;
  expect(codeOf({ partial: true })).toBe(3);
  expect(codeOf({ partial: true, shard: { at: 2, of: 3 } })).toBe(0);
  expect(codeOf({})).toBe(0);
});

const fail = (requirement: string, number = 1) =>
  finding(requirement, number, { verdict: 'fail', expected: ['x'] });

describe('exit codes', () => {
  const stale = { stale: ['line 3: x no longer fails; delete it'] };
  const unjudged = { unjudged: { reason: 'the server did not start', details: [] } };
  const passed = finding('test.must', 1, { verdict: 'pass' });
  const unclear = finding('test.should', 1, { verdict: 'inconclusive', message: 'no reply' });
  const defect = finding('test.must', 1, { verdict: 'error', message: 'oops' });
  it.each([
    ['nothing wrong', [passed], {}, {}, 0],
    ['nothing judged', [], {}, {}, 3],
    ['a violation', [fail('test.must')], {}, {}, 1],
    ['a MUST NOT violated', [fail('test.other-must')], {}, {}, 1],
    ['a warning', [fail('test.should')], {}, {}, 0],
    ['a warning under --strict', [fail('test.should')], { strict: true }, {}, 1],
    ['a note under --strict', [fail('test.may')], { strict: true }, {}, 0],
    ['a contested row', [fail('test.contested')], { strict: true }, {}, 0],
    ['a known failure', [finding('test.must', 1, { verdict: 'fail' }, 'issue 1')], {}, {}, 0],
    [
      'a known failure and another',
      [finding('test.must', 1, { verdict: 'fail' }, 'issue 1'), fail('test.must')],
      {},
      {},
      1,
    ],
    ['a stale line', [], {}, stale, 1],
    ['inconclusive', [passed, unclear], {}, {}, 0],
    ['inconclusive under --fixtures', [passed, unclear], { fixtures: true }, {}, 3],
    [
      'inconclusive under --fixtures, and a violation',
      [unclear, fail('test.must')],
      { fixtures: true },
      {},
      1,
    ],
    ['as many judged as demanded', [passed], { minJudged: '25%' }, {}, 0],
    ['fewer judged than demanded', [passed], { minJudged: '26%' }, {}, 3],
    ['fewer judged than the demanded number', [passed], { minJudged: '2' }, {}, 3],
    ['not judged', [], {}, unjudged, 3],
    ['not judged after a violation', [fail('test.must')], {}, unjudged, 3],
    ['a defect', [defect, unclear, fail('test.must')], { fixtures: true }, unjudged, 4],
  ] as const)('%s', (_, findings, start, end, code) => {
    const events = [runStart(start), revisionStart(), caseStart(1, 'server/x'), ...findings, caseEnd(1)];
    const summary = fold(events);
    expect(summary.exitCodeAt(end)).toBe(code);
    summary.add(runEnd(code, end));
    expect(summary.exitCode).toBe(code);
    expect(summary.report().exitCode).toBe(code);
  });
});

describe('the report', () => {
  it('counts requirements by their worst grade', () => {
    const { runs, summary } = fold(oneViolation()).report();
    expect(runs[0]!.requirements.map(r => [r.id, r.level, r.grade, r.examined])).toEqual([
      ['test.must', 'MUST', 'violation', 1],
      ['test.other-must', 'MUST NOT', 'notObserved', 0],
      ['test.should', 'SHOULD', 'pass', 1],
      ['test.may', 'MAY', 'notObserved', 0],
    ]);
    expect(runs[0]!.requirements[0]!.url).toBe(
      `https://modelcontextprotocol.io/specification/${latest}/server/tools#error-handling`,
    );
    expect(summary).toMatchObject({
      pass: 1,
      violation: 1,
      warning: 0,
      notObserved: 2,
      requirementsJudged: 2,
      checks: 2,
      messages: 2,
      processesStarted: 2,
    });
  });

  it('takes the worst judgement of a requirement and of a case, in any order', () => {
    const verdicts = ['none', 'pass', 'inconclusive', 'fail'] as const;
    for (const [a, one] of verdicts.entries())
      for (const [b, two] of verdicts.entries()) {
        const both = [one, two].map(verdict => finding('test.must', 1, { verdict }));
        const { runs } = fold(run(0, [caseStart(1, 'server/x'), ...both])).report();
        const worse = Math.max(a, b);
        expect(runs[0]!.cases[1]!.verdict).toBe(verdicts[worse]);
        const grades = ['notObserved', 'pass', 'inconclusive', 'violation'];
        expect(runs[0]!.requirements[0]!.grade).toBe(grades[worse]);
      }
  });

  it('merges identical findings of one case and keeps the evidence of all', () => {
    const bad = (number: number, evidence: number[], actual = 'silence') =>
      finding('test.must', number, { verdict: 'fail', expected: ['x'], actual, evidence });
    const { runs } = fold(
      run(1, [
        caseStart(1, 'server/x'),
        caseStart(2, 'server/y'),
        bad(1, [3, 4]),
        bad(1, [4, 9]),
        bad(1, [5], 'noise'),
        bad(2, [6]),
      ]),
    ).report();
    expect(runs[0]!.findings.map(f => [f.case.split('/').at(-1), f.actual, f.events, f.count])).toEqual([
      ['x', 'silence', [3, 4, 9], 2],
      ['x', 'noise', [5], 1],
      ['y', 'silence', [6], 1],
    ]);
  });

  it('keeps inconclusive findings apart by their reason', () => {
    const unclear = (message: string) => finding('test.must', 1, { verdict: 'inconclusive', message });
    const events = [caseStart(1, 'server/x'), unclear('a'), unclear('b'), unclear('a')];
    expect(
      fold(run(0, events))
        .report()
        .runs[0]!.findings.map(f => [f.message, f.count]),
    ).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });

  it('keeps the revisions apart, including their probes', () => {
    const { runs, summary } = fold([
      runStart(),
      caseStart(0, 'probe'),
      revisionStart({ offers: [latest, older] }),
      fail('test.must', 0),
      caseStart(1, 'server/x'),
      caseEnd(1, 7),
      revisionEnd(),
      caseStart(0, 'probe', older),
      revisionStart({ revision: older, offers: [latest, older] }),
      caseStart(2, 'server/x', older),
      finding('test.must', 2, { verdict: 'pass' }),
      // found only after all conversations are closed
      finding('test.should', 1, { verdict: 'fail' }),
      revisionEnd(older),
      runEnd(1),
    ]).report();
    expect(runs.map(r => r.cases.map(c => [c.name, c.verdict, c.durationMs]))).toEqual([
      [
        [`${latest}/stdio/probe`, 'fail', 0],
        [`${latest}/stdio/server/x`, 'fail', 7],
      ],
      [
        [`${older}/stdio/probe`, 'none', 0],
        [`${older}/stdio/server/x`, 'pass', 0],
      ],
    ]);
    expect(summary).toMatchObject({ violation: 1, pass: 1, warning: 1, notObserved: 5 });
  });

  it('lists a requirement that was judged without being planned', () => {
    const { runs } = fold(run(0, [finding('test.contested', 0, { verdict: 'fail' })])).report();
    expect(runs[0]!.requirements.at(-1)).toMatchObject({ id: 'test.contested', grade: 'note', examined: 1 });
  });

  it('contains the command that reproduces a finding', () => {
    const command = (start: object, number: number, revision = latest) => {
      const offers = [latest, older];
      const events = [
        runStart(start),
        revisionStart({ revision, offers }),
        caseStart(1, 'server/x', revision),
        fail('test.must', number),
      ];
      return fold(events).report().runs[0]!.findings[0]!.reproduce.replaceAll(revision, 'REV');
    };
    expect(command({}, 1)).toBe(
      "mcp-conform server --run REV/stdio/server/x --seed 42 -- node 'my server.js'",
    );
    expect(command({}, 0)).toBe("mcp-conform server --seed 42 -- node 'my server.js'");
    expect(command({}, 1, older)).toBe(
      "mcp-conform server --revision REV --run REV/stdio/server/x --seed 42 -- node 'my server.js'",
    );
    // asked for one revision, a run does not know whether the server offers a newer one
    expect(command({ revision: latest }, 1)).toBe(
      "mcp-conform server --revision REV --run REV/stdio/server/x --seed 42 -- node 'my server.js'",
    );
    const subject = { command: ['it', "isn't", '$HOME', ''], url: 'http://localhost:1/mcp?a=1&b' };
    expect(command({ subject, options: ['--timeout', '5'], strict: true, fixtures: true }, 0)).toBe(
      `mcp-conform server --timeout 5 --fixtures --strict --seed 42 --url 'http://localhost:1/mcp?a=1&b' -- it 'isn'\\''t' '$HOME' ''`,
    );
  });

  it('refuses events in an invalid order', () => {
    expect(() => fold([caseStart(1, 'x')])).toThrow('The first event of a run is run-start, not case-start.');
    expect(() => fold([runStart(), fail('test.must')])).toThrow('A finding came before revision-start.');
    expect(() => new Summary().report()).toThrow('There is no run to report.');
  });

  it('is complete before the end of the run', () => {
    expect(fold(allWell().slice(0, -1)).report()).toMatchObject({
      exitCode: 0,
      durationMs: 0,
      unjudged: null,
    });
  });
});
