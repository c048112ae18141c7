/** Time and memory of a run by the size of what the server offers: twice as much takes at most twice as long. */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bin } from './mock.js';
import { median, type Part } from './results-table.js';

const rounds = 3;

/** By feature: the larger of the two sizes, and the unit. */
const sizes = {
  tools: [10_000, 'tools'],
  resources: [100_000, 'resources'],
  pages: [1_000, 'pages'],
  bytes: [10_000_000, 'bytes in one result'],
} as const;

/** More than any of these messages has: the usual limit would end the largest ones early. */
const options = ['--quiet', '--runs', '0', '--max-message', '16MB'];

const largeServer = fileURLToPath(new URL('large-server.js', import.meta.url));

/** Prints the CPU time (microseconds) and the peak memory (kilobytes) of the process as the last line of its standard error. */
const reportCost =
  'data:text/javascript,process.on("exit",()=>{const u=process.resourceUsage();' +
  'process.stderr.write("\\n"+(u.userCPUTime+u.systemCPUTime)+" "+u.maxRSS)})';

interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

function costOf(what: string, n: number): Cost {
  const server = [process.execPath, largeServer, what, String(n)];
  const runs = Array.from({ length: rounds }, (): Cost => {
    const began = performance.now();
    const { stderr, error } = spawnSync(
      process.execPath,
      ['--import', reportCost, bin, 'server', ...options, '--', ...server],
      { encoding: 'utf8', timeout: 300_000 },
    );
    if (error) throw error;
    const [microseconds, kilobytes] = stderr.trimEnd().split('\n').at(-1)!.split(' ').map(Number);
    return {
      seconds: (performance.now() - began) / 1_000,
      cpuSeconds: microseconds! / 1e6,
      megabytes: kilobytes! / 1_024,
    };
  });
  const typical = (of: (cost: Cost) => number) => median(runs.map(of));
  return {
    seconds: typical(r => r.seconds),
    cpuSeconds: typical(r => r.cpuSeconds),
    megabytes: typical(r => r.megabytes),
  };
}

export const scale: Part = sheet => {
  for (const [what, [n, unit]] of Object.entries(sizes)) {
    const [none, half, whole] = [costOf(what, 0), costOf(what, n / 2), costOf(what, n)];
    sheet.add(`${n.toLocaleString('en')} ${unit}, s`, whole.seconds);
    sheet.add('  peak memory, MB', whole.megabytes, { atMost: 400 });
    // the CPU time of one element, without the fixed cost, in the larger and in the smaller size
    const ratio = (whole.cpuSeconds - none.cpuSeconds) / (2 * (half.cpuSeconds - none.cpuSeconds));
    sheet.add('  per element, beside half as many', ratio, { atMost: 1.3 });
  }
};
