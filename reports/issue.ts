/** A finding as an issue for the repository of the subject: Markdown with everything that a maintainer needs. */

import { UsageError } from '../harness/report/pattern.js';
import { bugsUrl } from '../harness/version.js';
import { isObject } from '../spec/json-rpc.js';
import { atRunEnd, type RunResult } from './at-run-end.js';
import { type Cluster, casesOf, clusterFindings } from './cluster.js';
import { visible } from './escape.js';
import { fixFor } from './fix.js';
import { inOneLine } from './junit.js';
import { transportOf } from './location.js';
import { block, code, plain } from './markdown-escape.js';
import { obligationOf, whyMild } from './obligation.js';
import type { ReporterFactory } from './reporter.js';
import { amount, makeStyle } from './style.js';
import { renderExcerpt, shorten, subjectRole } from './wire.js';

/** Events in the issue: the shortest exchange of all cases with the finding. */
const MOST_EVENTS = 12;

export const issue: ReporterFactory = ({ out, finding }) =>
  atRunEnd(told => out.write(renderIssue(told, choose(told, finding))));

/** @param wanted the number of a finding, or its requirement @throws UsageError with the numbers to choose from */
function choose({ report }: RunResult, wanted: string | undefined): Cluster {
  const groups = clusterFindings(report).filter(({ grade }) => grade !== 'inconclusive');
  if (groups.length === 0) throw new UsageError('the run has no findings: there is nothing to report.');
  const found =
    wanted === undefined
      ? groups.length === 1
        ? groups[0]
        : undefined
      : (groups.find(({ row }) => row.id === wanted) ??
        (/^[1-9]\d*$/.test(wanted) ? groups[Number(wanted) - 1] : undefined));
  if (found) return found;
  const list = groups.map(({ grade, row }, i) => `  ${i + 1}  ${grade}  ${row.id}`);
  const why = wanted === undefined ? 'choose one with --finding' : `there is no finding "${wanted}"`;
  throw new UsageError(`${why}:\n${list.join('\n')}`);
}

function renderIssue(told: RunResult, group: Cluster): string {
  const { report } = told;
  const { grade, row, run, variants } = group;
  const shortest = variants.flatMap(({ first, others }) => [first, ...others]).toSorted(byLength)[0]!;
  const events = told.wire.pick(shortest.events.slice(0, MOST_EVENTS));
  const fix = fixFor(shortest);
  const mild = whyMild(row, grade);
  const cases = casesOf(variants).length;
  const wire = renderExcerpt(events, {
    subject: subjectRole(report.role),
    columns: 600,
    style: makeStyle(false),
    brief: { about: [row.id, ...shortest.expected, shortest.actual].join(' ') },
  });
  const { name, version } = isObject(report.subject.info) ? report.subject.info : {};
  const subject = [name, version].filter(text => typeof text === 'string').join(' ');
  const parts: string[][] = [
    [`# ${row.id}: ${plain(shorten(inOneLine(shortest), 120))}`],
    [
      `${plain(obligationOf(row.id))} (${row.level}, [${plain(run.revision)}](${row.url}))`,
      ...(mild ? ['', plain(mild)] : []),
    ],
    [
      ...shortest.expected.map((text, i) => `- ${i === 0 ? 'Expected' : 'or'}: ${code(shorten(text, 600))}`),
      ...(shortest.actual === null ? [] : [`- Actual: ${code(shorten(shortest.actual, 600))}`]),
      ...(shortest.message === null ? [] : [`- Detail: ${code(shorten(shortest.message, 600))}`]),
      ...(cases > 1 ? [`- In ${amount(cases, 'test case')}`] : []),
    ],
    wire.length > 0
      ? [
          `What was exchanged (\`←\` is from the ${subjectRole(report.role)}):`,
          '',
          ...block(wire.map(line => visible(line))),
        ]
      : [],
    fix
      ? [
          '## How to repair it',
          '',
          plain(fix.fix),
          ...(fix.sdk ? ['', plain(fix.sdk)] : []),
          '',
          ...block(fix.example.split('\n').map(visible)),
        ]
      : [],
    ['## How to see it', '', ...block([visible(shortest.reproduce)], 'sh')],
    [
      '## Versions',
      '',
      `- ${report.role === 'client' ? 'Client' : 'Server'}: ${subject === '' ? 'no name' : code(shorten(subject, 120))}`,
      `- Protocol: ${run.revision} on ${transportOf(run)}`,
      `- ${report.tool.name} ${report.tool.version}, seed ${report.seed}, run of ${report.startedAt.slice(0, 10)}`,
    ],
    wrongLink(group, report),
  ];
  return `${parts
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`;
}

const byLength = (a: { events: readonly number[] }, b: { events: readonly number[] }): number =>
  (a.events.length || MOST_EVENTS) - (b.events.length || MOST_EVENTS);

/** A link that reports a false finding to this project, when its place is known. */
function wrongLink({ row, run }: Cluster, { role, tool: { version } }: RunResult['report']): string[] {
  if (bugsUrl === undefined) return [];
  const query = new URLSearchParams({
    title: `False finding: ${row.id}`,
    body: `mcp-conform ${version}, ${run.revision} on ${run.transport}. Why the ${subjectRole(role)} is right:\n\n`,
  });
  return [`*Is this finding wrong? [Tell mcp-conform](${bugsUrl}/new?${query}).*`];
}
