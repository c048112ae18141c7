/**
 * basic/transports#security-warning: a foreign web page in the user's browser gets no data from a local
 * server.
 */

import { type HttpReply, type Incoming, refuse } from './reply.js';

const isLocal = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host);

/** The reason to reject a request before any other check; undefined when there is none. */
export function guard(ask: Incoming): HttpReply | undefined {
  const host = ask.headers.get('host');
  if (host !== undefined && !isLocal(hostnameOf(`http://${host}`)))
    return refuse(403, 'The Host header is not allowed.');
  const origin = ask.headers.get('origin');
  if (origin !== undefined && !isLocal(hostnameOf(origin)))
    return refuse(403, 'The Origin header is not allowed.');
  return undefined;
}

const hostnameOf = (address: string): string => (URL.canParse(address) ? new URL(address).hostname : '');
