/**
 * Markdown for job summaries and comments: the verdict, a table of findings, and each failure in a collapsed
 * section below.
 */

import type { Grade } from '../harness/judge/verdict.js';
import type { RunReport } from '../harness/report/summary.js';
import { requirement } from '../spec/requirement.js';
import { atRunEnd, plainView, type RunResult } from './at-run-end.js';
import { type Cluster, casesOf, clusterFindings } from './cluster.js';
import { renderVerdicts } from './console-closing.js';
import { renderFailure } from './console-failure.js';
import { renderUsage } from './console-usage.js';
import { visible } from './escape.js';
import { inOneLine } from './junit.js';
import { transportOf } from './location.js';
import { block, code, inHtml, plain } from './markdown-escape.js';
import type { ReporterFactory } from './reporter.js';
import { amount, duration } from './style.js';
import { shorten } from './wire.js';

export const markdown: ReporterFactory = ({ out, verbose }) =>
  atRunEnd(told => out.write(renderMarkdown(told, verbose)));

/** GitHub refuses a step summary of more than 1 MiB as a whole. */
const MOST_BYTES = 900_000;

const marks: Record<Cluster['grade'], string> = {
  violation: '❌ violation',
  error: '💥 error',
  warning: '⚠️ warning',
  inconclusive: '❔ inconclusive',
  note: 'ℹ️ note',
  knownFailing: '☑️ known',
};

/** Whether findings with a grade are listed, not only counted. */
const told = (grade: Cluster['grade'], { start }: RunResult, verbose: boolean): boolean =>
  verbose || (grade === 'inconclusive' ? start.fixtures : grade !== 'knownFailing');

/** @param verbose whether known failures and inconclusive results are included */
export function renderMarkdown(run: RunResult, verbose = false): string {
  const { report } = run;
  const groups = clusterFindings(report).filter(group => told(group.grade, run, verbose));
  const blocks: string[][] = [
    heading(run),
    report.unjudged
      ? block([report.unjudged.reason, ...report.unjudged.details].map(line => shorten(line, 2000)))
      : [],
    report.stale.map(line => `- stale in the known-failing file: ${code(line)}`),
    report.runs.length > 0 ? countTable(report.runs) : [],
    renderUsage(report, plainView(run, { columns: Number.POSITIVE_INFINITY })).map(
      line => `- ${plain(line.trim())}`,
    ),
    groups.length > 0 ? findingTable(groups) : [],
  ];
  const parts = blocks.filter(lines => lines.length > 0).map(lines => lines.join('\n'));
  let bytes = Buffer.byteLength(parts.join('\n\n'));
  for (const [i, group] of groups.entries()) {
    const text = details(group, run).join('\n');
    bytes += Buffer.byteLength(text) + 2;
    if (bytes > MOST_BYTES) {
      parts.push(`*${amount(groups.length - i, 'more finding')} omitted because of the size limit.*`);
      break;
    }
    parts.push(text);
  }
  return `${parts.join('\n\n')}\n`;
}

function heading(run: RunResult): string[] {
  const { report, start } = run;
  const { command, url } = report.subject;
  const subject = [url ?? '', command?.join(' ') ?? ''].filter(text => text !== '').join(' · ');
  const verdicts = report.unjudged ? ['✗ could not judge'] : renderVerdicts(report, start, plainView(run));
  return [
    `## MCP conformance: ${code(shorten(subject, 200))}`,
    '',
    ...verdicts.flatMap(line => [
      plain(line.replace(/^✗/, '❌').replace(/^✔/, '✅').replace(/^\?/, '❔')),
      '',
    ]),
  ].slice(0, -1);
}

const columns: readonly (readonly [title: string, grade: Grade])[] = [
  ['Conforms', 'pass'],
  ['Violations', 'violation'],
  ['Warnings', 'warning'],
  ['Notes', 'note'],
  ['Known', 'knownFailing'],
  ['Inconclusive', 'inconclusive'],
  ['Not tested', 'notObserved'],
];

function countTable(runs: readonly RunReport[]): string[] {
  const titles = ['Revision', 'Transport', ...columns.map(([title]) => title), 'Do not apply', 'Time'];
  return [
    `| ${titles.join(' | ')} |`,
    `|${titles.map((_, i) => (i < 2 ? ' --- ' : ' ---: ')).join('|')}|`,
    ...runs.map(run => {
      const counts = columns.map(([, grade]) => run.requirements.filter(r => r.grade === grade).length);
      const cells = [
        run.revision,
        transportOf(run),
        ...counts,
        run.notApplicable.length,
        duration(run.durationMs),
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  ];
}

function findingTable(groups: readonly Cluster[]): string[] {
  return [
    '| | Requirement | Actual | Cases |',
    '| --- | --- | --- | ---: |',
    ...groups.map(({ grade, row, variants }) => {
      const what = code(shorten(inOneLine(variants[0]!.first), 160));
      const link = `[${plain(row.id)}](${row.url})`;
      return `| ${marks[grade]} | ${link} (${row.level}) | ${what} | ${casesOf(variants).length} |`;
    }),
  ];
}

/** One failure, in the form of the console report, collapsed. */
function details(group: Cluster, run: RunResult): string[] {
  const { grade, row } = group;
  return [
    `<details><summary>${marks[grade]} <code>${row.id}</code> ${inHtml(requirement(row.id).says)}</summary>`,
    '',
    ...block(renderFailure(group, plainView(run, { columns: 110 })).map(line => visible(line))),
    '',
    `[${row.level} in ${group.run.revision}](${row.url})`,
    '',
    '</details>',
  ];
}
