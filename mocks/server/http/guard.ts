/** basic/transports#security-warning: a page of a stranger in the user's browser gets nothing from a server on this host. */

import { type HttpReply, type Incoming, refuse } from './reply.js';

const isLocal = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host);

/** Why a request is refused before anything is looked at; undefined when it is not. */
export function guard(ask: Incoming): HttpReply | undefined {
  const host = ask.headers.get('host');
  if (host !== undefined && !isLocal(hostnameOf(`http://${host}`)))
    return refuse(403, 'This Host is not served here.');
  const origin = ask.headers.get('origin');
  if (origin !== undefined && !isLocal(hostnameOf(origin))) return refuse(403, 'This Origin is not allowed.');
  return undefined;
}

const hostnameOf = (address: string): string => (URL.canParse(address) ? new URL(address).hostname : '');
