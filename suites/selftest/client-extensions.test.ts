/**
 * Extensions of authorization, for clients: each fault fails exactly its rows, quirks pass, and a client that neither
 * declares an extension nor is said to have it is asked nothing about it.
 */

import { expect, test } from 'vitest';
import { clientExtensionFaults } from '../../mocks/client/faults/index.js';
import { clientExtensionQuirks } from '../../mocks/client/quirks/index.js';
import { extensions } from '../../spec/extensions/index.js';
import { definedRevisions, latestRevision } from '../../spec/revisions.js';
import { expectBroken } from './expect-broken.test.util.js';
import { faultMatrix } from './fault-matrix.js';
import { explainFindings } from './run-mock.js';
import { isAuthorizationExtension, tryMockClient } from './run-mock-client.js';

const transport = 'streamable-http';
const selected = isAuthorizationExtension;

test.concurrent.each(faultMatrix(clientExtensionFaults, transport))(
  '$id, $revision.id',
  async ({ id, revision, breaks }) => {
    await expectBroken(breaks, () => tryMockClient(revision, { transport, faults: [id], selected }));
  },
);

test.concurrent.each(clientExtensionQuirks.map(({ id }) => id))('legal: %s', async quirk => {
  const { report } = await tryMockClient(latestRevision, { transport, selected, quirks: [quirk] });
  const wrong = report.runs
    .flatMap(r => r.findings)
    .filter(f => f.grade === 'violation' || f.grade === 'warning' || f.grade === 'error');
  expect(wrong.map(f => `${f.requirement}: ${f.actual ?? f.message}`)).toEqual([]);
  expect(report.unjudged).toBeNull();
});

const used = definedRevisions.filter(({ id }) =>
  extensions.some(({ repository, revisions }) => repository.endsWith('/ext-auth') && revisions.includes(id)),
);

test.concurrent.each(used)('the reference passes each row of the extensions, $id', async revision => {
  const { findings, report } = await tryMockClient(revision, { transport, selected });
  expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
  const passed = new Set(findings.filter(f => f.verdict === 'pass').map(f => f.requirement));
  const open = report.runs[0]!.requirements.map(({ id }) => id).filter(
    id => /^ext-(client-credentials|dpop|enterprise)\./.test(id) && !passed.has(id),
  );
  expect(open).toEqual([]);
});

test('a client without extensions is asked nothing about one', async () => {
  const { report } = await tryMockClient(latestRevision, { transport, selected, extensions: [] });
  const [run] = report.runs;
  expect(
    run!.requirements.filter(({ id }) => /^ext-(client-credentials|dpop|enterprise)\./.test(id)),
  ).toEqual([]);
  expect(run!.notApplicable.find(({ id }) => id === 'ext-client-credentials.grant')?.reason).toBe(
    'the client does not declare extensions/io.modelcontextprotocol/oauth-client-credentials',
  );
});
