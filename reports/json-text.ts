/** Shortens JSON for a reader: by its structure, so that methods, codes and the names of members stay. */

import { isObject, type Json, parseJson } from '../spec/json-rpc.js';
import { visible } from './escape.js';
import { width } from './style.js';

/** How much of a value is shown: columns of a text, members of a list, levels of nesting. */
interface Level {
  readonly text: number;
  readonly items: number;
  readonly depth: number;
}

/** What is left out first comes first. */
const levels: readonly Level[] = [
  { text: 120, items: 8, depth: 8 },
  { text: 60, items: 4, depth: 6 },
  { text: 40, items: 2, depth: 5 },
  { text: 24, items: 1, depth: 4 },
  { text: 16, items: 1, depth: 3 },
  { text: 16, items: 1, depth: 2 },
  { text: 16, items: 1, depth: 1 },
];

/** Members of a message that a reader looks for first. */
const first = ['id', 'method', 'error', 'code'];

/** A name of a member up to this length is never shortened. */
const LONGEST_NAME = 24;
/** A name of a method up to this length is never shortened. */
const LONGEST_METHOD = 60;

/**
 * A JSON text that fits into the columns; `…` stands for what is left out.
 * @returns undefined for a text that is not JSON, or that cannot be shortened so far
 */
export function fitJson(text: string, columns: number): string | undefined {
  const json = parsed(text);
  if (typeof json !== 'object' || json === null) return undefined;
  for (const level of levels) {
    const short = visible(shown(json, level, 0));
    if (width(short) <= columns) return short;
  }
  return undefined;
}

/** A message without the member that all messages have; the rest of its text is not changed. */
export const withoutVersion = (text: string): string =>
  text.replace(/^\{"jsonrpc":"2\.0",(?=.*\}$)/s, '{').replace(/^(\{.*),"jsonrpc":"2\.0"\}$/s, '$1}');

/** JSON quotes line breaks; they, and runs of blanks, are one blank. */
export const inOneLine = (text: string): string => text.replace(/(?:(?<!\\)\\n|\s)+/g, ' ');

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function shown(json: Json, level: Level, depth: number): string {
  if (typeof json === 'string') return shownText(json, level);
  if (Array.isArray(json)) {
    if (json.length > 0 && depth >= level.depth) return '[…]';
    const parts = json.slice(0, level.items).map(item => shown(item, level, depth + 1));
    const left = json.length - parts.length;
    return `[${[...parts, ...(left > 0 ? [`… ${left} more`] : [])].join(',')}]`;
  }
  if (!isObject(json)) return JSON.stringify(json);
  const names = Object.keys(json)
    .filter(name => depth > 0 || name !== 'jsonrpc' || json.jsonrpc !== '2.0')
    .sort((a, b) => rank(a) - rank(b));
  if (names.length > 0 && depth >= level.depth) return '{…}';
  const most = depth <= 1 ? 8 : level.items * 2;
  const parts = names.slice(0, most).map(name => {
    const value = json[name]!;
    const isMethod = name === 'method' && typeof value === 'string' && value.length < LONGEST_METHOD;
    return `${shownName(name, level)}:${isMethod ? JSON.stringify(value) : shown(value, level, depth + 1)}`;
  });
  const left = names.length - parts.length;
  return `{${[...parts, ...(left > 0 ? [`… ${left} more`] : [])].join(',')}}`;
}

const rank = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length);

/** The end of a name says most, as in `…/protocolVersion` for a name with a prefix. */
function shownName(name: string, { text: most }: Level): string {
  if (name.length <= Math.max(most, LONGEST_NAME)) return JSON.stringify(name);
  const end = /\/[^/]{1,24}$/.exec(name)?.[0];
  return end === undefined ? shownText(name, { text: LONGEST_NAME }) : JSON.stringify(`…${end}`);
}

function shownText(text: string, { text: most }: Pick<Level, 'text'>): string {
  const plain = inOneLine(JSON.stringify(text));
  if (plain.length <= most + 2) return plain;
  return `${plain.slice(0, most).replace(/[\ud800-\udbff]$|\\+$/, '')}…"`;
}
