/** Runs the cells of a matrix side by side, in bounded time. */

import { setMaxListeners } from 'node:events';
import type { Json, Role } from '../../../spec/json-rpc.js';
import type { Rule, RunRule } from '../../judge/rule.js';
import type { CellReport } from '../../report/matrix-report.js';
import type { RunEvent } from '../../report/run-event.js';
import { type CellRun, runCell } from './cell.js';
import { installer } from './install.js';
import type { Cell, Matrix } from './plan.js';
import { judgeCell } from './verdict.js';

/** A stored or new result. */
export interface CellResult {
  readonly report: CellReport;
  /** Name and version of the programs by themselves. */
  readonly infos: Readonly<Partial<Record<Role, Json>>>;
}

export interface MatrixRunOptions {
  readonly matrix: Matrix;
  /** The cells to run. */
  readonly cells: readonly Cell[];
  readonly rules: readonly (Rule | RunRule)[];
  /** Cells at the same time. */
  readonly jobs: number;
  /** Longest time of a cell, of an installation, and of the whole, in milliseconds. */
  readonly cellMs: number;
  readonly installMs: number;
  readonly wholeMs: number;
  /** Aborted by the user: running cells end, and have no result. */
  readonly stop: AbortSignal;
  /** A result of an earlier run. */
  readonly known: (cell: Cell) => CellResult | undefined;
  /** A command that runs the cell again, and the place of its record, relative to the report. */
  readonly replay: (cell: Cell) => string;
  readonly record: (cell: Cell) => string | null;
  readonly onStart: (cell: Cell) => void;
  /** Called once for each cell with a result. @param events of the run of the cell; empty for a known result */
  readonly onResult: (cell: Cell, result: CellResult, events: readonly RunEvent[]) => void;
}

/** @returns the results of the cells that were run; those that did not begin in time have none */
export async function runMatrix(options: MatrixRunOptions): Promise<CellResult[]> {
  const { cells, jobs, stop, wholeMs, installMs } = options;
  setMaxListeners(0, stop);
  const began = performance.now();
  const install = installer(installMs, stop);
  const results = new Map<Cell, CellResult>();
  const waiting = [...cells];
  const worker = async () => {
    for (let cell = waiting.shift(); cell && !stop.aborted; cell = waiting.shift()) {
      if (performance.now() - began > wholeMs) return;
      const result = await one(cell, options, install);
      if (result) results.set(cell, result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, cells.length) }, worker));
  return cells.flatMap(cell => results.get(cell) ?? []);
}

async function one(
  cell: Cell,
  options: MatrixRunOptions,
  install: ReturnType<typeof installer>,
): Promise<CellResult | undefined> {
  const known = options.known(cell);
  if (known) {
    options.onResult(cell, known, []);
    return known;
  }
  options.onStart(cell);
  const began = performance.now();
  const run = await tried(cell, options, install);
  if (options.stop.aborted) return undefined;
  const judged = judgeCell(run, options.matrix.steps);
  const report: CellReport = {
    name: cell.name,
    server: cell.server.name,
    client: cell.client.name,
    transport: cell.transport,
    revision: cell.revision,
    ...judged,
    durationMs: Math.round(performance.now() - began),
    replay: options.replay(cell),
    record: run.events.length > 0 ? options.record(cell) : null,
  };
  const result = { report, infos: infosIn(run.events) };
  options.onResult(cell, result, run.events);
  return result;
}

const untried = (reason: string): CellRun => ({
  events: [],
  impossible: reason,
  late: false,
  said: [],
  output: { client: [], server: [] },
});

async function tried(
  cell: Cell,
  { matrix, rules, cellMs, stop }: MatrixRunOptions,
  install: ReturnType<typeof installer>,
): Promise<CellRun> {
  if (cell.transport === null)
    return untried('The server and the client have no transport and revision in common.');
  for (const [role, program] of [
    ['server', cell.server],
    ['client', cell.client],
  ] as const) {
    const problem = program.install && (await install(program.install));
    if (problem !== undefined) return untried(`The ${role} could not be installed: ${problem}`);
  }
  return runCell(cell, matrix.steps, rules, { ms: cellMs, stop });
}

const infosIn = (events: readonly RunEvent[]): CellResult['infos'] =>
  Object.fromEntries(
    events.flatMap(event =>
      event.kind === 'revision-start' && event.side && event.info !== null ? [[event.side, event.info]] : [],
    ),
  );

/** Names and versions by role and name of the participant. */
export function infosOf(results: readonly CellResult[]): ReadonlyMap<string, Json> {
  const infos = new Map<string, Json>();
  for (const { report, infos: own } of results) {
    if (own.server !== undefined && !infos.has(`server ${report.server}`))
      infos.set(`server ${report.server}`, own.server);
    if (own.client !== undefined && !infos.has(`client ${report.client}`))
      infos.set(`client ${report.client}`, own.client);
  }
  return infos;
}
