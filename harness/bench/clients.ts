/** The whole client suite against the SDK's client, beside the official suite against the same program. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin } from './mock.js';
import { installOfficial, secondsOf, whyNoOfficial } from './official.js';
import { medianOf, type Part } from './sheet.js';

export const clients: Part = async sheet => {
  const official = installOfficial();
  if (!official) return sheet.skip('clients', whyNoOfficial);
  const { sdkClient, version } = official;
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-bench-'));
  try {
    const file = join(folder, 'report.json');
    const args = [bin, 'client', '--reporter', `json=${file}`, '--', ...sdkClient];
    const ours = await medianOf(3, () => secondsOf(process.execPath, args));
    const { summary, runs } = JSON.parse(readFileSync(file, 'utf8'));
    // once: it takes half a minute, most of which it waits
    const theirs = official.run(['client', '--command', sdkClient.join(' '), '--suite', 'all']);
    sheet.add("client suite against the SDK's client, s", ours);
    sheet.add('  scenarios', runs[0].cases.length);
    sheet.add('  starts of the client', summary.processesStarted);
    sheet.add('  requirements judged', summary.requirementsJudged);
    sheet.add(`official ${version}, all 26 client scenarios, s`, theirs);
    sheet.add('client suite: ours / official', ours / theirs, { atMost: 0.5 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
