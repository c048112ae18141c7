/** `mcp-conform merge`: the parts of a run, or of a matrix, as one report with one exit code. */

import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import type { MatrixReport } from '../../report/matrix-report.js';
import type { PartFile } from '../../report/parts.js';
import { UsageError } from '../../report/pattern.js';
import type { Report } from '../../report/report.js';
import type { RunEvent } from '../../report/run-event.js';
import { collect, parseFolder, readGiven, readGivenPieces, reporterHelp } from '../arguments.js';
import { examples } from '../common.js';
import type { Outcome } from '../outcome.js';
import type { OutputOptions } from '../output.js';

interface MergeOptions extends OutputOptions {
  readonly knownFailing?: string;
}

export function mergeCommand(program: Command, outcome: Outcome): void {
  program
    .command('merge')
    .summary('put the parts of a run (--shard) together: records, JSON reports, or parts of a matrix')
    .addHelpText(
      'before',
      examples([
        'mcp-conform merge part-1.jsonl part-2.jsonl --reporter html=report.html',
        'mcp-conform merge part-1.jsonl part-2.jsonl --known-failing known.txt',
        'mcp-conform merge shard-1/matrix.json shard-2/matrix.json --reporter html=matrix.html',
      ]),
    )
    .argument(
      '<file...>',
      'the record of each part (--reporter jsonl=<file>); or its JSON report; or matrix.json of each part of a matrix',
    )
    .option('--reporter <name[=file]>', `${reporterHelp}; for a matrix: json, markdown, html`, collect, [])
    .option('--known-failing <file>', 'list of findings of the whole run that are expected to fail')
    .option('--strict', 'for a matrix: every cell that does not work fails the run')
    .option('--verbose', 'also list notes and requirements that were not judged')
    .option('--quiet', 'print only the last line')
    .option('--no-color', 'print no colours (or set NO_COLOR)')
    .action(async (files: string[], options: MergeOptions) => {
      outcome.exitCode = await merge(files, options);
    });
}

type Kind = 'record' | 'report' | 'matrix';

async function merge(files: readonly string[], options: MergeOptions): Promise<number> {
  const kinds = await Promise.all(files.map(kindOf));
  const other = kinds.findIndex(kind => kind !== kinds[0]);
  if (other !== -1)
    throw new UsageError(
      `${files[other]}: a ${kinds[other]}, but ${files[0]} is a ${kinds[0]}. Give files of one kind.`,
    );
  if (kinds[0] === 'record') return mergeRecords(files, options);
  if (options.knownFailing !== undefined)
    throw new UsageError('--known-failing needs records, written by --reporter jsonl=<file>.');
  return kinds[0] === 'report' ? mergeJson(files, options) : mergeMatrix(files, options);
}

/** @throws UsageError for a file of another kind */
async function kindOf(file: string): Promise<Kind> {
  const { isRecord } = await import('../../../reports/jsonl.js');
  // a record may be longer than a text can be
  for await (const piece of readGivenPieces(file)) {
    if (isRecord(piece.toString('utf8', 0, 10_000))) return 'record';
    break;
  }
  const text = readGiven(file);
  let json: Record<string, unknown> | null;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file}: not JSON: ${(error as Error).message}.`);
  }
  if (json?.reportVersion !== undefined) return 'report';
  if (json?.matrixVersion === 1) return 'matrix';
  if (json?.matrixVersion !== undefined)
    throw new UsageError(
      `${file}: version ${String(json.matrixVersion)} is not supported; this mcp-conform reads version 1.`,
    );
  throw new UsageError(
    `${file}: neither a record (--reporter jsonl=<file>), nor a JSON report, nor the report of a matrix.`,
  );
}

async function mergeRecords(files: readonly string[], options: MergeOptions): Promise<number> {
  const { readRun } = await import('../../../reports/jsonl.js');
  const { suite } = await import('../../../suites/index.js');
  const { mergeRuns } = await import('../../run/merge.js');
  const { Output } = await import('../output.js');
  const parts: PartFile<RunEvent[]>[] = [];
  for (const file of files) {
    const content: RunEvent[] = [];
    for await (const event of readRun(readGivenPieces(file))) content.push(event);
    parts.push({ file, content });
  }
  const { knownFailing } = options;
  const known =
    knownFailing === undefined
      ? undefined
      : (await import('../../report/known-failing.js')).parseKnownFailing(
          readGiven(knownFailing),
          knownFailing,
        );
  return new Output(options).consume(mergeRuns(parts, { suite, ...(known && { known }) }));
}

async function mergeJson(files: readonly string[], { reporter }: MergeOptions): Promise<number> {
  const { parseReport } = await import('../../../reports/read-report.js');
  const { mergeReports } = await import('../../report/merge-reports.js');
  const { safeJson } = await import('../../../reports/escape.js');
  const outputs = reporter.map(text => {
    const [name, file] = text.split(/=(.*)/s);
    if (name !== 'json' || !file)
      throw new UsageError(
        `--reporter ${text} needs the records of the parts. Of JSON reports comes a JSON report: --reporter json=<file>.`,
      );
    parseFolder(`--reporter ${text}`, dirname(file));
    return file;
  });
  const parts: PartFile<Report>[] = [];
  for (const file of files) parts.push({ file, content: await parseReport(readGiven(file), file) });
  const report = mergeReports(parts);
  for (const file of outputs) writeFileSync(file, `${safeJson(report, 2)}\n`);
  const { violation, warning, requirementsJudged: judged } = report.summary;
  console.log(`${violation} violations, ${warning} warnings · ${judged} requirements checked`);
  if (report.stopped !== undefined) console.log(`? ${report.stopped}`);
  if (outputs.length > 0) console.log(`    Report  ${outputs.join(', ')}`);
  return report.exitCode;
}

async function mergeMatrix(files: readonly string[], options: MergeOptions): Promise<number> {
  const { checkMatrixReporters, writeMatrixReports } = await import('../matrix-output.js');
  const { mergeMatrices } = await import('../../run/matrix/assemble.js');
  const { describeTotals } = await import('../../../reports/matrix/console.js');
  checkMatrixReporters(options.reporter);
  const reports = files.map(file => JSON.parse(readGiven(file)) as MatrixReport);
  const report = mergeMatrices(reports, options.strict ?? false);
  const written = writeMatrixReports(report, undefined, options.reporter);
  console.log(describeTotals(report));
  if (written.length > 0) console.log(`    Report  ${written.join(', ')}`);
  return report.exitCode;
}
