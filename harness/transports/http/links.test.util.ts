/** Test support: links over real sockets, to the mock or to a raw socket server. */

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { host } from '../../../mocks/host.js';
import type { HttpOptions } from '../../../mocks/server/http.js';
import { type MockServerOptions, mockServer } from '../../../mocks/server/server.js';
import type { Revision, TransportId } from '../../../spec/revisions.js';
import type { Conversation } from '../../record/conversation.js';
import { History } from '../../record/history.js';
import { ConnectionPool } from '../../run/server/connections.js';
import { type UrlOptions, url } from '../../subject/subject.js';
import type { Timing } from '../../time/timing.js';

export const quick: Timing = { answer: 2_000, exit: 500, quiet: 20 };

/** The mock on a socket, with the URLs of both transports. */
export async function served(options: MockServerOptions = {}, http: HttpOptions = {}) {
  const mock = mockServer({ delayMs: 2, ...options }).http(http);
  const { origin, close, connections } = await host(mock.fetch);
  return {
    mock,
    connections,
    addressOf: (transport: TransportId) =>
      origin + (transport === 'http-sse' ? mock.paths.sse : mock.paths.mcp),
    close: async () => {
      mock.close();
      await close();
    },
  };
}

/** Conversations with the server at a URL. */
export function dialerTo(address: string, transport: TransportId, timing = quick, options: UrlOptions = {}) {
  const history = new History('server');
  const closed: Conversation[] = [];
  const connections = new ConnectionPool(url(address, options), transport, history, timing, c =>
    closed.push(c),
  );
  return {
    history,
    closed,
    open: (revision: Revision) => connections.open({ revision, case: 0 }),
    dial: (revision: Revision) => connections.connect({ revision, case: 0 }),
    end: () => connections.end(),
  };
}

/** A raw server that replies on each connection through a callback, after the first bytes of a request. */
export async function rawServer(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    open: () => sockets.size,
    close: () =>
      new Promise<void>(resolve => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
