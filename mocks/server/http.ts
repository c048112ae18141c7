/** The mock over HTTP: one web-standard handler that serves both HTTP transports. */

import type { PlainHandler } from '../../harness/subject/plain-http.js';
import type { Deviation } from '../fault.js';
import { spelledNames } from '../host.js';
import { HttpContext } from './http/context.js';
import { HttpDeviations } from './http/deviations.js';
import { Endpoint } from './http/endpoint.js';
import { guard } from './http/guard.js';
import { Legacy } from './http/legacy.js';
import { type HttpOptions, httpMode } from './http/options.js';
import { type HttpReply, type Incoming, refuse, toPlain, toResponse } from './http/reply.js';
import type { Channel } from './interfaces.js';
import type { Session, SessionOptions } from './session.js';
import { interactiveTools } from './world/interactive-tools.js';
import { taskTools } from './world/task-tools.js';

export type { HttpOptions } from './http/options.js';

/** The mock behind a URL. Each client has its own fixtures. */
export interface MockHttp {
  /**
   * Responds to one request, as called by a server framework.
   * @throws {Error} when the connection is to be closed without a response
   */
  fetch(request: Request): Promise<Response>;
  /** The same without the objects of the Fetch standard. */
  plain: PlainHandler;
  /** The address to listen on; loopback, unless a fault changes it. */
  readonly hostname: string;
  /** Paths of the two transports. */
  readonly paths: { readonly mcp: string; readonly sse: string; readonly messages: string };
  /** Ids of the open Streamable HTTP sessions, and the number of HTTP+SSE connections. */
  readonly sessions: { readonly ids: readonly string[]; readonly older: number };
  /** Ends a session on the server side, as after expiry; later requests with its id get 404. */
  expire(sessionId: string): void;
  /** Ends all sessions and streams. */
  close(): void;
}

export function mockHttp(
  options: () => SessionOptions,
  deviations: readonly Deviation[],
  http: HttpOptions = {},
  process: Pick<Channel, 'exit' | 'warn'> = { exit: () => {}, warn: () => {} },
): MockHttp {
  const mode = httpMode(http);
  const beside = (name: string) => mode.path.replace(/[^/]*$/, name);
  const paths = { mcp: mode.path, sse: beside('sse'), messages: beside('messages') };
  const endpoint = new Endpoint(mode.sessions ? options : () => alone(options()), options(), mode, process);
  const legacy = new Legacy(options, paths.messages, process);
  const sessionOf = (ask: Incoming): Session | undefined =>
    (endpoint.sessionOf(ask) ?? legacy.sessionOf(ask))?.session;
  const sessionIds = () => [...endpoint.sessions.keys(), ...legacy.sessions.keys()];
  const middleware = new HttpDeviations(deviations, () => new HttpContext(sessionOf, sessionIds));

  const answer = async (ask: Incoming): Promise<HttpReply> => {
    const { pathname } = ask.url;
    if (pathname === paths.mcp) return guard(ask) ?? endpoint.answer(ask);
    if (pathname === paths.sse) return guard(ask) ?? legacy.connect(ask);
    if (pathname === paths.messages) return guard(ask) ?? legacy.post(ask);
    return refuse(404, 'No endpoint exists at this path.');
  };

  const respond = async (ask: Incoming, names: readonly string[] = []): Promise<HttpReply> => {
    const refused = middleware.headerNames(names);
    if (refused) return refused;
    const seen = middleware.request(ask);
    return 'status' in seen ? seen : middleware.reply(await answer(seen), seen);
  };

  return {
    async fetch(request) {
      return toResponse(await respond(await incoming(request), spelledNames(request)));
    },
    async plain(request) {
      return toPlain(await respond({ ...request, body: textOf(request.pieces) }));
    },
    hostname: deviations.flatMap(d => d.middleware.flatMap(m => m.listens?.() ?? []))[0] ?? '127.0.0.1',
    paths,
    get sessions() {
      return { ids: [...endpoint.sessions.keys()], older: legacy.sessions.size };
    },
    expire(id) {
      endpoint.sessions.get(id)?.close();
      endpoint.sessions.delete(id);
    },
    close() {
      endpoint.close();
      legacy.close();
    },
  };
}

async function incoming(request: Request): Promise<Incoming> {
  const headers = new Map<string, string>();
  request.headers.forEach((value, name) => {
    headers.set(name, value);
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of request.body ?? []) pieces.push(piece);
  return { method: request.method, url: new URL(request.url), headers, body: textOf(pieces), pieces };
}

const utf8 = new TextDecoder();

const textOf = (pieces: readonly Uint8Array[]): string =>
  utf8.decode(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));

/**
 * The capabilities of a server that keeps no state, sends no unsolicited messages and receives no responses.
 */
function alone(options: SessionOptions): SessionOptions {
  const { world } = options;
  const declared = Object.keys(world.capabilities).filter(name => name !== 'logging' && name !== 'tasks');
  world.capabilities = Object.fromEntries(declared.map(name => [name, {}]));
  const asking = new Set([...interactiveTools(), ...taskTools()].map(tool => tool.definition.name));
  world.tools = world.tools.filter(tool => !asking.has(tool.definition.name));
  return options;
}
