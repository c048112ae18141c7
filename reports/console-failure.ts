/** One failure for a human reader: complete, with the command that reproduces it. */

import type { Counterexample } from '../harness/judge/counterexample.js';
import type { FindingReport } from '../harness/report/summary.js';
import type { Role } from '../spec/json-rpc.js';
import { type Cluster, casesOf, causeOf, type Variant } from './cluster.js';
import { visible } from './escape.js';
import { exampleInLine, fixFor } from './fix.js';
import { fitJson, inOneLine } from './json-text.js';
import { transportOf } from './location.js';
import { obligationOf, whyMild } from './obligation.js';
import { amount, type Style, truncate, width, wrap } from './style.js';
import { renderExcerpt, shorten, type WireLog } from './wire.js';

export interface View {
  readonly style: Style;
  readonly columns: number;
  /** Lines of the wire are shortened to the terminal width. */
  readonly isTTY: boolean;
  readonly verbose: boolean;
  /** Where the time went, in one line. */
  readonly time?: string;
  readonly subject: Role;
  readonly wire: WireLog;
  /** Less of each failure, in a long report. */
  readonly compact?: boolean;
  /** The origin of the subject: its addresses are shown as paths. */
  readonly origin?: string | undefined;
}

/**
 * Number of events shown for a single failure, and for a failure merged from several similar ones;
 * `run.jsonl` contains all.
 */
const EXCERPT = { single: 6, merged: 4 };
/** Lines of one message. */
const LINES = 3;
/** Columns of one text, in total over several lines. */
const LONGEST = 240;
/** Number of further cases listed by name. */
const NAMED = 3;

type Shown = FindingReport['grade'];
const marks: Record<Shown, readonly [symbol: string, name: string, color: keyof Style]> = {
  violation: ['✗', 'violation', 'red'],
  error: ['‼', 'error', 'magenta'],
  warning: ['!', 'warning', 'yellow'],
  inconclusive: ['?', 'inconclusive', 'cyan'],
  note: ['·', 'note', 'blue'],
  knownFailing: ['~', 'known', 'dim'],
};

/** The symbol and the name of a grade, in its colour. */
function mark(grade: Shown, style: Style): string {
  const [symbol, name, color] = marks[grade];
  return style[color](`${symbol} ${name}`);
}

/**
 * DESIGN §13: the obligation, its source, the expected value, the actual value, the events on the wire.
 * @param also groups that this output covers too
 */
export function renderFailure(host: Cluster, view: View, also: readonly Cluster[] = []): string[] {
  const { grade, row, run, variants } = host;
  const { style, columns, verbose } = view;
  const [symbol, name] = marks[grade];
  const where = [row.level, run.revision, transportOf(run)].join(' · ');
  const title = `${mark(grade, style)}   ${style.bold(row.id)}`;
  const fitting = width(`${symbol} ${name}   ${row.id}   ${where}`) <= columns;
  const lines = fitting ? [`${title}   ${style.dim(where)}`] : [title, `  ${style.dim(where)}`];
  lines.push(...wrap(obligationOf(row.id), columns, '  '));
  const mild = whyMild(row, grade);
  if (mild) lines.push(...wrap(mild, columns, '  ').map(line => style.dim(line)));
  lines.push(`  ${style.dim(row.url)}`);
  const shown = verbose ? variants : variants.slice(0, 1);
  const left = variants.slice(shown.length);
  for (const [i, variant] of shown.entries())
    lines.push(...(i > 0 ? [''] : []), ...renderVariant(variant, run, view, left, i === 0));
  for (const other of also) lines.push(...renderAlso(other, host, view));
  const cause = also.length === 0 ? causeOf(host) : undefined;
  if (cause) lines.push(`${label('Same cause', style)}${cause}`);
  return lines;
}

