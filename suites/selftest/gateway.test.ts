/** The gateway mode against the reference gateway: silent without a fault, and each fault breaks exactly its requirements. */

import { describe, expect, test } from 'vitest';
import { gatewayFaults } from '../../mocks/gateway/faults/index.js';
import { gatewayQuirks } from '../../mocks/gateway/quirks/index.js';
import { requirements } from '../../spec/requirement.js';
import { latestRevision, latestStateless } from '../../spec/revisions.js';
import { gatewayComparison } from '../gateway/index.js';
import { allPairs, breaksIn, pairsFor } from './gateway-pairs.js';
import { gatewayEvents, gatewayFindings, gatewayPasses } from './run-mock-gateway.js';

const eras = [latestRevision.id, latestStateless.id];

describe('a gateway that passes everything on', () => {
  const passed = new Set<string>();

  for (const revision of eras)
    for (const { front, back } of allPairs)
      test(`${revision}, ${front} to ${back}`, async () => {
        const events = await gatewayEvents([], { front, back, revision });
        expect(gatewayFindings(events)).toEqual([]);
        for (const id of gatewayPasses(events)) passed.add(id);
      }, 120_000);

  test('every comparison has judged something', () => {
    const ids = new Set(gatewayComparison.map(rule => rule.requirement));
    expect([...ids].filter(id => !passed.has(id))).toEqual([]);
  });
});

describe('a fault breaks exactly its requirements', () => {
  for (const fault of gatewayFaults)
    for (const pair of pairsFor(fault))
      test(`${fault.id}, ${pair.revision}, ${pair.front} to ${pair.back}`, async () => {
        const found = gatewayFindings(await gatewayEvents([fault], pair));
        const ids = [...new Set(found.map(f => f.requirement))].sort();
        const words = found.map(f => `${f.side} ${f.requirement} ${f.words.slice(0, 300)}`).join('\n');
        expect(ids, words).toEqual(breaksIn(fault, pair).sort());
      }, 120_000);
});

describe('a legal oddity yields nothing', () => {
  for (const quirk of gatewayQuirks)
    for (const pair of pairsFor(quirk))
      test(`${quirk.id}, ${pair.revision}, ${pair.front} to ${pair.back}`, async () => {
        expect(gatewayFindings(await gatewayEvents([quirk], pair))).toEqual([]);
      }, 120_000);
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
