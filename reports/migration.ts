/** `mcp-conform migrate` for a terminal: what the subject uses first, then what concerns every subject. */

import type { Migration, RowChange, TopicReport } from '../harness/run/migration.js';
import { isObject } from '../spec/json-rpc.js';
import { visible } from './escape.js';
import { amount, type Style, wrap } from './style.js';
import { renderExcerpt, shorten, type WireLog } from './wire.js';

export interface MigrationView {
  readonly style: Style;
  readonly columns: number;
  /** Whether the requirements of each topic are listed, and the topics without a use. */
  readonly verbose: boolean;
  /** The events of the run, for the first use of each sign. */
  readonly wire: WireLog;
}

/** The topics with a heading for each group, the one with the most work first. */
export const groups = [
  ['used', 'Uses that change'],
  ['everyone', 'Changes for every subject'],
] as const;

/** The name that the subject gives itself, or its command or URL. */
export function subjectOf({ subject }: Migration): string {
  const { name, version } = isObject(subject.info) ? subject.info : {};
  const own = [name, version].filter(text => typeof text === 'string').join(' ');
  return shorten(own || (subject.url ?? subject.command?.join(' ') ?? 'subject'), 120);
}

/** One line: the number of topics with work. */
export function resultOf(migration: Migration): string {
  const { topics, from, to, offersTarget } = migration;
  const used = topics.filter(({ state }) => state === 'used').length;
  const everyone = topics.filter(({ state }) => state === 'everyone').length;
  const already = offersTarget ? `; it already offers ${to}` : '';
  return `${from} → ${to}: ${amount(used, 'use')} of ${subjectOf(migration)} ${used === 1 ? 'changes' : 'change'}, ${amount(everyone, 'change')} for every ${migration.role}${already}`;
}

/** What the report compares, and what its words mean, for a reader who knows neither revision. */
export const introductionOf = ({ from, to, role }: Migration): string =>
  `The ${role} was run in revision ${from} of the specification. Each topic says how revision ${to} differs. A use is what the ` +
  `${role} does and the newer revision changes; the first message that shows it is under it. A requirement that begins holds in ` +
  `${to} only, and one that ends in ${from} only.`;

/** The sentence about topics of which the record shows no use. */
export function unusedOf({ topics }: Migration): string | undefined {
  const unused = topics.filter(({ state }) => state === 'unused').map(({ title }) => title);
  return unused.length > 0 ? `No use was seen of: ${unused.join(', ')}.` : undefined;
}

/** `26 requirements begin, 4 end`. */
export const countsOf = ({ begins, ends }: Pick<TopicReport, 'begins' | 'ends'>): string =>
  [
    begins.length > 0 &&
      `${amount(begins.length, 'requirement')} ${begins.length === 1 ? 'begins' : 'begin'}`,
    ends.length > 0 && `${amount(ends.length, 'requirement')} ${ends.length === 1 ? 'ends' : 'end'}`,
  ]
    .filter(Boolean)
    .join(', ');

/** Lines for a terminal; the last one is the result. */
export function renderMigration(migration: Migration, view: MigrationView): string[] {
  const { style, columns, verbose } = view;
  const lines: string[] = [...wrap(introductionOf(migration), columns), ''];
  for (const [state, heading] of groups) {
    const topics = migration.topics.filter(topic => topic.state === state);
    if (topics.length === 0) continue;
    lines.push(style.bold(heading), '');
    for (const topic of topics) lines.push(...renderTopic(topic, migration, view), '');
  }
  if (migration.levels.length > 0) {
    lines.push(style.bold('Levels that change'));
    lines.push(...migration.levels.flatMap(row => renderRow(row, '~', columns, style)), '');
  }
  const unused = unusedOf(migration);
  if (unused !== undefined) lines.push(...wrap(unused, columns), '');
  if (verbose)
    for (const topic of migration.topics.filter(({ state }) => state === 'unused'))
      lines.push(...renderTopic(topic, migration, view), '');
  lines.push(...wrap(visible(resultOf(migration)), columns).map(line => style.bold(line)));
  if (!verbose)
    lines.push(
      ...wrap('--verbose lists the requirements; --reporter html=<file> has them too.', columns).map(
        style.dim,
      ),
    );
  return lines;
}

function renderTopic(topic: TopicReport, { role, to }: Migration, view: MigrationView): string[] {
  const { style, columns, verbose, wire } = view;
  const mark = topic.state === 'used' ? style.yellow('!') : style.cyan('·');
  // without a date a change is of the newer revision
  const since = topic.revision === to ? '' : `  ${style.dim(`since ${topic.revision}`)}`;
  const lines = [`${mark} ${style.bold(topic.title)}${since}`];
  lines.push(...wrap(topic.change, columns, '  '));
  for (const { what, count, events } of topic.uses) {
    const times = count > 1 ? ` (${count} times)` : '';
    lines.push(...wrap(`the ${role} ${what}${times}`, columns, `  ${style.dim('Seen')}  `, '        '));
    const first = wire.pick(events).filter(event => event.kind === 'frame' || event.kind.startsWith('http'));
    const excerpt = { subject: role, columns: columns - 2, style, brief: { about: what } };
    lines.push(...renderExcerpt(first, excerpt).map(line => `  ${line}`));
  }
  if (topic.work !== null) lines.push(...wrap(topic.work, columns, `  ${style.green('Do')}    `, '        '));
  const counts = countsOf(topic);
  lines.push(`  ${style.dim(counts)}`);
  if (verbose)
    for (const [rows, symbol] of [
      [topic.begins, '+'],
      [topic.ends, '−'],
    ] as const)
      lines.push(...rows.flatMap(row => renderRow(row, symbol, columns, style)));
  return lines;
}

/** `MUST → SHOULD`, or the level in the revision that has the requirement. */
export const levelOf = ({ from, to }: RowChange): string =>
  from && to ? `${from.level} → ${to.level}` : (from ?? to)!.level;

const renderRow = (row: RowChange, symbol: string, columns: number, style: Style): string[] => [
  `    ${symbol} ${style.bold(row.id)}  ${levelOf(row)}`,
  ...wrap(row.says, columns, '      '),
  ...[row.from, row.to].flatMap(clause => (clause ? [`      ${style.dim(clause.url)}`] : [])),
];
