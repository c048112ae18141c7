/** Authorization servers: the reference conforms, quirks pass, and each fault fails exactly its rows. */

import { describe, expect, test } from 'vitest';
import type { AuthorizationDeviation } from '../../mocks/authorization-server/fault.js';
import { authorizationFaults } from '../../mocks/authorization-server/faults/authorization-server.js';
import { clientCredentialsFaults } from '../../mocks/authorization-server/faults/ext-client-credentials.js';
import { dpopFaults } from '../../mocks/authorization-server/faults/ext-dpop.js';
import { enterpriseFaults } from '../../mocks/authorization-server/faults/ext-enterprise.js';
import { proxyFaults } from '../../mocks/authorization-server/faults/proxy.js';
import type { Policy } from '../../mocks/authorization-server/policy.js';
import { dpopQuirks } from '../../mocks/authorization-server/quirks/ext-dpop.js';
import { authorizationQuirks } from '../../mocks/authorization-server/quirks/index.js';
import { clauseIn, requirement } from '../../spec/requirement.js';
import { definedRevisions } from '../../spec/revisions.js';
import { expectBroken, expectLegal } from './expect-broken.test.util.js';
import { inGroups } from './fault-groups.js';
import { breaksIn } from './fault-matrix.js';
import { explainFindings } from './run-mock.js';
import { tryAuthorizationServer, tryBinding, tryMachine, tryProxy } from './run-mock-authorization-server.js';

const policiesOf = (group: readonly AuthorizationDeviation[]) => group.map(({ policy }) => policy);
const kindOf = () => undefined;
const setBy = ({ policy }: AuthorizationDeviation): string[] => Object.keys(policy);

const withAuthorization = definedRevisions.filter(r => r.authorization);

describe.concurrent.each(withAuthorization)('$id', revision => {
  test('the reference has no failure and no inconclusive result', async () => {
    const { findings, report } = await tryAuthorizationServer(revision);
    expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
    expect(report).toMatchObject({ exitCode: 0, unjudged: null, role: 'authorization-server' });
    expect(report.summary.requirementsJudged).toBeGreaterThan(25);
  });

  const attempt = (group: readonly AuthorizationDeviation[]) =>
    tryAuthorizationServer(revision, { policy: policiesOf(group) });

  const quirks = inGroups(authorizationQuirks, {
    attempt,
    kindOf,
    setBy,
    expects: async (_, attempt) => expectLegal(await attempt()),
  });
  test.each(quirks)('legal: $id', ({ show }) => show());

  const shown = authorizationFaults
    .map(fault => ({ ...fault, breaks: breaksIn(fault, revision, 'streamable-http') }))
    .filter(({ breaks }) => breaks.length > 0);

  const faults = inGroups(shown, { attempt, kindOf, setBy, expects: expectBroken });
  test.each(faults)('killed: $id', ({ show }) => show());
});

const withExtensions = withAuthorization.filter(({ id }) =>
  clauseIn(requirement('ext-client-credentials.as-grant'), id),
);

describe.concurrent.each(withExtensions)('extensions, $id', revision => {
  test('the reference has no failure, and all rows of the extension are judged', async () => {
    const { findings, report } = await tryMachine(revision);
    expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
    const passed = new Set(findings.filter(f => f.verdict === 'pass').map(f => f.requirement));
    const rows = report.runs[0]!.requirements.map(({ id }) => id).filter(id => id.startsWith('ext-'));
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter(id => !passed.has(id))).toEqual([]);
  });

  const faults = inGroups([...clientCredentialsFaults, ...enterpriseFaults], {
    attempt: group => tryMachine(revision, policiesOf(group)),
    kindOf,
    setBy,
    expects: expectBroken,
  });
  test.each(faults)('killed: $id', ({ show }) => show());
});

describe.concurrent.each(withExtensions)('bound tokens, $id', revision => {
  test.each([{ id: 'the reference', policy: {} }, ...dpopQuirks])('legal: $id', async ({ policy }) => {
    const { findings, report } = await tryBinding(revision, [policy]);
    expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
    const passed = new Set(findings.filter(f => f.verdict === 'pass').map(f => f.requirement));
    const rows = report.runs[0]!.requirements.map(({ id }) => id).filter(id => id.startsWith('ext-'));
    // a nonce is supplied only where one is demanded
    const open = rows.filter(id => !passed.has(id) && id !== 'ext-dpop.as-nonce-supplied');
    expect([rows.length > 10, ...open]).toEqual([true]);
  });

  const faults = inGroups(dpopFaults, {
    attempt: group => tryBinding(revision, policiesOf(group)),
    kindOf,
    setBy,
    expects: expectBroken,
  });
  test.each(faults)('killed: $id', ({ show }) => show());
});

test('a token request without a response shows no refusal', async () => {
  const refusesByClosing: Partial<Policy> = {
    reply: (reply, endpoint) => {
      if (endpoint === 'token' && reply.status >= 400) throw new Error('closes the connection');
      return reply;
    },
  };
  const revision = withAuthorization.at(-1)!;
  for (const trial of [
    await tryAuthorizationServer(revision, { policy: [refusesByClosing] }, {}, name =>
      /token|refresh/.test(name),
    ),
    await tryMachine(revision, [refusesByClosing]),
    await tryBinding(revision, [refusesByClosing]),
  ]) {
    expect(explainFindings(trial.failed.values())).toBe('');
    const unclear = trial.findings.filter(({ verdict }) => verdict === 'inconclusive');
    const passed = new Set(trial.findings.filter(f => f.verdict === 'pass').map(f => f.requirement));
    expect(unclear.length).toBeGreaterThan(0);
    expect(unclear.filter(({ requirement: row }) => passed.has(row)).map(f => f.requirement)).toEqual([]);
  }
});

test('an authorization server is asked nothing about clients with credentials of their own, unless one is named', async () => {
  const { report } = await tryAuthorizationServer(withAuthorization.at(-1)!, {}, {}, name =>
    name.includes('/metadata/'),
  );
  expect(
    report.runs[0]!.notApplicable.find(({ id }) => id === 'ext-client-credentials.as-grant')?.reason,
  ).toBe('no client is named that gets tokens by its own credentials; give --credentials-client');
});

const withProxies = withAuthorization.filter(({ id }) => clauseIn(requirement('auth.proxy-consent'), id));

describe.concurrent.each(withProxies)('a proxy, $id', revision => {
  test('the reference has no failure, and all rows about proxies are judged', async () => {
    const { findings } = await tryProxy(revision);
    expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
    const judged = new Set(findings.filter(f => f.verdict === 'pass').map(f => f.requirement));
    expect([...judged].filter(id => id.startsWith('auth.proxy-')).sort()).toEqual([
      ...['auth.proxy-consent', 'auth.proxy-consent-cookie', 'auth.proxy-consent-framing'],
      ...['auth.proxy-consent-page', 'auth.proxy-consent-registry', 'auth.proxy-state'],
    ]);
  });

  test.each([
    { id: 'the proxy does not remember consent', policy: { consentHolds: () => false } },
    ...authorizationQuirks.filter(({ id }) => id === 'as-host-by-script'),
  ])('legal: $id', async ({ policy }) => {
    const { failed } = await tryProxy(revision, [policy]);
    expect(explainFindings(failed.values())).toBe('');
  });

  test.each(proxyFaults)('killed: $id', async ({ policy, breaks }) => {
    await expectBroken(breaks, () => tryProxy(revision, [policy]));
  });
});
