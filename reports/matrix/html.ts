/** A matrix as one file for the browser: the table, with the conversation of each cell. */

import { createHash } from 'node:crypto';
import type {
  CellReport,
  CellVerdict,
  Difference,
  MatrixReport,
  Participant,
} from '../../harness/report/matrix-report.js';
import { safeJson, visible } from '../escape.js';
import { type Html, html, raw } from '../html/markup.js';
import { amount, duration } from '../style.js';
import { describeTotals } from './console.js';
import { script } from './html-script.js';
import { style } from './html-style.js';
import { differenceWords, shortTransport, verdictMarks, verdictWords, wordsFor } from './words.js';

const hash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** The page loads nothing, and runs only its own script. */
const policy = [
  "default-src 'none'",
  `script-src '${hash(script)}'`,
  `style-src '${hash(style)}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** The transports and revisions that occur, in order: the places inside of each field. */
interface Axes {
  readonly transports: readonly string[];
  readonly revisions: readonly string[];
}

export function matrixHtml(report: MatrixReport): string {
  const axes = axesOf(report);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${report.title} · MCP interoperability</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
<header>
<h1>${report.title}</h1>
<p class="lead">${describeTotals(report)}. Started ${report.startedAt.slice(0, 16).replace('T', ' ')} UTC.</p>
<div class="tiles" role="group" aria-label="Show only">${(Object.entries(report.totals) as [CellVerdict, number][]).map(([verdict, count]) => html`<button type="button" data-verdict="${verdict}" aria-pressed="false"><b class="v-${verdict}">${count}</b><span><i class="chip v-${verdict}">${verdictMarks[verdict]}</i>${verdictWords[verdict]}</span></button>`)}</div>
</header>
<section aria-labelledby="h-matrix">
<h2 id="h-matrix">Servers and clients</h2>
<p class="lead">Rows are servers, columns are clients. Each field has a line for each transport (${axes.transports.map(shortTransport).join(', ')}), and in it a square for each revision: ${axes.revisions.join(', ')}. A square opens its conversation.</p>
<div class="scroll"><table class="matrix">
<thead><tr><td></td>${report.clients.map(client => html`<th scope="col">${heading(client)}</th>`)}</tr></thead>
<tbody>
${report.servers.map(
  server => html`<tr><th scope="row"><span class="name">${heading(server)}</span><span class="lines">${axes.transports.map(t => html`<span>${shortTransport(t)}</span>`)}</span></th>${report.clients.map(client => field(report, axes, server.name, client.name))}</tr>
`,
)}</tbody></table></div>
</section>
<section id="cell" aria-live="polite" hidden></section>
${renderDifferences(report.differences)}
<footer>Made by ${report.tool.name} ${report.tool.version} from the recorded bytes. Characters that cannot be seen are shown as <code>\\x1b</code> or <code>\\u{202e}</code>.</footer>
</main>
<script type="application/json" id="data">${raw(dataOf(report))}</script>
<script>${raw(script)}</script>
</body>
</html>
`.text;
}

function axesOf({ cells }: MatrixReport): Axes {
  const order = ['stdio', 'streamable-http', 'http-sse'];
  const transports = order.filter(t => cells.some(cell => cell.transport === t));
  const revisions = [...new Set(cells.flatMap(cell => cell.revision ?? []))].sort();
  return { transports, revisions };
}

function heading({ name, about, info }: Participant): Html {
  const own = info as { name?: unknown; version?: unknown } | null;
  const told = own ? `${String(own.name)} ${String(own.version ?? '')}` : '';
  return html`<b title="${[about, told && `says: ${told}`].filter(Boolean).join('; ')}">${name}</b>${about && html`<small>${about}</small>`}`;
}

function field(report: MatrixReport, axes: Axes, server: string, client: string): Html {
  const own = report.cells
    .map((cell, at) => ({ cell, at }))
    .filter(({ cell }) => cell.server === server && cell.client === client);
  const alone = own.find(({ cell }) => cell.transport === null);
  if (alone) return html`<td>${chip(alone.cell, alone.at)}<small>nothing in common</small></td>`;
  return html`<td>${axes.transports.map(
    transport =>
      html`<span class="line">${axes.revisions.map(revision => {
        const found = own.find(({ cell }) => cell.transport === transport && cell.revision === revision);
        return found ? chip(found.cell, found.at) : html`<i class="none"></i>`;
      })}</span>`,
  )}</td>`;
}

function chip(cell: CellReport, at: number): Html {
  const place = cell.transport === null ? '' : `${shortTransport(cell.transport)} ${cell.revision}: `;
  const words = `${cell.server} and ${cell.client}, ${place}${wordsFor(cell)}`;
  return html`<button type="button" class="chip v-${cell.verdict}" data-cell="${at}" data-v="${cell.verdict}" title="${words}" aria-label="${words}">${verdictMarks[cell.verdict]}</button>`;
}

const renderDifferences = (differences: readonly Difference[]): Html | false =>
  differences.length > 0 &&
  html`<section aria-labelledby="h-differences">
<h2 id="h-differences">Differences</h2>
<p class="lead">Points in which the cells of a row or a column differ. A difference does not say who is right.</p>
${(Object.entries(differenceWords) as [Difference['kind'], string][]).map(([kind, words]) => {
  const own = differences.filter(difference => difference.kind === kind);
  return (
    own.length > 0 &&
    html`<details class="kind"><summary>${words} <small>${amount(own.length, 'difference')}</small></summary>
${own.map(
  ({ what, sides }) =>
    html`<details class="difference"><summary>${what}</summary><ul>${sides.map(
      ({ value, cells }) =>
        html`<li><code>${value}</code><p>${amount(cells.length, 'cell')}: ${cells.map(name => html`<a href="#${name}">${name}</a> `)}</p></li>`,
    )}</ul></details>
`,
)}</details>
`
  );
})}</section>`;

/** The cells for the script of the page; texts of the programs are made visible here. */
function dataOf({ cells }: MatrixReport): string {
  const shown = cells.map(({ conversation, output, durationMs, ...cell }) => ({
    ...cell,
    reason: cell.reason === null ? null : visible(cell.reason),
    words: wordsFor(cell as CellReport),
    duration: duration(durationMs),
    conversation: conversation.map(([at, by, text]) => [at, by, visible(text)]),
    output: { client: output.client.map(visible), server: output.server.map(visible) },
  }));
  return safeJson(shown).replaceAll('<', '\\u003c');
}
