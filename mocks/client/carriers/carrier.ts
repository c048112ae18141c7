/** The transport of a session of the reference client. */

import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import type { Revision } from '../../../spec/revisions.js';

export interface CarrierEvents {
  /** The input schema of a tool, as far as the client has listed it. */
  schemaOf(tool: string): JsonObject | undefined;
  /** A message of the server, or several in one array. */
  receive(json: Json): void;
  /** No more messages can arrive. */
  lost(why: string): void;
  /** Requests, by the keys of their ids, that can no longer get a response. */
  unanswered(keys: Iterable<string>): void;
  /** The server has ended a session. */
  expired(session: string): void;
}

/** A message was not accepted, because the server has ended its session. */
export class SessionOver extends Error {
  constructor(readonly session: string) {
    super('The session has ended.');
  }
}

export interface Carrier {
  /** The origin of the server, for icons of the same origin, if it has one. */
  readonly home?: URL;
  /** Prepares to send. @throws {Error} when the server cannot be reached */
  open(): Promise<void>;
  /**
   * Sends a message, or an array of messages; resolves when the server has received it.
   * @throws {SessionOver} when the message belongs in a new session
   * @throws {Error} when the server rejects the message
   */
  send(json: Json): Promise<void>;
  /** Writes bytes that need not be a message. */
  write(bytes: string | Buffer): Promise<void>;
  /** Client and server have negotiated a revision. */
  agreed(revision: Revision): void;
  /** The client has sent `notifications/initialized`. */
  ready(): void;
  /** Closes the connection for the response to a request, if it has a separate one. */
  hangUp?(id: Json | undefined): void;
  /** Closes the session as the transport requires. */
  close(): Promise<void>;
  /** Closes all connections without the shutdown of the transport. */
  abandon(): void;
}
