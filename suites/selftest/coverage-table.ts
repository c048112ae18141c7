/**
 * `npm run coverage`: how much of what binds servers is judged, for each transport, and authorization servers; `--client`: what binds clients; `--markdown` for the README.
 */

import { pathToFileURL } from 'node:url';
import type { TransportId } from '../../spec/revisions.js';
import { type CoverageRow, coverage } from './coverage.js';

const shown: readonly (readonly [id: TransportId, name: string])[] = [
  ['stdio', 'stdio'],
  ['streamable-http', 'Streamable HTTP'],
  ['http-sse', 'HTTP with SSE'],
];

const heads = [
  'Transport',
  'Revision',
  'Level',
  'judged, all with a fault',
  'judgeable',
  'unjudged, with a reason',
];

const cells = (name: string, row: CoverageRow): string[] => [
  name,
  row.revision,
  row.level,
  `${row.judged}${row.unproven > 0 ? ` (${row.unproven} without a fault)` : ''}`,
  `${row.judgeable}`,
  `${row.unjudged}`,
];

/** What is tested without more being said; clients stand for themselves. */
const all = (): string[][] => [
  ...shown.flatMap(([transport, name]) => coverage('server', transport).map(row => cells(name, row))),
  ...coverage('authorization-server', 'streamable-http').map(row => cells('authorization server', row)),
];

const clients = (): string[][] =>
  shown.flatMap(([transport, name]) => coverage('client', transport).map(row => cells(name, row)));

export function markdownTable(rows = all()): string {
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
  const rule = heads.map((_, n) => (n < 3 ? '---' : '---:'));
  return [line(heads), line(rule), ...rows.map(line)].join('\n');
}

export function textTable(rows = all()): string {
  const lines = [heads, ...rows];
  const widths = heads.map((_, n) => Math.max(...lines.map(texts => texts[n]!.length)));
  return lines
    .map(texts =>
      texts
        .map((text, n) => text.padEnd(widths[n]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const rows = process.argv.includes('--client') ? clients() : all();
  console.log(process.argv.includes('--markdown') ? markdownTable(rows) : textTable(rows));
}
