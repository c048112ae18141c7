/** Operations that both eras of MCP have, in different forms. Operations of only one era are not included. */

import type { JsonObject, RequestId, Role } from '../../../spec/json-rpc.js';
import type { Revision } from '../../../spec/revisions.js';
import type { Vocabulary } from '../../../spec/vocabulary.js';
import type { Conversation } from '../../record/conversation.js';
import type { Exchange, Message } from '../../record/message.js';
import type { Link } from '../../transports/link.js';
import type { ExpectedMessages } from '../expected-messages.js';
import type { Handler, Pending, RefusedRequest, RequestOptions, SendOptions } from '../requests.js';

export interface OpenOptions {
  /** The revision to request; default: that of the peer. Any text is sent unchanged. */
  readonly protocolVersion?: string;
  /**
   * Capabilities that the harness declares; default: all capabilities of the revision. Without a handshake,
   * each later request of the conversation declares them.
   */
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
  /**
   * Without a handshake: the harness is a server of the older era, or of both eras. It reacts to each request
   * with an envelope in this way, and accepts initialize.
   */
  readonly older?: OlderServer;
}

/** A server that accepts initialize: one of the older era, or of both. */
export interface OlderServer {
  /**
   * The reaction to a request with an envelope: an error, no response, or undefined to handle the request as a
   * server of both eras does.
   */
  refuse(request: Message): RefusedRequest | 'silence' | undefined;
  /** The revision in the result of the next initialize; default: the newest with a handshake. */
  revision?(): Revision;
}

/** The changes of which a client wants to be notified (basic/patterns/subscriptions#notification-filter). */
export interface Filter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
}

export interface Listening {
  /** Whether the server notifies of the changes. */
  readonly isAccepted: boolean;
  /** The id of the subscription; undefined with a handshake. */
  readonly id?: RequestId;
  /** The exchange or the message that shows it. */
  readonly shownBy: Message | undefined;
  /** True if the server sent nothing about the subscription: neither an acknowledgement nor an error. */
  readonly isIgnored?: boolean;
  /** Wants no more notifications. */
  stop(): Promise<void>;
}

/** The operations of a peer that the eras use. */
export interface EraPeer {
  readonly link: Link;
  readonly conversation: Conversation;
  /** The version of mcp-conform. */
  readonly version: string;
  /** The role of the harness. */
  readonly role: Role;
  readonly revision: Revision;
  readonly vocabulary: Vocabulary;
  readonly era: Era;
  /** Capabilities that each request declares, where there is no handshake; default: all. */
  declares: JsonObject | undefined;
  /** As a server: the capabilities that the harness offers; undefined before `accept`. */
  offers: JsonObject | undefined;
  /** The harness is a server of the older era, for clients that speak both. */
  older: OlderServer | undefined;
  agreeOn(revision: Revision): void;
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<Exchange>;
  start(method: string, params?: JsonObject, options?: RequestOptions): Pending;
  notify(method: string, params?: JsonObject, options?: SendOptions): Message[];
  cancel(exchange: Pick<Exchange, 'request'>): void;
  handle(method: string, handler: Handler): void;
  answerTo(asked: JsonObject, reply: Message): Promise<JsonObject | undefined>;
  next(fits: (message: Message) => boolean): Promise<Message | undefined>;
  readonly expected: Pick<ExpectedMessages, 'ofSubscription'>;
  waitUntil(holds: () => boolean): Promise<boolean>;
  barrier(): Promise<boolean>;
}

export interface Era {
  /** The method of the first request: initialize, or server/discover. */
  readonly opensWith: string;
  /** The parameters of the first request. */
  openingParams(peer: EraPeer, options?: OpenOptions): JsonObject;
  /**
   * Opens the conversation: initialize and initialized, or server/discover. Returns the exchange of the first
   * request.
   */
  open(peer: EraPeer, options?: OpenOptions): Promise<Exchange>;
  /**
   * As a server: waits for the client to open the conversation. Resolves when the conversation is open; false
   * when it ends before.
   */
  accept(peer: EraPeer, options?: AcceptOptions): Promise<boolean>;
  /** All capabilities that the harness can declare. */
  capabilities(end: Pick<EraPeer, 'role' | 'revision' | 'vocabulary'>): JsonObject;
  /**
   * A harmless request that requires a response, which shows that all earlier input has been processed: ping,
   * or server/discover.
   */
  harmless(peer: EraPeer): { readonly method: string; readonly params?: JsonObject };
  /** The parameters of a request with the metadata that the revision requires; unchanged with a handshake. */
  dress(peer: EraPeer, params: JsonObject | undefined): JsonObject | undefined;
  /**
   * Answers what the subject needs before it can complete a request, until the request is complete. Unchanged
   * where the subject sends requests of its own.
   */
  converse(peer: EraPeer, exchange: Exchange, options: RequestOptions): Promise<Exchange>;
  /**
   * Asks for notifications of changes: with subscriptions/listen, or, with a handshake, with
   * resources/subscribe; changes of lists are then announced without a request.
   */
  listen(peer: EraPeer, filter: Filter, id?: RequestId): Promise<Listening>;
  /**
   * Asks for log messages from a level on: with logging/setLevel, or with the metadata of each request, whose
   * options are returned.
   */
  logAt(peer: EraPeer, level: string): Promise<Pick<RequestOptions, 'meta'>>;
  /** Cancels a request. */
  cancel(peer: EraPeer, exchange: Pick<Exchange, 'request'>): void;
  /** Sets the responses of the harness to requests of the other side. */
  answer(peer: EraPeer): void;
  /**
   * As a server: the error for a request that the revision does not allow, before any handler sees it;
   * `silence` for no response, undefined for a request that is handled.
   */
  refusal(peer: EraPeer, request: Message): RefusedRequest | 'silence' | undefined;
  /** As a server: a result with the members that the revision requires; members of the result have precedence. */
  complete(peer: EraPeer, request: Message, result: JsonObject): JsonObject;
}
