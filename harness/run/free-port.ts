/** Ports for programs that take the number of their port on the command line. */

import { createServer } from 'node:net';

/** Ports that the system gives to nobody by itself, so that no program takes a chosen port by chance. */
const ports = { from: 12_000, to: 32_000 } as const;

/** A port that is free at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = ports.from + Math.floor(Math.random() * (ports.to - ports.from));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
