/** What differs between cells of one row or column. A difference is a note: it does not say who is right. */

import { parseJson } from '../../../spec/json-rpc.js';
import { append, grouped } from '../../grouped.js';
import type { CellReport, Difference, StepReport } from '../../report/matrix-report.js';

interface Place {
  readonly cell: CellReport;
  readonly step: StepReport;
}

/** The value of a step that is compared: what the client gets. */
function shownValue({ outcome, error, result, reported }: StepReport): string | undefined {
  // a client that leaves a step out says nothing about the step
  if (['left-out', 'not-offered', 'not-awaited', 'needs-capability'].includes(outcome)) return undefined;
  if (outcome === 'error') return `error ${error}`;
  if (outcome === 'unanswered') return 'no response';
  if (reported && 'error' in reported && outcome === 'done')
    return `a result that the client rejects: ${reported.error.split('\n', 1)[0]!.slice(0, 120)}`;
  return outcome === 'tool-error' ? `tool error ${result}` : result;
}

/** Cells without a conversation differ in every step. */
const tried = (cells: readonly CellReport[]): CellReport[] =>
  cells.filter(({ verdict }) => verdict !== 'cannot-be-tried' && verdict !== 'refuses');

export function differencesOf(cells: readonly CellReport[]): Difference[] {
  const places = tried(cells).flatMap(cell => cell.steps.map((step): Place => ({ cell, step })));
  return [...byClient(places), ...byServer(places), ...otherRevisions(cells), ...oneTransportOnly(places)];
}

/** The same request to the same server has different results for different clients. */
function byClient(places: readonly Place[]): Difference[] {
  const groups = grouped(places, ({ cell, step }) =>
    JSON.stringify([cell.server, step.name, cell.transport, cell.negotiated]),
  );
  const found = [...groups.values()].flatMap(group =>
    differing(
      group,
      'result-by-client',
      ({ cell, step }) => `${cell.server} responds differently by client: ${step.name}`,
    ),
  );
  return merged(found);
}

/** The same request has different results at different servers; all servers have the same fixtures. */
function byServer(places: readonly Place[]): Difference[] {
  const comparable = places.filter(({ step }) => /^(call|read|get) /.test(step.name));
  const groups = grouped(comparable, ({ cell, step }) =>
    JSON.stringify([step.name, cell.client, cell.transport, cell.revision]),
  );
  const found = [...groups.values()].flatMap(group =>
    differing(group, 'result-by-server', ({ step }) => `servers respond differently: ${step.name}`),
  );
  return merged(found);
}

function differing(
  group: readonly Place[],
  kind: Difference['kind'],
  what: (place: Place) => string,
): Difference[] {
  const values = new Map<string, string[]>();
  for (const { cell, step } of group) {
    const value = shownValue(step);
    if (value !== undefined) append(values, value, cell.name);
  }
  if (values.size < 2) return [];
  return [{ kind, what: what(group[0]!), sides: readable(sorted(values)) }];
}

/** Lists are compared by what they lack. */
function readable(sides: Difference['sides']): Difference['sides'] {
  const lists = sides.map(({ value }) => parseJson(value));
  if (!lists.every(Array.isArray)) return sides;
  const all = [...new Set(lists.flat().map(String))];
  return sides.map(({ cells }, at) => {
    const own = new Set((lists[at] as unknown[]).map(String));
    const lacks = all.filter(name => !own.has(name));
    const rest = lacks.length > 8 ? ` and ${lacks.length - 8} more` : '';
    return {
      value: `${own.size} items${lacks.length > 0 ? `, without ${lacks.slice(0, 8).join(', ')}${rest}` : ''}`,
      cells,
    };
  });
}

const sorted = (values: ReadonlyMap<string, readonly string[]>): Difference['sides'] =>
  [...values]
    .map(([value, cells]) => ({ value, cells: [...new Set(cells)] }))
    .sort((a, b) => b.cells.length - a.cells.length);

/** Differences about the same point on several transports and revisions are one. */
function merged(all: readonly Difference[]): Difference[] {
  return [...grouped(all, ({ kind, what }) => `${kind} ${what}`).values()].map(group => {
    const values = new Map<string, string[]>();
    for (const { sides } of group)
      for (const { value, cells } of sides) for (const cell of cells) append(values, value, cell);
    return { ...group[0]!, sides: sorted(values) };
  });
}

/** The conversation uses another revision than the planned one, which both offer. */
function otherRevisions(cells: readonly CellReport[]): Difference[] {
  const found = cells.filter(
    ({ negotiated, revision }) => negotiated !== null && revision !== null && negotiated !== revision,
  );
  const pairs = grouped(found, ({ server, client }) => JSON.stringify([server, client]));
  return [...pairs.values()].map(group => {
    const values = grouped(group, ({ negotiated, revision }) => `${negotiated} where both offer ${revision}`);
    return {
      kind: 'other-revision',
      what: `${group[0]!.server} and ${group[0]!.client} do not use a revision that both offer`,
      sides: [...values].map(([value, list]) => ({ value, cells: list.map(cell => cell.name) })),
    };
  });
}

const works = ({ outcome, reported }: StepReport): boolean =>
  outcome === 'done' && !(reported && 'error' in reported);

/** A step of one pair works on one transport, and fails on another one with the same revision. */
function oneTransportOnly(places: readonly Place[]): Difference[] {
  const groups = grouped(places, ({ cell, step }) =>
    JSON.stringify([cell.server, cell.client, cell.revision, step.name, step.step]),
  );
  const found = [...groups.values()].flatMap((group): Difference[] => {
    const on = group.filter(({ step }) => works(step));
    const off = group.filter(({ step }) => !works(step) && step.outcome !== 'not-awaited');
    if (on.length === 0 || off.length === 0) return [];
    const { cell, step } = group[0]!;
    const names = (list: readonly Place[]) => list.map(place => place.cell.name);
    const transports = (list: readonly Place[]) =>
      [...new Set(list.map(place => place.cell.transport))].join(', ');
    return [
      {
        kind: 'one-transport-only',
        what: `${step.name} at ${cell.server} works on ${transports(on)} and not on ${transports(off)}`,
        sides: [
          { value: 'works', cells: names(on) },
          ...[...grouped(off, ({ step: { outcome } }) => outcome)].map(([value, list]) => ({
            value,
            cells: names(list),
          })),
        ],
      },
    ];
  });
  return merged(found);
}
