/**
 * The mocks as MSW handlers: a client is tested in vitest against a server that does not listen on any port.
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
 * The reference server at a URL, over Streamable HTTP; the HTTP+SSE transport is served at `sse` in the same
 * folder.
 * @param url the MCP endpoint, absolute; no process listens there
 * @param options the content and the behaviour of the server; faults and quirks by id
 * @throws {TypeError} when the URL is not absolute
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
 * @throws {TypeError} when the URL is not absolute
 */
export function mockAuthorizationServerHandlers(
  issuer: string,
  options: Omit<AuthorizationServerOptions, 'path'> = {},
): HttpHandler[] {
  const { origin, pathname } = new URL(issuer);
  const mock = mockAuthorizationServer({ ...options, path: pathname.replace(/\/$/, '') });
  return [http.all(`${origin}/*`, ({ request }) => mock.fetch(request))];
}

/** The mock checks Host and Origin as a local server must; a server in MSW has no local address. */
function withoutPlace(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete('host');
  headers.delete('origin');
  return new Request(request, { headers });
}
