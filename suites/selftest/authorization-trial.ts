/** Test support: the suite against the mock authorization server in this process. */

import type { DocumentPlace } from '../../harness/authorization-server/client-documents.js';
import {
  type AuthorizationServerSubject,
  runAuthorizationServer,
} from '../../harness/authorization-server/run.js';
import {
  type AuthorizationServerOptions,
  mockAuthorizationServer,
} from '../../mocks/authorization/server.js';
import { host } from '../../mocks/host.js';
import type { Revision } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { observe, type Trial } from './trial.js';

const timing = { answer: 6_000, exit: 1_000, quiet: 40 };

/** Runs everything under one revision, over a socket on loopback, by the mock's own clock. */
export async function tryAuthorizationServer(
  revision: Revision,
  options: AuthorizationServerOptions = {},
  about: Partial<AuthorizationServerSubject> = {},
): Promise<Trial> {
  let ahead = 0;
  const now = () => Math.floor(Date.now() / 1000) + ahead;
  let documents = '';
  const place: DocumentPlace = {
    base: new URL('https://clients.example/documents'),
    listening: origin => {
      documents = origin;
    },
  };
  // nothing leaves this host: what is published is brought to our end directly
  const fetchDocument = (url: string) => fetch(url.replace(/^https:\/\/clients\.example/, documents));
  const mock = mockAuthorizationServer({ now, fetchDocument, ...options });
  const served = await host(request => mock.fetch(request));
  const pause = async (ms: number) => {
    ahead += ms / 1000;
  };
  try {
    const subject = { issuer: new URL(mock.issuerAt(served.origin)), long: true, documents: place, ...about };
    return await observe(runAuthorizationServer({ suite, revision, subject, timing, pause }));
  } finally {
    await served.close();
  }
}
