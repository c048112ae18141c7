/**
 * Test support: the suite against the mock behind an authentication gate, with the authorization server that
 * the gate trusts.
 */

import { dpopExtension } from '../../harness/oauth/dpop.js';
import type { Credentials } from '../../harness/oauth/login.js';
import { run } from '../../harness/run/server/run.js';
import { url } from '../../harness/subject/subject.js';
import {
  type ProtectedMock,
  type ProtectedOptions,
  protectedMock,
} from '../../mocks/authorization-server/protected-server.js';
import type { Deviation } from '../../mocks/fault.js';
import { mockServer } from '../../mocks/server/server.js';
import type { Revision } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { longestTrial, observe, paceFor, steadily, type Trial } from './run-mock.js';

const timing = { answer: 6_000, exit: 1_000, quiet: 40 };

interface ProtectedTrialOptions extends ProtectedOptions {
  readonly credentials?: Credentials;
  /** All scenarios, or only those about authorization; default: only those. */
  readonly all?: boolean;
  /** Faults of the server behind the gate. */
  readonly faults?: readonly Deviation[];
  /** The user has a token; default: the authorization flow is run. */
  readonly token?: boolean;
}

const address = 'http://127.0.0.1:4711/mcp';

/** Runs the protected mock under one revision, in this process. */
export const tryProtected = (revision: Revision, options: ProtectedTrialOptions = {}): Promise<Trial> =>
  steadily(() => tryOnce(revision, options));

async function tryOnce(revision: Revision, options: ProtectedTrialOptions): Promise<Trial> {
  const { credentials, all = false, token = false, faults = [], ...behind } = options;
  const inner = mockServer({ revisions: [revision.id], delayMs: 2, faults }).http();
  const mock = protectedMock(inner, {
    ...behind,
    authorizationServer: { mints: true, ...behind.authorizationServer },
  });
  const selected = (name: string) =>
    all || /\/server\/(authorization|resource-metadata|authorized|ext-dpop|ext-tasks-access)\//.test(name);
  const headers = token ? { Authorization: `Bearer ${await minted(mock)}` } : undefined;
  const subject = url(address, { ...(headers && { headers }), fetch: request => mock.fetch(request) });
  try {
    return await observe(
      run({
        subject,
        suite,
        revision,
        timing: all ? paceFor(faults, timing) : timing,
        maxMs: longestTrial,
        fixtures: true,
        runs: 0,
        selected,
        ...(behind.dpop && { extensions: [dpopExtension] }),
        ...(credentials && { credentials }),
      }),
    );
  } finally {
    inner.close();
  }
}

/** A token with all scopes. */
async function minted(mock: ProtectedMock): Promise<string> {
  const body = JSON.stringify({ aud: address, scope: 'mcp:read mcp:write' });
  const answer = await mock.fetch(new Request(new URL('/mint', address), { method: 'POST', body }));
  return ((await answer.json()) as { access_token: string }).access_token;
}
