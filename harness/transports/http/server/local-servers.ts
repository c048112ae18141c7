/** The open HTTP servers of the harness in this process, which a client in this process reaches without a socket. */

/** The parts of a request of node:http that the harness uses. */
export interface ServerRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[];
  /** The body has arrived completely. */
  readonly complete: boolean;
  readonly socket: { readonly closed: boolean; once(event: 'close', listener: () => void): unknown };
  /** Drops the body. */
  resume(): unknown;
}

/** The parts of a response of node:http that the harness uses. */
export interface ServerReply {
  sendDate: boolean;
  /** The connection. */
  readonly socket: object | null;
  writeHead(status: number, headers: Record<string, string> | string[]): ServerReply;
  flushHeaders(): void;
  write(bytes: Buffer): unknown;
  end(bytes?: Buffer | string): unknown;
  /** Breaks the connection. */
  destroy(): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}

export class LocalServer {
  isClosed = false;
  private readonly open = new Set<ServerReply>();

  /** @param connected called for each new connection */
  constructor(
    private readonly meet: (request: ServerRequest, response: ServerReply) => void,
    readonly connected: () => void,
  ) {}

  handle(request: ServerRequest, response: ServerReply): void {
    this.open.add(response);
    response.once('close', () => this.open.delete(response));
    this.meet(request, response);
  }

  closeAllConnections(): void {
    for (const response of this.open) response.destroy();
  }
}

/** By origin. */
const servers = new Map<string, LocalServer>();

export const localServer = (origin: string): LocalServer | undefined => servers.get(origin);

export function addLocalServer(origin: string, server: LocalServer): void {
  servers.set(origin, server);
}

/** The server accepts no further requests; open ones continue. */
export function removeLocalServer(origin: string): void {
  const server = servers.get(origin);
  if (server) server.isClosed = true;
  servers.delete(origin);
}
