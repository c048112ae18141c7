import { describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../harness/report/run-event.js';
import { Summary } from '../harness/report/summary.js';
import { diffReports, gotWorse } from './diff.js';
import { renderDiff, renderDiffMarkdown } from './diff-text.js';
import { jsonl } from './jsonl.js';
import { parseReport } from './read-report.js';
import {
  allWell,
  caseStart,
  finding,
  latest,
  older,
  oneViolation,
  run,
  written,
} from './samples.test.util.js';
import { makeStyle } from './style.js';

vi.mock('../spec/requirement.js', async actual =>
  (await import('./samples.test.util.js')).withTestRows(await actual<object>()),
);

function report(events: readonly RunEvent[]) {
  const summary = new Summary();
  for (const event of events) summary.add(event);
  return summary.report();
}

const one = (
  verdict: 'pass' | 'fail' | 'inconclusive' | 'none' | 'error',
  row = 'test.must',
  known?: string,
) =>
  report(
    run(0, [
      caseStart(1, 'server/x'),
      finding(row, 1, { verdict, ...(verdict === 'fail' && { expected: ['x'], actual: 'y' }) }, known),
    ]),
  );

const text = (...[before, after]: Parameters<typeof diffReports>) =>
  renderDiff(diffReports(before, after), { style: makeStyle(false), columns: 80, verbose: false })
    .join('\n')
    .replaceAll(latest, '<revision>');

describe('a comparison', () => {
  it.each([
    ['pass', 'fail', 'worse'],
    ['fail', 'pass', 'better'],
    ['none', 'fail', 'worse'],
    ['inconclusive', 'fail', 'worse'],
    ['none', 'pass', 'appeared'],
    ['fail', 'none', 'disappeared'],
    ['pass', 'inconclusive', 'disappeared'],
    ['fail', 'error', 'worse'],
  ] as const)('of %s with %s: %s', (before, after, kind) => {
    const diff = diffReports(one(before), one(after));
    expect(diff[kind].map(change => change.id)).toEqual(['test.must']);
    expect(gotWorse(diff)).toBe(kind === 'worse');
  });

  it.each([
    ['pass', undefined, 'fail', 'issue 7', 'worse'],
    ['fail', undefined, 'fail', 'issue 7', 'listed'],
    ['fail', 'issue 7', 'fail', undefined, 'worse'],
    ['fail', 'issue 7', 'pass', undefined, 'better'],
  ] as const)('of %s (known: %s) with %s (known: %s): %s', (before, a, after, b, kind) => {
    const diff = diffReports(one(before, 'test.must', a), one(after, 'test.must', b));
    expect(diff[kind]).toHaveLength(1);
  });

  it('a note does not count as worse', () => {
    expect(gotWorse(diffReports(one('pass', 'test.may'), one('fail', 'test.may')))).toBe(false);
  });

  it('omits places that only one report contains', () => {
    const other = report(
      allWell().map(e =>
        e.kind === 'revision-start' || e.kind === 'revision-end' ? { ...e, revision: older } : e,
      ),
    );
    const diff = diffReports(report(oneViolation()), other);
    expect([diff.same, diff.onlyBefore, diff.onlyAfter]).toEqual([
      0,
      [`${latest} on stdio`],
      [`${older} on stdio`],
    ]);
  });

  it('reads well', () => {
    expect(text(report(allWell()), report(oneViolation()))).toMatchInlineSnapshot(`
      "✗ Worse (1)
        test.must  conforms → violation  <revision> on stdio
          A call to a tool that does not exist is answered with an error.
          expected error -32602 or error -32601, got result {"content":[]}
          mcp-conform server --run <revision>/stdio/server/tools/call-unknown-name --seed 42 -- node 'my server.js'

      ? No longer judged (1)
        test.other-must  conforms → not tested  <revision> on stdio

      1 worse, 0 better, 2 requirements unchanged"
    `);
  });

  it('renders tables in Markdown', () => {
    const lines = renderDiffMarkdown(diffReports(report(oneViolation()), report(allWell())));
    expect(lines.join('\n').replaceAll(latest, '<revision>')).toMatchInlineSnapshot(`
      "### MCP conformance: 0 worse, 1 better, 2 requirements unchanged

      #### Better (1)

      | Requirement | Revision | Before | After | Actual |
      | --- | --- | --- | --- | --- |
      | [test.must](https://modelcontextprotocol.io/specification/<revision>/server/tools#error-handling) | <revision> on stdio | violation | conforms | \`expected error -32602 or error -32601, got result {"content":[]}\` |

      #### Newly judged, and conforms (1)

      | Requirement | Revision | Before | After | Actual |
      | --- | --- | --- | --- | --- |
      | [test.other-must](https://modelcontextprotocol.io/specification/<revision>/server/tools#error-handling) | <revision> on stdio | not tested | conforms |  |
      "
    `);
  });
});

describe('a stored report', () => {
  const read = (content: string) => parseReport(content, 'old.json');

  it('is read, also from the event stream, and with members of a later version', async () => {
    const expected = report(oneViolation());
    expect(await read(JSON.stringify({ ...expected, added: 1 }))).toEqual(expected);
    expect(await read(written(jsonl, oneViolation()).replaceAll('<revision>', latest))).toEqual(expected);
  });

  it.each([
    ['{', 'old.json: not JSON. Create a report with --reporter json=<file>.'],
    ['[]', 'old.json: not a report of mcp-conform. Create a report with --reporter json=<file>.'],
    ['{"reportVersion":2}', 'old.json: report version 2 is not supported; this mcp-conform reads version 1.'],
    ['{"reportVersion":1}', "old.json: not a complete report: data must have required property 'tool'."],
  ])('is refused: %s', async (content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  it('is refused when the run is incomplete', async () => {
    await expect(read(written(jsonl, oneViolation().slice(0, -1)))).rejects.toThrow(
      'old.json: the run is incomplete',
    );
  });
});
