/** The comparison of two reports for human readers: in a terminal, and as Markdown for a comment. */

import { type RequirementId, requirements } from '../spec/requirement.js';
import type { Change, Diff, State } from './diff.js';
import { visible } from './escape.js';
import { inOneLine } from './junit.js';
import { code, plain } from './markdown-escape.js';
import { amount, type Style, wrap } from './style.js';
import { shorten } from './wire.js';

const words: Record<State, string> = {
  pass: 'conforms',
  violation: 'violation',
  warning: 'warning',
  note: 'note',
  inconclusive: 'inconclusive',
  notObserved: 'not tested',
  error: 'suite error',
  knownFailing: 'known failure',
  notApplicable: 'does not apply',
  absent: 'not there',
};

const sections = [
  ['worse', '✗', 'Worse', 'red'],
  ['better', '✔', 'Better', 'green'],
  ['listed', '~', 'Now a known failure', 'yellow'],
  ['disappeared', '?', 'No longer judged', 'cyan'],
  ['appeared', '+', 'Newly judged, and conforms', 'blue'],
] as const;

/** Lists of lower importance are cut after this number of entries, unless all are requested. */
const BRIEF = 8;

interface View {
  readonly style: Style;
  readonly columns: number;
  readonly verbose: boolean;
}

/** Lines for a terminal; the last one is the result. */
export function renderDiff(diff: Diff, { style, columns, verbose }: View): string[] {
  const lines: string[] = [];
  for (const [kind, symbol, title, color] of sections) {
    const changes = diff[kind];
    if (changes.length === 0) continue;
    const brief = kind === 'appeared' || kind === 'disappeared';
    const shown = brief && !verbose ? changes.slice(0, BRIEF) : changes;
    lines.push(style[color](`${symbol} ${title} (${changes.length})`));
    for (const change of shown) {
      const { id, place, before, after, finding } = change;
      lines.push(
        `  ${style.bold(visible(id))}  ${words[before]} → ${words[after]}  ${style.dim(visible(place))}`,
      );
      if (brief) continue;
      lines.push(...wrap(says(id), columns, '    '));
      if (finding && kind === 'worse') lines.push(`    ${shorten(inOneLine(finding), columns - 4)}`);
      if (finding && kind === 'worse') lines.push(`    ${style.dim(visible(finding.reproduce))}`);
    }
    if (shown.length < changes.length)
      lines.push(style.dim(`  and ${changes.length - shown.length} more (--verbose)`));
    lines.push('');
  }
  return [...lines, ...onlyIn(diff), resultOf(diff)];
}

/** A report of another version may name requirements that are absent in this version. */
const says = (id: string): string => requirements().get(id as RequirementId)?.says ?? '';

function onlyIn({ onlyBefore, onlyAfter }: Diff): string[] {
  return [
    ...(onlyBefore.length > 0 ? [`only in the old report, not compared: ${onlyBefore.join(', ')}`] : []),
    ...(onlyAfter.length > 0 ? [`only in the new report, not compared: ${onlyAfter.join(', ')}`] : []),
  ];
}

function resultOf(diff: Diff): string {
  const { worse, better, same } = diff;
  return `${worse.length} worse, ${better.length} better, ${amount(same, 'requirement')} unchanged`;
}

/** A table for each kind of change. */
export function renderDiffMarkdown(diff: Diff): string[] {
  const lines = [`### MCP conformance: ${resultOf(diff)}`, ''];
  for (const [kind, , title] of sections) {
    if (diff[kind].length === 0) continue;
    lines.push(`#### ${title} (${diff[kind].length})`, '');
    lines.push('| Requirement | Revision | Before | After | Actual |', '| --- | --- | --- | --- | --- |');
    lines.push(...diff[kind].map(row), '');
  }
  for (const line of onlyIn(diff)) lines.push(`- ${plain(line)}`);
  return lines;
}

function row({ id, url, place, before, after, finding }: Change): string {
  const link = !/^https:\/\//.test(url)
    ? plain(id)
    : `[${plain(id)}](${url.replace(/[()\s<>]/g, encodeURIComponent)})`;
  const what = finding ? code(shorten(inOneLine(finding), 160)) : '';
  return `| ${link} | ${plain(place)} | ${words[before]} | ${words[after]} | ${what} |`;
}
