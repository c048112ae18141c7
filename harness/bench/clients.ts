/** The whole client suite against the SDK's client, beside the official suite against the same program. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOfficial, secondsOf } from './official.js';
import type { Row } from './row.js';

const bin = fileURLToPath(new URL('../entry/bin.js', import.meta.url));

export function benchClients(row: Row): void {
  const official = installOfficial();
  if (!official) {
    row('client suites', 'skipped', 'the official suite could not be installed from npm');
    return;
  }
  const { sdkClient, version } = official;
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-bench-'));
  try {
    const file = join(folder, 'report.json');
    const ours = secondsOf(process.execPath, [
      bin,
      'client',
      '--reporter',
      `json=${file}`,
      '--',
      ...sdkClient,
    ]);
    const { summary, runs } = JSON.parse(readFileSync(file, 'utf8'));
    const theirs = official.run(['client', '--command', sdkClient.join(' '), '--suite', 'all']);
    row('client suite against the SDK client, s', ours.toFixed(2));
    row('  scenarios', String(runs[0].cases.length));
    row('  starts of the client', String(summary.processesStarted));
    row('  requirements judged', String(summary.requirementsJudged));
    row(`official ${version} client --suite all, s`, theirs.toFixed(2), '26 scenarios');
    row('  ours / theirs', (ours / theirs).toFixed(2), 'target ≤ 0.5');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
