/** Test support: the suite against the mock authorization server in this process. */

import { generateKeyPairSync } from 'node:crypto';
import type { DocumentPlace } from '../../harness/oauth/client-documents.js';
import { dpopExtension } from '../../harness/oauth/dpop.js';
import {
  type AuthorizationServerSubject,
  runAuthorizationServer,
} from '../../harness/run/authorization-server/run.js';
import type { Policy } from '../../mocks/authorization-server/policy.js';
import {
  type AuthorizationServerOptions,
  mockAuthorizationServer,
} from '../../mocks/authorization-server/server.js';
import { host } from '../../mocks/host.js';
import type { Revision } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { observe, type Trial } from './run-mock.js';

const timing = { answer: 6_000, exit: 1_000, quiet: 40 };

/**
 * A base URL for client documents without requests to other hosts: the harness serves the documents itself.
 */
export function somewhere() {
  let ours = '';
  const documents: DocumentPlace = {
    base: new URL('https://clients.example/documents'),
    listening: origin => {
      ours = origin;
    },
  };
  const fetchDocument = (url: string) => fetch(url.replace(/^https:\/\/clients\.example/, ours));
  return { documents, fetchDocument };
}

/** Runs everything under one revision, over a socket on loopback, with the clock of the mock. */
export async function tryAuthorizationServer(
  revision: Revision,
  options: AuthorizationServerOptions = {},
  about: Partial<AuthorizationServerSubject> = {},
  selected: (name: string) => boolean = () => true,
): Promise<Trial> {
  let ahead = 0;
  const now = () => Math.floor(Date.now() / 1000) + ahead;
  const { documents, fetchDocument } = somewhere();
  const mock = mockAuthorizationServer({ now, fetchDocument, ...options });
  const served = await host(request => mock.fetch(request));
  const pause = async (ms: number) => {
    ahead += ms / 1000;
  };
  try {
    const subject = { issuer: new URL(mock.issuerAt(served.origin)), long: true, documents, ...about };
    return await observe(runAuthorizationServer({ suite, revision, subject, timing, pause, selected }));
  } finally {
    await served.close();
  }
}

const machineKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** The mock with a client that gets tokens by its own credentials; only the scenarios about such clients. */
export const tryMachine = (revision: Revision, policy: readonly Partial<Policy>[] = []): Promise<Trial> => {
  const [id, secret] = ['a-machine', 'secret-of-the-machine'];
  const about = { authMethod: 'client_secret_basic', name: 'A machine', redirectUris: [] } as const;
  const client = { id, secret, key: machineKey.publicKey, ...about, grantTypes: ['client_credentials'] };
  const key = { key: machineKey.privateKey, algorithm: 'ES256' };
  const issuer = 'https://idp.example';
  const resource = 'https://mcp.example/mcp';
  const selected = (name: string) => name.includes('/authorization-server/ext-');
  return tryAuthorizationServer(
    revision,
    {
      policy,
      clients: [client],
      resources: [resource],
      identityProvider: { issuer, key: machineKey.publicKey },
    },
    { machine: { id, secret, key }, resource, identityProvider: { issuer, key } },
    selected,
  );
};

/** The mock with tokens that are bound to keys; only the scenarios about them. */
export const tryBinding = (revision: Revision, policy: readonly Partial<Policy>[] = []): Promise<Trial> =>
  tryAuthorizationServer(revision, { policy, dpop: true }, { extensions: [dpopExtension] }, name =>
    name.includes('/authorization-server/ext-dpop/'),
  );

/** The mock as a proxy in front of a second mock, each on its own port. */
export async function openProxy(policy: readonly Partial<Policy>[] = []) {
  const clientId = 'the-proxy';
  const secret = 'secret-of-the-proxy';
  const there = mockAuthorizationServer();
  const third = await host(request => there.fetch(request));
  const mock = mockAuthorizationServer({
    policy,
    thirdParty: () => ({
      authorization: `${third.origin}/authorize`,
      token: `${third.origin}/token`,
      ...{ clientId, clientSecret: secret, scope: 'mcp:read' },
    }),
  });
  const served = await host(request => mock.fetch(request));
  there.records.clients.set(clientId, {
    ...{ id: clientId, secret, authMethod: 'client_secret_post', name: 'A proxy', grantTypes: [] },
    redirectUris: [`${served.origin}/callback`],
  });
  return {
    subject: { issuer: new URL(served.origin), thirdParty: new URL(third.origin) },
    records: [mock.records, there.records],
    close: () => Promise.all([served.close(), third.close()]),
  };
}

/** Runs the scenarios about proxies. */
export async function tryProxy(revision: Revision, policy: readonly Partial<Policy>[] = []): Promise<Trial> {
  const { subject, close } = await openProxy(policy);
  const selected = (name: string) => name.includes('/proxy/');
  try {
    return await observe(runAuthorizationServer({ suite, revision, subject, timing, selected }));
  } finally {
    await close();
  }
}
