/** The era of an incoming request, for servers and proxies of both eras. */

import { isObject, type JsonObject } from '../../../../spec/json-rpc.js';
import { findDefinedRevision } from '../../../../spec/revisions.js';
import { envelopeKeys, metaOf, namedVersion } from '../../../record/envelope.js';
import type { IncomingRequest } from './request-reader.js';

type Arrived = Pick<IncomingRequest, 'json' | 'header'>;

const paramsOf = ({ json }: Arrived): JsonObject | undefined =>
  isObject(json) && isObject(json.params) ? json.params : undefined;

/** Whether a request is of a revision without a handshake, by its envelope or its header. */
export const isStateless = (incoming: Arrived): boolean =>
  namedVersion({ params: paramsOf(incoming) }) !== undefined ||
  findDefinedRevision(incoming.header('mcp-protocol-version'))?.era === 'modern';

/**
 * What the client says about itself in the envelope, as a text: without sessions, requests with the same text
 * are one conversation. Undefined for a message without an envelope.
 */
export function clientOf(incoming: Arrived): string | undefined {
  const info = metaOf({ params: paramsOf(incoming) })[envelopeKeys.clientInfo];
  return info === undefined ? undefined : JSON.stringify(info);
}
