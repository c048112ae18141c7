/** `mcp-conform report`: any report format of a stored run. */

import type { Command } from 'commander';
import { collect, readGiven, reporterHelp } from '../arguments.js';
import type { Outcome } from '../outcome.js';
import type { OutputOptions } from '../output.js';

export function reportCommand(program: Command, outcome: Outcome): void {
  program
    .command('report')
    .summary('show the report of a stored run')
    .argument('<run.jsonl>', 'file written by --reporter jsonl=<file>')
    .option('--reporter <name[=file]>', reporterHelp, collect, [])
    .option('--verbose', 'also list notes and requirements that were not judged')
    .option('--quiet', 'print only the last line')
    .option('--no-color', 'print no colours (or set NO_COLOR)')
    .action(async (file: string, options: OutputOptions) => {
      const { readRun } = await import('../../../reports/jsonl.js');
      const { Output } = await import('../output.js');
      outcome.exitCode = await new Output(options).consume(readRun(readGiven(file)));
    });
}
