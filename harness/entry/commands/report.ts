/** `mcp-conform report`: any view of a stored run. */

import type { Command } from 'commander';
import { collect, readGiven, reporterHelp } from '../arguments.js';
import type { Outcome } from '../cli.js';
import type { OutputOptions } from '../output.js';

export function reportCommand(program: Command, outcome: Outcome): void {
  program
    .command('report')
    .summary('show a stored run again')
    .argument('<run.jsonl>', 'written by --reporter jsonl=<file>')
    .option('--reporter <name[=file]>', reporterHelp, collect, [])
    .option('--verbose', 'list notes and what was not judged')
    .option('--quiet', 'only the last line')
    .option('--no-color', 'no colours (NO_COLOR works too)')
    .action(async (file: string, options: OutputOptions) => {
      const { readRun } = await import('../../../reports/jsonl.js');
      const { Output } = await import('../output.js');
      outcome.exitCode = await new Output(options).consume(readRun(readGiven(file)));
    });
}
