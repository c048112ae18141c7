/** Violations are replayed: alone, with the cases that ran beside them, with fewer of those. */

import { expect, test } from 'vitest';
import type { RequirementId } from '../../spec/requirement.js';
import { latestRevision } from '../../spec/revisions.js';
import type { Confirmation, RunEvent } from '../report/run-event.js';
import { type ConfirmLimits, confirming, type Part } from './confirm.js';

const row: RequirementId = 'jsonrpc.response-id-matches';
const place = `${latestRevision.id}/stdio`;
const nameOf = (n: number): string => `${place}/server/case-${n}`;

const wire = (seq: number, of: number): RunEvent =>
  ({ kind: 'wire', event: { seq, at: seq, link: 1, case: of, kind: 'closing' } }) as RunEvent;
const finding = (of: number): RunEvent => ({
  kind: 'finding',
  finding: { requirement: row, source: 'rule', case: of, verdict: 'fail', expected: ['x'], evidence: [] },
});

/** A run with cases one after another on one link; the last one fails. */
function* run(cases: number, fails = true): Generator<RunEvent> {
  yield { kind: 'run-start', seed: 7 } as RunEvent;
  yield { kind: 'revision-start', revision: latestRevision.id, transport: 'stdio' } as RunEvent;
  for (let n = 1; n <= cases; n++) {
    yield { kind: 'case-start', case: n, name: nameOf(n), title: '' };
    yield wire(n, n);
    yield { kind: 'case-end', case: n, durationMs: 1 };
  }
  if (fails) yield finding(cases);
  yield { kind: 'run-end', durationMs: 1, exitCode: fails ? 1 : 0, processesStarted: 1 };
}

async function* later(events: Iterable<RunEvent>): AsyncGenerator<RunEvent> {
  yield* events;
}

/** @param shows whether a replay with these cases shows the violation */
async function confirmed(
  events: Iterable<RunEvent>,
  shows: (cases: readonly string[]) => boolean,
  limits: ConfirmLimits = { ms: 60_000 },
) {
  const parts: Part[] = [];
  const kinds: string[] = [];
  const told: Confirmation[] = [];
  const again = (part: Part) => {
    parts.push(part);
    return later(shows(part.cases) ? [finding(1)] : []);
  };
  for await (const event of confirming(later(events), again, limits)) {
    kinds.push(event.kind);
    if (event.kind === 'confirmation') told.push(event);
  }
  return { parts, kinds, told };
}

test('a violation that its case shows again', async () => {
  const { parts, told, kinds } = await confirmed(run(3), () => true);
  expect(parts).toEqual([{ cases: [nameOf(3)], seed: 7 }]);
  expect(told).toEqual([{ kind: 'confirmation', requirement: row, case: 3, seen: 2, runs: 2, beside: [] }]);
  expect(kinds.at(-1)).toBe('run-end');
});

test('a violation that needs an earlier case of the conversation', async () => {
  const { told } = await confirmed(run(6), cases => cases.includes(nameOf(2)));
  expect(told[0]).toMatchObject({ seen: 2, beside: [nameOf(2)] });
});

test('a violation that no replay shows is unconfirmed', async () => {
  const { told } = await confirmed(run(3), () => false);
  expect(told[0]).toMatchObject({ seen: 1, runs: 4, beside: [] });
});

test('without time, after a slow start, and without a violation nothing is replayed', async () => {
  for (const limits of [{ ms: 0 }, { ms: 60_000, startMs: 0 }])
    expect((await confirmed(run(3), () => true, limits)).told).toEqual([]);
  expect((await confirmed(run(3, false), () => true)).parts).toEqual([]);
});

test('a violation without a replay is marked as unconfirmed where the user asked for replays', async () => {
  const { parts, told } = await confirmed(run(3), () => true, { ms: 0, marksAll: true });
  expect(parts).toEqual([]);
  expect(told).toEqual([{ kind: 'confirmation', requirement: row, case: 3, seen: 1, runs: 1, beside: [] }]);
  const stopped = [...run(3)].map(event =>
    event.kind === 'run-end' ? { ...event, stopped: 'late' } : event,
  );
  expect((await confirmed(stopped, () => true, { ms: 60_000, marksAll: true })).told).toEqual(told);
  expect((await confirmed(stopped, () => true)).told).toEqual([]);
});
