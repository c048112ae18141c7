/** Servers of the older era, and of both eras, for clients that speak both, and the messages of such clients. */

import { NotObserved } from '../../harness/peer/deferred.js';
import type { OlderServer } from '../../harness/peer/eras/era.js';
import { RefusedRequest } from '../../harness/peer/requests.js';
import type { Conversation } from '../../harness/record/conversation.js';
import { errorCodes, namedVersion } from '../../harness/record/envelope.js';
import type { Message } from '../../harness/record/message.js';
import type { ClientContext } from '../../harness/scenario/client.js';
import type { Expect } from '../../harness/scenario/expect.js';
import { latestStateless, type Revision, revisions, type TransportId } from '../../spec/revisions.js';

export const discover = 'server/discover';

/** A version that no client supports. */
export const future = '2027-01-01';

export const isWithEnvelope = (m: Message): boolean => m.kind === 'request' && namedVersion(m) !== undefined;

/** All conversations that the client opens, until it exits. */
export async function allOf({
  peer,
  another,
}: Pick<ClientContext, 'peer' | 'another'>): Promise<Conversation[]> {
  const found = [peer];
  try {
    for (;;) found.push(await another());
  } catch (error) {
    if (!(error instanceof NotObserved)) throw error;
  }
  await Promise.all(found.map(one => one.caseOver()));
  return found.map(({ conversation }) => conversation);
}

export const sentIn = (conversations: readonly Conversation[]): Message[] =>
  conversations.flatMap(c => [...c.sent('subject')]).sort((a, b) => a.seq - b.seq);

/** Errors of servers of the older era to a request that they do not know. */
export const legacyErrors: readonly (readonly [code: number, message: string])[] = [
  [-32601, 'Method not found'],
  [-32602, 'Invalid request parameters'],
  [-32600, 'Server not initialized'],
  [-32000, 'Bad Request: Server not initialized'],
  [-32603, 'Internal error'],
  [-32700, 'Parse error'],
];

/** The revisions of the older era, one for each server in turn. */
export const olderRevisions = (over?: TransportId): Revision[] =>
  revisions.filter(r => r.era === 'legacy' && (!over || r.transports.includes(over)));

/** Whether initialize follows a refused probe, before the next probe. */
export function fellBack(all: readonly Message[], probe: Message): Message | undefined {
  const later = all.filter(m => m.seq > probe.seq);
  const next = later.findIndex(m => m.method === discover);
  return (next === -1 ? later : later.slice(0, next)).find(m => m.method === 'initialize');
}

/** A server of the older era that refuses each probe in another way, and then speaks another revision. */
export function inTurn(): OlderServer {
  let turn = 0;
  const spoken = olderRevisions();
  return {
    refuse: () => new RefusedRequest(...legacyErrors[turn++ % legacyErrors.length]!),
    revision: () => spoken[(turn + spoken.length - 1) % spoken.length]!,
  };
}

/** A server of the older era that speaks one revision. */
export const speaking = (revision: Revision) => (): OlderServer => ({
  refuse: () => new RefusedRequest(-32601, 'Method not found'),
  revision: () => revision,
});

/** A server of both eras: it handles requests with an envelope, and accepts initialize. */
export const ofBothEras = (): OlderServer => ({ refuse: () => undefined });

/** The first request with an envelope after a completed handshake, in one conversation. */
export function expectEraKept({
  conversation,
  expect,
}: {
  conversation: Conversation;
  expect: Expect<'versioning.era-cached'>;
}): boolean {
  const { handshake } = conversation;
  if (handshake?.reply?.kind !== 'result') return false;
  const later = conversation.sent('subject').filter(m => m.seq > handshake.reply!.seq);
  const again = later.find(isWithEnvelope);
  if (later.length === 0) return false;
  expect.that('versioning.era-cached', {
    ok: again === undefined,
    expected: 'requests of the older era after initialize',
    evidence: [handshake, again ?? later[0]],
    actual: again?.method,
  });
  return true;
}

/** No initialize after the refusal of the first request with an envelope. @param code the error of the refusal */
export async function expectNoFallback(
  context: ClientContext<'stdio.modern-error-no-fallback'>,
  code: number,
): Promise<void> {
  const { expect } = context;
  const row = 'stdio.modern-error-no-fallback';
  const conversations = await allOf(context);
  const all = sentIn(conversations);
  const refused = all.find(isWithEnvelope);
  if (!refused) return expect.notObserved(row, 'the client sends no request with an envelope');
  const handshake = all.find(m => m.method === 'initialize' && m.seq > refused.seq);
  const exchange = conversations
    .flatMap(one => one.exchanges({ by: 'subject' }))
    .find(one => one.request === refused);
  expect.that(row, {
    ok: !handshake,
    expected: `no initialize after error ${code}`,
    evidence: [exchange, handshake],
    actual: 'initialize',
  });
}

/** What a server without a handshake answers to the first request, and whether initialize may follow. */
export const refusals: readonly {
  readonly slug: string;
  readonly what: string;
  readonly status: number;
  readonly body: string | object;
  readonly isModern: boolean;
}[] = [
  {
    slug: 'unsupported-version',
    what: 'an unsupported version',
    status: 400,
    body: {
      jsonrpc: '2.0',
      id: null,
      error: {
        code: errorCodes.unsupportedVersion,
        message: 'Unsupported protocol version',
        data: { supported: [future], requested: latestStateless.id },
      },
    },
    isModern: true,
  },
  {
    slug: 'header-mismatch',
    what: 'a header mismatch',
    status: 400,
    body: {
      jsonrpc: '2.0',
      id: null,
      error: { code: errorCodes.headerMismatch, message: 'Header mismatch' },
    },
    isModern: true,
  },
  {
    slug: 'missing-capability',
    what: 'a missing capability',
    status: 400,
    body: {
      jsonrpc: '2.0',
      id: null,
      error: {
        code: errorCodes.missingCapability,
        message: 'Missing required client capability',
        data: { requiredCapabilities: { sampling: {} } },
      },
    },
    isModern: true,
  },
  { slug: 'empty-400', what: 'status 400 without a body', status: 400, body: '', isModern: false },
  { slug: 'text-400', what: 'status 400 with a text', status: 400, body: 'Bad Request', isModern: false },
  {
    slug: 'unknown-method-400',
    what: 'status 400 with error -32601',
    status: 400,
    body: { jsonrpc: '2.0', id: null, error: { code: -32601, message: 'Method not found' } },
    isModern: false,
  },
  { slug: 'not-allowed', what: 'status 405 without a body', status: 405, body: '', isModern: false },
  {
    slug: 'not-acceptable',
    what: 'status 406 with a text',
    status: 406,
    body: 'Not Acceptable',
    isModern: false,
  },
  {
    slug: 'other-error',
    what: 'status 400 with error -32000',
    status: 400,
    body: {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, message: 'Bad Request: Server not initialized' },
    },
    isModern: false,
  },
  { slug: 'not-found', what: 'status 404 without a body', status: 404, body: '', isModern: false },
];

/** Refuses every request with an envelope over HTTP. */
export const refusing = (status: number, body: string | object, id: (peer: Message) => unknown) => ({
  intercept: ({ messages }: { readonly messages: readonly Message[] }) => {
    const asked = messages.find(isWithEnvelope);
    if (!asked) return undefined;
    const whole = typeof body === 'object' ? { ...body, id: id(asked) } : body;
    return { status, body: whole };
  },
});
