/** Thrown by a handler: the response is a JSON-RPC error. */

import type { Json, JsonObject } from '../../spec/json-rpc.js';

export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  urlElicitationRequired: -32042,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedVersion: -32022,
} as const;

export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Json,
  ) {
    const { stackTraceLimit } = Error;
    // nobody reads the stack, and collecting it takes longer than most responses
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Thrown by a tool: the whole request fails with this JSON-RPC error, instead of a result with `isError`. */
export class RequestFailure extends Refusal {}

/** The outcome of a request whose handler has thrown. */
export function errorOutcome(error: unknown): JsonObject {
  const { code, message, data } =
    error instanceof Refusal ? error : new Refusal(codes.internalError, `The mock failed: ${String(error)}`);
  return { error: { code, message, ...(data !== undefined && { data }) } };
}
