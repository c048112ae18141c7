/** The report for a human reader: short without failures, complete with failures. */

import type { RunStart } from '../harness/report/run-event.js';
import { type Report, Summary } from '../harness/report/summary.js';
import { type Cluster, clusterFindings, clusterLines } from './cluster.js';
import { howCommon } from './common.js';
import {
  renderCounts,
  renderHeader,
  renderNext,
  renderUnjudged,
  renderUnjudgedRequirements,
  renderVerdicts,
} from './console-closing.js';
import { renderBriefly, renderFailure, type View } from './console-failure.js';
import { visible } from './escape.js';
import { Progress } from './progress.js';
import type { ReporterFactory, ReporterOptions } from './reporter.js';
import { makeStyle, wrap } from './style.js';
import { subjectRole, WireLog } from './wire.js';

export const console: ReporterFactory = options => {
  const { out, isTTY, color, quiet, calm, columns } = options;
  const summary = new Summary();
  const wire = new WireLog();
  let start: RunStart | undefined;
  let progress: Progress | undefined;
  let ended = false;
  return {
    event(event) {
      summary.add(event);
      if (event.kind === 'run-start') {
        start = event;
        const count = (grade: 'violation' | 'warning') => summary.count(grade);
        if (!quiet && !calm) progress = new Progress({ out, columns, isTTY, color, count });
      } else if (event.kind === 'wire') wire.add(event.event);
      else if (event.kind === 'revision-start')
        progress?.plan(event.planned, `${event.revision}/${event.transport}`);
      else if (event.kind === 'case-start') progress?.start(event.case, event.name);
      else if (event.kind === 'case-end') progress?.end(event.case);
      else if (event.kind === 'run-end') {
        ended = true;
        progress?.stop();
        const text = render(summary.report(), start!, wire, options);
        if (text !== '') out.write(text);
      }
    },
    end() {
      progress?.stop();
      if (start && !ended) out.write('The run stopped before its end; no report was written.\n');
    },
  };
};

/** Grades with full output; all others get one line, or full output with --verbose. */
const weighty = new Set(['violation', 'error', 'warning']);

function render(report: Report, start: RunStart, wire: WireLog, options: ReporterOptions): string {
  const { isTTY, verbose, quiet, columns } = options;
  const style = makeStyle(options.color);
  const view: View = { style, columns, isTTY, verbose, wire, subject: subjectRole(report.role) };
  const verdicts =
    report.runs.length > 0 || report.stale.length > 0 ? renderVerdicts(report, start, view) : [];
  if (quiet) {
    const why = report.unjudged ? [style.red(`✗ could not judge: ${visible(report.unjudged.reason)}`)] : [];
    return [...verdicts, ...why].map(line => `${line}\n`).join('');
  }
  const groups = clusterFindings(report).filter(group => isShown(group, start, verbose));
  const [full, brief] = [true, false].map(is =>
    groups.filter(group => (verbose || isFull(group, start)) === is),
  ) as [Cluster[], Cluster[]];
  const told = clusterLines(full);
  const judged = report.runs.length > 0;
  const blocks: string[][] = [
    judged ? renderHeader(report, view) : [],
    ...told.map(({ group, also }) => renderFailure(group, view, also)),
    brief.map(group => renderBriefly(group, view)),
    verbose ? renderUnjudgedRequirements(report, view) : [],
    report.stale.flatMap(line => wrap(`stale: ${visible(line)}`, columns, '', '  ')),
    report.unjudged ? renderUnjudged(report, start.subject.cwd, view) : [],
    [
      ...verdicts,
      ...(judged ? renderCounts(report, view) : []),
      ...renderNext(report, [...told.map(({ group }) => group), ...brief], view),
    ],
  ];
  const text = blocks.filter(lines => lines.length > 0).map(lines => `${lines.join('\n')}\n`);
  return text.join('\n');
}

/** Whether a group is shown in full: not, where nearly every subject has it and the run does not fail for it. */
const isFull = (group: Cluster, { strict }: RunStart): boolean =>
  weighty.has(group.grade) && (strict || howCommon(group) === undefined);

/** Known failures, and inconclusive results without promised fixtures, are only counted. */
function isShown({ grade }: Cluster, start: RunStart, verbose: boolean): boolean {
  if (verbose) return true;
  if (grade === 'knownFailing') return false;
  return grade !== 'inconclusive' || start.fixtures;
}
