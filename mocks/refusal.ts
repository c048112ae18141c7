/** Thrown by a handler: the request is answered with a JSON-RPC error. */

import type { Json } from '../spec/json-rpc.js';

export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Json,
  ) {
    super(message);
  }
}
