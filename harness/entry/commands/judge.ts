/** `mcp-conform judge`: today's rules over yesterday's record. */

import type { Command } from 'commander';
import type { RunEvent } from '../../report/run-event.js';
import { rejudge } from '../../run/rejudge.js';
import { collect, readGiven, reporterHelp } from '../arguments.js';
import type { Outcome } from '../cli.js';
import type { OutputOptions } from '../output.js';

export function judgeCommand(program: Command, outcome: Outcome): void {
  program
    .command('judge')
    .summary('judge a stored run again with the rules of this version')
    .argument('<run.jsonl>', 'written by --reporter jsonl=<file>')
    .option('--reporter <name[=file]>', reporterHelp, collect, [])
    .option('--verbose', 'list notes and what was not judged')
    .option('--quiet', 'only the last line')
    .option('--no-color', 'no colours (NO_COLOR works too)')
    .action(async (file: string, options: OutputOptions) => {
      const { readRun } = await import('../../../reports/jsonl.js');
      const { suite } = await import('../../../suites/index.js');
      const { Output } = await import('../output.js');
      const events: RunEvent[] = [];
      for await (const event of readRun(readGiven(file))) events.push(event);
      outcome.exitCode = await new Output(options).consume(rejudge(events, suite.rules));
    });
}
