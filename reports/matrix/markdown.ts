/** A matrix as Markdown, for a README: the table, and the cells that do not work. */

import { grouped } from '../../harness/grouped.js';
import type { CellReport, MatrixReport } from '../../harness/report/matrix-report.js';
import { code, plain } from '../markdown-escape.js';
import { describeTotals } from './console.js';
import { cellsOf, differenceWords, shortTransport, verdictMarks, verdictWords, wordsFor } from './words.js';

/** Differences that are listed. */
const mostDifferences = 60;

export function matrixMarkdown(report: MatrixReport): string {
  const { servers, clients, cells, differences } = report;
  const failing = cells.filter(({ verdict }) => verdict !== 'works');
  return [
    `# ${plain(report.title)}`,
    '',
    `${describeTotals(report)}. Rows are servers, columns are clients.`,
    '',
    `| | ${clients.map(({ name }) => plain(name)).join(' | ')} |`,
    `| --- |${clients.map(() => ' --- |').join('')}`,
    ...servers.map(
      server =>
        `| **${plain(server.name)}** | ${clients.map(client => summary(cellsOf(report, server.name, client.name))).join(' | ')} |`,
    ),
    '',
    Object.entries(verdictMarks)
      .map(([verdict, mark]) => `${mark} ${verdictWords[verdict as CellReport['verdict']]}`)
      .join(' · '),
    '',
    ...(failing.length > 0 ? ['## Cells that do not simply work', '', ...reasons(failing), ''] : []),
    ...(differences.length > 0 ? ['## Differences', ''] : []),
    ...differences
      .slice(0, mostDifferences)
      .map(
        ({ kind, what, sides }) =>
          `- ${differenceWords[kind]}: ${plain(what)}: ${sides.map(side => `${code(side.value.slice(0, 80))} (${side.cells.length})`).join(', ')}`,
      ),
    ...(differences.length > mostDifferences
      ? [`- and ${differences.length - mostDifferences} more in the JSON report`]
      : []),
    '',
  ].join('\n');
}

/** `✓ 5 · ! 1`: how many cells of a pair have each verdict. */
function summary(cells: readonly CellReport[]): string {
  if (cells.length === 0) return ' ';
  const counts = [...grouped(cells, ({ verdict }) => verdict)];
  if (counts.length === 1)
    return `${verdictMarks[counts[0]![0]]} ${cells[0]!.transport === null ? '' : cells.length}`.trim();
  return counts.map(([verdict, { length }]) => `${verdictMarks[verdict]} ${length}`).join(' · ');
}

/** Cells with the same verdict for the same reason are one line. */
function reasons(cells: readonly CellReport[]): string[] {
  const groups = grouped(cells, cell =>
    JSON.stringify([cell.server, cell.client, wordsFor(cell), cell.reason]),
  );
  return [...groups.values()].map(group => {
    const [cell] = group as [CellReport, ...CellReport[]];
    const places = group
      .filter(({ transport }) => transport !== null)
      .map(({ transport, revision }) => `${shortTransport(transport)} ${revision}`)
      .join(', ');
    return `- ${verdictMarks[cell.verdict]} **${plain(cell.server)} and ${plain(cell.client)}**${places && ` (${places})`}: ${wordsFor(cell)}. ${plain(cell.reason ?? '')}`;
  });
}
