/** Requests of both sides of a conversation: the options of those of the harness, and the handlers of those of the subject. */

import type { Json, JsonObject, RequestId } from '../../spec/json-rpc.js';
import type { Exchange, Message } from '../record/message.js';

/**
 * Handles a request of the subject: returns a result, throws `RefusedRequest` for an error, or returns
 * `undefined` for no response.
 */
export type Handler = (
  params: JsonObject | undefined,
  request: Message,
) => HandlerResult | Promise<HandlerResult>;
export type HandlerResult = JsonObject | undefined;

/** Thrown by a handler to send a JSON-RPC error. Not an `Error`: a stack for each of many requests takes seconds. */
export class RefusedRequest {
  constructor(
    readonly code: number,
    readonly message: string,
    readonly data?: Json,
  ) {}
}

export interface RequestOptions {
  /** Default: the next integer. */
  readonly id?: RequestId;
  /** The request breaks a rule on purpose (bad params, a method the revision lacks …). */
  readonly deliberate?: boolean;
  /** Sent as `_meta` inside the params. */
  readonly meta?: JsonObject;
  /** Factor on the timeout, for a request during which the harness itself needs much time. */
  readonly timeoutFactor?: number;
  /** Alternative way to send the text, other than as one frame: chunked writes, other line ends. */
  readonly via?: (text: string) => void;
  /**
   * For the harness as a server: the related request of the client; null for none. Default: the currently
   * deferred request.
   */
  readonly during?: Message | null;
  /** The first response is wanted, also when the subject needs input before it can complete the request. */
  readonly once?: boolean;
  /** Without the metadata that the revision requires. */
  readonly bare?: boolean;
  /** The request stays open until one side ends it: the wait for its response has no limit. */
  readonly endless?: boolean;
}

/** Options of a message that is given as a whole. */
export type MessageOptions = Pick<
  RequestOptions,
  'deliberate' | 'timeoutFactor' | 'via' | 'during' | 'endless'
>;

export type SendOptions = Pick<RequestOptions, 'deliberate' | 'during'>;

/** A pending request. */
export interface Pending {
  readonly id: RequestId;
  readonly request: Message;
  readonly done: Promise<Exchange>;
}