/** A requirement violated by the same events: one line, and what it expects, if that is something else. */
function renderAlso({ grade, row, variants }: Cluster, host: Cluster, view: View): string[] {
  const { columns, style } = view;
  const graded = grade === host.grade ? '' : `${mark(grade, style)}   `;
  const lines = wrap(
    view.compact ? `${graded}${row.id}` : `${graded}${row.id}   ${obligationOf(row.id)}`,
    columns,
    label('Also', style),
    ' '.repeat(12),
  );
  if (!view.verbose) return lines;
  const [{ first }] = variants as [Variant];
  const statement = ({ expected, actual }: FindingReport) => JSON.stringify([expected, actual]);
  if (host.variants.some(variant => statement(variant.first) === statement(first))) return lines;
  lines.push(...labelled('Expected', first.expected.join(' or '), view));
  if (first.actual !== null) lines.push(...labelled('Actual', first.actual, view));
  return lines;
}

/** @param left the variants that are not shown @param isFirst the fix is the same for all variants */
function renderVariant(
  { first, others }: Variant,
  run: Cluster['run'],
  view: View,
  left: readonly Variant[],
  isFirst: boolean,
): string[] {
  const { style, columns, verbose } = view;
  const lines: string[] = [];
  const expected = verbose ? first.expected : [first.expected.join(' or ')];
  const both = view.compact ? inOneRow(first, columns) : undefined;
  if (both !== undefined) lines.push(`${label('Expected', style)}${both}`);
  else {
    for (const [i, text] of expected.entries())
      if (text !== '') lines.push(...labelled(i === 0 ? 'Expected' : 'or', text, view));
    if (first.actual !== null) lines.push(...labelled('Actual', first.actual, view));
  }
  if (first.message !== null) lines.push(...labelled('Detail', first.message, view, first.grade === 'error'));
  if (first.counterexample) lines.push(...labelled('Generated', inWords(first.counterexample), view));
  if (first.knownFailing !== null) lines.push(...labelled('Known', first.knownFailing, view));
  const [events, more] = excerpt(first, view);
  lines.push(...events);
  const here = [first, ...others].filter(f => f.case === first.case).reduce((n, f) => n + f.count, 0);
  const elsewhere = casesOf([{ first, others }]).filter(name => name !== first.case);
  const unseen = [
    ...(more > 0 && !view.compact ? [amount(more, 'more event')] : []),
    ...(here > 1 && !view.compact ? [`${here} times in this test case`] : []),
    ...(elsewhere.length > 0 ? [inOtherCases(elsewhere, run, verbose)] : []),
    ...(left.length > 0 ? [`${amount(left.length, 'more variant')} (--verbose)`] : []),
  ];
  if (unseen.length > 0) lines.push(...wrap(unseen.join(' · '), columns, '  ').map(line => style.dim(line)));
  if (isFirst) lines.push(...renderFix(first, view));
  lines.push(`${label('Reproduce', style)}${visible(first.reproduce)}`);
  const { confirmed } = first;
  if (confirmed && confirmed.seen < 2)
    lines.push(
      `${label('Unconfirmed', style)}seen once in ${confirmed.runs} runs: the command may not show it again`,
    );
  return lines;
}

/** The expected and the actual value, when both fit into one line. */
function inOneRow({ expected, actual }: FindingReport, columns: number): string | undefined {
  if (expected.length === 0 || actual === null) return undefined;
  const text = visible(inOneLine(`${expected.join(' or ')}; actual: ${actual}`));
  return width(text) <= columns - 12 ? text : undefined;
}

/** What to do, and a message that conforms: in one line if both fit, and whole with --verbose. */
function renderFix(finding: FindingReport, view: View): string[] {
  const { style, columns, verbose } = view;
  const fix = fixFor(finding);
  if (!fix) return [];
  const blank = ' '.repeat(12);
  if (view.compact)
    return fix.sdk
      ? wrap(fix.sdk, columns, label('SDK', style), blank)
      : wrap(fix.fix, columns, label('Fix', style), blank);
  const lines = wrap(fix.fix, columns, label('Fix', style), blank);
  if (verbose) lines.push(...fix.example.split('\n').map(line => `${blank}${line}`));
  else {
    const left = columns - width(lines.at(-1)!) - 2;
    const inRest = exampleInLine(fix.example, Math.max(left, 20));
    if (left >= 20 && width(inRest) <= left && !/…/.test(inRest)) lines[lines.length - 1] += `  ${inRest}`;
    else {
      const room = Math.max(40, columns - 12);
      const text = exampleInLine(fix.example, room * LINES);
      lines.push(...wrap(text, room, '', '', true).map(line => `${blank}${line}`));
    }
  }
  if (fix.sdk) lines.push(...wrap(fix.sdk, columns, label('SDK', style), blank));
  return lines;
}

