/**
 * `npm run hostile`: starts the built program against each hostile program, and prints what each run took and left.
 * Options: parts of names (default: all), `--once` for each behaviour in its first place only, `--sample <n>` for n
 * programs chosen by `--seed <n>`, `--jobs <n>` (default 2), `--keep <folder>` for the reports, `--list`;
 * `--signals` for signals at random moments. Exits with 1 when a bound is broken.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chosen } from './choice.js';
import { hostilePrograms } from './programs.js';
import { type Outcome, runProgram } from './run-program.js';
import { runSignals } from './signals.js';

const { values: options, positionals: named } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '2' },
    keep: { type: 'string' },
    once: { type: 'boolean' },
    list: { type: 'boolean' },
    signals: { type: 'boolean' },
  },
  allowPositionals: true,
});

const folder = options.keep ?? mkdtempSync(join(tmpdir(), 'mcp-conform-hostile-'));
mkdirSync(folder, { recursive: true });
const { seed } = options;
const jobs = Number(options.jobs);

const sample = <T>(items: readonly T[]): T[] =>
  options.sample ? chosen(items, Number(options.sample), seed) : [...items];

/** Runs `act` for each item, a few at the same time. */
async function each<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const lane = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: jobs }, lane));
}

const row = ({ program, measured: m, broken }: Outcome): string =>
  [
    broken.length > 0 ? '✗' : '✔',
    program.name.padEnd(54),
    `${m.wallS.toFixed(1).padStart(6)} s`,
    `${m.cpuS.toFixed(1).padStart(6)} s CPU`,
    `${m.peakMb.toFixed(0).padStart(5)} MB`,
    `exit ${m.exitCode ?? m.signal}`.padEnd(8),
    broken.join('; '),
  ].join('  ');

async function runPrograms(): Promise<number> {
  const all = await hostilePrograms();
  const names = new Set(all.map(({ name }) => name));
  // a whole name is not a part of others
  const isNamed = (name: string): boolean =>
    named.some(part => (names.has(part) ? name === part : name.includes(part)));
  const fitting = all.filter(
    ({ name, isFirst }) => (named.length === 0 || isNamed(name)) && (isFirst || !options.once),
  );
  const picked = sample(fitting);
  if (options.list) {
    for (const { name, what } of picked) console.log(`${name.padEnd(54)}  ${what}`);
    return 0;
  }
  const outcomes: Outcome[] = [];
  await each(picked, async program => {
    let outcome = await runProgram(program, folder);
    // other work of the machine: once more
    if (outcome.tooSlow) outcome = await runProgram(program, folder);
    outcomes.push(outcome);
    console.log(row(outcome));
  });
  const broken = outcomes.filter(outcome => outcome.broken.length > 0);
  const worst = (of: (outcome: Outcome) => number) => Math.max(0, ...outcomes.map(of));
  const behaviours = new Set(picked.map(({ role, behaviour }) => `${role} ${behaviour}`)).size;
  console.log(
    `${outcomes.length} runs of ${behaviours} hostile programs: at most ${worst(o => o.measured.wallS).toFixed(1)} s, ${worst(o => o.measured.peakMb).toFixed(0)} MB; ${broken.length} with a broken bound`,
  );
  const unnamed = picked.filter(program => !program.shows).length;
  if (unnamed > 0)
    console.log(`${unnamed} of the runs have no text that their report has to name (shows.ts)`);
  writeFileSync(join(folder, 'table.txt'), `${outcomes.map(row).sort().join('\n')}\n`);
  return broken.length;
}

const broken = options.signals ? await runSignals({ seed, each, sample }) : await runPrograms();
if (!options.keep) rmSync(folder, { recursive: true });
process.exitCode = broken > 0 ? 1 : 0;
