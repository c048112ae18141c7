/**
 * The mocks as MSW handlers: a client is tested inside vitest against a server that exists nowhere.
 *
 * ```ts
 * import { setupServer } from 'msw/node';
 * import { mockServerHandlers } from 'mcp-conform/msw';
 *
 * const network = setupServer(...mockServerHandlers('https://mcp.example/mcp'));
 * ```
 */

import { type HttpHandler, http } from 'msw';
import { type AuthorizationServerOptions, mockAuthorizationServer } from './authorization-server/server.js';
import type { HttpOptions } from './server/http.js';
import { type MockServerOptions, mockServer } from './server/server.js';

export type MockServerHandlersOptions = MockServerOptions & Omit<HttpOptions, 'path'>;

/**
 * The reference server at a URL, over Streamable HTTP; the older transport is served beside it at `sse`.
 * @param url the MCP endpoint, absolute; nothing listens there
 * @param options what the server is made of, and how it answers; faults and quirks by id
 * @throws {TypeError} when it is no absolute URL
 * @throws {Error} for an unknown fault, quirk or revision
 */
export function mockServerHandlers(url: string, options: MockServerHandlersOptions = {}): HttpHandler[] {
  const { origin, pathname } = new URL(url);
  const { answers, sessions, resumable, polling, ...server } = options;
  const mode = { answers, sessions, resumable, polling };
  const given = Object.fromEntries(Object.entries(mode).filter(([, value]) => value !== undefined));
  const mock = mockServer(server).http({ path: pathname, ...given });
  const answer = ({ request }: { request: Request }) => mock.fetch(withoutPlace(request));
  return Object.values(mock.paths).map(path => http.all(origin + path, answer));
}

/**
 * The mock authorization server under an issuer: metadata, registration, authorization and token endpoints.
 * @param issuer absolute, with or without a path
 * @throws {TypeError} when it is no absolute URL
 */
export function mockAuthorizationServerHandlers(
  issuer: string,
  options: Omit<AuthorizationServerOptions, 'path'> = {},
): HttpHandler[] {
  const { origin, pathname } = new URL(issuer);
  const mock = mockAuthorizationServer({ ...options, path: pathname.replace(/\/$/, '') });
  return [http.all(`${origin}/*`, ({ request }) => mock.fetch(request))];
}

/** The mock looks at Host and Origin as a server on this machine has to; what MSW serves is at no place. */
function withoutPlace(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete('host');
  headers.delete('origin');
  return new Request(request, { headers });
}
