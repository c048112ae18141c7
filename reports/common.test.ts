import { describe, expect, test } from 'vitest';
import { requirement } from '../spec/requirement.js';
import { isCommon } from './common.js';
import { console as consoleReporter } from './console.js';
import {
  caseEnd,
  caseStart,
  finding,
  revisionEnd,
  revisionStart,
  runEnd,
  runStart,
  written,
} from './samples.test.util.js';

describe('a warning that most servers get', () => {
  const row = requirement('jsonrpc.error-message-concise');
  const common = finding(row.id, 1, { verdict: 'fail', actual: 'a long text' });
  const other = requirement('tools.structured-content-text-copy');
  const rare = finding(other.id, 1, { verdict: 'fail' });
  const report = (...warnings: (typeof common)[]) =>
    written(consoleReporter, [
      runStart(),
      revisionStart({ requirements: [row.id, other.id] }),
      caseStart(1, 'server/errors'),
      ...warnings,
      caseEnd(1),
      revisionEnd(),
      runEnd(0),
    ]);

  test('is common in the report of a server', () => {
    expect(isCommon({ grade: 'warning', row }, 'server')).toBe(true);
    expect(isCommon({ grade: 'violation', row }, 'server')).toBe(false);
  });

  test('is a warning as any other in the report of a client', () => {
    expect(isCommon({ grade: 'warning', row }, 'client')).toBe(false);
  });

  test('is one line of the console beside other warnings', () => {
    expect(report(common, rare)).toContain(`most servers get these warnings: ${row.id}`);
    expect(report(common, rare)).not.toContain('a long text');
  });

  test('is shown as any other where nothing else was found', () => {
    expect(report(common)).toContain('a long text');
    expect(report(common)).not.toContain('most servers');
  });
});
