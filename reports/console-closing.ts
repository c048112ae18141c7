/** The first and the last lines: the subject, the verdicts, the parts not judged, the next step. */

import { basename } from 'node:path';
import { grouped } from '../harness/grouped.js';
import type { Grade } from '../harness/judge/verdict.js';
import { isSpawnError } from '../harness/record/not-started.js';
import { leastJudged } from '../harness/report/least-judged.js';
import { programOf, shellQuote } from '../harness/report/reproduce.js';
import type { RunStart } from '../harness/report/run-event.js';
import type { Report, RunReport } from '../harness/report/summary.js';
import { isObject } from '../spec/json-rpc.js';
import { definedRevisions, latestStateless } from '../spec/revisions.js';
import { type Cluster, causesOf, clusterFindings } from './cluster.js';
import { label, type View } from './console-failure.js';
import { renderUsage } from './console-usage.js';
import { visible } from './escape.js';
import { locationOf } from './location.js';
import { amount, duration, joinParts, thousands, wrap } from './style.js';
import { shorten } from './wire.js';

/** The subject, with revisions and transports. */
export function renderHeader({ subject, runs }: Report, { style, columns }: View): string[] {
  const { name, version } = isObject(subject.info) ? subject.info : {};
  const calledItself = [name, version].filter(text => typeof text === 'string' && text !== '').join(' ');
  const parts = [calledItself, subject.url ?? '', subject.command?.join(' ') ?? '']
    .filter(text => text !== '')
    .map(text => shorten(text, LONGEST_NAME));
  const transports = [...new Set(runs.map(run => run.transport))];
  const places = transports.map(
    t => `${[...new Set(runs.flatMap(r => (r.transport === t ? [r.revision] : [])))].join(', ')} on ${t}`,
  );
  const [first = '', ...rest] = joinParts([...parts, ...places], columns, '');
  return [style.bold(first), ...rest.map(line => style.dim(line))];
}

/** Limit for names, because a longer name is not serious. */
const LONGEST_NAME = 200;

const countOf = (run: RunReport, grade: Grade): number =>
  run.requirements.filter(r => r.grade === grade).length;

const listed = (counts: readonly (readonly [number, string])[]): string =>
  counts
    .filter(([n]) => n > 0)
    .map(([n, noun]) => amount(n, noun))
    .join(', ');

/** Whether a run had some of the cases only. */
const isPart = ({ partial, shard }: RunStart): boolean => partial === true || shard !== undefined;

const casesThatRan = (run: RunReport): number => run.cases.filter(c => !c.name.endsWith('/probe')).length;

/** The verdict on one revision and transport, in one line. */
function verdictLine(run: RunReport, start: RunStart, report: Report, { style }: View): string {
  const { runs, unjudged } = report;
  const count = (grade: Grade) => countOf(run, grade);
  const place = locationOf(run);
  const judged = run.requirements.filter(r => r.grade !== 'notObserved' && r.grade !== 'inconclusive');
  const checked = `${thousands(judged.length)} of ${amount(run.requirements.length, 'requirement')} checked`;
  const line = (...parts: readonly string[]) => parts.filter(part => part !== '').join(' · ');
  const causes = causesOf(
    clusterFindings({ ...report, runs: [run] }).filter(({ grade }) => grade === 'violation'),
  );
  const violations = listed([[count('violation'), 'violation']]);
  const bad = [
    causes > 0 && causes < count('violation') ? `${violations} from ${amount(causes, 'cause')}` : violations,
    listed([
      [count('error'), 'defect of mcp-conform'],
      [count('warning'), 'warning'],
    ]),
  ]
    .filter(text => text !== '')
    .join(', ');
  const failing = count('violation') + count('error') + (start.strict ? count('warning') : 0) > 0;
  if (failing) return style.red(`✗ ${line(bad, checked, runs.length === 1 ? '' : place)}`);
  const unclear = count('inconclusive');
  if (start.fixtures && unclear > 0)
    return style.cyan(`? ${line(`${amount(unclear, 'requirement')} stayed inconclusive`, checked, place)}`);
  if (judged.length === 0) return style.cyan(`? ${line('nothing was judged', place)}`);
  if (unclear > judged.length)
    return style.cyan(`? ${line('no violations, but most checks were inconclusive', checked, place)}`);
  // findings made before the failure are not a verdict on a subject that could not be judged
  if (unjudged)
    return style.cyan(`? ${line('no violations in the few checks that could run', checked, place)}`);
  if (start.partial && !start.shard && casesThatRan(run) === 0)
    return style.cyan(`? ${line('none of the selected cases applies', checked, place)}`);
  const known = count('knownFailing');
  const well =
    known > 0
      ? `no new failures (${known} known)`
      : `no violations${isPart(start) ? ` in ${amount(casesThatRan(run), 'case')}` : ''}`;
  const besides = listed([
    [count('warning'), 'warning'],
    [count('note'), 'note'],
  ]);
  return style.green(`✔ ${line(well, checked, besides, place)}`);
}

