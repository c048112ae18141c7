/** `npm run coverage`: how much of what binds servers is judged, for each transport; `--markdown` for the README. */

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

const rows = (): string[][] =>
  shown.flatMap(([transport, name]) => coverage('server', transport).map(row => cells(name, row)));

export function markdownTable(): string {
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |`;
  const rule = heads.map((_, n) => (n < 3 ? '---' : '---:'));
  return [line(heads), line(rule), ...rows().map(line)].join('\n');
}

export function textTable(): string {
  const all = [heads, ...rows()];
  const widths = heads.map((_, n) => Math.max(...all.map(texts => texts[n]!.length)));
  return all
    .map(texts =>
      texts
        .map((text, n) => text.padEnd(widths[n]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(process.argv.includes('--markdown') ? markdownTable() : textTable());
