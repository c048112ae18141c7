/** Operations that both eras of MCP have, in different forms. Operations of only one era are not included. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import type { EraId, Revision } from '../../../spec/revisions.js';
import type { Exchange } from '../../record/message.js';
import type { Peer } from '../peer.js';
import { legacy } from './legacy.js';

export interface OpenOptions {
  /** The revision to request; default: that of the peer. Any text is sent unchanged. */
  readonly protocolVersion?: string;
  /** Capabilities that the harness declares; default: all capabilities of the revision. */
  readonly capabilities?: JsonObject;
}

export interface AcceptOptions {
  /**
   * The revision to agree to, whatever the client requests; default: the requested one if supported, else the
   * newest.
   */
  readonly revision?: Revision;
  /** Capabilities that the harness declares; default: all capabilities of the revision. */
  readonly capabilities?: JsonObject;
}

export interface Era {
  /**
   * Opens the conversation: initialize and initialized, or server/discover. Returns the exchange of the first
   * request.
   */
  open(peer: Peer, options?: OpenOptions): Promise<Exchange>;
  /**
   * As a server: waits for the client to open the conversation. Resolves when the conversation is open; false
   * when it ends before.
   */
  accept(peer: Peer, options?: AcceptOptions): Promise<boolean>;
  /** All capabilities that the harness can declare. */
  capabilities(end: Pick<Peer, 'role' | 'revision' | 'vocabulary'>): JsonObject;
  /**
   * Sends a harmless request that requires a response, which shows that all earlier input has been processed.
   */
  barrier(peer: Peer): Promise<Exchange>;
  /** Cancels a request. */
  cancel(peer: Peer, exchange: Pick<Exchange, 'request'>): void;
  /** Sets the responses of the harness to requests of the other side. */
  answer(peer: Peer): void;
}

const eras: Partial<Record<EraId, Era>> = { legacy };

export function eraOf(id: EraId): Era {
  const era = eras[id];
  if (!era) throw new Error(`The ${id} era is not implemented yet.`);
  return era;
}
