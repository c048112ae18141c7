/** Processes that start slowly: one that has sent nothing so far is no violation, and decides nothing about the server. */

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { run } from '../../harness/run/server/run.js';
import { inProcess, type Streams } from '../../harness/subject/subject.js';
import { mockServer } from '../../mocks/server/server.js';
import { latestRevision, latestStateless } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { observe } from './run-mock.js';

const serve = (streams: Streams) => mockServer({ delayMs: 2 }).serve(streams);

/** Responds to nothing, also not to the end of its input. */
const never = ({ signal }: Streams): Promise<number> => once(signal, 'abort').then(() => 1);

/** Starts to serve when a second message has arrived: then the harness no longer waits for the response to the first one. */
async function late(streams: Streams): Promise<number> {
  const stdin = new PassThrough();
  let text = '';
  await new Promise<void>(resolve => {
    streams.stdin.on('data', (chunk: Buffer) => {
      stdin.write(chunk);
      text += chunk;
      if (text.split('\n').length > 2) resolve();
    });
    streams.stdin.on('end', () => {
      stdin.end();
      resolve();
    });
  });
  return serve({ ...streams, stdin });
}

test.concurrent.each(
  [latestRevision, latestStateless].flatMap(revision =>
    [2, 3, 4, 5].flatMap(start => [
      [start, 'starts never', revision.id, revision, never] as const,
      [start, 'starts late', revision.id, revision, late] as const,
    ]),
  ),
)('process %i %s, %s', async (start, _how, _id, revision, slow) => {
  let count = 0;
  const subject = inProcess(streams => (++count === start ? slow(streams) : serve(streams)));
  const timing = { answer: 1_000, exit: 200, quiet: 20 };
  const { report } = await observe(
    run({ subject, suite, revision, fixtures: true, seed: 1, runs: 0, timing }),
  );
  const found = report.runs
    .flatMap(r => r.findings)
    .filter(f => f.grade === 'violation' || f.grade === 'warning');
  expect(found.map(f => `${f.requirement}: ${f.message}`)).toEqual([]);
  expect(count).toBeGreaterThanOrEqual(start);
});
