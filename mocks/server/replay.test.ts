/** A recorded run as a server again: a defect of one case is seen in the same case. */

import { describe, expect, test } from 'vitest';
import type { Event } from '../../harness/record/event.js';
import type { RunEvent } from '../../harness/report/run-event.js';
import { Summary } from '../../harness/report/summary.js';
import { run } from '../../harness/run/server/run.js';
import { inProcess, type Streams } from '../../harness/subject/subject.js';
import { revisions } from '../../spec/revisions.js';
import { serverSuite } from '../../suites/server/index.js';
import { recordOf, serveRecord } from './replay.js';
import { mockServer } from './server.js';

/** The failures of some cases, and the record. */
async function judge(serve: (streams: Streams) => Promise<number>, wanted: readonly string[]) {
  const summary = new Summary();
  const events: Event[] = [];
  const options = { suite: serverSuite, subject: inProcess(serve), runs: 0, seed: 1 };
  const selected = (name: string) => wanted.some(part => name.endsWith(part));
  for await (const event of run({ ...options, selected }) as AsyncIterable<RunEvent>) {
    summary.add(event);
    if (event.kind === 'wire') events.push(event.event);
  }
  const failures = summary
    .report()
    .runs.flatMap(r => r.findings.filter(f => f.grade === 'violation').map(f => f.requirement));
  return { failures: [...new Set(failures)].sort(), events };
}

const withHandshake = revisions.map(r => r.id);

describe('a recorded run', () => {
  test.each([
    [
      withHandshake,
      [],
      ['server/ping/plain', 'server/tools/list', 'server/tools/call-text', 'server/prompts/list'],
    ],
    [withHandshake, ['result-null'], ['server/ping/plain']],
    [withHandshake, ['id-retyped'], ['server/tools/list']],
    [withHandshake, ['unknown-method-invalid-params'], ['server/base/unknown-method']],
    [undefined, [], ['server/tools/list', 'server/tools/call-text', 'server/prompts/list']],
    [undefined, ['id-retyped'], ['server/tools/list']],
    [undefined, ['unsupported-version-bare'], ['server/versioning/unsupported']],
  ])(
    'of %j with the faults %j has the same violations when it is played again',
    async (offered, faults, wanted) => {
      const server = mockServer({ faults, ...(offered && { revisions: offered }) });
      const first = await judge(streams => server.serve(streams), wanted);
      expect(first.failures.length > 0).toBe(
        faults.length > 0 && faults[0] !== 'unknown-method-invalid-params',
      );
      const record = recordOf(first.events);
      const again = await judge(streams => serveRecord(streams, record), wanted);
      expect(again.failures).toEqual(first.failures);
    },
  );
});
