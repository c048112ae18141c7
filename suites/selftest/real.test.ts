/**
 * Independent subjects: each accepted finding has been verified with the clause and the bytes; no other
 * finding is allowed.
 */

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Summary } from '../../harness/report/summary.js';
import { run } from '../../harness/run/server/run.js';
import { spawn } from '../../harness/subject/subject.js';
import { latestRevision } from '../../spec/revisions.js';
import { suite } from '../index.js';

const everything = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);

test('server-everything on stdio: no violation', async () => {
  const subject = spawn('node', [everything]);
  const summary = new Summary();
  for await (const event of run({ subject, suite, revision: latestRevision })) summary.add(event);
  const { runs, exitCode, summary: totals } = summary.report();
  const found = runs.flatMap(r => r.findings);
  expect(found.filter(f => f.grade === 'violation').map(f => f.reproduce)).toEqual([]);
  expect(exitCode).toBe(0);
  expect(totals.pass).toBeGreaterThan(80);
});
