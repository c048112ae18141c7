/** A recorded run as a client again: a defect of one case is seen in the same case. */

import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../harness/report/run-event.js';
import { Summary } from '../../harness/report/summary.js';
import { runClient } from '../../harness/run/client/run.js';
import { inProcessClient } from '../../harness/run/client/subject.js';
import type { ClientTask } from '../../harness/scenario/client-task.js';
import { declined } from '../../harness/scenario/script.js';
import { newestFirst } from '../../spec/revisions.js';
import { clientSuite } from '../../suites/client/index.js';
import { mockClient } from './client.js';
import { clientRecordOf, lackOf, playTalk, talksFor } from './replay.js';

const revision = newestFirst().find(({ era }) => era === 'legacy')!;
const wanted = ['client/tools/list-and-call', 'client/progress/tokens'];

/** The violations, and the events. */
async function judge(act: (task: ClientTask, streams: never) => Promise<number>) {
  const summary = new Summary();
  const events: RunEvent[] = [];
  const run = runClient({
    suite: clientSuite,
    subject: inProcessClient(act as never),
    transport: 'streamable-http',
    revision,
    seed: 1,
    timing: { answer: 6_000, exit: 1_000, quiet: 40 },
    selected: name => wanted.some(part => name.endsWith(part)),
  });
  for await (const event of run) {
    summary.add(event);
    events.push(event);
  }
  const findings = summary.report().runs.flatMap(r => r.findings);
  const failures = findings.filter(f => f.grade === 'violation').map(f => f.requirement);
  return { failures: [...new Set(failures)].sort(), events };
}

describe('a recorded run of a client', () => {
  test.each([[[]], [['client-id-fraction']]])(
    'with the faults %j has the same violations again',
    async faults => {
      const client = mockClient({ faults, graceMs: 60 });
      const first = await judge((task, streams) => client.perform(task, streams));
      expect(first.failures.length > 0).toBe(faults.length > 0);
      const record = clientRecordOf(first.events);
      const again = await judge(async ({ scenario, revision: of, address }) => {
        const talks = talksFor(record, scenario, of);
        if (!talks) return declined;
        for (const talk of talks) await playTalk(talk, address as { url: string });
        return 0;
      });
      expect(again.failures).toEqual(first.failures);
    },
  );
});

describe('a record that does not suffice', () => {
  const talk = { transport: 'streamable-http', revision: revision.id, steps: [], lacks: undefined };

  test.each([
    [{ ...talk, lacks: 'a token, which is not in a record' }, { url: 'http://127.0.0.1/' }, /a token/],
    [talk, { command: ['node'] }, /recorded over streamable-http, not over stdio/],
    [{ ...talk, transport: 'http-sse' }, { url: 'http://127.0.0.1/' }, /HTTP with SSE/],
  ])('is refused with the reason (%#)', (one, address, reason) => {
    expect(lackOf(one, address)).toMatch(reason);
  });

  test('has no conversation for a scenario that did not run', () => {
    const record = { talks: [talk], cases: new Map([['client/tools/list-and-call', [3]]]) };
    expect(talksFor(record, 'client/tools/list-and-call', revision.id)).toBeUndefined();
    expect(talksFor(record, 'client/ping/other', revision.id)).toBeUndefined();
    expect(talksFor(record, 'probe', revision.id)).toHaveLength(1);
  });
});
