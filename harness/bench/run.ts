/** Duration of a full run over stdio, for each revision. */

import { latestRevision, latestStateless, newestFirst, type Revision } from '../../spec/revisions.js';
import { Summary } from '../report/summary.js';
import type { Suite } from '../run/plan.js';
import { type FullRun, fullRun } from './mock.js';
import { median, type Part } from './results-table.js';

const rounds = 5;

/** The longest full run, in seconds. */
function mostSeconds(revision: Revision): number {
  if (revision === latestStateless) return 2;
  return revision === latestRevision ? 3 : 6;
}

export const fullRuns =
  (suite: Suite): Part =>
  async sheet => {
    await fullRun(suite, latestRevision); // warms the file cache and the compiler
    for (const revision of [latestStateless, ...newestFirst()]) {
      const runs: FullRun[] = [];
      for (let n = 0; n < rounds; n++) runs.push(await fullRun(suite, revision));
      const seconds = median(runs.map(r => r.seconds));
      sheet.add(`${revision.id}: full run against the mock, s`, seconds, {
        atMost: mostSeconds(revision),
      });
      if (revision !== latestRevision) continue;
      const typical = runs.find(r => r.seconds === seconds)!;
      const summary = new Summary();
      for (const event of typical.events) summary.add(event);
      const { checks, messages, requirementsJudged, processesStarted } = summary.report().summary;
      sheet.add('  checks', checks);
      sheet.add('  checks per second', checks / seconds, { atLeast: 1_000 });
      sheet.add('  messages', messages);
      sheet.add('  requirements judged', requirementsJudged);
      sheet.add('  processes started', processesStarted);
      sheet.add('  share of the time mcp-conform waited, %', 100 * Math.max(0, 1 - typical.busy / seconds));
    }
  };
