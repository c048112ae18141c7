/** The eras of a server: which revisions it answers to, asked in conversations of their own. */

import { isObject } from '../../../spec/json-rpc.js';
import { definedRevisions, findRevision, type Revision } from '../../../spec/revisions.js';
import type { Peer } from '../../peer/peer.js';
import { discoveryMethod, namedVersion } from '../../record/envelope.js';
import { type Exchange, overflowInWords, resultOf } from '../../record/message.js';
import { isPortTaken } from '../../record/port-taken.js';
import { waitFor } from '../../time/clock.js';
import type { ConnectionPool, Opened } from './connections.js';

/** The version of a result of initialize, or the requested one where the server answers server/discover in it. */
export const versionOf = (exchange: Exchange): unknown =>
  exchange.request.method === discoveryMethod
    ? statelessOffers(exchange)[0]?.id
    : resultOf(exchange)?.protocolVersion;

/** Requests one revision in a separate conversation. */
export async function ask(
  connections: ConnectionPool,
  revision: Revision,
  unrecorded = false,
): Promise<Opened> {
  const open = () => connections.open({ revision, case: 0, ...(unrecorded && { unrecorded }) });
  const opened = await open();
  // a running server that drops one connection may serve the next: the revision would be missing without a word
  if (lostConnection(opened)) {
    connections.close(opened.peer);
    return open();
  }
  if (!isPortTaken(opened.peer.conversation)) return opened;
  // the process before may not have ended yet
  connections.close(opened.peer);
  await connections.closingsDone();
  return open();
}

/** Whether an HTTP connection ended before the head of the response. */
function lostConnection({ peer, exchange }: Opened): boolean {
  const http = peer.conversation.httpOf(exchange.request);
  const isLost = http?.status === undefined && http?.end?.by === 'error';
  return isLost && peer.conversation.eventsOf('exit').length === 0;
}

/** The stateless revisions that an exchange of server/discover offers, newest first. */
function statelessOffers(exchange: Exchange): Revision[] {
  const result = resultOf(exchange);
  if (!result) return [];
  const { supportedVersions: listed } = result;
  const named = Array.isArray(listed) ? listed : [];
  const asked = namedVersion(exchange.request);
  // a server that answers in the revision speaks it, also when its list is not usable
  const speaks = typeof result.resultType === 'string' || isObject(result.capabilities);
  return newestDefined().filter(
    r => r.era === 'modern' && (named.includes(r.id) || (speaks && r.id === asked && named.length === 0)),
  );
}

export const newestDefined = (): Revision[] => [...definedRevisions].reverse();

/** The revision that a handshake agrees on: undefined where the server agrees on none. */
export type ByHandshake = Revision | 'unanswered' | undefined;

const agreedIn = (exchange: Exchange): ByHandshake =>
  !exchange.reply && exchange.deadline ? 'unanswered' : findRevision(versionOf(exchange));

export const isRevision = (agreed: ByHandshake): agreed is Revision => typeof agreed === 'object';

/** The newest revision that initialize agrees on, in a conversation that is not recorded. */
export async function newestByHandshake(
  connections: ConnectionPool,
  possible: readonly Revision[],
): Promise<ByHandshake> {
  const newest = possible.find(r => r.era === 'legacy');
  if (!newest) return undefined;
  const { peer, exchange } = await ask(connections, newest, true);
  connections.close(peer);
  return agreedIn(exchange);
}

/** The stateless revisions that server/discover names, in a conversation that is not recorded; none after a second of silence. */
export async function statelessBeside(
  connections: ConnectionPool,
  possible: readonly Revision[],
): Promise<readonly Revision[]> {
  const newest = possible.find(r => r.era === 'modern');
  if (!newest) return [];
  const peer = connections.connect({ revision: newest, case: 0, unrecorded: true });
  const discovery = peer.open();
  const answered = await waitFor(discovery, peer.timing.quiet * 10, peer.link.clock);
  const offers = answered ? statelessOffers(await discovery) : [];
  connections.close(peer);
  return offers;
}

/**
 * Conversations that follow the first answer before the plan is known: the handshake, and those of the first two lanes; after a
 * refusal of server/discover, the handshake and the first lane, so that a small run starts no process that it does not need.
 */
