/** Faults of the network: the references lose and double nothing, and each fault breaks exactly its requirements. */

import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../harness/report/run-event.js';
import { Summary } from '../../harness/report/summary.js';
import { type NetworkProgress, runNetwork } from '../../harness/run/network/run.js';
import { smallestFault } from '../../harness/run/network/shrink.js';
import { nameOfFault, parseFault } from '../../harness/run/proxy/network.js';
import { networkClientFaults } from '../../mocks/network/client-faults.js';
import { networkServerFaults } from '../../mocks/network/server-faults.js';
import { faults } from '../../mocks/server/faults/index.js';
import { definedRevisions, latestRevision } from '../../spec/revisions.js';
import { mockPair, shownBy, tryNetwork, tryNetworkFault } from './run-mock-network.js';

describe('the references', () => {
  for (const { id, transports } of definedRevisions)
    for (const transport of transports)
      if (transport !== 'http-sse')
        test(`lose and double nothing: ${id}, ${transport}`, async () => {
          const pair = await mockPair({ revision: id, transport });
          const { found, tried, hits } = await tryNetwork(pair, 1, 60);
          await pair.close();
          expect([...found].map(([key, fault]) => `${key} by ${nameOfFault(fault)}`)).toEqual([]);
          expect(tried).toBe(60);
          expect(hits).toBeGreaterThan(40);
        });
});

describe('a fault breaks exactly its requirements', () => {
  const alsoWithout = faults.filter(({ id }) => id === 'replay-skips-first' || id === 'replay-repeats-last');
  for (const fault of [...networkServerFaults, ...alsoWithout, ...networkClientFaults]) {
    const { revision } = shownBy(fault);
    test(`${fault.id}, ${revision.id}`, async () => {
      const { found } = await tryNetworkFault(fault);
      const words = [...found].map(([key, at]) => `${key} by ${nameOfFault(at)}`).join('\n');
      expect([...found.keys()].sort(), words).toEqual(fault.breaks.map(id => `${fault.role} ${id}`).sort());
    });
  }
});

describe('the smallest fault', () => {
  test('is the first byte with the consequence, of the first stream that has it', async () => {
    const shows = async ({ nth, byte }: { nth: number; byte: number }) => nth >= 2 && byte >= 137;
    const found = await smallestFault(parseFault('cut:tools/call.3:901')!, shows);
    expect(nameOfFault(found)).toBe('cut:tools/call.2:137');
  });

  test('is searched in a bounded number of steps', async () => {
    let tries = 0;
    await smallestFault(parseFault('cut:GET.1:100000')!, async () => {
      tries++;
      return false;
    });
    expect(tries).toBeLessThanOrEqual(24);
  });

  test('is reported with the command that repeats it', async () => {
    const pair = await mockPair({
      revision: latestRevision.id,
      transport: 'streamable-http',
      serverFaults: networkServerFaults.filter(({ id }) => id === 'nw-executes-again'),
    });
    const summary = new Summary();
    const place = { command: ['server'], url: null };
    const shown: NetworkProgress[] = [];
    const run = (faults: readonly string[]) =>
      runNetwork({
        ...pair,
        place,
        seed: 0,
        faults: faults.map(text => parseFault(text)!),
        onProgress: at => shown.push(at),
      });
    for await (const event of run(['cut:tools/list.2:1700', 'cut:tools/list.2:900'])) summary.add(event);
    await pair.close();
    const { runs, exitCode, seed } = summary.report();
    const findings = runs.flatMap(({ findings }) => findings).filter(({ grade }) => grade === 'violation');
    expect({ exitCode, seed, findings: findings.map(f => f.requirement) }).toEqual({
      exitCode: 1,
      seed: 0,
      findings: ['jsonrpc.request-answered-once'],
    });
    expect(shown.slice(0, 4)).toEqual([
      { planned: 1, done: 0, begins: 'without a fault' },
      { planned: 1, done: 1 },
      { planned: 3, done: 1, begins: 'cut:tools/list.2:1700' },
      { planned: 3, done: 2 },
    ]);
    expect(shown.at(-1)).toMatchObject({ planned: shown.length / 2, done: shown.length / 2 });
    expect(findings[0]!.reproduce).toMatch(/ network --at cut:tools\/list\.2:\d{1,3} -- server$/);
  });
});

test.each([
  'cut:tools/call.2:137',
  'head:GET.1',
  'split:server.1:0',
  'lost-request:notifications/initialized.1',
])('a fault has a name: %s', name => {
  expect(nameOfFault(parseFault(name)!)).toBe(name);
});

test.each([
  '',
  'cut:tools/call.2',
  'head:GET.1:5',
  'cut:tools/call.0:1',
  'burn:GET.1:1',
  'constructor:GET.1',
])('no fault has the name "%s"', name => {
  expect(parseFault(name)).toBeUndefined();
});

test('a variable with the name of a secret is hidden in the record and in the findings', async () => {
  const secret = 'test_simple_text';
  const pair = await mockPair({ revision: latestRevision.id, transport: 'streamable-http' });
  const place = { command: ['mock'], url: null };
  const run = runNetwork({ ...pair, place, seed: 1, trials: 0, env: { API_TOKEN: secret } });
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  await pair.close();
  expect(events.length).toBeGreaterThan(50);
  expect(JSON.stringify(events)).not.toContain(secret);
});
