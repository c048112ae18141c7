/** `mcp-conform report`: any report format of a stored run. */

import type { Command } from 'commander';
import { readGivenPieces } from '../arguments.js';
import { examples, withReportOptions } from '../common.js';
import type { Outcome } from '../outcome.js';
import type { OutputOptions } from '../output.js';

export function reportCommand(program: Command, outcome: Outcome): void {
  const command = program
    .command('report')
    .summary('show the report of a stored run')
    .addHelpText(
      'before',
      examples([
        'mcp-conform report run.jsonl --reporter html=report.html',
        'mcp-conform report run.jsonl --reporter issue --finding 1',
      ]),
    )
    .argument('<run.jsonl>', 'file written by --reporter jsonl=<file>')
    .option('--finding <n>', 'with --reporter issue: the number of the finding, or its requirement');
  withReportOptions(command).action(async (file: string, options: OutputOptions) => {
    const { readRun } = await import('../../../reports/jsonl.js');
    const { Output } = await import('../output.js');
    const isIssue = options.reporter.length > 0 && options.reporter.every(name => /^issue(=|$)/.test(name));
    const output = new Output(isIssue ? { ...options, quiet: true } : options);
    outcome.exitCode = await output.consume(readRun(readGivenPieces(file)));
  });
}
