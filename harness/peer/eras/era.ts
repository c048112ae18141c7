/** What both eras of MCP do, in different ways. Strictly that: anything only one of them has is not here. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import type { EraId, Revision } from '../../../spec/revisions.js';
import type { Exchange } from '../../record/message.js';
import type { Peer } from '../peer.js';
import { legacy } from './legacy.js';

export interface OpenOptions {
  /** The revision to ask for; default: the one the peer speaks. Any text is sent as it is. */
  readonly protocolVersion?: string;
  /** What our end declares; default: everything the revision knows. */
  readonly capabilities?: JsonObject;
}

export interface AcceptOptions {
  /** The revision to agree to, whatever is asked for; default: the one that is asked for, else the newest. */
  readonly revision?: Revision;
  /** What our end declares; default: everything the revision knows. */
  readonly capabilities?: JsonObject;
}

export interface Era {
  /** Starts talking: initialize and initialized, or server/discover. The exchange is the answer to the first request. */
  open(peer: Peer, options?: OpenOptions): Promise<Exchange>;
  /** As a server: lets the other side start talking. Resolves when the conversation is open; false when it ends before. */
  accept(peer: Peer, options?: AcceptOptions): Promise<boolean>;
  /** Everything our end can declare. */
  capabilities(end: Pick<Peer, 'role' | 'revision' | 'vocabulary'>): JsonObject;
  /** Asks for something harmless that must be answered, to show that all sent before has been dealt with. */
  barrier(peer: Peer): Promise<Exchange>;
  /** Tells the other side that an answer is no longer wanted. */
  cancel(peer: Peer, exchange: Pick<Exchange, 'request'>): void;
  /** Makes our end answer what the other side may ask of it. */
  answer(peer: Peer): void;
}

export const eras: Partial<Record<EraId, Era>> = { legacy };

export function eraOf(id: EraId): Era {
  const era = eras[id];
  if (!era) throw new Error(`The ${id} era is not implemented yet.`);
  return era;
}
