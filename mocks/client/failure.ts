import type { JsonObject } from '../../spec/json-rpc.js';

/** The server returned an error, or no response arrived. */
export class Failure extends Error {
  /** @param error the JSON-RPC error of the response, if there is one */
  constructor(
    message: string,
    readonly error?: JsonObject,
  ) {
    super(message);
  }
}
