/** Serves a web-standard handler with node:http. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Host {
  /** The URL without a path: `http://127.0.0.1:3000`. */
  readonly origin: string;
  /** Connections that are open now. */
  connections(): Promise<number>;
  /** Closes the port and every connection. */
  close(): Promise<void>;
}

export interface HostOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default: loopback only. */
  readonly hostname?: string;
}

/** Every address of the machine, including loopback. */
const everywhere = '0.0.0.0';

/** Maximum size of a request body in bytes; a larger body is rejected. */
const largest = 64 * 2 ** 20;

/**
 * Listens and responds with the handler. A handler that throws closes the connection without a response.
 * @throws {Error} when the port is not available
 */
export function host(
  handler: (request: Request) => Promise<Response>,
  { port = 0, hostname = '127.0.0.1' }: HostOptions = {},
): Promise<Host> {
  const server = createServer((request, response) => {
    answer(handler, request, response).catch(() => response.destroy());
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, hostname, () => {
      const { port: bound } = server.address() as AddressInfo;
      const name =
        hostname === everywhere ? '127.0.0.1' : hostname.includes(':') ? `[${hostname}]` : hostname;
      resolve({
        origin: `http://${name}:${bound}`,
        connections: () => new Promise(done => server.getConnections((_, count) => done(count))),
        close: () =>
          new Promise(done => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      });
    });
  });
}

async function answer(
  handler: (request: Request) => Promise<Response>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await read(request);
  if (body === undefined) {
    response.writeHead(413).end();
    return;
  }
  const method = request.method ?? 'GET';
  if (['CONNECT', 'TRACE', 'TRACK'].includes(method)) {
    response.writeHead(405).end();
    return;
  }
  const headers = new Headers();
  for (let i = 0; i < request.rawHeaders.length; i += 2)
    headers.append(request.rawHeaders[i]!, request.rawHeaders[i + 1]!);
  const address = `http://${request.headers.host ?? 'localhost'}`;
  const url = new URL(request.url ?? '/', URL.canParse(address) ? address : 'http://localhost');
  const bare = method === 'GET' || method === 'HEAD';
  const received = new Request(url, { method, headers, ...(!bare && { body }) });
  spelled.set(
    received,
    request.rawHeaders.filter((_, at) => at % 2 === 0),
  );
  await send(await handler(received), response);
}

const spelled = new WeakMap<Request, readonly string[]>();

/** The header names of a request as the client spells them; undefined for a request without a socket. */
export const spelledNames = (request: Request): readonly string[] | undefined => spelled.get(request);

async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    parts.push(part as Buffer);
    size += (part as Buffer).length;
    if (size > largest) return undefined;
  }
  return Buffer.concat(parts, size);
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, [...answer.headers].flat());
  if (!answer.body) {
    response.end();
    return;
  }
  // sends the head of a stream at once, not with its first event
  response.flushHeaders();
  const reader = answer.body.getReader();
  response.once('close', () => void reader.cancel().catch(() => {}));
  for (let next = await reader.read(); !next.done; next = await reader.read()) response.write(next.value);
  response.end();
}
