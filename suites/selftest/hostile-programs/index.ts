/**
 * `npm run hostile`: starts the built program against each hostile program, and prints what each run took and left. A run
 * that breaks a bound is repeated alone at the end, and only the repetition counts.
 * Options: parts of names (default: all), `--once` for each behaviour in its first place only, `--sample <n>` for n
 * programs chosen by `--seed <n>`, `--jobs <n>` (default 6), `--keep <folder>` for the reports, `--list`;
 * `--signals` for signals at random moments. Exits with 1 when a bound is broken.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endingSignals, signalExitCode } from '../../../harness/entry/interruption.js';
import { commandLine } from '../command-line.js';
import { chosen } from './choice.js';
import { killRuns } from './measure.js';
import { inTwoPasses } from './passes.js';
import { hostilePrograms } from './programs.js';
import { type Outcome, runProgram } from './run-program.js';
import { runSignals } from './signals.js';

const { values: options, positionals: named } = commandLine(import.meta.url, {
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '6' },
    keep: { type: 'string' },
    once: { type: 'boolean' },
    list: { type: 'boolean' },
    signals: { type: 'boolean' },
  },
  allowPositionals: true,
});

const folder = options.keep ?? mkdtempSync(join(tmpdir(), 'mcp-conform-hostile-'));
mkdirSync(folder, { recursive: true });

/** Ends all runs with this process. */
function stop(exitCode: number): never {
  killRuns();
  if (!options.keep) rmSync(folder, { recursive: true, force: true });
  process.exit(exitCode);
}
for (const signal of endingSignals) process.once(signal, () => stop(signalExitCode(signal)));
// as in `npm run hostile | head`
process.stdout.once('error', () => stop(1));

const { seed } = options;
const jobs = Number(options.jobs);

const sample = <T>(items: readonly T[]): T[] =>
  options.sample ? chosen(items, Number(options.sample), seed) : [...items];

const row = ({ program, measured: m, broken }: Outcome): string =>
  [
    broken.length > 0 ? '✗' : '✔',
    program.name.padEnd(54),
    `${m.wallS.toFixed(1).padStart(6)} s`,
    `${m.cpuS.toFixed(1).padStart(6)} + ${m.subjectCpuS.toFixed(1).padStart(5)} s CPU`,
    `${m.peakMb.toFixed(0).padStart(5)} MB`,
    `exit ${m.exitCode ?? m.signal}`.padEnd(8),
    broken.join('; '),
  ].join('  ');

const wallS = (outcome: Outcome): number => outcome.measured.wallS;
const peakMb = (outcome: Outcome): number => outcome.measured.peakMb;
const minutes = (time: number): string => `${time.toFixed(1)} min`;

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
  const began = performance.now();
  let repeated = 0;
  const outcomes = await inTwoPasses(picked, {
    jobs,
    run: program => runProgram(program, folder),
    isBroken: outcome => outcome.broken.length > 0,
    onOutcome(_, outcome, pass) {
      if (pass === 'alone') repeated++;
      console.log(`${row(outcome)}${pass === 'alone' ? '  (alone)' : ''}`);
    },
  });
  const broken = outcomes.filter(outcome => outcome.broken.length > 0);
  for (const [of, value] of [
    ['time', wallS],
    ['memory', peakMb],
  ] as const) {
    console.log(`\nThe ten with the most ${of}:`);
    for (const outcome of [...outcomes].sort((a, b) => value(b) - value(a)).slice(0, 10))
      console.log(row(outcome));
  }
  if (broken.length > 0) console.log(`\nBroken bounds:\n${broken.map(row).join('\n')}`);
  const total = (of: (outcome: Outcome) => number) => outcomes.reduce((sum, o) => sum + of(o), 0) / 60;
  const behaviours = new Set(picked.map(({ role, behaviour }) => `${role} ${behaviour}`)).size;
  console.log(
    `\n${outcomes.length} runs of ${behaviours} hostile programs in ${minutes((performance.now() - began) / 60_000)}: ${minutes(total(wallS))} of runs, ${minutes(total(o => o.measured.cpuS))} of CPU, ${minutes(total(o => o.measured.subjectCpuS))} of CPU in subjects; ${repeated} repeated alone, ${broken.length} with a broken bound`,
  );
  const unnamed = picked.filter(program => !program.shows).length;
  if (unnamed > 0)
    console.log(`${unnamed} of the runs have no text that their report has to name (shows.ts)`);
  writeFileSync(join(folder, 'table.txt'), `${outcomes.map(row).sort().join('\n')}\n`);
  return broken.length;
}

const broken = options.signals ? await runSignals({ seed, jobs, sample }) : await runPrograms();
if (!options.keep) rmSync(folder, { recursive: true });
process.exitCode = broken > 0 ? 1 : 0;
