/** `mcp-conform run`: tests the subjects of a configuration file, and again whenever files change. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../../report/pattern.js';
import type { Report } from '../../report/report.js';
import { examples } from '../common.js';
import { type ConfiguredSubject, configFile, readConfig } from '../config.js';
import type { Outcome } from '../outcome.js';

interface RunOptions {
  readonly config?: string;
  readonly watch?: boolean;
}

/** Time in milliseconds in which several changes count as one. */
const calm = 200;
/** Failing cases that run before the others. */
const mostFirst = 20;

export function runCommand(program: Command, outcome: Outcome): void {
  program
    .command('run')
    .summary(`test the subjects of ${configFile}`)
    .argument('[name...]', 'names of subjects; default: all')
    .addHelpText('before', examples(['mcp-conform run', 'mcp-conform run stdio --watch']))
    .option('--config <file>', `default: ${configFile}, or the key "mcp-conform" of package.json`)
    .option('--watch', 'run again when files of this folder change, the failing cases first')
    .action(async (names: string[], options: RunOptions) => {
      const subjects = choose(readConfig(options.config), names);
      outcome.exitCode = options.watch ? await runOnChanges(subjects) : await runAll(subjects);
    });
}

function choose(all: readonly ConfiguredSubject[], names: readonly string[]): readonly ConfiguredSubject[] {
  const unknown = names.find(name => !all.some(subject => subject.name === name));
  if (unknown !== undefined)
    throw new UsageError(
      `there is no subject "${unknown}". Choose from: ${all.map(s => s.name).join(', ')}.`,
    );
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

/** One after the other. @returns the highest exit code */
async function runAll(subjects: readonly ConfiguredSubject[]): Promise<number> {
  let worst = 0;
  for (const { name, args } of subjects) {
    if (subjects.length > 1) console.log(`\n── ${name} ──`);
    worst = Math.max(worst, await start(args));
  }
  return worst;
}

/** Each run has a process of its own, so that the runs share nothing. */
const start = (args: readonly string[]): Promise<number> =>
  new Promise(resolve => {
    const words = [...process.execArgv, process.argv[1]!, ...args];
    const child = spawn(process.execPath, words, { stdio: 'inherit' });
    child.once('error', () => resolve(4));
    child.once('exit', code => resolve(code ?? 4));
  });

async function runOnChanges(subjects: readonly ConfiguredSubject[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const failing = new Map<ConfiguredSubject, string[]>();
  for (;;) {
    for (const subject of subjects) await runFailingFirst(subject, failing, join(folder, 'report.json'));
    console.log('\nWaiting for changes of files. Ctrl-C ends.');
    await change();
  }
}

/** All cases run only when the cases that failed before no longer fail. */
async function runFailingFirst(
  subject: ConfiguredSubject,
  failing: Map<ConfiguredSubject, string[]>,
  file: string,
): Promise<void> {
  const first = failing.get(subject) ?? [];
  const [mode = '', ...rest] = subject.args;
  console.log(`\n── ${subject.name} ──`);
  const only = first.slice(0, mostFirst).flatMap(name => ['--run', name]);
  if (only.length > 0 && (await start([mode, ...only, ...rest])) !== 0) return;
  await start([mode, '--reporter', `json=${file}`, '--reporter', 'console', ...rest]);
  failing.set(subject, failingCases(file));
}

function failingCases(file: string): string[] {
  try {
    const { runs } = JSON.parse(readFileSync(file, 'utf8')) as Report;
    const failures = runs.flatMap(run => run.findings.filter(({ grade }) => grade === 'violation'));
    return [...new Set(failures.map(finding => finding.case))].filter(name => !name.endsWith('/probe'));
  } catch {
    return [];
  }
}

/** Resolves after the next change in this folder, when no further one has come for a moment. */
const change = (): Promise<void> =>
  new Promise(resolve => {
    let timer: NodeJS.Timeout | undefined;
    const watcher = watch('.', { recursive: true }, (_, file) => {
      if (file !== null && /(^|[\\/])(node_modules|\.git)([\\/]|$)|\.tmp$/.test(String(file))) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        watcher.close();
        resolve();
      }, calm);
    });
  });
