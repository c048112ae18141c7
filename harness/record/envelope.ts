/** The envelope of stateless requests: the members of `params._meta` that replace a handshake (basic/index#meta). */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Message } from './message.js';

/** The names of the members. */
export const envelopeKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The request by which a client asks for the revisions of a server without a handshake. */
export const discoveryMethod = 'server/discover';

/** Codes of errors that only a server without a handshake sends (basic/index#error-codes). */
export const errorCodes = {
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
} as const;

/** The metadata of a request or notification; empty when the message has none. */
export const metaOf = ({ params }: Pick<Message, 'params'>): JsonObject =>
  isObject(params?._meta) ? params._meta : {};

/** The revision that a request names; undefined without an envelope. */
export function namedVersion(message: Pick<Message, 'params'>): Json | undefined {
  return metaOf(message)[envelopeKeys.protocolVersion];
}

/** The client capabilities that a request declares. */
export function declaredIn(message: Pick<Message, 'params'>): JsonObject | undefined {
  const capabilities = metaOf(message)[envelopeKeys.clientCapabilities];
  return isObject(capabilities) ? capabilities : undefined;
}
