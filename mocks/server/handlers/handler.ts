/** The handler of a request, and the listener for a notification. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import type { Call, OpenSession } from '../interfaces.js';

export interface Handler {
  /** The capability without which the method is unknown, as a dotted path. */
  readonly needs?: string;
  /** Paths of members that may be malformed, because the handler ignores them then. */
  readonly ignores?: RegExp;
  /** @throws {Refusal} to respond with an error */
  readonly run: (params: JsonObject, call: Call) => JsonObject | Promise<JsonObject>;
}

export type Listener = (params: JsonObject, session: OpenSession) => void;
