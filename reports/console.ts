/** The report for a human reader: short without failures, complete with failures. */

import { Profile } from '../harness/report/profile.js';
import type { RunStart } from '../harness/report/run-event.js';
import { type Report, Summary } from '../harness/report/summary.js';
import { type Cluster, clusterFindings, clusterLines } from './cluster.js';
import { isCommon } from './common.js';
import {
  renderCounts,
  renderHeader,
  renderNext,
  renderUnjudged,
  renderUnjudgedRequirements,
  renderVerdicts,
} from './console-closing.js';
import {
  renderBriefly,
  renderFailure,
  renderIds,
  renderRow,
  renderWarning,
  type View,
} from './console-failure.js';
import { visible } from './escape.js';
import { profileLine } from './profile.js';
import { Progress } from './progress.js';
import type { ReporterFactory, ReporterOptions } from './reporter.js';
import { amount, makeStyle, wrap } from './style.js';
import { subjectRole, WireLog } from './wire.js';

export const console: ReporterFactory = options => {
  const { out, isTTY, color, quiet, calm, columns } = options;
  const summary = new Summary();
  const wire = new WireLog();
  const profile = options.verbose ? new Profile() : undefined;
  let start: RunStart | undefined;
  let progress: Progress | undefined;
  let ended = false;
  return {
    event(event) {
      summary.add(event);
      profile?.add(event);
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
        const text = render(summary.report(), start!, wire, options, profile);
        if (text !== '') out.write(text);
      }
    },
    end(refused = false) {
      progress?.stop();
      if (start && !ended && !refused) out.write('The run stopped before its end; no report was written.\n');
    },
  };
};

function render(
  report: Report,
  start: RunStart,
  wire: WireLog,
  options: ReporterOptions,
  profile: Profile | undefined,
): string {
  const { isTTY, verbose, columns } = options;
  const view: View = {
    style: makeStyle(options.color),
    columns,
    isTTY,
    verbose,
    wire,
    subject: subjectRole(report.role),
    origin: originOf(report.subject.url),
    ...(profile && { time: profileLine(profile.report()) }),
  };
  const text = compose(report, start, view, options.quiet);
  const isLong = !verbose && text.split('\n').length - 1 > SHORT;
  return isLong ? compose(report, start, { ...view, compact: true }, options.quiet) : text;
}

function compose(report: Report, start: RunStart, view: View, quiet: boolean): string {
  const { style, columns, verbose } = view;
  const isEarly =
    Boolean(report.unjudged) &&
    report.runs.every(run => run.cases.every(({ name }) => name.endsWith('/probe')));
  const verdicts =
    (report.runs.length > 0 && !isEarly) || report.stale.length > 0
      ? renderVerdicts(report, start, view)
      : [];
  if (quiet) {
    const why = report.unjudged ? [style.red(`✗ could not judge: ${visible(report.unjudged.reason)}`)] : [];
    return [...verdicts, ...why].map(line => `${line}\n`).join('');
  }
  const groups = clusterFindings(report).filter(group => isShown(group, start, verbose));
  const isFull = (group: Cluster) => verbose || fails(group, start);
  const full = groups.filter(isFull);
  const warned = groups.filter(g => !isFull(g) && g.grade === 'warning');
  const rare = warned.filter(group => !isCommon(group, view.subject));
  // Where nothing else was found, there is room for what most servers get.
  const others = full.length + rare.length > 0 ? rare : warned;
  const told = clusterLines([...full, ...others]);
  const failures = told.filter(({ group }) => isFull(group));
  const mild = told.filter(({ group }) => !isFull(group));
  const judged = report.runs.length > 0;
  if (isEarly)
    return inText([
      renderUnjudged(report, start.subject.cwd, view),
      renderEarly(
        told.map(({ group }) => group),
        view,
      ),
    ]);
  const head: string[][] = [
    judged ? renderHeader(report, view) : [],
    ...failures.map(({ group, also }) => renderFailure(group, view, also)),
  ];
  const tail: string[][] = [
    renderMild(
      groups.filter(group => !isFull(group) && !others.includes(group)),
      view,
    ),
    verbose ? renderUnjudgedRequirements(report, view) : [],
    report.stale.flatMap(line => wrap(`stale: ${visible(line)}`, columns, '', '  ')),
    report.unjudged ? renderUnjudged(report, start.subject.cwd, view) : [],
    [
      ...verdicts,
      ...(judged ? renderCounts(report, start, view) : []),
      ...renderNext(
        report,
        start,
        told.map(({ group }) => group),
        view,
      ),
    ],
  ];
  const inBrief = mild.map(({ group, also }) => renderWarning(group, also, view));
  const whole = mild.map(({ group, also }) => renderWarning(group, also, view, true));
  const table =
    told.length >= TABLE
      ? renderTable(
          told.map(({ group }) => group),
          view,
        )
      : [];
  const sizeOf = (blocks: readonly string[][]) =>
    blocks.reduce((sum, { length }) => sum + (length > 0 ? length + 1 : 0), 0);
  const room = SHORT - sizeOf([...head, ...tail]);
  const fits = sizeOf([inBrief.flat()]) <= room;
  const inTable = !fits && table.length > 0;
  const warnings = sizeOf(whole) <= room ? whole : inTable ? [] : [inBrief.flat()];
  const blocks = [
    head[0]!,
    fits && failures.length < TABLE
      ? []
      : [...table, ...(inTable && mild.length > 0 ? [renderHint(mild.length, view)] : [])],
    ...head.slice(1),
    ...warnings,
    ...tail,
  ];
  return inText(blocks);
}

