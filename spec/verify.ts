/**
 * `npm run spec:verify -- <checkout of the specification> [--extensions <folder>]`: proves that the requirements are complete and
 * agree with the text. Every capital keyword of every page and of the comments of the type definitions is
 * cited by a row of its level (or listed as not normative); every cited page, anchor and line exists; every
 * level occurs in the lines that its row cites. The folder has a checkout of each repository of an extension, under the
 * name of the repository.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { readExtensionRows, readRows, type SourceRow } from './compile-requirements.js';
import { type Extension, extensions } from './extensions/index.js';
import type { Level } from './requirement.js';
import { type RevisionId, revisionIds } from './revisions.js';

/** One page of one revision; the type definitions are the page `schema`. */
interface Page {
  readonly revision: RevisionId;
  readonly page: string;
  readonly text: string;
}

interface Keyword {
  readonly level: Level;
  /** First and last line; a `MUST NOT` may be split over two lines. */
  readonly line: number;
  readonly endLine: number;
}

/** A keyword that states no obligation, or one that a row correctly has at another level. */
export interface Exception {
  /** `<revision> <page> L<line>`, or without the line for a whole page. */
  readonly at: string;
  readonly reason: string;
}

interface Result {
  readonly problems: readonly string[];
  /** Per revision and level: the number of keywords, and how many of them a row of that level cites. */
  readonly counts: ReadonlyMap<RevisionId, ReadonlyMap<Level, { found: number; cited: number }>>;
}

const required: readonly Level[] = ['MUST', 'MUST NOT', 'SHOULD', 'SHOULD NOT'];

const synonyms: Record<string, Level> = {
  SHALL: 'MUST',
  'SHALL NOT': 'MUST NOT',
  REQUIRED: 'MUST',
  RECOMMENDED: 'SHOULD',
  'NOT RECOMMENDED': 'SHOULD NOT',
  OPTIONAL: 'MAY',
};

/** The anchor of a heading, in the form of the website. */
export const slug = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/^_+|_+$/g, '')
    .replace(/\s/g, '-');

/**
 * The lines of a page without text in which a capital word is not a keyword: code, and quoted names of
 * keywords.
 */
function readable(text: string, types: boolean): string[] {
  let fence: string | undefined;
  let comment = false;
  return text.split('\n').map(line => {
    if (types) {
      const inside = comment || /^\s*\/[*/]/.test(line);
      comment = inside && !line.includes('*/') && !/^\s*\/\//.test(line);
      return inside ? line : '';
    }
    const mark = /^\s*(?:>\s*)?(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && !fence) fence = mark;
    else if (mark?.startsWith(fence ?? ' ')) fence = undefined;
    else if (!fence)
      return line.replace(
        /"(MUST|SHALL|SHOULD|REQUIRED|RECOMMENDED|NOT|MAY|OPTIONAL)( NOT| RECOMMENDED)?"?/g,
        '',
      );
    return '';
  });
}

/** The BCP 14 keywords of a page, bold or plain, in order. */
export function findKeywords(text: string, types = false): Keyword[] {
  const lines = readable(text, types);
  const all = lines.join('\n');
  const lineAt = (offset: number) => all.slice(0, offset).split('\n').length;
  const words =
    /(?<![\w-])(NOT RECOMMENDED|(?:MUST|SHALL|SHOULD)(?:[ \t>*]*\n?[ \t>*]*NOT\b)?|REQUIRED|RECOMMENDED|MAY|OPTIONAL)(?![\w-])/g;
  return [...all.matchAll(words)].map(({ 0: word, index }) => {
    const name = word.replace(/[\s>*]+/g, ' ');
    return {
      level: synonyms[name] ?? (name as Level),
      line: lineAt(index),
      endLine: lineAt(index + word.length),
    };
  });
}

/**
 * Anchor → its lines, from the heading (or the declaration and its comment) to the next one of the same rank.
 */
