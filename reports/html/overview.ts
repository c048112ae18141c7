/** The first screen: the subject, the verdict, the findings. */

import { sentence } from '../../harness/report/sentence.js';
import type { Report, RunReport } from '../../harness/report/summary.js';
import { isObject } from '../../spec/json-rpc.js';
import { plainView, type RunResult } from '../at-run-end.js';
import type { Cluster } from '../cluster.js';
import { renderVerdicts } from '../console-closing.js';
import { renderUsage } from '../console-usage.js';
import { transportOf } from '../location.js';
import { amount, duration, thousands } from '../style.js';
import { shorten } from '../wire.js';
import { renderIndex } from './finding.js';
import {
  bar,
  type Counts,
  countGrades,
  gradeStyle,
  inWords,
  type Shown,
  shownGrades,
} from './grade-style.js';
import { type Html, html } from './markup.js';
import type { Row } from './table.js';

/** Number of findings named on the first screen. */
const MOST_NAMED = 15;
/** Grades named on the first screen. */
const urgent: readonly Shown[] = ['error', 'violation', 'warning'];

/** The name given by the subject, or the command that started it. */
export function subjectName({ report }: RunResult): string {
  return shorten(
    ownName(report) || (report.subject.url ?? report.subject.command?.join(' ') ?? report.role),
    120,
  );
}

function ownName({ subject: { info } }: Report): string {
  const { name, version } = isObject(info) ? info : {};
  return [name, version].filter(text => typeof text === 'string').join(' ');
}

/** The verdict in one line; for several runs it counts requirements, each with its worst grade. */
export function verdictOf({ report, start, ...told }: RunResult, rows: readonly Row[]): string {
  if (report.unjudged) return '✗ could not judge';
  const { stopped: _, ...whole } = report;
  const lines = renderVerdicts(whole, start, plainView({ report, start, ...told }));
  if (lines.length < 2) return lines[0] ?? '? nothing was judged';
  const counts = countGrades(rows.map(row => row.worst));
  const bad = urgent.flatMap(grade => {
    const n = counts.get(grade) ?? 0;
    return n === 0 ? [] : [`${n} ${gradeStyle[grade][n === 1 ? 1 : 2]}`];
  });
  const total = amount(report.runs.length, 'run');
  const failed = lines.filter(line => line.startsWith('✗')).length;
  if (failed > 0) return `✗ ${bad.join(', ') || amount(report.stale.length, 'stale line')} in ${total}`;
  if (lines.some(line => line.startsWith('?'))) return `? not everything could be judged in ${total}`;
  return `✔ no violations in ${total}${bad.length > 0 ? `, with ${bad.join(' and ')}` : ''}`;
}

export function renderOverview(told: RunResult, groups: readonly Cluster[], rows: readonly Row[]): Html {
  const { report } = told;
  const named = groups.filter(
    group => urgent.includes(group.grade) || (group.grade === 'inconclusive' && told.start.fixtures),
  );
  const left = named.length - Math.min(named.length, MOST_NAMED);
  const verdict = verdictOf(told, rows);
  return html`<header id="overview">
<p class="subject">${(ownName(report) || !startedAs(told)) && html`<b>${subjectName(told)}</b> `}${startedAs(told) && html`<code>${startedAs(told)}</code>`}</p>
<h1 class="${gradeOf(verdict)}">${verdict}</h1>
${report.stopped !== undefined && html`<p class="sentence stopped">${sentence(report.stopped)}</p>`}${report.unjudged && renderUnjudged(told)}${report.stale.length > 0 && renderStale(report.stale)}
${report.runs.length > 0 && renderTiles(countGrades(rows.map(row => row.worst)))}
${report.runs.length > 0 && html`<table class="runs"><tbody>${report.runs.map(renderRun)}</tbody></table>`}
${named.length > 0 && renderIndex(named.slice(0, MOST_NAMED))}${left > 0 && html`<p class="more">and ${amount(left, 'more finding')} <a href="#findings">below</a></p>`}
${renderFacts(told)}
<p class="hint">Keys: <kbd>/</kbd> filter, <kbd>j</kbd> <kbd>k</kbd> next and previous finding.</p>
</header>`;
}

const startedAs = ({ report: { subject } }: RunResult): string =>
  shorten([subject.url, subject.command?.join(' ')].filter(Boolean).join(' · '), 300);

const gradeOf = (line: string): string =>
  line.startsWith('✗') ? 'g-violation' : line.startsWith('✔') ? 'g-pass' : 'g-inconclusive';

const countsOf = (run: RunReport): Counts =>
  countGrades([
    ...run.requirements.map(r => r.grade),
    ...run.notApplicable.map((): Shown => 'notApplicable'),
  ]);

const renderTiles = (counts: Counts): Html =>
  html`<div class="tiles" role="group" aria-label="Show only">${shownGrades
    .filter(grade => counts.has(grade) || grade === 'violation')
    .map(grade => {
      const n = counts.get(grade) ?? 0;
      return html`<button type="button" class="g-${n === 0 ? 'notObserved' : grade}" data-grade="${grade}" aria-pressed="false"><b>${thousands(n)}</b><span>${gradeStyle[grade][n === 1 ? 1 : 2]}</span></button>`;
    })}</div>`;

function renderRun(run: RunReport): Html {
  const counts = countsOf(run);
  return html`<tr><th scope="row">${run.revision} · ${transportOf(run)}</th><td class="bars">${bar(counts)}</td><td>${inWords(counts)}</td></tr>`;
}

/** The last recorded output of the subject: the details quote only a part of it. */
function renderUnjudged({ report, wire }: RunResult): Html {
  const { reason, details } = report.unjudged!;
  const words = wire.lastWords().map(line => `stderr: ${line}`);
  const lines =
    words.length > 0 ? [...details.filter(line => !/^(stderr|output):/.test(line)), ...words] : details;
  return html`<p class="sentence">${reason}</p><pre>${lines.map(
    line => html`<span>${shorten(line, 1000)}</span><br>`,
  )}</pre>`;
}

const renderStale = (stale: readonly string[]): Html =>
  html`<ul class="stale">${stale.map(line => html`<li>Stale in the known-failing file: <code>${line}</code></li>`)}</ul>`;

/** The revisions on offer, and which of them the run did not judge. */
function offersOf({ subject, runs }: Report): string {
  const isJudged = (id: string) => runs.some(run => run.revision === id);
  return subject.offers.map(id => (isJudged(id) ? id : `${id} (not judged)`)).join(', ') || 'unknown';
}

function renderFacts(told: RunResult): Html {
  const { report } = told;
  const { summary } = report;
  const used = renderUsage(report, plainView(told, { columns: Number.POSITIVE_INFINITY }));
  const amounts = [
    amount(summary.checks, 'check'),
    amount(summary.messages, 'message'),
    ...(summary.processesStarted > 0 ? [amount(summary.processesStarted, 'process')] : []),
    duration(report.durationMs),
  ].join(' · ');
  const facts: [string, string][] = [
    ['Judged', `${amount(summary.requirementsJudged, 'requirement')} · ${amounts}`],
    ...used.map((line, i): [string, string] => [i === 0 ? 'Used' : '', line.trim().replace(/^used: /, '')]),
    ['Offers', offersOf(report)],
    [
      'Run',
      `${report.startedAt.slice(0, 19).replace('T', ' ')} UTC · seed ${report.seed} · exit code ${report.exitCode}`,
    ],
    ['By', `${report.tool.name} ${report.tool.version}`],
  ];
  return html`<dl class="facts">${facts.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>`;
}
