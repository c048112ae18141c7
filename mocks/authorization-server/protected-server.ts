/** The mock server behind a gate, with its trusted authorization server at the same origin. */

import type { HttpReply } from '../server/http/reply.js';
import { toResponse } from '../server/http/reply.js';
import type { MockHttp } from '../server/http.js';
import { json } from './answers.js';
import { admit, type Gated, type GatePolicy, lawfulGate } from './gate.js';
import { takeApart } from './request.js';
import {
  type AuthorizationServerOptions,
  type MockAuthorizationServer,
  mockAuthorizationServer,
} from './server.js';

export interface ProtectedOptions {
  /** Deviations of the gate; later ones override earlier ones. */
  readonly gate?: readonly Partial<GatePolicy>[];
  readonly authorizationServer?: AuthorizationServerOptions;
  /** Tokens can be bound to keys; default false. */
  readonly dpop?: boolean;
  /** Tools that need one more scope; default: `test_image_content`. */
  readonly privileged?: readonly string[];
}

export interface ProtectedMock {
  fetch(request: Request): Promise<Response>;
  readonly authorizationServer: MockAuthorizationServer;
}

/** The MCP server behind the gate. */
export function protectedMock(inner: MockHttp, options: ProtectedOptions = {}): ProtectedMock {
  const { dpop = false } = options;
  const policy: GatePolicy = Object.assign({}, lawfulGate, ...(options.gate ?? []));
  const { mcp, sse, messages } = inner.paths;
  const authority = mockAuthorizationServer({
    defaultResource: origin => origin + mcp,
    dpop,
    ...options.authorizationServer,
  });
  const [scope, more] = authority.scopes as [string, string];
  const privileged = new Map((options.privileged ?? ['test_image_content']).map(tool => [tool, more]));
  const owners = new Map<string, string>();
  const places = policy.metadataPlaces(mcp);

  const gatedAt = (origin: string): Gated => ({
    policy,
    dpop,
    resource: origin + mcp,
    metadataUrl: `${origin}/.well-known/oauth-protected-resource${mcp}`,
    scope,
    privileged,
    lookUp(token) {
      const known = authority.look(token);
      return known && { ...known, user: known.grant.user };
    },
    ownerOf: id => owners.get(id),
    now: authority.now,
  });

  const metadata = (origin: string): HttpReply => {
    const document = policy.metadata({
      resource: origin + mcp,
      authorization_servers: [authority.issuerAt(origin)],
      scopes_supported: [scope, more],
      bearer_methods_supported: ['header'],
      ...(dpop && { dpop_signing_alg_values_supported: ['ES256', 'EdDSA', 'RS256'] }),
      resource_name: 'mcp-conform mock',
    });
    return document
      ? json(200, document, { 'Cache-Control': 'max-age=60', 'Access-Control-Allow-Origin': '*' })
      : { status: 404, headers: {} };
  };

  return {
    authorizationServer: authority,
    async fetch(request) {
      const { pathname, origin } = new URL(request.url);
      if (places.includes(pathname) && request.method === 'GET') return toResponse(metadata(origin));
      if (![mcp, sse, messages].includes(pathname)) return authority.fetch(request);
      const admitted = await admit(await takeApart(request.clone()), gatedAt(origin));
      if ('status' in admitted) return toResponse(admitted);
      const response = await inner.fetch(request);
      const session = response.headers.get('mcp-session-id');
      if (session !== null && admitted.user !== undefined) owners.set(session, admitted.user);
      return policy.deliver(response, admitted.user);
    },
  };
}
