/** The gateway mode against the reference gateway: silent without a fault, and each fault breaks exactly its requirements. */

import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../harness/report/run-event.js';
import { Summary } from '../../harness/report/summary.js';
import { rejudgeGateway } from '../../harness/run/gateway/judge.js';
import { runGateway } from '../../harness/run/gateway/run.js';
import { inProcess, type Subject } from '../../harness/subject/subject.js';
import type { Address } from '../../harness/transports/link.js';
import type { GatewayDeviation } from '../../mocks/gateway/fault.js';
import { gatewayFaults } from '../../mocks/gateway/faults/index.js';
import { mockGateway } from '../../mocks/gateway/gateway.js';
import { gatewayQuirks } from '../../mocks/gateway/quirks/index.js';
import { mockServer } from '../../mocks/server/server.js';
import { locationOf } from '../../reports/location.js';
import { requirements } from '../../spec/requirement.js';
import { latestRevision, latestStateless, type Revision, type RevisionId } from '../../spec/revisions.js';
import { gatewayComparison } from '../gateway/index.js';
import { rules } from '../rules/index.js';
import { inGroups } from './fault-groups.js';
import { allPairs, breaksIn, pairsFor } from './gateway-pairs.js';
import {
  gatewayEvents,
  gatewayFindings,
  gatewayPasses,
  gatewayReport,
  inThisProcess,
} from './run-mock-gateway.js';

const eras = [latestRevision.id, latestStateless.id];

async function endOf(
  gateway: (server: Address) => Subject,
  revisions: readonly Revision[],
  behind?: RevisionId,
) {
  let end: Extract<RunEvent, { kind: 'run-end' }> | undefined;
  const run = runGateway({
    ...inThisProcess(behind),
    front: 'stdio',
    back: 'stdio',
    revisions,
    selected: name => name.endsWith('/lists'),
    gateway,
  });
  for await (const event of run) if (event.kind === 'run-end') end = event;
  return end;
}

describe('a gateway that passes everything on', () => {
  const passed = new Set<string>();

  for (const revision of eras)
    for (const { front, back } of allPairs)
      test(`${revision}, ${front} to ${back}`, async () => {
        const events = await gatewayEvents([], { front, back, revision });
        expect(gatewayFindings(events)).toEqual([]);
        expect(gatewayReport(events).subject).toMatchObject({ info: null, offers: [revision] });
        for (const id of gatewayPasses(events)) passed.add(id);
      });

  for (const pair of allPairs)
    test(`translated: ${latestRevision.id} before ${latestStateless.id}, ${pair.front} to ${pair.back}`, async () => {
      const own = { ...pair, revision: latestRevision.id, behind: latestStateless.id };
      const events = await gatewayEvents([], own);
      expect(gatewayFindings(events)).toEqual([]);
      const kept = ['results', 'errors'].map(what => `gateway.${what}-unchanged`);
      const other = ['request-meta-kept', 'cancellations-forwarded', 'progress-forwarded', 'nothing-added'];
      expect(gatewayPasses(events)).toEqual(
        expect.arrayContaining([...kept, ...other.map(what => `gateway.${what}`)]),
      );
    });

  test('every comparison has judged something', () => {
    const ids = new Set(gatewayComparison.map(rule => rule.requirement));
    expect([...ids].filter(id => !passed.has(id))).toEqual([]);
  });
});

/** Deviations in each of their pairs, in groups. */
const shown = (deviations: readonly GatewayDeviation[]) =>
  inGroups(
    deviations.flatMap(deviation =>
      pairsFor(deviation).map(pair => {
        const breaks = breaksIn(deviation, pair);
        return { id: deviation.id, ...pair, breaks, deviation, pair };
      }),
    ),
    {
      async attempt(group) {
        const deviations = group.map(({ deviation }) => deviation);
        const found = gatewayFindings(await gatewayEvents(deviations, group[0].pair));
        return { found, failed: new Map(found.map(finding => [finding.requirement, finding])) };
      },
      kindOf: ({ pair }) => pair,
      async expects(breaks, attempt) {
        const { found, failed } = await attempt();
        const ids = [...failed.keys()].sort();
        const words = found.map(f => `${f.side} ${f.requirement} ${f.words.slice(0, 300)}`).join('\n');
        expect(ids, words).toEqual([...breaks].sort());
      },
    },
  );

describe('a fault breaks exactly its requirements', () => {
  test.each(shown(gatewayFaults))('$id, $revision, $front to $back', ({ show }) => show());
});

describe('a lost cancellation is seen though the gateway closes the stream of the call when it ends', () => {
  const lost = (id: string) => gatewayFaults.find(fault => fault.id === id)!;
  const { id: older } = latestRevision;
  const { id: newer } = latestStateless;
  for (const [id, pair] of [
    ...allPairs.map(
      pair => ['gw-translated-cancellation-lost', { ...pair, revision: older, behind: newer }] as const,
    ),
    ['gw-cancellation-dropped', { front: 'stdio', back: 'streamable-http', revision: newer }],
  ] as const)
    test(`${id}, ${pair.revision}, ${pair.front} to ${pair.back}`, async () => {
      const found = gatewayFindings(await gatewayEvents([lost(id)], pair, ['cancellation']));
      expect(found.map(f => f.requirement)).toEqual(['gateway.cancellations-forwarded']);
    });
});

