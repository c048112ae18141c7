/** One failure for a human reader: complete, with the command that reproduces it. */

import type { Counterexample } from '../harness/judge/counterexample.js';
import type { FindingReport } from '../harness/report/summary.js';
import type { Role } from '../spec/json-rpc.js';
import { type Cluster, casesOf, causeOf, type Variant } from './cluster.js';
import { howCommon } from './common.js';
import { visible } from './escape.js';
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
  readonly subject: Role;
  readonly wire: WireLog;
}

/**
 * Number of events shown for a single failure, and for a failure merged from several similar ones;
 * `run.jsonl` contains all.
 */
const EXCERPT = { single: 12, merged: 4 };
/** Number of failure kinds shown for one requirement. */
const VARIANTS = 3;
/** Columns of a line of the wire without a terminal. */
const LONG_LINE = 1000;
/** Columns of one text, in total over several lines. */
const LONGEST = 400;
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
  const shown = verbose ? variants : variants.slice(0, VARIANTS);
  for (const [i, variant] of shown.entries())
    lines.push(...(i > 0 ? [''] : []), ...renderVariant(variant, run, view));
  const left = variants.slice(shown.length);
  if (left.length > 0) {
    const where = amount(casesOf(left).length, 'case');
    lines.push(
      '',
      style.dim(`  and ${amount(left.length, 'more kind')} of failure, in ${where} (--verbose)`),
    );
  }
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
    `${graded}${row.id}   ${obligationOf(row.id)}`,
    columns,
    label('Also', style),
    ' '.repeat(12),
  );
  const [{ first }] = variants as [Variant];
  const statement = ({ expected, actual }: FindingReport) => JSON.stringify([expected, actual]);
  if (host.variants.some(variant => statement(variant.first) === statement(first))) return lines;
  lines.push(...labelled('Expected', first.expected.join(' or '), view));
  if (first.actual !== null) lines.push(...labelled('Actual', first.actual, view));
  return lines;
}

function renderVariant({ first, others }: Variant, run: Cluster['run'], view: View): string[] {
  const { style, columns, verbose } = view;
  const lines: string[] = [];
  for (const [i, text] of first.expected.entries())
    lines.push(...labelled(i === 0 ? 'Expected' : 'or', text, view));
  if (first.actual !== null) lines.push(...labelled('Actual', first.actual, view));
  if (first.message !== null) lines.push(...labelled('Detail', first.message, view, first.grade === 'error'));
  if (first.counterexample) lines.push(...labelled('Generated', inWords(first.counterexample), view));
  if (first.knownFailing !== null) lines.push(...labelled('Known', first.knownFailing, view));
  lines.push(...excerpt(first, view));
  const here = [first, ...others].filter(f => f.case === first.case).reduce((n, f) => n + f.count, 0);
  if (here > 1) lines.push(style.dim(`  ${here} times in this case`));
  const elsewhere = casesOf([{ first, others }]).filter(name => name !== first.case);
  if (elsewhere.length > 0) lines.push(...wrap(inOtherCases(elsewhere, run, verbose), columns, '  '));
  lines.push(`${label('Reproduce', style)}${visible(first.reproduce)}`);
  const { confirmed } = first;
  if (confirmed && confirmed.seen < 2)
    lines.push(
      `${label('Unconfirmed', style)}seen once in ${confirmed.runs} runs: the command may not show it again`,
    );
  return lines;
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
    .map(line => shorten(line, verbose ? Number.POSITIVE_INFINITY : LONGEST))
    .flatMap(line => wrap(line, columns, blank, blank, isTTY));
  return lines.map((line, i) => (i === 0 ? `${label(name, style)}${line.slice(12)}` : line));
}

function excerpt(finding: FindingReport, { wire, style, columns, isTTY, verbose, subject }: View): string[] {
  const limit = verbose ? Number.POSITIVE_INFINITY : EXCERPT[finding.count > 1 ? 'merged' : 'single'];
  const events = wire.pick(finding.events.slice(0, limit));
  const room = verbose ? Number.POSITIVE_INFINITY : isTTY ? columns : LONG_LINE;
  const lines = renderExcerpt(events, { subject, columns: room, style });
  const left = finding.events.length - Math.min(limit, finding.events.length);
  if (left > 0) lines.push(style.dim(`        … ${amount(left, 'more event')}`));
  return lines;
}

function inOtherCases(names: readonly string[], run: Cluster['run'], verbose: boolean): string {
  const short = names.map(name => name.replace(`${run.revision}/${run.transport}/`, ''));
  const named = verbose ? short : short.slice(0, NAMED);
  const more = short.length > named.length ? ', …' : '';
  return `and in ${amount(short.length, 'more case')}: ${visible(named.join(', '))}${more}`;
}

/** Results that get one line: notes, known failures, inconclusive results. */
export function renderBriefly(group: Cluster, { style, columns }: View): string {
  const { grade, row, variants } = group;
  const [symbol, name, color] = marks[grade];
  const { knownFailing, message, actual, expected } = variants[0]!.first;
  const what = howCommon(group) ?? knownFailing ?? message ?? actual ?? `expected ${expected.join(' or ')}`;
  const cases = casesOf(variants).length;
  const id = `   ${row.id}${cases > 1 ? ` (${cases} cases)` : ''}   `;
  const room = Math.max(20, columns - width(`${symbol} ${name}${id}`));
  return `${style[color](`${symbol} ${name}`)}${id}${style.dim(truncate(visible(what), room))}`;
}
