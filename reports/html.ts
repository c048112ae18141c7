/**
 * One self-contained file for the browser: the findings, every requirement, and the specification with
 * verdicts.
 */

import { grouped } from '../harness/grouped.js';
import type { RunReport } from '../harness/report/summary.js';
import { atRunEnd, type RunResult } from './at-run-end.js';
import { type Cluster, clusterFindings } from './cluster.js';
import { renderFinding } from './html/finding.js';
import { renderGrid } from './html/grid.js';
import { type Html, html, raw } from './html/markup.js';
import { renderOutline } from './html/outline.js';
import { renderOverview, subjectName, verdictOf } from './html/overview.js';
import { pagePolicy } from './html/policy.js';
import { script } from './html/script.js';
import { style } from './html/style.js';
import { type Row, tableOf } from './html/table.js';
import { transportOf } from './location.js';
import type { ReporterFactory } from './reporter.js';
import { amount } from './style.js';

const reporter: ReporterFactory = ({ out }) => atRunEnd(told => out.write(renderPage(told)));

export { reporter as html };

const policy = pagePolicy({ script, style });

function renderPage(told: RunResult): string {
  const { report } = told;
  const groups = clusterFindings(report);
  const rows = tableOf(report);
  const sections = [
    ['overview', 'Overview'],
    ['findings', 'Findings'],
    ['requirements', 'Requirements'],
    ['specification', 'Specification'],
    ['not-applicable', 'Does not apply'],
  ] as const;
  // A report without judged runs has one section, with the reason.
  const judged = report.runs.length > 0;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${verdictOf(told, rows)} · ${subjectName(told)} · MCP conformance</title>
<style>${raw(style)}</style>
</head>
<body>
${judged && html`<a class="skip" href="#findings">To the findings</a>`}
<div class="top"><div><nav aria-label="Sections">${sections.slice(0, judged ? sections.length : 1).map(([id, title]) => html`<a href="#${id}">${title}</a>`)}</nav><div class="search" role="search"><input id="q" type="search" placeholder="Filter: tools, cursor, …" aria-label="Filter requirements and findings"><span id="shown" role="status"></span></div></div></div>
<main>
${renderOverview(told, groups, rows)}
${judged && renderSections(told, groups, rows)}
<footer>Made by ${report.tool.name} ${report.tool.version} from the recorded bytes. Text of the subject is shown as it came; characters that cannot be seen as <code>\\x1b</code> or <code>\\u{202e}</code>.</footer>
</main>
<script>${raw(script)}</script>
</body>
</html>
`.text;
}

const renderSections = (told: RunResult, groups: readonly Cluster[], rows: readonly Row[]): Html =>
  html`<section id="findings" aria-labelledby="h-findings">
<h2 id="h-findings">Findings</h2>
<p class="lead">${groups.length === 0 ? 'No findings.' : 'Most important first. Findings with the same cause are grouped.'}</p>${groups.length > 1 && html`<p class="all"><button type="button" data-open="1">Open all</button> <button type="button" data-open="">Close all</button></p>`}
${groups.map((group, i) => renderFinding(group, told, i === 0))}</section>
${renderGrid(rows, told.report.runs)}
${renderOutline(rows)}
${renderNotApplicable(told.report.runs)}`;

/** Requirements that do not apply, by reason. */
const renderNotApplicable = (runs: readonly RunReport[]): Html =>
  html`<section id="not-applicable" aria-labelledby="h-not-applicable">
<h2 id="h-not-applicable">Does not apply</h2>
${runs.every(run => run.notApplicable.length === 0) && html`<p class="lead">All requirements apply.</p>`}
${runs.map(
  run =>
    run.notApplicable.length > 0 &&
    html`<h3>${run.revision} · ${transportOf(run)}</h3>
<ul class="reasons">${[...grouped(run.notApplicable, row => row.reason)].map(
      ([reason, rows]) =>
        html`<li><details><summary>${reason} <small>${amount(rows.length, 'requirement')}</small></summary><ul>${rows.map(
          ({ id }) => html`<li>${id}</li>`,
        )}</ul></details></li>\n`,
    )}</ul>
`,
)}</section>`;