export function sections(text: string, types = false): Map<string, { first: number; last: number }[]> {
  const lines = text.split('\n');
  const found: { anchor: string; rank: number; first: number }[] = [];
  let fenced = false;
  for (const [index, line] of lines.entries()) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    const [, name] = (types && /^export (?:interface|type|const) (\w+)/.exec(line)) || [];
    const [, marks, heading] = (!types && !fenced && /^\s{0,3}(#{1,6}) (.*)/.exec(line)) || [];
    if (name) found.push({ anchor: name, rank: 1, first: index + 1 });
    else if (marks && heading) found.push({ anchor: slug(heading), rank: marks.length, first: index + 1 });
  }
  const spans = new Map<string, { first: number; last: number }[]>();
  for (const [index, { anchor, rank, first }] of found.entries()) {
    const next = found.slice(index + 1).find(other => other.rank <= rank);
    // The comment of a declaration precedes it: the comment begins after the start of the previous
    // declaration.
    const start = types ? (found[index - 1]?.first ?? 0) + 1 : first;
    const span = { first: start, last: (next?.first ?? lines.length + 1) - 1 };
    const earlier = spans.get(anchor) ?? [];
    spans.set(anchor, [...earlier, span]);
    // a heading that occurs again has a number in its anchor
    if (earlier.length > 0 && !types) spans.set(`${anchor}-${earlier.length}`, [span]);
  }
  return spans;
}

/** Compares rows and text. A pure function, so that tests can use pages written by hand. */
export function verify(
  pages: readonly Page[],
  rows: readonly SourceRow[],
  exceptions: readonly Exception[],
): Result {
  const problems: string[] = [];
  const texts = new Map(
    pages.map(({ revision, page, text }) => [
      `${revision} ${page}`,
      {
        lines: text.split('\n').length,
        keywords: findKeywords(text, page === 'schema'),
        sections: sections(text, page === 'schema'),
      },
    ]),
  );

  const citing = new Map<string, { level: Level; id: string }[]>();
  for (const row of rows) {
    for (const [revision, clause] of Object.entries(row.clauses)) {
      const where = `${row.file}: ${row.id}: ${revision}`;
      let levelFound =
        (typeof row.basis === 'string' ? row.basis : row.basis?.[revision as RevisionId]) !== undefined;
      for (const { place, lines } of clause.citations) {
        const [page, anchor] = place.split('#');
        const text = texts.get(`${revision} ${page}`);
        if (!text) {
          problems.push(`${where}: there is no page ${page}`);
          continue;
        }
        const spans = anchor === undefined ? [{ first: 1, last: text.lines }] : text.sections.get(anchor);
        if (!spans) problems.push(`${where}: ${page} has no anchor #${anchor}`);
        if (lines.length === 0) problems.push(`${where}: ${place} cites no line`);
        for (const [first, last] of lines) {
          if (
            first > last ||
            last > text.lines ||
            (spans && !spans.some(s => first >= s.first && last <= s.last))
          )
            problems.push(`${where}: L${first}-L${last} is not in ${place}`);
          levelFound ||= text.keywords.some(
            k => k.level === clause.level && k.line <= last && k.endLine >= first,
          );
          for (let line = first; line <= last; line++) {
            const key = `${revision} ${page} L${line}`;
            citing.set(key, [...(citing.get(key) ?? []), { level: clause.level, id: row.id }]);
          }
        }
      }
      if (!levelFound)
        problems.push(`${where}: the cited lines have no ${clause.level}, and the row states no basis`);
    }
  }

  const unused = new Set(exceptions.map(exception => exception.at));
  const counts = new Map<RevisionId, Map<Level, { found: number; cited: number }>>();
  for (const { revision, page } of pages) {
    for (const keyword of texts.get(`${revision} ${page}`)?.keywords ?? []) {
      if (!required.includes(keyword.level)) continue;
      const keys = [keyword.line, keyword.endLine].map(line => `${revision} ${page} L${line}`);
      const by = keys.flatMap(key => citing.get(key) ?? []);
      const excepted = [...keys, `${revision} ${page}`].find(key => exceptions.some(({ at }) => at === key));
      const cited = by.some(clause => clause.level === keyword.level);
      if (!cited && excepted) {
        unused.delete(excepted);
        continue;
      }
      const levels = counts.get(revision) ?? new Map<Level, { found: number; cited: number }>();
      const count = levels.get(keyword.level) ?? { found: 0, cited: 0 };
      counts.set(
        revision,
        levels.set(keyword.level, { found: count.found + 1, cited: count.cited + Number(cited) }),
      );
      if (cited) continue;
      const others = [...new Set(by.map(clause => `${clause.id} (${clause.level})`))].join(', ');
      problems.push(`${keys[0]}: this ${keyword.level} is cited by ${others ? `${others} only` : 'no row'}`);
    }
  }
  for (const at of unused) problems.push(`not-normative.yaml: ${at} has no uncited keyword`);
  return { problems, counts };
}

/**
 * All pages of the five revisions. @throws {Error} when the folder is not a checkout of the specification.
 */
export function readPages(checkout: string): Page[] {
  return revisionIds.flatMap(revision => {
    const folder = join(checkout, 'docs', 'specification', revision);
    const types = join(checkout, 'schema', revision, 'schema.ts');
    for (const path of [folder, types]) {
      if (!existsSync(path))
        throw new Error(`"${checkout}" is not a checkout of the specification: ${path} is missing.`);
    }
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
      file.endsWith('.mdx'),
    );
    const pages = files
      .map(file => file.replaceAll('\\', '/').replace(/\.mdx$/, ''))
      .filter(page => page !== 'schema');
    return [
      ...pages
        .sort()
        .map(page => ({ revision, page, text: readFileSync(join(folder, `${page}.mdx`), 'utf8') })),
      { revision, page: 'schema', text: readFileSync(types, 'utf8') },
    ];
  });
}