describe('a legal oddity yields nothing', () => {
  test.each(shown(gatewayQuirks))('$id, $revision, $front to $back', ({ show }) => show());
});

test('a gateway offers the revisions of all its passes', async () => {
  const summary = new Summary();
  const run = runGateway({
    ...inThisProcess(),
    front: 'stdio',
    back: 'stdio',
    revisions: [latestStateless, latestRevision],
    selected: name => name.endsWith('/lists'),
    gateway: address => inProcess(mockGateway({ server: address }).serve),
  });
  for await (const event of run) summary.add(event);
  expect(summary.report().subject.offers).toEqual(eras);
});

test('a side behind a gateway that speaks another revision there is named with the revision of the client', () => {
  const place = { revision: latestStateless.id, transport: 'stdio', side: 'client' } as const;
  expect(locationOf(place)).toBe(`${latestStateless.id} on stdio, client`);
  expect(locationOf({ ...place, pass: latestRevision.id })).toBe(
    `${latestStateless.id} on stdio, client for a client of ${latestRevision.id}`,
  );
});

describe('a program that answers and does not use the server behind it', () => {
  const other = (lines: string) =>
    inProcess(async streams => {
      streams.stderr.write(lines);
      return mockServer().serve(streams);
    });

  test('cannot be judged: exit code 3, the reason, and its last output', async () => {
    const end = await endOf(() => other('No upstream is configured.\n'), [latestRevision]);
    expect(end).toMatchObject({ exitCode: 3 });
    expect(end?.unjudged?.reason).toMatch(/no message arrived at the server behind it/);
    expect(end?.unjudged?.details).toContain('stderr: No upstream is configured.');
  });

  test('is judged in a revision in which it does, and in the others too', async () => {
    const passing = (address: Address) => inProcess(mockGateway({ server: address }).serve);
    let first = true;
    const gateway = (address: Address) => {
      const subject = first ? other('') : passing(address);
      first = false;
      return subject;
    };
    expect((await endOf(gateway, [latestStateless, latestRevision]))?.unjudged).toBeUndefined();
  });
});

test('a gateway that passes the handshake on to a server without one cannot be judged: exit code 3, and the error', async () => {
  const passing = (address: Address) => inProcess(mockGateway({ server: address }).serve);
  const end = await endOf(passing, [latestRevision], latestStateless.id);
  expect(end).toMatchObject({ exitCode: 3 });
  expect([end?.unjudged?.reason, ...(end?.unjudged?.details ?? [])].join(' ')).toMatch(/initialize.*-32022/);
});

test('each requirement of gateways that is judged has a comparison and a fault', () => {
  const judged = [...requirements().values()].filter(
    r => r.binds === 'intermediary' && r.unjudged === undefined,
  );
  const compared = new Set(gatewayComparison.map(rule => rule.requirement));
  const broken = new Set(gatewayFaults.flatMap(fault => fault.breaks));
  expect(judged.filter(r => !compared.has(r.id) || !broken.has(r.id)).map(r => r.id)).toEqual([]);
});

test('ids of deviations are unique, and at least 30 faults and 12 oddities exist', () => {
  const ids = [...gatewayFaults, ...gatewayQuirks].map(d => d.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(gatewayFaults.length).toBeGreaterThanOrEqual(30);
  expect(gatewayQuirks.length).toBeGreaterThanOrEqual(12);
});

test('a stored run judged again has the same findings, with the process of a gateway that listens on HTTP in it', async () => {
  const [fault] = gatewayFaults.filter(({ id }) => id === 'gw-cancellation-dropped');
  const events = await gatewayEvents(
    [fault!],
    { front: 'streamable-http', back: 'stdio', revision: latestRevision.id },
    ['lists', 'cancellation'],
  );
  const at = events.findIndex(e => e.kind === 'wire' && e.event.kind === 'open');
  const first = events[at]!;
  if (first.kind !== 'wire' || first.event.kind !== 'open') throw new Error('Nothing was opened.');
  const process = { ...first.event, link: 1_000, transport: 'process', revision: '' } as const;
  const stored: RunEvent[] = [
    ...events.slice(0, at + 1),
    { kind: 'wire', event: process },
    ...events.slice(at + 1),
  ];
  const before = gatewayFindings(events);
  expect(before.map(({ requirement }) => requirement)).toContain('gateway.cancellations-forwarded');
  const again = [...rejudgeGateway(stored, { rules, comparison: gatewayComparison })];
  expect(gatewayFindings(again)).toEqual(before);
});