/** One line for each revision and transport, for differences between transports, and for stale lines. */
export function renderVerdicts(report: Report, start: RunStart, view: View): string[] {
  const { runs, stale } = report;
  return [
    ...runs.map(run => verdictLine(run, start, report, view)),
    ...(report.stopped === undefined ? [] : [view.style.cyan(`? ${visible(report.stopped)}`)]),
    ...renderTooFew(report, start, view),
    ...renderDifferences(report, view),
    ...(stale.length > 0
      ? [view.style.red(`✗ ${amount(stale.length, 'stale line')} in the known-failing file`)]
      : []),
  ];
}

/** The line for --min-judged, when fewer requirements were judged. */
function renderTooFew({ runs, summary }: Report, { minJudged, shard }: RunStart, { style }: View): string[] {
  const all = runs.reduce((n, run) => n + run.requirements.length, 0);
  const judged = summary.requirementsJudged;
  if (minJudged === undefined || shard || judged >= leastJudged(minJudged, all)) return [];
  const share = all > 0 ? ` (${Math.floor((judged * 100) / all)}%)` : '';
  return [
    style.cyan(
      `? only ${judged} of ${amount(all, 'requirement')} checked${share}, fewer than --min-judged ${minJudged}`,
    ),
  ];
}

const failures: readonly Grade[] = ['violation', 'warning'];

/**
 * Requirements satisfied over one transport and violated over another: the cause is in the transport, or near
 * it.
 */
function renderDifferences({ runs }: Report, { style, columns }: View): string[] {
  const over = (id: string, fits: (grade: Grade) => boolean) => [
    ...new Set(
      runs.flatMap(run =>
        run.side === undefined && run.requirements.some(r => r.id === id && fits(r.grade))
          ? [run.transport]
          : [],
      ),
    ),
  ];
  const ids = new Set(runs.flatMap(run => run.requirements.map(r => r.id)));
  return [...ids].flatMap(id => {
    const broken = over(id, grade => failures.includes(grade));
    const kept = over(id, grade => grade === 'pass').filter(transport => !broken.includes(transport));
    if (broken.length === 0 || kept.length === 0) return [];
    return wrap(
      `differs: ${id} fails on ${broken.join(', ')}, passes on ${kept.join(', ')}`,
      columns,
      '  ',
    ).map(line => style.yellow(line));
  });
}

/** The sum of all requirements, what was used of the subject, and the size of the run. */
export function renderCounts(report: Report, start: RunStart, view: View): string[] {
  const { runs, summary, durationMs, seed } = report;
  const { style, columns, verbose } = view;
  const cases = runs.reduce((n, run) => n + casesThatRan(run), 0);
  const counts = [
    amount(summary.checks, 'check'),
    amount(cases, 'case'),
    ...(summary.processesStarted > 0 ? [amount(summary.processesStarted, 'process')] : []),
    duration(durationMs),
    `seed ${seed}`,
    ...(start.shard ? [`part ${start.shard.at} of ${start.shard.of}`] : []),
  ];
  const reason = verbose || report.stopped !== undefined ? undefined : commonReason(runs);
  const launcher = launcherOf(report);
  const dim = (lines: readonly string[]) => lines.map(line => style.dim(line));
  return [
    ...dim(wrap(sumOf(summary, verbose || view.compact === true), columns, '  ', '    ')),
    ...(isPart(start) ? [] : renderOffers(report, view)),
    ...renderUsage(report, view, !isPart(start) && report.stopped === undefined),
    ...dim(joinParts(counts, columns, '  ')),
    ...(view.time === undefined ? [] : dim(wrap(view.time, columns, '  ', '    '))),
    ...(reason === undefined
      ? []
      : dim(wrap(`main reason for inconclusive results: ${visible(reason)}`, columns, '  ', '    '))),
    ...(launcher === undefined ? [] : dim(wrap(launcher, columns, '  '))),
  ];
}

/**
 * All requirements by result; the numbers add up to the first one.
 * @param plain without the hint to --verbose
 */
function sumOf(summary: Report['summary'], plain: boolean): string {
  const results = [
    [summary.pass, 'hold', 'holds'],
    [summary.violation, 'violated'],
    [summary.error, 'with a defect of mcp-conform'],
    [summary.warning, 'warnings', 'warning'],
    [summary.note, 'notes', 'note'],
    [summary.knownFailing, 'known to fail'],
    [summary.inconclusive, 'inconclusive'],
    [summary.notObserved, 'not tested'],
    [summary.notApplicable, 'do not apply', 'does not apply'],
  ] as const;
  const all = results.reduce((sum, [n]) => sum + n, 0);
  const parts = results.flatMap(([n, many, one]) =>
    n > 0 ? [`${thousands(n)} ${n === 1 ? (one ?? many) : many}`] : [],
  );
  const left = summary.notObserved + summary.notApplicable + summary.inconclusive > 0;
  const hint = left && !plain ? ' (--verbose says why)' : '';
  return `${amount(all, 'requirement')}: ${parts.join(', ')}${hint}`;
}

/** Launchers that search for a program at each start. */
const launchers = /^(npx|bunx|pnpx|uvx|pipx)(\.cmd)?$/;
/** Launchers that compile a program at each start. */
const translators = /^(tsx|ts-node)(\.cmd)?$/;

