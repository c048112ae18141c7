/** The reference client conforms, and so does the harness as a server. */

import { describe, expect, test } from 'vitest';
import { judgeConversation } from '../../harness/judge/judge.js';
import { History } from '../../harness/record/history.js';
import { clientAuthorizationQuirks } from '../../mocks/client/quirks/authorization.js';
import { clientExtensionQuirks, clientQuirks } from '../../mocks/client/quirks/index.js';
import { definedRevisions, latestRevision } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { expectLegal } from './expect-broken.test.util.js';
import { inGroups } from './fault-groups.js';
import { everywhere, quick } from './fault-matrix.js';
import { explainFindings } from './run-mock.js';
import { isHttpCase, tryMockClient } from './run-mock-client.js';

const forms = (quick ? [latestRevision] : definedRevisions).flatMap(revision =>
  revision.transports.map(transport => ({ revision, id: revision.id, transport })),
);

/** Over HTTP, the newest revision of each era runs over sockets too. */
const eras = new Map(definedRevisions.map(({ era, id }) => [era, id]));
const ways = forms.flatMap(form => {
  const over = (socket: boolean) => ({
    ...form,
    socket,
    name: socket ? `${form.transport}, sockets` : form.transport,
  });
  const isNewest = eras.get(form.revision.era) === form.id;
  return form.transport !== 'stdio' && isNewest ? [over(false), over(true)] : [over(false)];
});

describe.concurrent.each(ways)('$id, $name', ({ revision, transport, socket }) => {
  test('the reference has no failure, no inconclusive result and no unexercised row', async () => {
    const { findings, report, wire } = await tryMockClient(revision, { transport, socket });
    expect(explainFindings(findings.filter(f => f.verdict !== 'pass' && f.verdict !== 'none'))).toBe('');
    expect(report.unjudged).toBeNull();
    expect(report.exitCode).toBe(0);
    // no wait for what has happened already
    expect(wire.filter(({ kind }) => kind === 'deadline')).toEqual([]);
    const ours = [...History.from(wire, 'server').conversations.values()];
    const onPurpose = new Set(wire.flatMap(e => (e.kind === 'frame' && e.deliberate ? [e.seq] : [])));
    const wrong = ours
      .flatMap(c => judgeConversation(c, suite.rules))
      .filter(f => f.verdict === 'fail' && !f.evidence.some(seq => onPurpose.has(seq)))
      // unusual refusals are intended in scenarios about authorization
      .filter(f => !f.requirement.startsWith('auth.'));
    expect(explainFindings(wrong)).toBe('');
  });
});

/** Covered by kills-client-auth.test.ts and client-extensions.test.ts. */
const elsewhere = new Set([...clientAuthorizationQuirks, ...clientExtensionQuirks].map(({ id }) => id));

/**
 * Each quirk once, in the newest revision that has it, over the first transport it applies to; all
 * combinations on request.
 */
const oddities = (quick ? [] : clientQuirks)
  .filter(({ id }) => !elsewhere.has(id))
  .flatMap(({ id, where, over }) => {
    const fits = forms.filter(
      ({ revision, transport }) => (where?.(revision) ?? true) && (over ?? ['stdio']).includes(transport),
    );
    return (everywhere ? fits : fits.slice(-1)).map(({ revision, transport }) => ({
      id,
      revision,
      transport,
      breaks: [],
    }));
  });

const legal = inGroups(oddities, {
  attempt: group => {
    const [{ revision, transport }] = group;
    const selected = (name: string) => everywhere || transport === 'stdio' || isHttpCase(name);
    return tryMockClient(revision, { quirks: group.map(({ id }) => id), transport, selected });
  },
  kindOf: ({ revision, transport }) => [revision.id, transport],
  async expects(_, attempt) {
    const trial = await attempt();
    expectLegal(trial, 'warning');
    expect(trial.findings.length).toBeGreaterThan(20);
  },
});

test.concurrent.each(legal)('legal: $id, $revision.id, $transport', ({ show }) => show());
