/**
 * `npm run coverage`: the share of judged rows for servers, clients and authorization servers; `--markdown` prints
 * the table of the README, `--write` updates it there.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { extensions } from '../../spec/extensions/index.js';
import type { Party } from '../../spec/json-rpc.js';
import type { TransportId } from '../../spec/revisions.js';
import { type CoverageRow, coverage } from './coverage.js';
import { countFacets } from './facets.js';

const tested: readonly (readonly [party: Party, transport: TransportId, name: string])[] = [
  ['server', 'stdio', 'servers on stdio'],
  ['server', 'streamable-http', 'servers on Streamable HTTP'],
  ['server', 'http-sse', 'servers on HTTP with SSE'],
  ['client', 'stdio', 'clients on stdio'],
  ['client', 'streamable-http', 'clients on Streamable HTTP'],
  ['client', 'http-sse', 'clients on HTTP with SSE'],
  ['authorization-server', 'streamable-http', 'authorization servers'],
];

const byRevision = tested.map(([party, transport, name]) => ({ name, rows: coverage(party, transport) }));
/** Rows of one extension for one party, as a line of its own. */
const ofExtensions = extensions.flatMap(extension =>
  tested
    .filter(([, transport]) => transport !== 'http-sse')
    .map(([party, transport, name]) => ({
      name: `${extension.identifier}: ${name}`,
      rows: coverage(party, transport, extension.id),
    })),
);
const columns = [...new Set(byRevision.flatMap(({ rows }) => rows.map(row => row.revision)))].sort();
const heads = ['', ...columns];

/** Judged rows of judgeable rows, judged rows without a fault, and rows with a reason against a judgement. */
const cell = (row: CoverageRow | undefined): string =>
  row === undefined
    ? ''
    : [
        `${row.judged}/${row.judgeable}`,
        ...(row.unproven > 0 ? [`${row.unproven} unproven`] : []),
        `${row.unjudged} not`,
      ].join(', ');

/** A party on one transport, and its rows. */
type Tested = (typeof byRevision)[number];

const lines = (parts: readonly Tested[]): string[][] =>
  parts
    .flatMap(({ name, rows }) =>
      (['MUST', 'SHOULD'] as const).map(level => [
        `${name}, ${level}`,
        ...columns.map(revision => cell(rows.find(row => row.revision === revision && row.level === level))),
      ]),
    )
    .filter(([, ...cells]) => cells.some(text => text !== ''));

/** The forms of a breach and the legal variations of all rows, and what shows them. */
function facetLines(): string[] {
  const [breaches, legal] = [countFacets('breaches'), countFacets('legal')];
  return [
    `${breaches.all} forms of a breach: ${breaches.byMock} shown by a fault, ${breaches.byExample} by an example of the rule, ` +
      `${breaches.unproven} with the reason why by neither.`,
    `${legal.all} legal variations: ${legal.byMock} shown by a quirk, ${legal.byExample} by an example, ` +
      `${legal.byReference} by the references, ${legal.unproven} with the reason why by none.`,
  ];
}

export function markdownTable(): string {
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
  const table = (parts: readonly Tested[]) => [
    line(heads),
    line(heads.map(() => '---')),
    ...lines(parts).map(line),
  ];
  return [
    ...table(byRevision),
    '',
    '<details><summary>The same for extensions</summary>',
    '',
    ...table(ofExtensions),
    '',
    '</details>',
    '',
    ...facetLines(),
  ].join('\n');
}

function textTable(): string {
  const all = [heads, ...lines([...byRevision, ...ofExtensions])];
  const widths = heads.map((_, n) => Math.max(...all.map(texts => texts[n]!.length)));
  return all
    .map(texts => texts.map((text, n) => text.padEnd(widths[n]!)).join('  '))
    .map(line => line.trimEnd())
    .concat('', facetLines())
    .join('\n');
}

const readme = new URL('../../README.md', import.meta.url);
const marked = /(<!-- coverage -->\n)([\s\S]*?)(\n<!-- \/coverage -->)/;

/** The table in the README; undefined without its marks. */
export const tableInReadme = (): string | undefined => marked.exec(readFileSync(readme, 'utf8'))?.[2];

function writeTable(): string {
  const before = tableInReadme();
  const table = markdownTable();
  if (before === undefined) {
    process.exitCode = 1;
    return 'README.md has no line <!-- coverage --> and <!-- /coverage --> around a table: add both lines.';
  }
  if (before === table) return 'The table in README.md is up to date.';
  const text = readFileSync(readme, 'utf8');
  writeFileSync(
    readme,
    text.replace(marked, (_, start: string, __, end: string) => start + table + end),
  );
  return 'The table in README.md is updated.';
}

function output(flags: readonly string[]): string {
  if (flags.includes('--write')) return writeTable();
  return flags.includes('--markdown') ? markdownTable() : textTable();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(output(process.argv));