/** The pages of one version of an extension. @throws {Error} when the folder has no checkout of its repository */
export function readExtensionPages(extension: Extension, folder: string): Page[] {
  const name = extension.repository.split('/')[1]!;
  return Object.entries(extension.pages).flatMap(([page, file]) => {
    const path = join(folder, name, file);
    if (!existsSync(path))
      throw new Error(
        `${path} is missing: check out ${extension.repository} at ${extension.commit} as "${name}".`,
      );
    const text = readFileSync(path, 'utf8');
    return extension.revisions.map(revision => ({ revision, page, text }));
  });
}

/** A table of keywords and citations, by revision and level. */
export function table({ counts }: Result, ids: readonly RevisionId[] = revisionIds): string {
  const row = (cells: string[]) =>
    cells.map((cell, index) => (index ? cell.padStart(12) : cell.padEnd(12))).join('');
  const cell = (revision: RevisionId, levels: readonly Level[]) => {
    const all = levels.map(level => counts.get(revision)?.get(level) ?? { found: 0, cited: 0 });
    const sum = (key: 'found' | 'cited') => all.reduce((total, count) => total + count[key], 0);
    return `${sum('cited')}/${sum('found')}`;
  };
  return [
    row(['cited/found', ...required, 'all']),
    ...ids.map(id => row([id, ...required.map(level => cell(id, [level])), cell(id, required)])),
  ].join('\n');
}

interface Verified {
  readonly rows: readonly SourceRow[];
  readonly pages: readonly Page[];
  readonly exceptions: URL;
  readonly title?: string;
  readonly revisions?: readonly RevisionId[];
}

/** @returns the number of problems, which are printed with the table */
function show({ rows, pages, exceptions, title, revisions }: Verified): number {
  const result = verify(pages, rows, parse(readFileSync(exceptions, 'utf8')) as Exception[]);
  if (title) console.log(`\n${title}`);
  for (const problem of result.problems) console.log(problem);
  console.log(`${result.problems.length > 0 ? '\n' : ''}${table(result, revisions)}\n`);
  console.log(`${rows.length} rows, ${pages.length} pages, ${result.problems.length} problems`);
  return result.problems.length;
}

const usage =
  'npm run spec:verify -- <checkout of the specification> [--extensions <folder with their repositories>]';

function main(args: string[]): number {
  const parts: Verified[] = [];
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { extensions: { type: 'string' } },
    });
    const [checkout] = positionals;
    if (!checkout && values.extensions === undefined) throw new Error(`The checkout is missing: ${usage}`);
    if (checkout) {
      const exceptions = new URL('./requirements/not-normative.yaml', import.meta.url);
      parts.push({ rows: readRows(), pages: readPages(checkout), exceptions });
    }
    for (const extension of values.extensions === undefined ? [] : extensions)
      parts.push({
        title: `${extension.identifier} (${extension.id})`,
        rows: readExtensionRows(extension),
        pages: readExtensionPages(extension, values.extensions!),
        exceptions: new URL(`./extensions/${extension.id}/not-normative.yaml`, import.meta.url),
        revisions: extension.revisions,
      });
  } catch (error) {
    console.error((error as Error).message);
    return 2;
  }
  const problems = parts.map(show).reduce((sum, count) => sum + count, 0);
  return problems > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));
