/** `mcp-conform migrate` as one self-contained page. */

import type { Migration, RowChange, TopicReport } from '../../harness/run/migration.js';
import { groups, introductionOf, levelOf, resultOf, subjectOf, unusedOf } from '../migration.js';
import { amount } from '../style.js';
import { subjectRole, type WireLog } from '../wire.js';
import { type Html, html, raw, withCode } from './markup.js';
import { pagePolicy } from './policy.js';
import { style } from './style.js';
import { renderWire } from './wire.js';

export function renderMigrationPage(migration: Migration, wire: WireLog): string {
  const { from, to, topics, levels } = migration;
  const unused = unusedOf(migration);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(pagePolicy({ style }))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${subjectOf(migration)}: from ${from} to ${to} · MCP migration</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
<header>
<p class="subject"><b>${subjectOf(migration)}</b></p>
<h1>From ${from} to ${to}</h1>
<p class="lead">${resultOf(migration)}</p>
<p class="lead">${introductionOf(migration)}</p>
</header>
${groups.map(([state, heading]) => {
  const found = topics.filter(topic => topic.state === state);
  return (
    found.length > 0 &&
    html`<section><h2>${heading}</h2>${found.map(topic => renderTopic(topic, migration, wire))}</section>\n`
  );
})}${levels.length > 0 && html`<section><h2>Levels that change</h2>${renderRows(levels)}</section>\n`}${unused !== undefined && html`<p class="lead">${unused}</p>\n`}
</main>
</body>
</html>
`.text;
}

const renderTopic = (topic: TopicReport, { role, from, to }: Migration, wire: WireLog): Html =>
  html`<article class="finding ${topic.state === 'used' ? 'g-warning' : 'g-note'}">
<h3>${topic.title}</h3>${topic.revision !== to && html` <small>since ${topic.revision}</small>`}
<p class="sentence">${withCode(topic.change)}</p>
${topic.work !== null && html`<h4>What to do</h4><p class="fix">${withCode(topic.work)}</p>`}
${topic.uses.map(
  ({ what, count, events }) =>
    html`<h4>Seen: the ${role} ${what}${count > 1 && ` (${count} times)`}</h4>${renderWire(wire.pick(events), subjectRole(role))}\n`,
)}${renderPart(topic.begins, `from ${to} on`)}${renderPart(topic.ends, `that ${topic.ends.length === 1 ? 'ends' : 'end'} with ${from}`)}
</article>
`;

const renderPart = (rows: readonly RowChange[], heading: string): Html | false =>
  rows.length > 0 &&
  html`<details class="cases"><summary>${amount(rows.length, 'requirement')} ${heading}</summary>${renderRows(rows)}</details>\n`;

const renderRows = (rows: readonly RowChange[]): Html =>
  html`<ul>${rows.map(
    row =>
      html`<li><b>${row.id}</b> <small>${levelOf(row)}</small> ${row.says} ${[row.from, row.to].map(
        clause =>
          clause &&
          html`<a href="${clause.url}" rel="noreferrer">${clause.url.split('/specification/')[1]}</a> `,
      )}</li>\n`,
  )}</ul>`;
