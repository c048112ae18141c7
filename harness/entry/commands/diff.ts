/** `mcp-conform diff`: improvements and regressions between two reports. */

import type { Command } from 'commander';
import { exitCodes } from '../../judge/verdict.js';
import type { Report } from '../../report/report.js';
import { readGiven } from '../arguments.js';
import { examples } from '../common.js';
import type { Outcome } from '../outcome.js';

interface DiffOptions {
  markdown?: boolean;
  verbose?: boolean;
  failOnLost?: boolean;
  color: boolean;
}

export function diffCommand(program: Command, outcome: Outcome): void {
  program
    .command('diff')
    .summary('show improvements and regressions between two reports')
    .addHelpText(
      'before',
      examples([
        'mcp-conform diff old.json new.json',
        'mcp-conform diff old.json new.json --fail-on-lost --markdown',
      ]),
    )
    .description(
      'Compares two reports, requirement by requirement. Exits with 1 if a requirement got worse (notes do not count), ' +
        'with 3 if the new run could not be judged, else with 0.',
    )
    .argument('<old>', 'report written by --reporter json=<file> (or jsonl=<file>)')
    .argument('<new>', 'report of a later run')
    .option('--markdown', 'print Markdown, for a comment or a job summary')
    .option('--fail-on-lost', 'also exit with 1 if a requirement that was judged is no longer judged')
    .option('--verbose', 'list everything')
    .option('--no-color', 'print no colours (or set NO_COLOR)')
    .action(async (before: string, after: string, options: DiffOptions) => {
      outcome.exitCode = await compare(await readReport(before), await readReport(after), options);
    });
}

async function compare(before: Report, after: Report, options: DiffOptions): Promise<number> {
  const { diffReports, gotWorse } = await import('../../../reports/diff.js');
  const { renderDiff, renderDiffMarkdown } = await import('../../../reports/diff-text.js');
  const { makeStyle } = await import('../../../reports/style.js');
  const diff = diffReports(before, after);
  const { isTTY, columns } = process.stdout;
  const color = options.color && !process.env.NO_COLOR && (isTTY || Boolean(process.env.FORCE_COLOR));
  const view = { style: makeStyle(color), columns: columns || 100, verbose: options.verbose ?? false };
  const lines = options.markdown ? renderDiffMarkdown(diff) : renderDiff(diff, view);
  console.log(lines.join('\n'));
  if (after.unjudged) {
    const { visible } = await import('../../../reports/escape.js');
    console.error(`The new run could not be judged: ${visible(after.unjudged.reason)}`);
    return exitCodes.couldNotJudge;
  }
  return gotWorse(diff) || (options.failOnLost && diff.disappeared.length > 0)
    ? exitCodes.violation
    : exitCodes.conforms;
}

/** @throws UsageError for a file that is not a report of a supported version */
async function readReport(file: string): Promise<Report> {
  const { parseReport } = await import('../../../reports/read-report.js');
  return parseReport(readGiven(file), file);
}
