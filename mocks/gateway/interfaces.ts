/** The way of a gateway to its server, without its implementations. */

import type { Json } from '../../spec/json-rpc.js';

export interface Back {
  send(json: Json): void;
  /** The client closed the stream of a request. */
  hangUp(id: Json | undefined): void;
  close(): Promise<void>;
}
