/** `mcp-conform judge`: the current rules applied to a stored record. */

import type { Command } from 'commander';
import type { RunEvent } from '../../report/run-event.js';
import type { GatewayJudges } from '../../run/gateway/judge.js';
import { rejudge } from '../../run/rejudge.js';
import { readGivenPieces } from '../arguments.js';
import { examples, withReportOptions } from '../common.js';
import type { Outcome } from '../outcome.js';
import type { OutputOptions } from '../output.js';

export function judgeCommand(program: Command, outcome: Outcome): void {
  const command = program
    .command('judge')
    .summary('judge a stored run again with the rules of this version')
    .addHelpText(
      'before',
      examples(['mcp-conform judge run.jsonl', 'mcp-conform judge run.jsonl --reporter html=report.html']),
    )
    .argument('<run.jsonl>', 'file written by --reporter jsonl=<file>');
  withReportOptions(command).action(async (file: string, options: OutputOptions) => {
    const { readRun } = await import('../../../reports/jsonl.js');
    const { suite } = await import('../../../suites/index.js');
    const { Output } = await import('../output.js');
    const events: RunEvent[] = [];
    for await (const event of readRun(readGivenPieces(file))) events.push(event);
    const judged = events.some(e => e.kind === 'run-start' && e.role === 'gateway')
      ? await gatewayRun(events, suite.rules)
      : rejudge(events, suite.rules);
    outcome.exitCode = await new Output(options).consume(judged);
  });
}

async function gatewayRun(
  events: readonly RunEvent[],
  rules: GatewayJudges['rules'],
): Promise<Iterable<RunEvent>> {
  const { rejudgeGateway } = await import('../../run/gateway/judge.js');
  const { gatewayComparison } = await import('../../../suites/gateway/index.js');
  return rejudgeGateway(events, { rules, comparison: gatewayComparison });
}
