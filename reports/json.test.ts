import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../harness/report/run-event.js';
import { Summary } from '../harness/report/summary.js';
import { json } from './json.js';
import {
  allWell,
  caseStart,
  finding,
  generatedViolation,
  latest,
  oneViolation,
  run,
  runEnd,
  runStart,
  written,
} from './samples.test.util.js';

vi.mock('../spec/requirement.js', async importActual => {
  const { withTestRows } = await import('./samples.test.util.js');
  return withTestRows(await importActual<object>());
});

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
ajvFormats.default(ajv);
const validate = ajv.compile(
  JSON.parse(readFileSync(new URL('report.schema.json', import.meta.url), 'utf8')),
);

const everyGrade = () =>
  run(4, [
    caseStart(1, 'server/x'),
    finding('test.must', 1, {
      verdict: 'fail',
      expected: ['a', 'b'],
      actual: 'c',
      message: 'm',
      evidence: [1, 2],
    }),
    finding('test.must', 1, { verdict: 'fail' }, 'issue 7'),
    finding('test.should', 1, { verdict: 'fail' }),
    finding('test.may', 1, { verdict: 'fail' }),
    finding('test.other-must', 1, { verdict: 'inconclusive', message: 'no reply' }),
    finding('test.contested', 1, { verdict: 'error', message: 'a bug' }),
    finding('test.contested', 1, { verdict: 'none' }),
  ]);

const unjudged = () => [
  runStart(),
  runEnd(3, { unjudged: { reason: 'no', details: ['stderr: x'] }, stale: ['line 1'] }),
];

const runs: [string, () => RunEvent[]][] = [
  ['all well', allWell],
  ['a violation', oneViolation],
  ['every grade', everyGrade],
  ['unjudged', unjudged],
];

describe('the JSON report', () => {
  it.each(runs)('fits its schema: %s', (_, events) => {
    const report = JSON.parse(written(json, events()).replaceAll('<revision>', latest));
    validate(report);
    expect(validate.errors).toBeNull();
    const summary = new Summary();
    for (const event of events()) summary.add(event);
    expect(report).toEqual(summary.report());
  });

  it('does not fit its schema when a member is added or missing', () => {
    const report = JSON.parse(written(json, oneViolation()).replaceAll('<revision>', latest));
    expect(validate({ ...report, more: 1 })).toBe(false);
    expect(validate({ ...report, runs: undefined })).toBe(false);
    delete report.runs[0].findings[0].reproduce;
    expect(validate(report)).toBe(false);
  });

  it('contains the generated value, as the schema requires', () => {
    const report = JSON.parse(written(json, generatedViolation()).replaceAll('<revision>', latest));
    const [finding] = report.runs[0].findings;
    expect(finding.counterexample).toEqual({
      seed: 42,
      path: '3:0:1',
      value: { name: '\u202eno-such-tool', id: 2 ** 31 },
      label: '/name: type changed from string to null',
      message: expect.stringContaining('no-such-tool'),
    });
    expect(validate(report), ajv.errorsText(validate.errors)).toBe(true);
    delete finding.counterexample.path;
    expect(validate(report)).toBe(false);
  });

  it('is not written for an aborted run', () => {
    expect(written(json, oneViolation().slice(0, -1))).toBe('');
  });

  it('contains no terminal control characters and no hidden characters, and loses no data', () => {
    const hostile = '\x1b]0;owned\x07\x9b31m\u202e\u200b\u2028\u{e0041}\ud800 é 漢';
    const events = run(1, [finding('test.must', 0, { verdict: 'fail', actual: hostile })]);
    const text = written(json, events);
    expect(text).not.toMatch(/[^\n\P{Cc}]|\p{Cf}|\u2028/u);
    expect(text).toContain('é 漢');
    expect(JSON.parse(text).runs[0].findings[0].actual).toBe(hostile);
  });

  it('matches the documented contract', () => {
    const report = JSON.parse(written(json, oneViolation()));
    expect(report.runs[0].findings).toEqual([
      {
        requirement: 'test.must',
        grade: 'violation',
        case: '<revision>/stdio/server/tools/call-unknown-name',
        expected: ['error -32602', 'error -32601'],
        actual: 'result {"content":[]}',
        message: null,
        events: [12, 13],
        count: 1,
        counterexample: null,
        knownFailing: null,
        causedBy: null,
        confirmed: null,
        reproduce:
          "mcp-conform server --run <revision>/stdio/server/tools/call-unknown-name --seed 42 -- node 'my server.js'",
      },
    ]);
  });
});
