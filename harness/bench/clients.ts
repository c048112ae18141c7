/**
 * The whole client suite against the client of the SDK, compared with the official suite against the same
 * program on the same Node version; also with the official suite against its own client, if
 * `MCP_CONFORM_BENCH_CLIENT` names the command of that client.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin } from './mock.js';
import { installOfficial, secondsOf, whyNoOfficial } from './official.js';
import { median, type Part } from './results-table.js';

export const clients: Part = async sheet => {
  const official = installOfficial();
  if (!official) return sheet.skip('clients', whyNoOfficial);
  const { sdkClient, version } = official;
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-bench-'));
  try {
    const file = join(folder, 'report.json');
    const args = [bin, 'client', '--reporter', `json=${file}`, '--', ...sdkClient];
    const run = () => secondsOf(official.node, args);
    const runTheirs = (command: string) => official.run(['client', '--command', command, '--suite', 'all']);
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
    sheet.add(`official ${version}, all 26 client scenarios, s`, theirs);
    sheet.add('client suite: mcp-conform / official', ours / theirs, { atMost: 0.5 });
    if (!own) return;
    const theirOwn = median(turns.map(t => t.own));
    sheet.add(`official ${version} with its own client, s`, theirOwn);
    sheet.add('client suite: mcp-conform / official with its own client', ours / theirOwn, { atMost: 0.5 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