/** A hint when repeated starts by a launcher take longer than the subject itself. */
function launcherOf({ subject: { command }, summary: { processesStarted } }: Report): string | undefined {
  const [program, ...words] = command ?? [];
  if (program === undefined || processesStarted < 10) return undefined;
  const translator = [program, ...words.slice(0, 1)]
    .map(word => basename(word))
    .find(w => translators.test(w));
  if (translator !== undefined)
    return `started ${processesStarted} times: quicker when the code that ${translator} translates each time is built once and started by node`;
  if (!launchers.test(basename(program))) return undefined;
  return `started ${processesStarted} times: quicker when the program that ${basename(program)} starts is installed and started directly`;
}

/** The reason of most inconclusive results, if there are at least five with the same reason. */
function commonReason(runs: readonly RunReport[]): string | undefined {
  const reasons = runs.flatMap(run =>
    run.findings.flatMap(f => (f.grade === 'inconclusive' && f.message !== null ? [f.message] : [])),
  );
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const [reason, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  return count !== undefined && count >= 5 && count * 2 > reasons.length ? reason : undefined;
}

/** Requirements without a judgement, by reason. */
export function renderUnjudgedRequirements({ runs }: Report, { style, columns }: View): string[] {
  const byReason = (title: string, rows: readonly { readonly id: string; readonly reason: string }[]) =>
    rows.length === 0
      ? []
      : [
          title,
          ...[...grouped(rows, ({ reason }) => reason)].flatMap(([reason, some]) => [
            ...wrap(visible(`${reason} (${some.length})`), columns, '  ').map(line => style.dim(line)),
            ...wrap(some.map(({ id }) => id).join(', '), columns, '    '),
          ]),
        ];
  return runs.flatMap(run => {
    const place = locationOf(run);
    const notTested = run.requirements
      .filter(({ grade }) => grade === 'notObserved')
      .map(({ id, reason }) => ({ id, reason: reason ?? 'it did not occur in this run' }));
    return [
      ...byReason(`not tested · ${place}`, notTested),
      ...byReason(`does not apply · ${place}`, run.notApplicable),
    ];
  });
}

/** Output for a run without a verdict: all information about the cause. */
export function renderUnjudged(report: Report, cwd: string | undefined, view: View): string[] {
  const { style, columns, wire } = view;
  const { reason, details } = report.unjudged!;
  const { command, url } = report.subject;
  const quoted = details.some(detail => /^(stderr|output):/.test(detail));
  return [
    style.red('✗ could not judge'),
    ...wrap(visible(reason), columns, '  '),
    ...(command ? [`${label('Command', style)}${visible(command.map(shellQuote).join(' '))}`] : []),
    ...(url !== null ? [`${label('URL', style)}${visible(url)}`] : []),
    ...(cwd !== undefined ? [`${label('Directory', style)}${visible(cwd)}`] : []),
    ...details.map(detail => `  ${shorten(detail, 1000)}`),
    ...(quoted
      ? []
      : wire
          .lastWords()
          .filter(line => !isSpawnError(line))
          .map(line => `  stderr: ${shorten(line, 1000)}`)),
  ];
}

/** The next step for the user, if there is one. */
export function renderNext(
  report: Report,
  start: RunStart,
  groups: readonly Cluster[],
  { style, columns }: View,
): string[] {
  const text = nextStep(report, start, groups);
  const blank = ' '.repeat(12);
  const lines = text === undefined ? [] : wrap(text, columns, blank);
  return lines.map((line, i) => (i === 0 ? `${label('Next', style)}${line.slice(12)}` : line));
}

function nextStep(report: Report, start: RunStart, groups: readonly Cluster[]): string | undefined {
  if (report.summary.error > 0)
    return 'an error is a defect of mcp-conform: report it with the file of --reporter jsonl=run.jsonl';
  const worst = groups[0];
  if (worst && report.exitCode !== 0 && (worst.grade === 'violation' || worst.grade === 'warning'))
    return `${programOf(start).map(shellQuote).join(' ')} explain ${worst.row.id}`;
  if (report.exitCode !== 0) return undefined;
  if (start.revision === undefined || start.revision === latestStateless.id) return undefined;
  // a run of a client that was asked for one revision does not know the others
  return report.role === 'client' && unjudgedRevisions(report).length === 0
    ? `${start.revision} was asked for; without --revision, the newest revision that your client supports is judged`
    : undefined;
}

/** Revisions that the subject offers and the run did not judge. */
function unjudgedRevisions({ runs, subject }: Report): string[] {
  const judged = new Set<string>(runs.map(run => run.revision));
  return definedRevisions.flatMap(r => (subject.offers.includes(r.id) && !judged.has(r.id) ? [r.id] : []));
}

function renderOffers(report: Report, { style, columns }: View): string[] {
  const left = unjudgedRevisions(report);
  if (left.length === 0) return [];
  const supports = report.role === 'client' ? 'client supports' : 'server offers';
  const text = `not judged: ${left.join(', ')}, which your ${supports} too (--revision all)`;
  return wrap(text, columns, '  ', '    ').map(line => style.dim(line));
}
