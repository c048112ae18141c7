/** Start time of the program, relative to the start time of Node itself. */

import { spawnSync } from 'node:child_process';
import { bin } from './mock.js';
import { median, type Part } from './results-table.js';

const rounds = 15;

export const start: Part = sheet => {
  const commands = { bare: ['-e', '0'], version: [bin, '--version'], help: [bin, 'server', '--help'] };
  const times = { bare: [] as number[], version: [] as number[], help: [] as number[] };
  // alternating runs, so that other load on the machine affects all programs
  for (let round = 0; round < rounds; round++)
    for (const name of ['bare', 'version', 'help'] as const) {
      const began = performance.now();
      spawnSync(process.execPath, commands[name]);
      times[name].push(performance.now() - began);
    }
  const bare = median(times.bare);
  sheet.add('node -e 0, ms', bare);
  sheet.add('mcp-conform --version / node -e 0', median(times.version) / bare, { atMost: 2.5 });
  sheet.add('mcp-conform server --help / node -e 0', median(times.help) / bare);
};
