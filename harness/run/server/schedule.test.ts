/** Schedule of cases over conversations, and the parts that run at the end of a conversation. */

import { expect, test } from 'vitest';
import { mockServer } from '../../../mocks/server/server.js';
import type { JsonObject } from '../../../spec/json-rpc.js';
import { latestRevision } from '../../../spec/revisions.js';
import { rules } from '../../../suites/rules/index.js';
import type { RunEvent } from '../../report/run-event.js';
import { type ServerScenario, scenario } from '../../scenario/scenario.js';
import type { FixtureRole } from '../../scenario/tool-roles.js';
import { inProcess } from '../../subject/subject.js';
import { defaultTiming } from '../../time/timing.js';
import type { ServerCase, Suite } from '../plan.js';
import { run } from './run.js';
import { mayOpenNone, schedule } from './schedule.js';

type Kind = ServerScenario['isolation'];

function aCase(name: string, isolation: Kind = 'shared', declares?: JsonObject): ServerCase {
  const made = scenario(name, {
    title: 'nothing happens',
    verifies: ['ping.answered-empty'],
    isolation,
    ...(declares && { declares }),
    async run() {},
  });
  return { name, scenario: made, verifies: made.verifies, missing: [], unresolvedRoles: [] };
}

const names = (...options: Parameters<typeof schedule>) =>
  schedule(...options).map(({ cases }) => cases.map(c => c.name).join(' '));

test('cases that declare the same capabilities share a conversation, the others have one each', () => {
  const [nothing, sampling] = [{}, { sampling: {} }];
  expect(
    names([
      aCase('a'),
      aCase('b', 'fresh'),
      aCase('c', 'shared', nothing),
      aCase('d', 'uninitialized'),
      aCase('e', 'shared', sampling),
      aCase('f'),
      aCase('g', 'shared', { ...nothing }),
    ]),
  ).toEqual(['a f', 'b', 'd', 'c g', 'e']);
});

test('where each request declares, cases with different capabilities share a conversation, and its end', () => {
  const needing = { ...aCase('c', 'shared', { roots: {} }), unresolvedRoles: ['sampling' as const] };
  const cases = [
    ...[aCase('a'), aCase('b', 'shared', {}), needing, aCase('d', 'shared', { sampling: {} })],
    ...[aCase('x', 'destructive'), aCase('y', 'destructive', { sampling: { tools: {} } }), aCase('e')],
  ];
  expect(names(cases, undefined, true)).toEqual(['a e x', 'b d c y']);
  expect(names([aCase('a'), aCase('x', 'destructive')], undefined, true)).toEqual(['a x']);
  const tried = ['1', '2', '3'].map(name => {
    const plain = aCase(name);
    return { ...plain, scenario: { ...plain.scenario, generated: true } };
  });
  expect(names([...tried, aCase('a'), aCase('b', 'shared', {})], undefined, true)).toEqual(['a 1 3', 'b 2']);
  expect(names([...tried, aCase('a')], undefined, true)).toEqual(['a 1 2 3']);
});

test('a case without a shared conversation to end gets the one that another case leaves open', () => {
  const plain = aCase('a');
  const leaving = { ...plain, scenario: { ...plain.scenario, leavesOpen: true } };
  const ends = ['x', 'y', 'z'].map(name => aCase(name, 'destructive'));
  const lanes = schedule([leaving, aCase('b', 'shared', {}), ...ends], undefined, true);
  expect(lanes.map(l => l.cases.map(c => c.name).join(' '))).toEqual(['a x', 'b y', 'z']);
  expect(lanes.map(l => l.isLeftOpen ?? false)).toEqual([false, false, true]);
  expect(names([leaving, ...ends])).toEqual(['a x', 'y', 'z']);
  expect(names([leaving], undefined, true)).toEqual(['a']);
});

test('slow cases, and cases whose tool is still to be discovered, run in a second conversation', () => {
  const casting = { ...aCase('c'), unresolvedRoles: ['sampling' as const] };
  const declaring = { ...aCase('d', 'shared', {}), unresolvedRoles: ['sampling' as const] };
  expect(names([aCase('a'), casting, aCase('b', 'slow'), declaring])).toEqual(['a', 'b c', 'd']);
});

test('a lane may need no conversation if its cases declare something and their tools may not exist', () => {
  const needing = (declares?: JsonObject) => ({
    ...aCase('a', 'shared', declares),
    unresolvedRoles: ['sampling' as const],
  });
  const lanes = schedule([needing({}), needing(), aCase('b', 'shared', { roots: {} })]);
  expect(lanes.filter(mayOpenNone).map(({ declares }) => declares)).toEqual([{}]);
});

test('generated values run in separate conversations where conversations are cheap', () => {
  const tried = ['x', 'y', 'z'].map(name => {
    const plain = aCase(name);
    return { ...plain, scenario: { ...plain.scenario, generated: true } };
  });
  const cases = [aCase('a'), ...tried, aCase('b', 'slow'), aCase('c', 'destructive')];
  expect(schedule(cases, { usual: 1, generated: 2 }).map(s => s.cases.map(c => c.name).join(' '))).toEqual([
    'a c',
    'b',
    'x z',
    'y',
  ]);
  expect(names(cases)).toEqual(['a x y z c', 'b']);
});

