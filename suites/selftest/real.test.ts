/** Subjects that nobody here wrote: what is found in them has been argued from the clause and the bytes; nothing else may be. */

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

test('server-everything on stdio: no violation', { timeout: 120_000 }, async () => {
  const subject = spawn('node', [everything]);
  const summary = new Summary();
  for await (const event of run({ subject, suite, revision: latestRevision })) summary.add(event);
  const { runs, exitCode, summary: totals } = summary.report();
  const found = runs.flatMap(r => r.findings);
  expect(found.filter(f => f.grade === 'violation').map(f => f.reproduce)).toEqual([]);
  expect(exitCode).toBe(0);
  expect(totals.pass).toBeGreaterThan(80);
});
