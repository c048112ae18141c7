/** The exchanges of initialize and of server/discover, in which the server declares its capabilities. */

import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import { findRevision, type Revision } from '../../spec/revisions.js';
import { extensionsIn } from './capabilities.js';
import { discoveryMethod } from './envelope.js';
import { handshakeMethods } from './handshake.js';
import { type Exchange, resultOf } from './message.js';

/** The methods of these exchanges. */
export const openingMethods: ReadonlySet<string | undefined> = new Set([
  handshakeMethods.request,
  discoveryMethod,
]);

/** The exchange of several initialize exchanges that counts. */
export const handshakeAmong = (all: readonly Exchange[]): Exchange | undefined =>
  all.find(e => e.reply?.kind === 'result') ?? all[0];

/** The revision that an initialize exchange negotiated; undefined for one that the harness does not know. */
export const negotiatedIn = (handshake: Exchange | undefined): Revision | undefined =>
  findRevision(handshake && resultOf(handshake)?.protocolVersion);

/** The exchange of several server/discover exchanges that counts. */
export const discoveryAmong = (all: readonly Exchange[]): Exchange | undefined =>
  all.find(e => isObject(resultOf(e)?.capabilities)) ?? all[0];

/**
 * The capabilities in the last result of server/discover, with the extensions of all results: a server may declare an extension
 * only to a client that declares it.
 */
export function discoveredIn(all: readonly Exchange[]): JsonObject | undefined {
  const found = all.map(e => resultOf(e)?.capabilities).filter(isObject);
  const last = found.at(-1);
  const now = extensionsIn(last);
  const earlier = found.flatMap(capabilities =>
    extensionsIn(capabilities)
      .filter(identifier => !now.includes(identifier))
      .map(identifier => [identifier, (capabilities.extensions as JsonObject)[identifier]]),
  );
  if (!last || earlier.length === 0) return last;
  const extensions = isObject(last.extensions) ? last.extensions : {};
  return { ...last, extensions: { ...extensions, ...Object.fromEntries(earlier) } };
}
