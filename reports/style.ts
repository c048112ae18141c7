/**
 * Colours, widths and lines of a terminal. Text must be made visible before it is passed to these functions.
 */

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  blue(text: string): string;
  magenta(text: string): string;
  cyan(text: string): string;
}

const codes: Record<keyof Style, readonly [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
};

/** @param color false returns the text unchanged */
export function makeStyle(color: boolean): Style {
  const paint =
    ([on, off]: readonly [number, number]) =>
    (text: string) =>
      color && text !== '' ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return Object.fromEntries(
    Object.entries(codes).map(([name, code]) => [name, paint(code)]),
  ) as unknown as Style;
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const drawnOver = /[\p{Mn}\p{Me}]/u;

/** Number of columns of a character. */
const charWidth = (char: string): number =>
  char < '\u0300' ? 1 : drawnOver.test(char) ? 0 : wide.test(char) ? 2 : 1;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the codes that makeStyle writes
const colours = /\x1b\[\d+m/g;

/** Number of columns of a text; colours have none. */
export function width(text: string): number {
  let columns = 0;
  for (const char of text.replace(colours, '')) columns += charWidth(char);
  return columns;
}

/** The beginning that fits; an ellipsis marks a truncated text. */
export function truncate(text: string, columns: number): string {
  return width(text) <= columns ? text : `${splitAt(text, columns - 1)[0]}…`;
}

/**
 * Breaks at blanks and keeps runs of blanks within a line.
 * @param breakWords whether words longer than a line are broken too; URLs, ids and commands need whole words
 */
export function wrap(
  text: string,
  columns: number,
  indent = '',
  hanging = indent,
  breakWords = false,
): string[] {
  const lines: string[] = [];
  let line = indent;
  let empty = true;
  const next = () => {
    lines.push(line);
    line = hanging;
    empty = true;
  };
  for (const token of text.match(/ *[^ ]+/g) ?? []) {
    if (!empty && width(line) + width(token) > columns) next();
    line += empty ? token.trimStart() : token;
    empty = false;
    while (breakWords && width(line) > columns) {
      const [head, rest] = splitAt(line, columns);
      line = head;
      next();
      line += rest;
      empty = false;
    }
  }
  return empty ? lines : [...lines, line];
}

function splitAt(text: string, columns: number): [string, string] {
  let used = 0;
  let at = 0;
  for (const char of text) {
    used += charWidth(char);
    if (used > columns) break;
    at += char.length;
  }
  return [text.slice(0, at), text.slice(at)];
}

/** Joins parts with a dot; continues in the next line when the width is used up. */
export function joinParts(parts: readonly string[], columns: number, indent: string): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const joined = `${last} · ${part}`;
    if (last !== undefined && width(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(`${indent}${part}`);
  }
  return lines;
}

const plurals: Record<string, string> = {
  process: 'processes',
  'defect of mcp-conform': 'defects of mcp-conform',
};

/** `5,120`. Loading the rules of a locale takes longer than writing a report. */
export const thousands = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

/** `1 case`, `5,120 cases`. */
export const amount = (n: number, noun: string): string =>
  `${thousands(n)} ${n === 1 ? noun : (plurals[noun] ?? `${noun}s`)}`;

/** `850 ms`, `4.2 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1).replace(/\.0$/, '')} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
}