/**
 * A warning without its events: the requirement, the expected and the actual value, the fix, the command.
 * @param whole whether no sentence is cut; otherwise each has one line
 */
export function renderWarning(group: Cluster, also: readonly Cluster[], view: View, whole = false): string[] {
  const { grade, row, variants } = group;
  const { style, columns } = view;
  const [{ first }] = variants as [Variant];
  const [symbol, name] = marks[grade];
  const room = Math.max(20, columns - width(`${symbol} ${name}   ${row.id}   `));
  const { actual, expected, message } = first;
  const wanted = expected.join(' or ');
  const what = [wanted, actual ?? message].filter(Boolean).join(wanted === '' ? '' : '; actual: ');
  const title = `${mark(grade, style)}   ${style.bold(row.id)}`;
  if (whole)
    return [
      `${title}   ${style.dim(`${row.level} · ${group.run.revision}`)}`,
      ...wrap(obligationOf(row.id), columns, '  '),
      ...(wanted === '' ? [] : labelled('Expected', wanted, view)),
      ...(actual === null ? [] : labelled('Actual', actual, view)),
      ...(message === null ? [] : labelled('Detail', message, view)),
      ...renderFix(first, view),
      ...renderOthers(also, view),
      `${label('Reproduce', style)}${visible(first.reproduce)}`,
    ];
  return [
    `${title}   ${style.dim(truncate(obligationOf(row.id), room))}`,
    ...(what === ''
      ? []
      : [
          `${label(wanted === '' ? 'Actual' : 'Expected', style)}${shortenText(what, Math.max(40, columns - 12))}`,
        ]),
    ...renderShortFix(first, view),
    ...renderOthers(also, view),
    `${label('Reproduce', style)}${visible(first.reproduce)}`,
  ];
}

const renderOthers = (also: readonly Cluster[], { style, columns }: View): string[] =>
  also.length > 0
    ? wrap(also.map(other => other.row.id).join(', '), columns, label('Also', style), ' '.repeat(12))
    : [];

/** One line: what to do, or that the SDK is the cause. */
function renderShortFix(finding: FindingReport, { style, columns }: View): string[] {
  const fix = fixFor(finding);
  if (!fix) return [];
  const text = fix.sdk ?? fix.fix;
  return [`${label(fix.sdk ? 'SDK' : 'Fix', style)}${truncate(text, Math.max(40, columns - 12))}`];
}

/** A row of the table of findings. */
export function renderRow(group: Cluster, widest: number, { style, columns }: View): string {
  const { grade, row, variants } = group;
  const [symbol, , color] = marks[grade];
  const { actual, message, expected } = variants[0]!.first;
  const cases = casesOf(variants).length;
  const count = cases > 1 ? `  ${cases} cases` : '';
  const id = row.id.padEnd(widest);
  const room = Math.max(16, columns - widest - 4 - count.length);
  const what = actual ?? message ?? `expected ${expected.join(' or ')}`;
  return `${style[color](symbol)} ${id}  ${style.dim(`${shortenText(what, room)}${count}`)}`;
}

