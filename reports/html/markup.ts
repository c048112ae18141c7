/** HTML with automatic escaping: text is made visible and escaped where it is inserted. */

import { visible } from '../escape.js';

/** Markup, as opposed to text. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | false | null | undefined | readonly Part[];

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => visible(text).replace(/[&<>"']/g, char => entities[char]!);

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(render).join('');
  return part === null || part === undefined || part === false ? '' : escapeHtml(String(part));
}

/** A template whose values are text unless they are `Html` themselves; attributes must be quoted. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((string, i) => string + (i < parts.length ? render(parts[i]) : '')).join(''));

/** Trusted text that is already markup, such as the style sheet. */
export const raw = (text: string): Html => new Html(text);

/** Text with code between backticks. */
export const withCode = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;
