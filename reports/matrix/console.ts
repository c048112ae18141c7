/** A matrix on a terminal: a line for each cell that has ended, and the last lines. */

import type { CellReport, MatrixReport } from '../../harness/report/matrix-report.js';
import { visible } from '../escape.js';
import type { Sink } from '../reporter.js';
import { amount, duration, makeStyle, type Style, truncate } from '../style.js';
import { verdictMarks, verdictWords, wordsFor } from './words.js';

const ERASE = '\r\x1b[2K';

interface MatrixProgressOptions {
  readonly out: Sink;
  /** Number of cells to run. */
  readonly total: number;
  readonly isTTY: boolean;
  readonly color: boolean;
  readonly columns: number;
  readonly quiet: boolean;
}

export class MatrixProgress {
  private readonly style: Style;
  private readonly running = new Set<string>();
  private done = 0;

  constructor(private readonly options: MatrixProgressOptions) {
    this.style = makeStyle(options.color);
  }

  start(name: string): void {
    this.running.add(name);
    this.draw();
  }

  end(cell: CellReport): void {
    this.done++;
    this.running.delete(cell.name);
    const { out, isTTY, quiet, columns, total } = this.options;
    if (quiet) return;
    if (isTTY) out.write(ERASE);
    const count = String(this.done).padStart(String(total).length);
    const reason = cell.reason === null ? '' : `  ${visible(cell.reason.split('\n', 1)[0]!)}`;
    const text = `${count}/${total}  ${verdictMarks[cell.verdict]} ${cell.name}  ${wordsFor(cell)}  ${duration(cell.durationMs)}`;
    out.write(
      `${this.paint(cell, text)}${this.style.dim(truncate(reason, Math.max(40, columns * 2 - text.length)))}\n`,
    );
    this.draw();
  }

  private paint({ verdict }: CellReport, text: string): string {
    const { green, yellow, red, dim } = this.style;
    if (verdict === 'works') return green(text);
    if (verdict === 'cannot-be-tried') return dim(text);
    return verdict === 'works-with-violations' ? yellow(text) : red(text);
  }

  private draw(): void {
    const { out, isTTY, quiet, columns, total } = this.options;
    if (!isTTY || quiet) return;
    const text = `${this.done} of ${total} cells · now: ${[...this.running].join(', ')}`;
    out.write(`${ERASE}${truncate(text, columns - 1)}`);
  }

  /** @param summary the last line @param files the reports */
  close(summary: string, files: readonly string[]): void {
    const { out, isTTY, quiet } = this.options;
    if (isTTY && !quiet) out.write(ERASE);
    out.write(`${quiet ? '' : '\n'}${summary}\n`);
    if (!quiet && files.length > 0) out.write(`    Report  ${files.join(', ')}\n`);
  }
}

/** The last line: how many cells have each verdict. */
export function describeTotals(report: MatrixReport): string {
  const { cells, totals, differences, planned, missing, durationMs } = report;
  const parts = Object.entries(totals)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdictWords[verdict as CellReport['verdict']]}`);
  const others = planned - cells.length - missing;
  const rest = [
    missing > 0 ? ` · ${amount(missing, 'cell')} missing` : '',
    others > 0 ? ` · ${others} of ${planned} not in this run` : '',
  ].join('');
  return `${amount(cells.length, 'cell')}: ${parts.join(', ')}${rest} · ${amount(differences.length, 'difference')} · ${duration(durationMs)}`;
}
