import { expect, test } from 'vitest';
import { mockClient } from '../../mocks/client/client.js';
import { findDefinedRevision } from '../../spec/revisions.js';
import { suite } from '../../suites/index.js';
import type { RunEvent } from '../report/run-event.js';
import { inProcess } from '../subject/subject.js';
import { runClient } from './client/run.js';
import { inProcessClient } from './client/subject.js';
import { rejudge } from './rejudge.js';
import { run } from './server/run.js';

async function eventsOf(run: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

test('a run that could not be judged is judged again without a finding', async () => {
  const subject = inProcess(async () => 2);
  const timing = { answer: 500, exit: 100, quiet: 10 };
  const again = [...rejudge(await eventsOf(run({ subject, suite, timing, seed: 1 })), suite.rules)];
  expect(again.filter(e => e.kind === 'finding')).toEqual([]);
  expect(again.at(-1)).toMatchObject({ kind: 'run-end', exitCode: 3 });
});

/** The findings of rules as texts, sorted: the order is not the same in a run. */
const ofRules = (events: Iterable<RunEvent>): string[] =>
  [...events]
    .flatMap(e => (e.kind === 'finding' && e.finding.source === 'rule' ? [JSON.stringify(e.finding)] : []))
    .sort();

test.each(['stdio', 'streamable-http'] as const)(
  'a client that also speaks an older revision is judged again without its older sessions (%s)',
  async transport => {
    const client = mockClient({ graceMs: 60, withoutSockets: true });
    const events = await eventsOf(
      runClient({
        subject: inProcessClient((task, streams) => client.perform(task, streams)),
        suite,
        transport,
        revision: findDefinedRevision('2026-07-28')!,
        timing: { answer: 6_000, exit: 1_000, quiet: 20 },
        selected: name => /client\/versioning\//.test(name),
      }),
    );
    const judged = ofRules(events);
    expect(judged.length).toBeGreaterThan(100);
    expect(ofRules(rejudge(events, suite.rules))).toEqual(judged);
  },
);
