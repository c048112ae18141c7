/** Third-party text inside Markdown and the HTML that Markdown permits. */

import { visible } from './escape.js';

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text of the project, such as sentences of requirements: no part becomes markup, a mention or a link. */
export const plain = (text: string): string =>
  visible(text)
    .replace(/[&<>]/g, char => entities[char]!)
    .replace(/[\\`*_{}[\]#|~$]/g, char => `\\${char}`)
    .replaceAll('@', '&#64;')
    .replace(
      /\b(https?|ftp|www)([:.])/gi,
      (_, scheme: string, mark: string) => `${scheme}&#${mark.charCodeAt(0)};`,
    );

/** The same inside an HTML element, where Markdown is not parsed. */
export const inHtml = (text: string): string => visible(text).replace(/[&<>]/g, char => entities[char]!);

/** The backticks for a fence around a text. */
const fence = (text: string, least: number): string =>
  '`'.repeat(Math.max(least, ...(text.match(/`+/g) ?? []).map(run => run.length + 1)));

/** Text of a subject in a line: a code span. Inside a table `|` ends the cell even in a code span. */
export function code(text: string): string {
  const shown = visible(text).replaceAll('|', '\\|');
  const ticks = fence(shown, 1);
  if (shown.trim() === '') return shown === '' ? '*empty*' : '*blank*';
  const space = /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${ticks}${space}${shown}${space}${ticks}`;
}

/** Lines of a subject as a block of code. @param lines already made visible */
export function block(lines: readonly string[], language = 'text'): string[] {
  const ticks = fence(lines.join('\n'), 3);
  return [`${ticks}${language}`, ...lines, ticks];
}
