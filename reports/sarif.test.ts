import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { Log, Result } from 'sarif';
import { describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../harness/report/run-event.js';
import { attacked } from './attack.test.util.js';
import {
  allWell,
  caseStart,
  finding,
  generatedViolation,
  oneViolation,
  run,
  runEnd,
  runStart,
  written,
} from './samples.test.util.js';
import { sarif } from './sarif.js';

vi.mock('../spec/requirement.js', async actual =>
  (await import('./samples.test.util.js')).withTestRows(await actual<object>()),
);

/** The published schema; it is of draft-04, of whose differences to draft-07 it uses only `id`. */
function publishedSchema() {
  const file = createRequire(import.meta.url).resolve(
    '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json',
  );
  const { $schema: _, id: __, ...schema } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats.default(ajv);
  return ajv.compile(schema);
}
const fitsSchema = publishedSchema();

/** Checks a log against the schema and the text of the standard, and the requirements of code scanning. */
function check(events: readonly RunEvent[]): { log: Log; results: Result[] } {
  const log = JSON.parse(written(sarif, events)) as Log;
  fitsSchema(JSON.parse(written(sarif, events).replaceAll('<revision>', 'dated')));
  expect(fitsSchema.errors).toBeNull();
  expect(log.version).toBe('2.1.0');
  expect(log.$schema).toMatch(/sarif-schema-2\.1\.0\.json$/);
  expect(log.runs).toHaveLength(1);
  const [{ tool, results = [], invocations = [] }] = log.runs as [Log['runs'][0]];
  expect(tool.driver.name).toBe('mcp-conform');
  const rules = tool.driver.rules ?? [];
  expect(new Set(rules.map(rule => rule.id)).size).toBe(rules.length);
  for (const rule of rules) {
    expect(rule.helpUri).toMatch(/^https:\/\//);
    expect(rule.shortDescription?.text).toBeTruthy();
    expect(['none', 'note', 'warning', 'error']).toContain(rule.defaultConfiguration?.level);
  }
  for (const result of results) {
    expect(rules[result.ruleIndex!]?.id).toBe(result.ruleId);
    expect(result.message.text).toBeTruthy();
    expect(['none', 'note', 'warning', 'error']).toContain(result.level);
    expect(['fail', 'open', 'review']).toContain(result.kind);
    // Only failures have a level other than none (§3.27.10).
    expect(result.kind === 'fail').toBe(result.level !== 'none');
    const place = result.locations?.[0]?.physicalLocation;
    expect(place?.artifactLocation?.uri).toMatch(/^[\w.-][\w./-]*$/);
    expect(place?.region?.startLine).toBe(1);
    expect(Object.values(result.partialFingerprints ?? {})[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(result.occurrenceCount).toBeGreaterThan(0);
  }
  for (const { startTimeUtc, endTimeUtc } of invocations)
    for (const time of [startTimeUtc, endTimeUtc]) expect(Number.isNaN(Date.parse(time!))).toBe(false);
  return { log, results };
}

describe('SARIF', () => {
  it('does not fit the schema with a member too many, or too few', () => {
    const log = JSON.parse(written(sarif, oneViolation()).replaceAll('<revision>', 'dated'));
    expect(fitsSchema({ ...log, more: 1 })).toBe(false);
    delete log.runs[0].results[0].message;
    expect(fitsSchema(log)).toBe(false);
  });

  it('contains no results without failures', () => expect(check(allWell()).results).toEqual([]));

  it('tells a violation', () => {
    const [result] = check(oneViolation()).results;
    expect(result).toMatchObject({
      ruleId: 'test.must',
      level: 'error',
      kind: 'fail',
      message: {
        text: 'A call to a tool that does not exist is answered with an error. Expected error -32602 or error -32601, got result {"content":[]}.',
      },
      properties: { events: [12, 13] },
    });
  });

  it('contains the generated value', () => {
    const [result] = check(generatedViolation()).results;
    expect(result?.properties?.counterexample).toMatchObject({ path: '3:0:1', value: { id: 2 ** 31 } });
  });

  it('suppresses known failures, with the reason', () => {
    const events = [caseStart(1, 'server/x'), finding('test.must', 1, { verdict: 'fail' }, 'issue 7')];
    expect(check(run(0, events)).results[0]?.suppressions).toEqual([
      { kind: 'external', justification: 'issue 7' },
    ]);
  });

  it('names the file of the subject if the command contains one', () => {
    const start = (command: string[]) =>
      check(
        oneViolation().map(e => (e.kind === 'run-start' ? { ...e, subject: { ...e.subject, command } } : e)),
      );
    const uri = (command: string[]) =>
      start(command).results[0]?.locations?.[0]?.physicalLocation?.artifactLocation?.uri;
    expect(uri(['node', './dist/server.js'])).toBe('dist/server.js');
    expect(uri(['node', '../x.js', '/etc/x.js'])).toBe('subject');
  });

  it('reports a run without a verdict', () => {
    const { log } = check([runStart(), runEnd(3, { unjudged: { reason: 'It exited.', details: [] } })]);
    expect(log.runs[0]?.invocations?.[0]).toMatchObject({
      executionSuccessful: false,
      exitCode: 3,
      toolExecutionNotifications: [{ message: { text: 'It exited.' } }],
    });
  });

  it('is valid with any text of the subject, and the same failure has the same fingerprint', () => {
    check(attacked());
    const prints = (events: RunEvent[]) => check(events).results.map(r => r.partialFingerprints);
    expect(prints(oneViolation())).toEqual(prints(oneViolation()));
    expect(written(sarif, attacked())).not.toMatch(/[^\n\P{Cc}]|\p{Cf}|\p{Cs}/u);
  });
});
