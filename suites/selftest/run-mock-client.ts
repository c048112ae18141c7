/** Test support: the whole client suite against the reference client in this process. */

import { runClient } from '../../harness/run/client/run.js';
import { inProcessClient } from '../../harness/run/client/subject.js';
import type { Timing } from '../../harness/time/timing.js';
import { type MockClientOptions, mockClient } from '../../mocks/client/client.js';
import { clientQuirk, onBehaviour } from '../../mocks/client/fault.js';
import { extensions as catalogued } from '../../spec/extensions/index.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import type { Revision, TransportId } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { longestTrial, observe, offeredFor, paceFor, steadily, type Trial } from './run-mock.js';

/** Responses arrive immediately or never here. */
const timing: Timing = { answer: 1_000, exit: 250, quiet: 20 };

/** Sockets and HTTP headers take longer, especially when many connections open at once. */
const timingOverHttp: Timing = { answer: 6_000, exit: 1_000, quiet: 40 };

/** Extensions that no capability of the reference client declares, because they act before the first message. */
const ofAuthorization = catalogued
  .filter(({ repository }) => repository.endsWith('/ext-auth'))
  .map(({ identifier }) => identifier);

interface ClientTrialOptions extends MockClientOptions {
  /** Default: stdio. */
  readonly transport?: TransportId;
  /** The cases to run; default: all. */
  readonly selected?: (name: string) => boolean;
  /** Extensions that the client is said to have; default: those of authorization. */
  readonly extensions?: readonly string[];
  /** Over sockets on loopback; default: requests reach the server of the harness without sockets. */
  readonly socket?: boolean;
}

/** The reference client publishes nothing on the internet: what it would is kept here, for each trial apart. */
function publishedDocuments() {
  const published = new Map<string, JsonObject | undefined>();
  const publishes = onBehaviour(({ authorization }) => {
    authorization.publish = (url, document) => void published.set(url, document);
  });
  const type = 'application/json';
  return {
    publishes: clientQuirk('publishes', { what: 'Its metadata document is where it says.' }, publishes),
    async getDocument(url: string) {
      const document = published.get(url);
      return document
        ? { status: 200, type, text: JSON.stringify(document) }
        : { status: 404, type: null, text: '' };
    },
  };
}

const pages =
  /\/client\/((streamable-http|streams|icons|http-sse|lifecycle|elicitation|pagination|cancellation|progress|timeouts|http-headers|requests|subscriptions|versioning)\/|task-requests\/(any-stream|result-lost)|caching\/another-token|ext-tasks\/headers)/;

/** Cases of the pages about HTTP, or cases that show quirks of HTTP. */
export const isHttpCase = (name: string): boolean => pages.test(name);

/** Cases about extensions of authorization. */
export const isAuthorizationExtension = (name: string): boolean =>
  /\/client\/ext-(client-credentials|dpop|enterprise)\//.test(name);

/** Runs everything under one revision, over streams or over HTTP. */
export const tryMockClient = (revision: Revision, options: ClientTrialOptions = {}): Promise<Trial> =>
  steadily(() => tryOnce(revision, options));

async function tryOnce(revision: Revision, options: ClientTrialOptions): Promise<Trial> {
  const {
    transport = 'stdio',
    selected,
    quirks = [],
    extensions = ofAuthorization,
    socket,
    ...mock
  } = options;
  const { publishes, getDocument } = publishedDocuments();
  const ids = offeredFor(revision);
  const client = mockClient({
    graceMs: 60,
    revisions: ids,
    withoutSockets: !socket,
    ...mock,
    quirks: [...quirks, publishes],
  });
  const subject = inProcessClient((task, streams) => client.perform(task, streams));
  const pace = transport === 'stdio' ? timing : timingOverHttp;
  const events = runClient({
    getDocument,
    subject,
    extensions,
    transport,
    suite,
    revision,
    timing: paceFor(mock.faults, pace),
    maxMs: longestTrial,
    jobs: transport === 'stdio' ? 16 : 6,
    ...(selected && { selected }),
  });
  return observe(events);
}
