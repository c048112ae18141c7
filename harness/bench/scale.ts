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

const largeServer = fileURLToPath(new URL('large-server.js', import.meta.url));

/** Prints the peak memory of the process in kilobytes as the last line of its standard error. */
const reportMemory =
  'data:text/javascript,process.on("exit",()=>process.stderr.write("\\n"+process.resourceUsage().maxRSS))';

interface Cost {
  readonly seconds: number;
  readonly megabytes: number;
}

function costOf(what: string, n: number): Cost {
  const runs = Array.from({ length: rounds }, () => {
    const began = performance.now();
    const { stderr, error } = spawnSync(
      process.execPath,
      [
        '--import',
        reportMemory,
        bin,
        'server',
        '--quiet',
        '--runs',
        '0',
        '--',
        process.execPath,
        largeServer,
      ].concat(what, String(n)),
      { encoding: 'utf8', timeout: 300_000 },
    );
    if (error) throw error;
    const kilobytes = Number(stderr.trimEnd().split('\n').at(-1));
    return { seconds: (performance.now() - began) / 1_000, megabytes: kilobytes / 1_024 };
  });
  return { seconds: median(runs.map(r => r.seconds)), megabytes: median(runs.map(r => r.megabytes)) };
}

export const scale: Part = sheet => {
  for (const [what, [n, unit]] of Object.entries(sizes)) {
    const [none, half, whole] = [costOf(what, 0), costOf(what, n / 2), costOf(what, n)];
    sheet.add(`${n.toLocaleString('en')} ${unit}, s`, whole.seconds);
    sheet.add('  peak memory, MB', whole.megabytes, { atMost: 400 });
    // the cost of one element, without the fixed cost, in the larger and in the smaller size
    const ratio = (whole.seconds - none.seconds) / (2 * (half.seconds - none.seconds));
    // below a tenth of a second the difference is noise
    if (whole.seconds - none.seconds > 0.1)
      sheet.add('  per element, beside half as many', ratio, { atMost: 1.3 });
  }
};