test('where conversations are cheap, several of them divide the shared cases', () => {
  const cases = [...['a', 'b', 'c'].map(name => aCase(name)), aCase('d', 'shared', {}), aCase('e', 'slow')];
  const inTwo = (some: readonly ServerCase[]) =>
    schedule(some, { usual: 2, generated: 0 }).map(s => s.cases.map(c => c.name).join(' '));
  expect(inTwo([...cases, aCase('x', 'destructive'), aCase('y', 'destructive')])).toEqual([
    'a b x',
    'c y',
    'd',
    'e',
  ]);
  expect(inTwo([aCase('a')])).toEqual(['a']);
  expect(inTwo([])).toEqual(['']);
  const many = Array.from({ length: 12 }, (_, n) => aCase(`${n}`));
  // one conversation is open already
  expect(inTwo(many)).toEqual(['0 1 2 3 4 5 6', '7 8 9 10 11']);
});

test('where conversations are cheap, each role has its own, and role discovery runs in another', () => {
  const needs = (name: string, ...unresolvedRoles: FixtureRole[]) => ({ ...aCase(name), unresolvedRoles });
  const cases = [
    ...[aCase('a', 'slow'), needs('p', 'progress'), aCase('b', 'slow'), needs('s', 'sampling')],
    ...[needs('q', 'progress'), aCase('x', 'uninitialized')],
  ];
  const told = (width?: Parameters<typeof schedule>[1]) =>
    schedule(cases, width).map(
      s => `${s.discoversRoles ? 'host ' : ''}${s.cases.map(c => c.name).join(' ')}`,
    );
  expect(told({ usual: 1, generated: 0 })).toEqual(['', 'host a b', 'x', 'p q', 's']);
  expect(told()).toEqual(['', 'a p s q b', 'x']);
});

test('a destructive case is the last one of a conversation; without enough conversations it has its own', () => {
  const spoilers = ['x', 'y', 'z'].map(name => aCase(name, 'destructive'));
  expect(names([...spoilers, aCase('a'), aCase('b', 'shared', {})])).toEqual(['a x', 'z', 'b y']);
  expect(names([aCase('x', 'destructive', { roots: {} }), aCase('a'), aCase('b', 'shared', {})])).toEqual([
    'a',
    'x',
    'b',
  ]);
});

test('a final case is the last one of a conversation, after a destructive one, and the open conversation is the first choice', () => {
  const ends = ['x', 'y', 'z'].map(name => aCase(name, 'final'));
  const cases = [...ends, aCase('d', 'destructive'), aCase('a'), aCase('b', 'shared', {})];
  expect(names(cases)).toEqual(['a d x', 'z', 'b y']);
});

test('the open conversation comes first, even without cases', () => {
  expect(names([])).toEqual(['']);
  expect(names([aCase('a', 'uninitialized')])).toEqual(['', 'a']);
});

/** Sends pings, and checks them at the end; returns the order. */
function suiteOf(...kinds: Kind[]): { suite: Suite; told: string[] } {
  const told: string[] = [];
  const scenarios = kinds.map((isolation, n) =>
    scenario(`server/x/${isolation}-${n}`, {
      title: 'a ping gets a response, and no message follows',
      verifies: ['ping.answered-empty'],
      isolation,
      async run({ peer, expect }) {
        if (isolation === 'uninitialized') await peer.open();
        const ping = await peer.request('ping');
        told.push(`${n}`);
        return async () => {
          told.push(`${n} later`);
          await peer.request('ping');
          expect.that('ping.answered-empty', {
            ok: false,
            expected: 'nothing',
            evidence: [ping],
            actual: 'a result',
          });
        };
      },
    }),
  );
  return { suite: { scenarios, rules: rules.filter(r => r.requirement === 'ping.answered-empty') }, told };
}

async function observe(suite: Suite): Promise<RunEvent[]> {
  const subject = inProcess(streams => mockServer().serve(streams));
  const events: RunEvent[] = [];
  for await (const event of run({
    subject,
    suite,
    revision: latestRevision,
    timing: { ...defaultTiming, quiet: 20 },
  }))
    events.push(event);
  return events;
}

test('the last parts of cases share one quiet window at the end, before a destructive case', async () => {
  const { suite, told } = suiteOf('shared', 'shared', 'destructive');
  const events = await observe(suite);
  expect(told).toEqual(['0', '1', '0 later', '1 later', '2', '2 later']);
  const windows = events.filter(e => e.kind === 'wire' && e.event.kind === 'quiet');
  expect(windows).toHaveLength(2);
  const failed = events.flatMap(e =>
    e.kind === 'finding' && e.finding.verdict === 'fail' ? e.finding.case : [],
  );
  expect(failed).toEqual([1, 2, 3]);
  // the second one is only asked for newer revisions
  expect(events.at(-1)).toMatchObject({ kind: 'run-end', processesStarted: 2 });
});

test('the findings of a last part belong to its case', async () => {
  const events = await observe(suiteOf('shared', 'uninitialized').suite);
  const pings = events.flatMap(e =>
    e.kind === 'wire' && e.event.kind === 'frame' && e.event.text.includes('"ping"') ? [e.event] : [],
  );
  // a conversation of one case belongs to that case entirely, including the barrier at its end
  expect([1, 2].map(number => pings.filter(p => p.case === number).length)).toEqual([2, 3]);
});
