/** Table of requirements by revision and transport, collapsed by area. */

import { grouped } from '../../harness/grouped.js';
import type { RunReport } from '../../harness/report/summary.js';
import { locationOf, transportOf } from '../location.js';
import { findingAnchor } from './finding.js';
import { bar, countGrades, gradeStyle, inWords, type Shown, shownGrades, symbol } from './grade-style.js';
import { type Html, html } from './markup.js';
import type { Cell, Row } from './table.js';

/** Areas with one of these grades are open initially. */
const worthOpening: readonly Shown[] = ['error', 'violation', 'warning'];

export const renderGrid = (rows: readonly Row[], runs: readonly RunReport[]): Html =>
  html`<section id="requirements" aria-labelledby="h-requirements">
<h2 id="h-requirements">Requirements</h2>
<p class="lead">All requirements that apply, by area. Click a mark to see the finding.</p>
<p class="legend">${shownGrades.map(grade => html`<span>${symbol(grade)} <span aria-hidden="true">${gradeStyle[grade][1]}</span></span> `)}</p>
${runs.length > 1 && html`<p class="lead columns">The marks of a row from left to right: ${runs.map(locationOf).join('; ')}.</p>`}
${[...grouped(rows, row => row.id.split('.')[0]!)].map(([area, members]) => renderArea(area, members, runs))}
</section>`;

function renderArea(area: string, rows: readonly Row[], runs: readonly RunReport[]): Html {
  const counts = countGrades(rows.map(row => row.worst));
  const open = rows.some(row => worthOpening.includes(row.worst));
  return html`<details class="area"${open && html` open`}>
<summary><h3>${area}</h3>${bar(counts)}<span class="counts">${inWords(counts)}</span></summary>
<div class="scroll"><table class="grid">
<thead><tr><th scope="col" class="id">Requirement</th><th scope="col" class="level">Level</th>${runs.map(
    run => html`<th scope="col" class="run">${run.revision}<small>${transportOf(run)}</small></th>`,
  )}</tr></thead>
<tbody>
${rows.map(renderRow)}</tbody>
</table></div>
</details>
`;
}

const renderRow = (row: Row): Html =>
  html`<tr class="row" data-g="${row.worst}"><th scope="row"><a href="${row.url}" rel="noreferrer">${row.id}</a><span class="says">${row.says}</span></th><td class="level">${row.level}</td>${row.cells.map(
    cell => renderCell(row, cell),
  )}</tr>
`;

function renderCell({ id }: Row, cell: Cell | undefined): Html {
  if (!cell) return html`<td class="run none"><span class="sr">does not hold</span></td>`;
  const { grade, examined, reason } = cell;
  const title = [gradeStyle[grade][1], reason ?? (examined > 0 ? `judged ${examined} times` : '')]
    .filter(text => text !== '')
    .join(': ');
  const linked = grade !== 'pass' && grade !== 'notObserved' && grade !== 'notApplicable';
  const mark = linked ? html`<a href="#${findingAnchor(grade, id)}">${symbol(grade)}</a>` : symbol(grade);
  return html`<td class="run" title="${title}">${mark}</td>`;
}
