/** Thrown by a handler: the request is answered with a JSON-RPC error. */

import type { Json, JsonObject } from '../../spec/json-rpc.js';

export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  urlElicitationRequired: -32042,
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

/** Thrown by a tool: not the tool has failed but the whole request, which is answered with this error. */
export class RequestFailure extends Refusal {}

/** How a request ends for which something was thrown. */
export function errorOutcome(error: unknown): JsonObject {
  const { code, message, data } =
    error instanceof Refusal ? error : new Refusal(codes.internalError, `The mock failed: ${String(error)}`);
  return { error: { code, message, ...(data !== undefined && { data }) } };
}
