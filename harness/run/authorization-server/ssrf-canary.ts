/** Loopback listeners that a server contacts only if it is open to SSRF. */

import { type AddressInfo, createServer, type Server } from 'node:net';

interface Trap {
  /** Addresses of documents on these listeners. */
  readonly urls: readonly string[];
  /** Number of connections. */
  readonly connections: number;
  close(): Promise<void>;
}

const hosts = ['127.0.0.1', '::1'];

/** Opens a port at each loopback address of this host. Connections are closed at once. */
export async function openTrap(): Promise<Trap> {
  let connections = 0;
  const servers: Server[] = [];
  const urls: string[] = [];
  for (const host of hosts) {
    const server = createServer(socket => {
      connections++;
      socket.destroy();
    });
    const port = await new Promise<number | undefined>(resolve => {
      server.once('error', () => resolve(undefined));
      server.listen(0, host, () => resolve((server.address() as AddressInfo).port));
    });
    if (port === undefined) continue;
    servers.push(server);
    const names = host === '::1' ? ['[::1]'] : [host, 'localhost'];
    urls.push(...names.map(name => `https://${name}:${port}/client.json`));
  }
  return {
    urls,
    get connections() {
      return connections;
    },
    async close() {
      for (const server of servers) await new Promise<void>(resolve => void server.close(() => resolve()));
    },
  };
}
