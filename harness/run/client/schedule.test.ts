/** Distribution of the lanes of a client over launches. */

import { expect, test } from 'vitest';
import type { Protection } from '../../protected-server/script.js';
import type { ClientScenario } from '../../scenario/client.js';
import { scenario } from '../../scenario/scenario.js';
import type { Case } from '../plan.js';
import { clientLaunches, clientSchedule, clientShares } from './schedule.js';

interface Kind {
  readonly lasts?: number;
  /** Number of `list` steps. */
  readonly lists?: number;
  readonly protection?: Protection;
  readonly judgesProcess?: true;
}

function aCase(name: string, { lasts, lists = 1, ...rest }: Kind): Case<ClientScenario> {
  const made = scenario.client(name, {
    title: 'nothing happens',
    verifies: ['ping.answered-empty'],
    does: [['connect'], ...Array.from({ length: lists }, () => ['list', 'tools'] as const), ['close']],
    ...(lasts !== undefined && { lasts }),
    ...rest,
  });
  return { name, scenario: made, verifies: made.verifies, missing: [], unresolvedRoles: [] } as never;
}

const dealt = (kinds: Readonly<Record<string, Kind>>, count: number) => {
  const cases = Object.entries(kinds).map(([name, kind]) => aCase(name, kind));
  const starts = clientLaunches(clientSchedule(cases, true), count);
  return starts.map(lanes => lanes.map(([{ name }]) => name).join(' '));
};

test('every launch has about the same waiting time and number of requests; its waits are consecutive and not at its end', () => {
  const kinds = {
    ...{ w6: { lasts: 600 }, w3: { lasts: 300 }, v3: { lasts: 300 } },
    ...{ a: {}, b: {}, c: {}, d: {}, e: {}, f: {}, g: { lists: 3 } },
  };
  expect(dealt(kinds, 2)).toEqual(['w6 f d b g', 'e w3 v3 c a']);
});

test('the number of launches is at most the number of lanes', () => {
  expect(dealt({ a: {}, b: {} }, 3)).toEqual(['a', 'b']);
  expect(dealt({}, 3)).toEqual([]);
});

test('lanes that exceed the size of one script are spread over more launches', () => {
  const kinds = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`case-${n}`, {}]));
  expect(dealt(kinds, 1).map(names => names.split(' ').length)).toEqual([50, 50, 50]);
});

test('the last of three launches has no authorization, the first begins with the simplest one, the second with a lane that judges its output', () => {
  const other: Protection = { authorities: { main: {} } };
  const kinds: Record<string, Kind> = {
    ...{ other: { protection: other }, plain: { protection: { plain: true } }, simple: { protection: {} } },
    ...{ exit: { protection: {}, judgesProcess: true as const }, more: { protection: other } },
    ...{ a: {}, b: {}, c: {}, d: {} },
  };
  expect(dealt(kinds, 3)).toEqual(['simple other', 'exit more plain', 'd c b a']);
  expect(dealt(kinds, 1)).toEqual([expect.stringMatching(/^simple /), 'exit']);
});

test('shares become smaller; a lane with waits is one by itself, and a lane that judges its output comes first in one', () => {
  const kinds: Record<string, Kind> = {
    ...{ w3: { lasts: 300 }, w6: { lasts: 600 }, other: { protection: { authorities: { main: {} } } } },
    ...{ simple: { protection: {} }, exit: { protection: {}, judgesProcess: true as const } },
    ...{ a: {}, b: {}, c: {}, d: {}, e: {}, f: {} },
  };
  const cases = Object.entries(kinds).map(([name, kind]) => aCase(name, kind));
  const shares = clientShares(clientSchedule(cases, true), 2).map(lanes =>
    lanes.map(([{ name }]) => name).join(' '),
  );
  expect(shares).toEqual(['simple', 'exit other a', 'b c', 'd', 'e', 'f', 'w6', 'w3']);
});

test('in a process that runs several shares, a lane that judges its output is the first share', () => {
  const kinds = { a: {}, b: {}, simple: { protection: {} }, exit: { judgesProcess: true as const } };
  const cases = Object.entries(kinds).map(([name, kind]) => aCase(name, kind));
  const shares = clientShares(clientSchedule(cases, true), 2, { isShared: true });
  expect(shares.map(lanes => lanes.map(([{ name }]) => name))).toEqual([['exit'], ['simple'], ['a'], ['b']]);
});
