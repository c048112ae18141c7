/**
 * The whole client suite against the client of the SDK, compared with the official suite against the same
 * program on the same Node version; also with the official suite against its own client, if
 * `MCP_CONFORM_BENCH_CLIENT` names the command of that client.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EraId, latestStateless } from '../../spec/revisions.js';
import { bin } from './mock.js';
import { installOfficial, secondsOf, whyNoOfficial } from './official.js';
import { median, type Part } from './results-table.js';

/** What is compared, and the target: the most of the wall time of the official suite. */
interface Comparison {
  readonly era: EraId;
  /** Arguments of the official suite, and further ones of mcp-conform. */
  readonly theirs: readonly string[];
  readonly ours: readonly string[];
  readonly wall: number;
}

const part =
  ({ era, theirs: chosen, ours: further, wall }: Comparison): Part =>
  async sheet => {
    const official = installOfficial(era);
    if (!official) return sheet.skip('clients', whyNoOfficial(era));
    const { sdkClient, version } = official;
    const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-bench-'));
    try {
      const file = join(folder, 'report.json');
      const args = [bin, 'client', ...further, '--reporter', `json=${file}`, '--', ...sdkClient];
      const run = () => secondsOf(official.node, args);
      const runTheirs = (command: string) => official.run(['client', '--command', command, ...chosen]);
      const own = process.env.MCP_CONFORM_BENCH_CLIENT;
      const turns = Array.from({ length: 3 }, () => ({
        ours: run(),
        theirs: runTheirs(sdkClient.join(' ')),
        own: own ? runTheirs(own) : Number.NaN,
      }));
      const [ours, theirs] = [median(turns.map(t => t.ours)), median(turns.map(t => t.theirs))];
      const { summary, runs } = JSON.parse(readFileSync(file, 'utf8'));
      sheet.add("client suite against the SDK's client, s", ours);
      sheet.add('  scenarios', runs[0].cases.length);
      sheet.add('  client processes started', summary.processesStarted);
      sheet.add('  requirements judged', summary.requirementsJudged);
      sheet.add(`official ${version}, its client scenarios, s`, theirs);
      sheet.add('client suite: mcp-conform / official', ours / theirs, { atMost: wall });
      if (!own) return;
      const theirOwn = median(turns.map(t => t.own));
      sheet.add(`official ${version} with its own client, s`, theirOwn);
      sheet.add('client suite: mcp-conform / official with its own client', ours / theirOwn, {
        atMost: wall,
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

export const clients = part({ era: 'legacy', theirs: ['--suite', 'all'], ours: [], wall: 0.5 });

export const clientsStateless = part({
  era: 'modern',
  theirs: ['--requirements', latestStateless.id],
  ours: ['--revision', latestStateless.id],
  wall: 0.4,
});
