/** The outline of the specification, pages and sections, with the results in the margin. */

import { grouped } from '../../harness/grouped.js';
import { capitalize } from '../../harness/report/sentence.js';
import { findingAnchor } from './finding.js';
import { bar, countGrades, inWords, type Shown, symbol } from './grade-style.js';
import { type Html, html } from './markup.js';
import type { Cell, Row } from './table.js';

/** Pages with one of these grades are open initially. */
const worthOpening: readonly Shown[] = ['error', 'violation', 'warning'];

export function renderOutline(rows: readonly Row[]): Html {
  const pages = [...grouped(rows, row => row.place.split('#')[0]!)];
  return html`<section id="specification" aria-labelledby="h-specification">
<h2 id="h-specification">Specification</h2>
<p class="lead">The same results, in the order of the specification.</p>
${pages.sort(([a], [b]) => order(a) - order(b)).map(([page, members]) => renderPage(page, members))}
</section>`;
}

/**
 * The order of the table of contents of the specification; within a part the order of the catalogue is kept.
 */
const parts = ['basic', 'client', 'server', 'schema'];
const order = (page: string): number => {
  const at = parts.indexOf(page.split('/')[0]!);
  return (at === -1 ? parts.length : at) * 2 + Number(page.includes('/utilities/'));
};

function renderPage(page: string, rows: readonly Row[]): Html {
  const counts = countGrades(rows.map(row => row.worst));
  return html`<details class="page"${rows.some(row => worthOpening.includes(row.worst)) && html` open`}>
<summary><h3>${titleOf(page)}</h3>${bar(counts)}<span class="counts">${inWords(counts)}</span></summary>
${[...grouped(rows, row => row.place)].map(
  ([
    place,
    members,
  ]) => html`<div class="clause"><h4><a href="${members[0]!.url}" rel="noreferrer">${sectionOf(place)}</a></h4>
<ul>
${members.map(renderRow)}</ul></div>
`,
)}</details>
`;
}

const renderRow = (row: Row): Html =>
  html`<li class="row" data-g="${row.worst}"><span class="margin">${margin(row)}</span><span><span class="says">${row.says}</span> <span class="id">${row.level} · ${row.id}</span></span></li>
`;

/** One mark if all runs agree, else one for each run. */
function margin({ id, cells }: Row): Html[] {
  const known = cells.filter((cell): cell is Cell => cell !== undefined);
  const grades = [...new Set(known.map(cell => cell.grade))];
  const shown: readonly Shown[] = grades.length === 1 ? grades : known.map(cell => cell.grade);
  return shown.map(grade =>
    grade === 'pass' || grade === 'notObserved' || grade === 'notApplicable'
      ? symbol(grade)
      : html`<a href="#${findingAnchor(grade, id)}">${symbol(grade)}</a>`,
  );
}

const sentenceCase = (slug: string): string => capitalize(slug.replaceAll('-', ' ').trim());

const titleOf = (page: string): string =>
  page
    .replace(/\/index$/, '')
    .split('/')
    .map(sentenceCase)
    .join(' › ');

function sectionOf(place: string): string {
  const [page = '', anchor] = place.split('#');
  if (!anchor) return 'The whole page';
  return page === 'schema' ? anchor : sentenceCase(anchor);
}
