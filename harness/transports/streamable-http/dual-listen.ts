/** Streamable HTTP, harness as server of both eras: each request belongs to a link of the era that it shows. */

import { clientOf, isStateless } from '../http/server/era.js';
import { type Door, HttpListener } from '../http/server/listener.js';
import type { HttpServerSession } from '../http/server/server-session.js';
import type { Listener, ListenOptions } from '../link.js';
import { sessionDoor } from './listen.js';
import { StatelessServerLink, statelessDoor } from './stateless-listen.js';

/** A door of its own for each listener, as it knows the clients of its links. */
function dualDoor(): Door {
  const clients = new Map<HttpServerSession, string | undefined>();
  return {
    ...sessionDoor,
    open(listener, incoming) {
      if (!incoming || !isStateless(incoming)) return sessionDoor.open(listener, incoming);
      const link = statelessDoor.open(listener, incoming);
      clients.set(link, clientOf(incoming));
      return link;
    },
    linkOf(incoming, links) {
      const stateless = links.filter(link => link instanceof StatelessServerLink);
      if (isStateless(incoming)) {
        const client = clientOf(incoming);
        return stateless.findLast(link => client === undefined || clients.get(link) === client);
      }
      const sessions = links.filter(link => !(link instanceof StatelessServerLink));
      // a client of the newer era that sends GET or DELETE shows that it does not keep to the era
      const isStray = incoming.method !== 'POST' && sessions.length === 0;
      return isStray ? stateless.at(-1) : sessionDoor.linkOf(incoming, sessions);
    },
  };
}

export const listenDual = (options: ListenOptions): Promise<Listener> =>
  new HttpListener(options, dualDoor()).listening();
