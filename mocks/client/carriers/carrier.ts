/** What carries a conversation of the reference client. */

import type { Json } from '../../../spec/json-rpc.js';
import type { Revision } from '../../../spec/revisions.js';
import type { Arranged } from '../authorization.js';
import type { Habits } from '../behaviour.js';
import type { ClientDeviations } from '../deviations.js';

export interface CarrierEvents {
  /** A message of the server, or several in one array. */
  receive(json: Json): void;
  /** Nothing more can come. */
  lost(why: string): void;
  /** Requests, by the keys of their ids, that can get no answer any more. */
  unanswered(keys: Iterable<string>): void;
  /** The server has ended a session. */
  expired(session: string): void;
}

/** A message was not taken, because the server has ended its session. */
export class SessionOver extends Error {
  constructor(readonly session: string) {
    super('The session is over.');
  }
}

export interface CarrierOptions {
  readonly events: CarrierEvents;
  readonly deviations: ClientDeviations;
  readonly habits: Habits;
  /** What it was told of itself as a client of authorization servers. */
  readonly arranged: Arranged;
  /** Told of each address that is opened for the user. */
  readonly onOpen: (address: string) => void;
}

export interface Carrier {
  /** Where the server is, when it has an origin of which icons can be. */
  readonly home?: URL;
  /** Makes ready to send. @throws {Error} when the server cannot be reached */
  open(): Promise<void>;
  /**
   * Hands over a message, or an array of them; resolves when the other side has it.
   * @throws {SessionOver} when it has to be said in another session
   * @throws {Error} when it is refused
   */
  send(json: Json): Promise<void>;
  /** Puts bytes on the wire that need not be a message. */
  write(bytes: string | Buffer): Promise<void>;
  /** Both sides have agreed on a revision. */
  agreed(revision: Revision): void;
  /** The client has said that it is ready. */
  ready(): void;
  /** Closes the connection on which a request is answered, where it has one of its own. */
  hangUp?(id: Json | undefined): void;
  /** Takes leave the way the transport prescribes. */
  close(): Promise<void>;
  /** Lets go of everything without a word. */
  abandon(): void;
}
