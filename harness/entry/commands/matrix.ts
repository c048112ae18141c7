/** `mcp-conform matrix`: every client of a file against every server of it. */

import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { UsageError } from '../../report/pattern.js';
import { shellQuote } from '../../report/reproduce.js';
import { inShard } from '../../report/shard.js';
import type { Cell } from '../../run/matrix/plan.js';
import { collect, parseInteger, parsePositive } from '../arguments.js';
import { examples } from '../common.js';
import { type EndingSignal, signalExitCode } from '../interruption.js';
import type { Outcome } from '../outcome.js';
import { programWords } from '../program.js';
import { parseShard, shardHelp } from '../shard.js';
import { handleSignals } from '../signals.js';

interface MatrixOptions {
  readonly out: string;
  readonly cell: readonly string[];
  readonly shard?: string;
  readonly jobs?: string;
  readonly timeout: string;
  readonly installTimeout: string;
  readonly maxTime: string;
  readonly resume?: boolean;
  readonly strict?: boolean;
  readonly reporter: readonly string[];
  readonly quiet?: boolean;
  readonly color: boolean;
}

export function matrixCommand(program: Command, outcome: Outcome): void {
  program
    .command('matrix')
    .summary('run every client of a file against every server of it')
    .description(
      'Runs each client against each server, on every transport and revision that both offer, and judges both sides. ' +
        'The file (YAML or JSON) names the programs: docs/matrix.md.',
    )
    .argument('<file>', 'servers, clients and steps, as YAML or JSON')
    .addHelpText(
      'before',
      examples([
        'mcp-conform matrix matrix.yaml',
        "mcp-conform matrix matrix.yaml --cell 'python/go/**'",
        'mcp-conform matrix matrix.yaml --shard 2/5 --out shard-2',
      ]),
    )
    .option('--out <folder>', 'folder for matrix.json, matrix.md, matrix.html and the records', 'mcp-matrix')
    .option(
      '--cell <pattern>',
      'run only these cells: server/client/transport/revision (repeatable)',
      collect,
      [],
    )
    .option('--shard <n/m>', shardHelp)
    .option('--resume', 'take the results of an earlier run in the folder, where the file has not changed')
    .option('--jobs <n>', 'cells at the same time (default: one for each core)')
    .option('--timeout <seconds>', 'longest time of one cell', '60')
    .option('--install-timeout <seconds>', 'longest time of one installation', '1200')
    .option('--max-time <seconds>', 'time after which no further cell begins', '3600')
    .option('--strict', 'every cell that does not work fails the run')
    .option('--reporter <name=file>', 'a further report: json, markdown, html (repeatable)', collect, [])
    .option('--quiet', 'print only the last line')
    .option('--no-color', 'print no colours (or set NO_COLOR)')
    .action(async (file: string, options: MatrixOptions) => {
      outcome.exitCode = await runFile(file, options);
    });
}

async function runFile(file: string, options: MatrixOptions): Promise<number> {
  const { readMatrix } = await import('../matrix-file.js');
  const { planCells } = await import('../../run/matrix/plan.js');
  const { writeMatrixReports, checkMatrixReporters } = await import('../matrix-output.js');
  const matrix = readMatrix(file);
  const limits = {
    cellMs: parsePositive('--timeout', options.timeout) * 1000,
    installMs: parsePositive('--install-timeout', options.installTimeout) * 1000,
    wholeMs: parsePositive('--max-time', options.maxTime) * 1000,
    jobs: options.jobs === undefined ? availableParallelism() : parseJobs(options.jobs),
  };
  checkMatrixReporters(options.reporter);
  const planned = planCells(matrix);
  const chosen = choose(planned, options.cell);
  const cells = options.shard === undefined ? chosen : inShard(chosen, parseShard(options.shard));
  const { CellStore } = await import('../cell-store.js');
  mkdirSync(options.out, { recursive: true });
  const store = new CellStore(options.out, matrix, options.resume ?? false);
  const { runMatrix, infosOf } = await import('../../run/matrix/run.js');
  const { reportOf } = await import('../../run/matrix/assemble.js');
  const { suite } = await import('../../../suites/index.js');
  const { MatrixProgress, describeTotals } = await import('../../../reports/matrix/console.js');
  const { isTTY, columns } = process.stdout;
  const progress = new MatrixProgress({
    out: process.stdout,
    total: cells.length,
    isTTY: Boolean(isTTY) && !process.env.CI,
    color: options.color && (await import('../output.js')).wantsColor(Boolean(isTTY)),
    columns: columns || 100,
    quiet: options.quiet ?? false,
  });
  const stop = new AbortController();
  let signal: EndingSignal | undefined;
  handleSignals(given => {
    signal = given;
    stop.abort();
  });
  const startedAt = new Date().toISOString();
  const began = performance.now();
  const times = () => store.times(startedAt, Math.round(performance.now() - began));
  const results = await runMatrix({
    ...limits,
    matrix,
    cells,
    rules: suite.rules,
    stop: stop.signal,
    known: cell => store.load(cell),
    replay: cell => replayOf(file, cell, options),
    record: cell => store.recordOf(cell),
    onStart: cell => progress.start(cell.name),
    onResult: (cell, result, events) => {
      if (events.length > 0 || !store.load(cell)) {
        store.save(cell, result, events);
        store.saveTimes(times());
      }
      progress.end(result.report);
    },
  });
  const reports = results.map(result => result.report);
  const numbers = { planned: chosen.length, due: cells.length };
  const report = reportOf(matrix, numbers, reports, infosOf(results), times(), options.strict ?? false);
  const files = writeMatrixReports(report, options.out, options.reporter);
  progress.close(describeTotals(report), files);
  return signal === undefined ? report.exitCode : signalExitCode(signal);
}

function parseJobs(text: string): number {
  const jobs = parseInteger('--jobs', text);
  if (jobs < 1) throw new UsageError(`--jobs takes a whole number of at least 1, not "${text}".`);
  return jobs;
}

/** @throws UsageError for a pattern without a cell */
function choose(cells: readonly Cell[], patterns: readonly string[]): readonly Cell[] {
  if (patterns.length === 0) return cells;
  const parsed = patterns.map(text => ({ text, pattern: globOf(text) }));
  for (const { text, pattern } of parsed)
    if (!cells.some(cell => pattern.test(cell.name)))
      throw new UsageError(
        `--cell ${text} matches no cell. A cell is server/client/transport/revision, as in ${cells[0]!.name}.`,
      );
  return cells.filter(cell => parsed.some(({ pattern }) => pattern.test(cell.name)));
}

/** `*` is any text in one part of a name, `**` any text. */
const globOf = (text: string): RegExp => {
  const parts = text.split(/(\*+)/).map(part => {
    if (!part.startsWith('*')) return part.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
    return part === '*' ? '[^/]*' : '.*';
  });
  return new RegExp(`^${parts.join('')}$`);
};

const replayOf = (file: string, cell: Cell, options: MatrixOptions): string =>
  [
    ...programWords(),
    'matrix',
    file,
    '--cell',
    cell.name,
    '--out',
    'mcp-matrix-cell',
    ...(options.timeout === '60' ? [] : ['--timeout', options.timeout]),
  ]
    .map(shellQuote)
    .join(' ');