const nextAfterProbe = { answer: 3, refusal: 2 };

interface Eras {
  readonly modern: readonly Revision[];
  /** Asked beside the run where `first` opens it. */
  readonly legacy: Promise<ByHandshake>;
  /** Why server/discover names no revision, in a sentence; undefined where an error refuses it. */
  readonly unusable?: string | undefined;
  /** The recorded conversation in the newest stateless revision on offer; undefined where there is none. */
  readonly first?: Opened | undefined;
}

/** @param exchange of server/discover; undefined while it waits */
function whyUnusable({ conversation, timing }: Peer, exchange: Exchange | undefined): string | undefined {
  const overflow = conversation.eventsOf('overflow')[0];
  if (overflow)
    return `The server wrote too much in response to server/discover: ${overflowInWords(overflow)}.`;
  const result = exchange && resultOf(exchange);
  if (result)
    return `The server answered server/discover with supportedVersions ${JSON.stringify(result.supportedVersions)?.slice(0, 200)}.`;
  return exchange?.deadline
    ? `The server did not answer server/discover within ${timing.answer / 1000} s.`
    : undefined;
}

/**
 * Asks for the eras of a server: server/discover and initialize, each in a conversation of its own, because
 * over stdio the first message may fix the era. A run in a stateless revision does not wait for the handshake.
 * A server of one era is not judged by the rules of the other one: the handshake is not recorded, and the
 * discovery only where it offers a stateless revision; over stdio the run goes on in this process.
 */
export async function probeEras(
  connections: ConnectionPool,
  stateless: readonly Revision[],
  stateful: Revision,
): Promise<Eras> {
  const began = performance.now();
  const [asked] = stateless;
  const isProcess = connections.transport === 'stdio';
  const peer = connections.connect({ revision: asked!, case: 0, unrecorded: isProcess ? 'held' : true });
  const discovery = peer.open();
  // a server that writes without an end does the same in the conversation that is recorded
  const floods = () => peer.conversation.eventsOf('overflow').length > 0;
  let isDecided = false;
  const opening = discovery.then((exchange): Opened | Promise<Opened> | undefined => {
    const newest = stateless.find(r => statelessOffers(exchange).includes(r));
    if (!newest || isDecided || floods()) return undefined;
    if (isProcess && newest === asked) {
      connections.adopt();
      connections.expect(nextAfterProbe.answer);
      return { peer, exchange };
    }
    connections.discard(peer);
    return ask(connections, newest);
  });
  const { timing, link } = peer;
  const none = { modern: [], legacy: Promise.resolve(undefined) };
  if (await waitFor(discovery, timing.quiet * 10, link.clock)) {
    const exchange = await discovery;
    if (floods() || (exchange.reply && statelessOffers(exchange).length === 0)) {
      connections.discard(peer);
      if (isProcess && exchange.reply && !floods()) connections.expect(nextAfterProbe.refusal);
      return { ...none, unusable: whyUnusable(peer, exchange) };
    }
  }
  const handshake = ask(connections, stateful, true).then(({ peer, exchange }) => {
    connections.close(peer);
    return agreedIn(exchange);
  });
  // a discovery that offers a stateless revision decides the era, whatever the handshake agrees on
  const offersStateless = discovery.then(e => (statelessOffers(e).length > 0 ? undefined : handshake));
  const legacy = await Promise.race([handshake, offersStateless]);
  // a server of the older era may be silent: it has as long as for initialize, and a second
  const patience = Math.max(timing.quiet * 10, performance.now() - began);
  if (isRevision(legacy)) await waitFor(discovery, Math.min(patience, timing.answer), link.clock);
  const answered = await Promise.race([discovery, ...(isRevision(legacy) ? [undefined] : [])]);
  isDecided = true;
  const first = answered && (await opening);
  if (first?.peer !== peer) connections.discard(peer);
  if (!answered) return { ...none, unusable: whyUnusable(peer, answered) };
  return {
    modern: statelessOffers(answered),
    legacy: handshake,
    unusable: whyUnusable(peer, answered),
    first,
  };
}
