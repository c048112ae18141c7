/**
 * Protected servers: the reference conforms, quirks pass, and each fault of the gate fails exactly its rows.
 */

import { describe, expect, test } from 'vitest';
import { dpopGateFaults, dpopGateQuirks } from '../../mocks/authorization-server/faults/ext-dpop-gate.js';
import { type GateDeviation, gateFaults, gateQuirks } from '../../mocks/authorization-server/faults/gate.js';
import { clauseIn, requirement } from '../../spec/requirement.js';
import { definedRevisions } from '../../spec/revisions.js';
import { expectBroken, expectLegal } from './expect-broken.test.util.js';
import { inGroups } from './fault-groups.js';
import { breaksIn } from './fault-matrix.js';
import { explainFindings } from './run-mock.js';
import { tryProtected } from './run-mock-protected-server.js';

const kindOf = () => undefined;
const setBy = ({ gate, authority = {} }: GateDeviation): string[] => [
  ...Object.keys(gate),
  ...Object.keys(authority),
];

describe.concurrent.each(definedRevisions.filter(r => r.authorization))('$id', revision => {
  test.each([true, false])(
    'the reference has no failure and no inconclusive result, token given: %s',
    async token => {
      const { findings, report } = await tryProtected(revision, { all: true, token });
      expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
      expect(report).toMatchObject({ exitCode: 0, unjudged: null });
      const seen = (id: string, grade: string) => id.startsWith('auth.') && grade === 'pass';
      const judged = report.runs[0]!.requirements.filter(r => seen(r.id, r.grade));
      expect(judged.length).toBeGreaterThanOrEqual(13);
    },
  );

  test('a run without access still judges the authentication gate', async () => {
    const closed = { authorizationServer: { mints: false, policy: [{ registers: () => false }] } };
    const { report, findings } = await tryProtected(revision, closed);
    expect(report.unjudged?.reason).toContain('requires authorization');
    expect(report.unjudged?.details.join(' ')).toContain('registration');
    expect(report.exitCode).toBe(3);
    expect(findings.filter(f => f.verdict === 'pass').length).toBeGreaterThan(15);
    expect(explainFindings(findings.filter(f => f.verdict === 'fail'))).toBe('');
  });

  const legal = gateQuirks.filter(q => q.where?.(revision) ?? true);
  const quirks = inGroups(legal, {
    attempt: group => tryProtected(revision, { gate: group.map(({ gate }) => gate) }),
    kindOf,
    setBy,
    expects: async (_, attempt) => expectLegal(await attempt()),
  });
  test.each(quirks)('legal: $id', ({ show }) => show());

  const shown = gateFaults
    .map(fault => ({ ...fault, breaks: breaksIn(fault, revision, 'streamable-http') }))
    .filter(({ breaks }) => breaks.length > 0);

  const faults = inGroups(shown, {
    attempt: group =>
      tryProtected(revision, {
        gate: group.map(({ gate }) => gate),
        faults: group,
        token: group[0].needsToken ?? false,
        authorizationServer: { policy: group.map(({ authority = {} }) => authority) },
      }),
    kindOf: ({ needsToken }) => needsToken,
    setBy,
    expects: expectBroken,
  });
  test.each(faults)('killed: $id', ({ show }) => show());
});

const withBoundTokens = definedRevisions.filter(({ id }) =>
  clauseIn(requirement('ext-dpop.server-proof'), id),
);

describe.concurrent.each(withBoundTokens)('bound tokens, $id', revision => {
  const reference = { id: 'the reference', gate: {}, opens: [/nonce/] };
  const legal = dpopGateQuirks.map(quirk => ({
    ...quirk,
    opens: quirk.id.endsWith('-nonce') ? [] : [/nonce/],
  }));

  test.each([reference, ...legal])('legal: $id', async ({ gate, opens }) => {
    const { findings, report } = await tryProtected(revision, { gate: [gate], dpop: true });
    expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
    const passed = new Set(findings.filter(f => f.verdict === 'pass').map(f => f.requirement));
    const rows = report.runs[0]!.requirements.map(({ id }) => id).filter(id => id.startsWith('ext-dpop.'));
    const open = rows.filter(id => !passed.has(id) && !opens.some(pattern => pattern.test(id)));
    expect([rows.length > 15, ...open]).toEqual([true]);
  });

  const faults = inGroups(dpopGateFaults, {
    attempt: group => tryProtected(revision, { gate: group.map(({ gate }) => gate), dpop: true }),
    kindOf,
    setBy,
    expects: expectBroken,
  });
  test.each(faults)('killed: $id', ({ show }) => show());

  test.each(['bound-only', 'bound-only with a nonce'])('all scenarios, with a bound token: %s', async how => {
    const only = dpopGateQuirks.find(({ id }) => id === 'rs-dpop-bound-only')!;
    const nonce = dpopGateQuirks.find(({ id }) => id === 'rs-dpop-nonce')!;
    const gate = how === 'bound-only' ? [only.gate] : [only.gate, nonce.gate];
    const { findings, report } = await tryProtected(revision, { gate, dpop: true, all: true });
    expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
    expect(report.unjudged).toBeNull();
    expect(report.summary.requirementsJudged).toBeGreaterThan(100);
  });

  test('a server is asked nothing about bound tokens unless the extension is named', async () => {
    const { report } = await tryProtected(revision);
    const [run] = report.runs;
    expect(run!.requirements.filter(({ id }) => id.startsWith('ext-dpop.'))).toEqual([]);
    expect(run!.notApplicable.find(({ id }) => id === 'ext-dpop.server-proof')?.reason).toBe(
      'the server does not declare extensions/io.modelcontextprotocol/auth/dpop',
    );
  });
});
