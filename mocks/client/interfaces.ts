/** The session of the reference client, as the context of middleware and the responses to the server use it. */

import type { Json, JsonObject } from '../../spec/json-rpc.js';
import type { Tasks } from '../tasks.js';
import type { ClientBehaviour } from './behaviour.js';
import type { Carrier } from './carriers/carrier.js';
import type { ActingSession, HostAction } from './host-action.js';

export interface OpenSession extends ActingSession {
  readonly parts: { readonly habits: ClientBehaviour };
  /** The capabilities declared by the server. */
  readonly server: JsonObject;
  /** The capabilities that the client declares in this session. */
  readonly declared: JsonObject;
  readonly carrier: Carrier;
  /** The client's own tasks in this session. */
  readonly tasks: Tasks<HostAction>;
  /** Sends a request and waits for its result. @throws {Error} when the response is an error or is lost */
  ask(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Sends a message without the `message` hooks. */
  post(message: Json): Promise<void>;
  receive(json: Json): void;
  /** The server no longer needs the response to a request. */
  drop(id: Json | undefined): void;
}
