/** `mcp-conform merge`: the reports of shards as one report with one exit code. */

import type { Command } from 'commander';
import { isObject, type Json } from '../../../spec/json-rpc.js';
import type { MatrixReport } from '../../report/matrix-report.js';
import { UsageError } from '../../report/pattern.js';
import { collect, readGiven } from '../arguments.js';
import { examples } from '../common.js';
import type { Outcome } from '../outcome.js';

interface MergeOptions {
  readonly reporter: readonly string[];
  readonly strict?: boolean;
}

export function mergeCommand(program: Command, outcome: Outcome): void {
  program
    .command('merge')
    .summary('put the reports of the shards of a matrix together')
    .addHelpText(
      'before',
      examples(['mcp-conform merge shard-1/matrix.json shard-2/matrix.json --reporter html=matrix.html']),
    )
    .argument('<report...>', 'matrix.json of each shard')
    .option('--reporter <name=file>', 'a report: json, markdown, html (repeatable)', collect, [])
    .option('--strict', 'every cell that does not work fails the run')
    .action(async (files: string[], options: MergeOptions) => {
      outcome.exitCode = await merge(files, options);
    });
}

async function merge(files: readonly string[], options: MergeOptions): Promise<number> {
  const { checkMatrixReporters, writeMatrixReports } = await import('../matrix-output.js');
  const { mergeMatrices } = await import('../../run/matrix/assemble.js');
  const { describeTotals } = await import('../../../reports/matrix/console.js');
  checkMatrixReporters(options.reporter);
  const report = mergeMatrices(files.map(readReport), options.strict ?? false);
  const written = writeMatrixReports(report, undefined, options.reporter);
  console.log(describeTotals(report));
  if (written.length > 0) console.log(`    Report  ${written.join(', ')}`);
  return report.exitCode;
}

/** @throws UsageError for a file that is not the report of a matrix */
function readReport(file: string): MatrixReport {
  let json: Json;
  try {
    json = JSON.parse(readGiven(file)) as Json;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file}: not JSON: ${(error as Error).message}.`);
  }
  if (!isObject(json) || json.matrixVersion === undefined)
    throw new UsageError(`${file}: not the report of a matrix. Name the matrix.json of each shard.`);
  if (json.matrixVersion !== 1)
    throw new UsageError(
      `${file}: version ${String(json.matrixVersion)} is not supported; this mcp-conform reads version 1.`,
    );
  return json as unknown as MatrixReport;
}