/** The blocks that are not empty, with an empty line between them. */
const inText = (blocks: readonly string[][]): string =>
  blocks
    .filter(lines => lines.length > 0)
    .map(lines => `${lines.join('\n')}\n`)
    .join('\n');

/** What was found before the first case: often the subject is not what the user meant, so it has one line each. */
function renderEarly(groups: readonly Cluster[], view: View): string[] {
  if (groups.length === 0) return [];
  const said = `${amount(groups.length, 'finding')} before that${view.verbose ? '' : ' (--verbose for all)'}:`;
  return view.verbose
    ? groups.flatMap((group, i) => [...(i > 0 ? [''] : []), ...renderFailure(group, view)])
    : [view.style.dim(said), ...renderTable(groups, view)];
}

/** Lines of a report that is short enough to have all warnings in three lines each. */
const SHORT = 60;
/** Number of findings from which on a table precedes them. */
const TABLE = 3;

/** One line for each finding. */
function renderTable(groups: readonly Cluster[], view: View): string[] {
  const widest = Math.min(44, Math.max(...groups.map(({ row }) => row.id.length)));
  return groups.map(group => renderRow(group, widest, view));
}

/** Where to read warnings of which the report has only the row of the table. */
const renderHint = (n: number, { style }: View): string =>
  style.dim(`  --verbose shows the ${amount(n, 'warning')} in full, and why requirements were not tested`);

/** What does not fail the run and needs no action now. */
function renderMild(groups: readonly Cluster[], view: View): string[] {
  const common = groups.filter(group => isCommon(group, view.subject));
  const notes = groups.filter(({ grade }) => grade === 'note');
  const others = groups.filter(({ grade }) => grade !== 'note' && grade !== 'warning');
  return [
    ...(common.length > 0 ? renderIds('most servers get these warnings', common, view) : []),
    ...(notes.length > 0 ? renderIds(notes.length === 1 ? 'note' : 'notes', notes, view) : []),
    ...others.map(group => renderBriefly(group, view)),
  ];
}

/** Whether a finding fails the run; it is then shown in full. */
const fails = ({ grade }: Cluster, { strict }: RunStart): boolean =>
  grade === 'violation' || grade === 'error' || (strict && grade === 'warning');

/** Known failures, and inconclusive results without promised fixtures, are only counted. */
function isShown({ grade }: Cluster, start: RunStart, verbose: boolean): boolean {
  if (verbose) return true;
  if (grade === 'knownFailing') return false;
  return grade !== 'inconclusive' || start.fixtures;
}

const originOf = (url: string | null): string | undefined =>
  url !== null && URL.canParse(url) ? new URL(url).origin : undefined;
