/** Results and records of cells in the folder of a matrix, so that an interrupted run can be resumed. */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MatrixReport } from '../report/matrix-report.js';
import type { RunEvent } from '../report/run-event.js';
import type { Cell, Matrix } from '../run/matrix/plan.js';
import type { CellResult } from '../run/matrix/run.js';
import { toolVersion } from '../version.js';

type Times = Pick<MatrixReport, 'startedAt' | 'durationMs'>;

const timesFile = 'times.json';

interface Stored {
  /** Of everything that the result depends on, as far as the file shows it. */
  readonly key: string;
  readonly result: CellResult;
}

export class CellStore {
  private readonly earlier: Times | undefined;
  private readonly loaded = new Map<Cell, CellResult | undefined>();

  /** @param resumes whether results of an earlier run are used */
  constructor(
    private readonly out: string,
    private readonly matrix: Matrix,
    private readonly resumes: boolean,
  ) {
    mkdirSync(join(out, 'cells'), { recursive: true });
    this.earlier = resumes ? this.readTimes() : undefined;
  }

  /** The record of a cell, relative to the folder. */
  recordOf(cell: Cell): string {
    return `cells/${fileName(cell)}.jsonl`;
  }

  /** The result of an earlier run with the same programs and steps. */
  load(cell: Cell): CellResult | undefined {
    if (!this.resumes) return undefined;
    if (!this.loaded.has(cell)) this.loaded.set(cell, this.read(cell));
    return this.loaded.get(cell);
  }

  private read(cell: Cell): CellResult | undefined {
    const file = join(this.out, 'cells', `${fileName(cell)}.json`);
    if (!existsSync(file)) return undefined;
    try {
      const { key, result } = JSON.parse(readFileSync(file, 'utf8')) as Stored;
      return key === this.keyOf(cell) ? result : undefined;
    } catch {
      // a file of an interrupted run
      return undefined;
    }
  }

  /** Writes the record and then the result, so that a result has its record. */
  save(cell: Cell, result: CellResult, events: readonly RunEvent[]): void {
    const base = join(this.out, 'cells', fileName(cell));
    if (events.length > 0)
      writeFileSync(`${base}.jsonl`, events.map(event => `${JSON.stringify(event)}\n`).join(''));
    const stored: Stored = { key: this.keyOf(cell), result };
    writeFileSync(`${base}.json.part`, JSON.stringify(stored));
    renameSync(`${base}.json.part`, `${base}.json`);
  }

  /** The time of the runs whose results are used, with that of this run. */
  times(startedAt: string, durationMs: number): Times {
    const { earlier } = this;
    return earlier ? { ...earlier, durationMs: earlier.durationMs + durationMs } : { startedAt, durationMs };
  }

  saveTimes(times: Times): void {
    writeFileSync(join(this.out, 'cells', timesFile), JSON.stringify(times));
  }

  private readTimes(): Times | undefined {
    try {
      return JSON.parse(readFileSync(join(this.out, 'cells', timesFile), 'utf8')) as Times;
    } catch {
      // no run before this one, or an interrupted one
      return undefined;
    }
  }

  private keyOf({ server, client, transport, revision }: Cell): string {
    const parts = [toolVersion, server, client, transport, revision, this.matrix.steps];
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  }
}

const fileName = ({ name }: Cell): string => name.replaceAll('/', '~');