/** A text of a finding that fits; JSON in it is shortened by its structure. */
function shortenText(text: string, columns: number): string {
  const plain = inOneLine(text);
  if (width(visible(plain)) <= columns) return visible(plain);
  const [, before = '', json] = /^([^[{]*)([[{].*)$/s.exec(plain) ?? [];
  const short = json === undefined ? undefined : fitJson(json, columns - width(visible(before)));
  return short === undefined
    ? truncate(visible(plain.slice(0, columns * 4)), columns)
    : `${visible(before)}${short}`;
}

/** A generated value, with its defect and whether it was shrunk. */
export function inWords({ value, label, path }: Counterexample): string {
  const remarks = [...(label === null ? [] : [label]), ...(path === null ? ['not shrunk'] : [])];
  return `${JSON.stringify(value)}${remarks.length > 0 ? ` (${remarks.join('; ')})` : ''}`;
}

export const label = (name: string, style: Style): string => style.dim(`${name.padStart(10)}  `);

/**
 * A label with a text that may be long; continuation lines are aligned with the text.
 * @param ours whether line breaks in the text come from the harness, not from the subject
 */
function labelled(name: string, text: string, view: View, ours = false): string[] {
  const { style, columns, verbose, isTTY } = view;
  const blank = ' '.repeat(12);
  const lines = (ours ? text.split('\n') : [text])
    .map(line => (verbose ? visible(line) : ours ? shorten(line, LONGEST) : shortenText(line, LONGEST)))
    .flatMap(line => wrap(line, columns, blank, blank, isTTY));
  return lines.map((line, i) => (i === 0 ? `${label(name, style)}${line.slice(12)}` : line));
}

/** The events of a finding, and the number of those left out. */
function excerpt(finding: FindingReport, view: View): [lines: string[], left: number] {
  const { wire, style, columns, isTTY, verbose, subject, origin } = view;
  const limit = verbose ? Number.POSITIVE_INFINITY : EXCERPT[finding.count > 1 ? 'merged' : 'single'];
  const events = wire.pick(finding.events.slice(0, limit));
  const { requirement, expected, actual } = finding;
  const brief = { origin, about: [requirement, obligationOf(requirement), ...expected, actual].join(' ') };
  const lines = verbose
    ? renderExcerpt(events, { subject, columns: Number.POSITIVE_INFINITY, style })
    : renderExcerpt(events, {
        subject,
        columns: isTTY ? columns : columns * LINES,
        style,
        brief,
        lines: isTTY ? LINES : 1,
      });
  return [lines, finding.events.length - Math.min(limit, finding.events.length)];
}

function inOtherCases(names: readonly string[], run: Cluster['run'], verbose: boolean): string {
  const short = names.map(name => name.replace(`${run.revision}/${run.transport}/`, ''));
  const named = verbose ? short : short.slice(0, NAMED);
  const more = short.length > named.length ? ', …' : '';
  return `also in ${amount(short.length, 'other test case')}: ${visible(named.join(', '))}${more}`;
}

/** The ids of findings, in few lines: notes, and warnings that nearly every subject gets. */
export function renderIds(
  name: string,
  groups: readonly Cluster[],
  { style, columns, compact }: View,
): string[] {
  const [symbol, , color] = marks[groups[0]!.grade];
  const head = `${symbol} ${name}: `;
  const ids = groups.map(({ row }) => row.id);
  const lines = wrap(
    `${head}${(compact ? fitting(ids, columns - width(head)) : ids).join(', ')}`,
    columns,
    '',
    '  ',
  );
  return lines.map((line, i) => (i === 0 ? style[color](symbol) + line.slice(symbol.length) : line));
}

/** As many ids as one line has room for, at least one, and the number of the others. */
function fitting(ids: readonly string[], columns: number): readonly string[] {
  for (let n = ids.length; n > 1; n--) {
    const shown = n < ids.length ? [...ids.slice(0, n), `${ids.length - n} more`] : ids;
    if (width(shown.join(', ')) <= columns) return shown;
  }
  return ids.length > 1 ? [ids[0]!, `${ids.length - 1} more`] : ids;
}

/** Results that get one line: known failures, inconclusive results. */
export function renderBriefly(group: Cluster, { style, columns }: View): string {
  const { grade, row, variants } = group;
  const [symbol, name, color] = marks[grade];
  const { knownFailing, message, actual, expected } = variants[0]!.first;
  const what = knownFailing ?? message ?? actual ?? `expected ${expected.join(' or ')}`;
  const cases = casesOf(variants).length;
  const id = `   ${row.id}${cases > 1 ? ` (${cases} cases)` : ''}   `;
  const room = Math.max(20, columns - width(`${symbol} ${name}${id}`));
  return `${style[color](`${symbol} ${name}`)}${id}${style.dim(truncate(visible(what), room))}`;
}
