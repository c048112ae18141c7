/** The report of a matrix from its cells, for a run and for merged shards. */

import type { Json } from '../../../spec/json-rpc.js';
import { exitCodes } from '../../judge/verdict.js';
import {
  type CellReport,
  type CellVerdict,
  cellVerdicts,
  type MatrixReport,
  type Participant,
} from '../../report/matrix-report.js';
import { UsageError } from '../../report/pattern.js';
import { toolVersion } from '../../version.js';
import { differencesOf } from './differences.js';
import { type Matrix, transportsOf } from './plan.js';

type Frame = Pick<MatrixReport, 'tool' | 'title' | 'startedAt' | 'durationMs' | 'planned' | 'steps'>;

/**
 * @param numbers `planned`: the cells of the whole matrix; `due`: those of this run
 */
export function reportOf(
  matrix: Matrix,
  numbers: { readonly planned: number; readonly due: number },
  cells: readonly CellReport[],
  infos: ReadonlyMap<string, Json>,
  times: Pick<MatrixReport, 'startedAt' | 'durationMs'>,
  strict: boolean,
): MatrixReport {
  const participants = (role: 'server' | 'client'): Participant[] =>
    (role === 'server' ? matrix.servers : matrix.clients).map(program => ({
      name: program.name,
      about: program.about,
      transports: 'places' in program ? transportsOf(program) : program.transports,
      revisions: program.revisions,
      info: infos.get(`${role} ${program.name}`) ?? null,
    }));
  const frame: Frame = {
    tool: { name: 'mcp-conform', version: toolVersion },
    title: matrix.title,
    ...times,
    planned: numbers.planned,
    steps: matrix.steps as unknown as Json[],
  };
  return complete(frame, participants('server'), participants('client'), cells, numbers.due, strict);
}

function complete(
  frame: Frame,
  servers: readonly Participant[],
  clients: readonly Participant[],
  cells: readonly CellReport[],
  due: number,
  strict: boolean,
): MatrixReport {
  const rank = (list: readonly Participant[], name: string) => list.findIndex(p => p.name === name);
  const key = ({ server, client, transport, revision }: CellReport) => [
    rank(servers, server),
    rank(clients, client),
    ['stdio', 'streamable-http', 'http-sse'].indexOf(transport ?? ''),
    revision ?? '',
  ];
  const ordered = [...cells].sort((a, b) => compare(key(a), key(b)));
  return {
    matrixVersion: 1,
    ...frame,
    exitCode: exitCodeOf(ordered, due, strict),
    missing: Math.max(0, due - ordered.length),
    totals: Object.fromEntries(
      cellVerdicts.map(verdict => [verdict, ordered.filter(cell => cell.verdict === verdict).length]),
    ) as Record<CellVerdict, number>,
    servers,
    clients,
    cells: ordered,
    differences: differencesOf(ordered),
  };
}

function compare(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : a[at]! < b[at]! ? -1 : 1;
}

/**
 * 1 for a cell that breaks or has a violation, with `strict` for every cell that does not work; 3 when no cell could
 * be tried, or cells are missing.
 */
function exitCodeOf(cells: readonly CellReport[], due: number, strict: boolean): number {
  const failing: readonly CellVerdict[] = strict
    ? cellVerdicts.filter(verdict => verdict !== 'works')
    : ['works-with-violations', 'breaks'];
  if (cells.some(({ verdict }) => failing.includes(verdict))) return exitCodes.violation;
  const hasTried = cells.some(({ verdict }) => verdict !== 'cannot-be-tried');
  return hasTried && cells.length >= due ? exitCodes.conforms : exitCodes.couldNotJudge;
}

/**
 * The report of shards of one matrix, put together.
 * @throws {UsageError} for reports of different matrices, or with the same cell
 */
export function mergeMatrices(reports: readonly MatrixReport[], strict: boolean): MatrixReport {
  const [first] = reports as [MatrixReport, ...MatrixReport[]];
  const shape = ({ title, steps, planned, servers, clients }: MatrixReport) =>
    JSON.stringify([
      title,
      steps,
      planned,
      ...[servers, clients].map(all => all.map(({ info: _, ...p }) => p)),
    ]);
  if (reports.some(report => shape(report) !== shape(first)))
    throw new UsageError('the reports are of different matrices: all shards need the same file and version.');
  const cells = reports.flatMap(report => report.cells);
  const names = cells.map(cell => cell.name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new UsageError(`the cell ${twice} is in two of the reports.`);
  const withInfo = (role: 'servers' | 'clients'): Participant[] =>
    first[role].map((participant, at) => ({
      ...participant,
      info: reports.map(report => report[role][at]!.info).find(info => info !== null) ?? null,
    }));
  const frame: Frame = {
    tool: first.tool,
    title: first.title,
    startedAt: reports.map(r => r.startedAt).sort()[0]!,
    durationMs: Math.max(...reports.map(r => r.durationMs)),
    planned: first.planned,
    steps: first.steps,
  };
  return complete(frame, withInfo('servers'), withInfo('clients'), cells, first.planned, strict);
}
