/** The mock server behind a gate, with its trusted authorization server at the same origin. */

import { isObject, type JsonObject, parseObject } from '../../spec/json-rpc.js';
import type { HttpReply } from '../server/http/reply.js';
import { toResponse } from '../server/http/reply.js';
import type { MockHttp } from '../server/http.js';
import { codes } from '../server/refusal.js';
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

/** The owners of tasks where there is no session. */
class TaskOwners {
  private readonly owners = new Map<string, string>();

  constructor(private readonly policy: GatePolicy) {}

  /** The response to a request about a task of another user. */
  refusal({ id, params }: JsonObject, user: string | undefined): JsonObject | undefined {
    const owner = isObject(params) ? this.owners.get(String(params.taskId)) : undefined;
    if (owner === undefined || user === undefined || this.policy.mayTask(owner, user)) return undefined;
    const error = { code: codes.invalidParams, message: 'There is no such task.' };
    return { jsonrpc: '2.0', id: id ?? null, error };
  }

  /** Learns the owner of the task that a response announces. */
  async learn({ method }: JsonObject, response: Response, user: string | undefined): Promise<void> {
    if (method !== 'tools/call' || user === undefined) return;
    const read = response
      .clone()
      .text()
      .then(text => {
        const [, taskId] = (text.includes('"resultType":"task"') && /"taskId":"([^"]+)"/.exec(text)) || [];
        if (taskId !== undefined) this.owners.set(taskId, user);
      });
    // the client reads a stream while the server still writes it
    if (response.headers.get('content-type') === 'application/json') await read;
  }
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
  const tasks = new TaskOwners(policy);
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
      const ask = await takeApart(request.clone());
      const admitted = await admit(ask, gatedAt(origin));
      if ('status' in admitted) return toResponse(admitted);
      const message = parseObject(ask.body) ?? {};
      const foreign = tasks.refusal(message, admitted.user);
      if (foreign) return toResponse(json(200, foreign));
      const response = await inner.fetch(request);
      await tasks.learn(message, response, admitted.user);
      const session = response.headers.get('mcp-session-id');
      if (session !== null && admitted.user !== undefined) owners.set(session, admitted.user);
      return policy.deliver(response, admitted.user);
    },
  };
}
