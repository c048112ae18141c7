import { expect, test } from 'vitest';
import { suite } from '../../suites/index.js';
import type { RunEvent } from '../report/run-event.js';
import { inProcess } from '../subject/subject.js';
import { rejudge } from './rejudge.js';
import { run } from './server/run.js';

test('a run that could not be judged is judged again without a finding', async () => {
  const subject = inProcess(async () => 2);
  const events: RunEvent[] = [];
  for await (const event of run({ subject, suite, timing: { answer: 500, exit: 100, quiet: 10 }, seed: 1 }))
    events.push(event);
  const again = [...rejudge(events, suite.rules)];
  expect(again.filter(e => e.kind === 'finding')).toEqual([]);
  expect(again.at(-1)).toMatchObject({ kind: 'run-end', exitCode: 3 });
});
