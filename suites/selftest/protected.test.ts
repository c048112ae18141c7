/**
 * Protected servers: the reference conforms, quirks pass, and each fault of the gate fails exactly its rows.
 */

import { describe, expect, test } from 'vitest';
import { dpopGateFaults, dpopGateQuirks } from '../../mocks/authorization-server/faults/ext-dpop-gate.js';
import { gateFaults, gateQuirks } from '../../mocks/authorization-server/faults/gate.js';
import { clauseIn, requirement } from '../../spec/requirement.js';
import { definedRevisions } from '../../spec/revisions.js';
import { expectBroken } from './expect-broken.test.util.js';
import { breaksIn } from './fault-matrix.js';
import { explainFindings } from './run-mock.js';
import { tryProtected } from './run-mock-protected-server.js';

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
  test.each(legal)('legal: $id', async ({ gate }) => {
    const { report } = await tryProtected(revision, { gate: [gate] });
    const wrong = report.runs
      .flatMap(r => r.findings)
      .filter(f => f.grade === 'violation' || f.grade === 'error');
    expect(wrong.map(f => `${f.requirement}: ${f.actual ?? f.message}`)).toEqual([]);
    expect(report.unjudged).toBeNull();
  });

  const shown = gateFaults
    .map(fault => ({ ...fault, breaks: breaksIn(fault, revision, 'streamable-http') }))
    .filter(({ breaks }) => breaks.length > 0);

  test.each(shown)('killed: $id', async fault => {
    const { gate, breaks, needsToken = false, authority = {} } = fault;
    const authorizationServer = { policy: [authority] };
    const options = { gate: [gate], faults: [fault], token: needsToken, authorizationServer };
    await expectBroken(breaks, () => tryProtected(revision, options));
  });
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

  test.each(dpopGateFaults)('killed: $id', async ({ gate, breaks }) => {
    await expectBroken(breaks, () => tryProtected(revision, { gate: [gate], dpop: true }));
  });

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
