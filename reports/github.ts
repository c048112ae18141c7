/** Annotations for GitHub Actions on the sink, and the job summary if the runner requests it. */

import { randomUUID } from 'node:crypto';
import { atRunEnd, type RunResult } from './at-run-end.js';
import { type Cluster, casesOf, clusterFindings, clusterLines } from './cluster.js';
import { inWords } from './console-failure.js';
import { visible } from './escape.js';
import { inOneLine } from './junit.js';
import { fileOf, locationOf } from './location.js';
import { renderMarkdown } from './markdown.js';
import { obligationOf, whyMild } from './obligation.js';
import type { ReporterFactory } from './reporter.js';
import { amount } from './style.js';
import { shorten } from './wire.js';

/**
 * The runner searches every printed line for commands, so text of a subject could add masks or annotations.
 * During the run the search is stopped, and only the holder of the token can resume it.
 */
export const github: ReporterFactory = ({ out, verbose, stepSummary }) => {
  const token = randomUUID();
  const resume = () => out.write(`::${token}::\n`);
  let stopped = false;
  const reporter = atRunEnd(told => {
    resume();
    stopped = false;
    for (const line of annotations(told)) out.write(`${line}\n`);
    stepSummary?.write(renderMarkdown(told, verbose));
  });
  return {
    event(event) {
      if (event.kind === 'run-start') {
        out.write(`::stop-commands::${token}\n`);
        stopped = true;
      }
      reporter.event(event);
    },
    end() {
      if (stopped) resume();
    },
  };
};

type Command = 'error' | 'warning' | 'notice';

/** GitHub shows ten annotations of a kind for each step and discards the others without a message. */
const MOST = 10;

/** One line for each failure, the most important first. */
function annotations(told: RunResult): string[] {
  const { report, start } = told;
  const all: [Command, string, string][] = [];
  if (report.unjudged) all.push(['error', 'could not judge', report.unjudged.reason]);
  for (const line of report.stale) all.push(['error', 'stale line in the known-failing file', line]);
  for (const { group, also } of clusterLines(clusterFindings(report))) {
    const command = commandFor(group, start.strict, start.fixtures);
    if (command) all.push([command, `${group.grade}: ${group.row.id}`, describe(group, also)]);
  }
  return (['error', 'warning', 'notice'] as const).flatMap(kind => {
    const lines = all.filter(([command]) => command === kind);
    const shown = lines.length > MOST ? lines.slice(0, MOST - 1) : lines;
    const left = lines.length - shown.length;
    return [
      // only a finding is about the file of the subject
      ...shown.map(([command, title, text]) =>
        annotation(command, title, text, /: /.test(title) ? fileOf(report) : undefined),
      ),
      ...(left > 0 ? [annotation(kind, `${left} more`, 'See the job summary.')] : []),
    ];
  });
}

function commandFor({ grade }: Cluster, strict: boolean, fixtures: boolean): Command | undefined {
  if (grade === 'violation' || grade === 'error') return 'error';
  if (grade === 'warning') return strict ? 'error' : 'warning';
  if (grade === 'inconclusive') return fixtures ? 'error' : undefined;
  return grade === 'note' ? 'notice' : undefined;
}

function describe({ grade, row, run, variants }: Cluster, also: readonly Cluster[]): string {
  const mild = whyMild(row, grade);
  const cases = casesOf(variants).length;
  const { first } = variants[0]!;
  return [
    obligationOf(row.id),
    ...(mild ? [mild] : []),
    `${row.level} in ${locationOf(run)}${cases > 1 ? `, in ${amount(cases, 'case')}` : ''}`,
    shorten(inOneLine(first), 400),
    ...(first.counterexample ? [`Generated: ${shorten(inWords(first.counterexample), 400)}`] : []),
    ...(also.length > 0 ? [`Also: ${also.map(other => other.row.id).join(', ')}`] : []),
    row.url,
    `Reproduce: ${shorten(first.reproduce, 1000)}`,
  ].join('\n');
}

/** Applies the escapes of the runner, after invisible characters are made visible line by line. */
function annotation(command: Command, title: string, text: string, file?: string): string {
  const data = (words: string) =>
    words
      .split('\n')
      .map(visible)
      .join('\n')
      .replaceAll('%', '%25')
      .replaceAll('\r', '%0D')
      .replaceAll('\n', '%0A');
  const property = (words: string) => data(visible(words)).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const place = file === undefined ? '' : `file=${property(file)},line=1,`;
  return `::${command} ${place}title=${property(`MCP ${title}`)}::${data(text)}`;
}
