/** `mcp-conform diff`: what got better and worse between two reports. */

import type { Command } from 'commander';
import { exitCodes } from '../../judge/verdict.js';
import type { Report } from '../../report/report.js';
import { readGiven } from '../arguments.js';
import type { Outcome } from '../cli.js';

interface DiffOptions {
  markdown?: boolean;
  verbose?: boolean;
  color: boolean;
}

export function diffCommand(program: Command, outcome: Outcome): void {
  program
    .command('diff')
    .summary('what got better and worse between two reports')
    .description(
      'Compares two reports, requirement by requirement. Exits with 1 when something got worse (a note does not count), ' +
        'with 3 when the new run could not be judged, else with 0.',
    )
    .argument('<old>', 'written by --reporter json=<file> (or jsonl=<file>)')
    .argument('<new>', 'the same, of a later run')
    .option('--markdown', 'as Markdown, for a comment or a job summary')
    .option('--verbose', 'list everything')
    .option('--no-color', 'no colours (NO_COLOR works too)')
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
  return gotWorse(diff) ? exitCodes.violation : exitCodes.conforms;
}

/** @throws UsageError for a file that is no report of a version this one knows */
async function readReport(file: string): Promise<Report> {
  const { parseReport } = await import('../../../reports/read-report.js');
  return parseReport(readGiven(file), file);
}
