/** `mcp-conform migrate` as Markdown, for an issue or a pull request. */

import type { Migration, RowChange, TopicReport } from '../harness/run/migration.js';
import { block, code, plain } from './markdown-escape.js';
import { groups, introductionOf, levelOf, resultOf, subjectOf, unusedOf } from './migration.js';
import { amount, makeStyle } from './style.js';
import { renderExcerpt, type WireLog } from './wire.js';

/** Requirements are in collapsed sections: a reader sees the topics and the work first. */
export function renderMigrationMarkdown(migration: Migration, wire: WireLog): string {
  const { topics, from, to, levels } = migration;
  const lines = [
    `# ${plain(subjectOf(migration))}: from ${from} to ${to}`,
    '',
    plain(resultOf(migration)),
    '',
    plain(introductionOf(migration)),
    '',
  ];
  for (const [state, heading] of groups) {
    const found = topics.filter(topic => topic.state === state);
    if (found.length > 0) lines.push(`## ${heading}`, '');
    for (const topic of found) lines.push(...renderTopic(topic, migration, wire));
  }
  if (levels.length > 0) lines.push('## Levels that change', '', ...table(levels), '');
  const unused = unusedOf(migration);
  if (unused !== undefined) lines.push(plain(unused), '');
  return lines.join('\n');
}

function renderTopic(topic: TopicReport, { role, from, to }: Migration, wire: WireLog): string[] {
  const lines = [`### ${plain(topic.title)}`, '', withCode(topic.change), ''];
  if (topic.work !== null) lines.push(`**Do:** ${withCode(topic.work)}`, '');
  for (const { what, count, events } of topic.uses) {
    const times = count > 1 ? ` (${count} times)` : '';
    lines.push(`**Seen:** the ${role} ${plain(what)}${times}`, '');
    const options = { subject: role, columns: 400, style: makeStyle(false), brief: { about: what } };
    const excerpt = renderExcerpt(wire.pick(events), options);
    if (excerpt.length > 0) lines.push(...block(excerpt), '');
  }
  for (const [rows, heading] of [
    [topic.begins, `from ${to} on`],
    [topic.ends, `that ${topic.ends.length === 1 ? 'ends' : 'end'} with ${from}`],
  ] as const)
    if (rows.length > 0)
      lines.push(
        `<details><summary>${amount(rows.length, 'requirement')} ${heading}</summary>`,
        '',
        ...table(rows),
        '',
        '</details>',
        '',
      );
  return lines;
}

/** Text with code between backticks. */
const withCode = (text: string): string =>
  text
    .split('`')
    .map((part, i) => (i % 2 === 1 ? code(part) : plain(part)))
    .join('');

const table = (rows: readonly RowChange[]): string[] => [
  '| Requirement | Level | Obligation |',
  '| --- | --- | --- |',
  ...rows.map(
    row => `| [${plain(row.id)}](${(row.to ?? row.from)!.url}) | ${levelOf(row)} | ${plain(row.says)} |`,
  ),
];
