/** Where the time of a run went: `--profile`, and `report run.jsonl --reporter profile`. */

import { type Activity, Profile, type ProfileReport, type TimeShare } from '../harness/report/profile.js';
import type { RunEnd } from '../harness/report/run-event.js';
import { visible } from './escape.js';
import type { ReporterFactory } from './reporter.js';
import { amount, duration, makeStyle, type Style, width } from './style.js';

const activities: Readonly<Record<Activity, readonly [words: string, noun: string]>> = {
  start: ['starts, until the first message', 'start'],
  response: ['responses', 'response'],
  deadline: ['waits without a result', 'wait'],
  quiet: ['windows of silence', 'window'],
  client: ['next message of the client', 'message'],
  exit: ['exits, from the end of the input', 'exit'],
  unrecorded: ['conversations that are not recorded', 'conversation'],
};

/** Methods with a line of their own. */
const MOST_METHODS = 8;

export const profile: ReporterFactory = ({ out, color }) => {
  const observed = new Profile();
  return {
    event(event) {
      observed.add(event);
      if (event.kind === 'run-end') out.write(renderProfile(observed.report(), makeStyle(color)));
    },
  };
};

function renderProfile(report: ProfileReport, style: Style): string {
  const rows = [
    ...[...report.activities]
      .sort(longestFirst)
      .flatMap(([activity, share]) => [
        rowOf(...activities[activity], share),
        ...(activity === 'response' ? methodRows(report) : []),
      ]),
    ['nothing: the harness itself', '', duration(report.idle), ''],
  ];
  const titles = ['waiting for', 'total', 'alone', ''];
  const widths = titles.map((title, column) =>
    Math.max(...[titles, ...rows].map(row => width(row[column] ?? title))),
  );
  const line = (cells: readonly string[]) =>
    `  ${cells
      .map((cell, column) => {
        const blank = ' '.repeat(widths[column]! - width(cell));
        return column === 1 || column === 2 ? blank + cell : cell + blank;
      })
      .join('  ')
      .trimEnd()}`;
  const lines = [
    '',
    style.bold(`Where ${duration(report.durationMs)} went`),
    style.dim(line(titles)),
    ...rows.map(line),
    ...ownLines(report.own),
    ...(report.generated > 0
      ? [`  cases with generated values took ${duration(report.generated)} together`]
      : []),
    style.dim('  total: summed over all conversations; alone: nothing else was under way'),
  ];
  return lines.map(text => `${text}\n`).join('');
}

const longestFirst = ([, one]: readonly [unknown, TimeShare], [, other]: readonly [unknown, TimeShare]) =>
  other.alone - one.alone || other.total - one.total;

function rowOf(words: string, noun: string, { total, alone, count, median, longest }: TimeShare): string[] {
  const each = count === 1 ? '' : `, median ${duration(median)}, longest ${duration(longest)}`;
  return [words, duration(total), duration(alone), `${amount(count, noun)}${each}`];
}

function methodRows({ methods }: ProfileReport): string[][] {
  if (methods.size < 2) return [];
  const all = [...methods].sort(longestFirst);
  const shown = all
    .slice(0, MOST_METHODS)
    .map(([name, share]) => rowOf(`  ${visible(name)}`, 'response', share));
  const left = all.length - shown.length;
  return left > 0 ? [...shown, [`  ${amount(left, 'more method')}`, '', '', '']] : shown;
}

function ownLines(own: RunEnd['own']): string[] {
  if (!own) return [];
  return [
    `  mcp-conform used ${duration(own.cpuMs)} of CPU time, ${duration(own.judgingMs)} of the run to judge`,
  ];
}

/** The largest shares in one line, for the console. */
export function profileLine(report: ProfileReport): string {
  const shares = [...report.activities]
    .map(([activity, { alone }]) => [activities[activity][0].split(',')[0]!, alone] as const)
    .concat([['mcp-conform itself', report.idle]])
    .sort(([, one], [, other]) => other - one)
    .filter(([, ms]) => ms >= 10)
    .slice(0, 4)
    .map(([words, ms]) => `${words} ${duration(ms)}`);
  return `waited only for: ${shares.join(', ')} (--profile shows all)`;
}
