/** What stands before a protected server: who has no good token does not get in (OAuth 2.1 §5, RFC 9728). */

import { isObject, type JsonObject, parseObject } from '../../spec/json-rpc.js';
import type { HttpReply } from '../server/http/reply.js';
import { json } from './answers.js';
import type { AccessToken } from './records.js';
import { type Ask, parseUrl } from './request.js';

/** Why somebody does not get in. */
export type Refusal = 'no token' | 'malformed' | 'bad token' | 'scope';

/** What the gate knows of a token, wherever from. */
export type Presented = Pick<AccessToken, 'audience' | 'scope' | 'expires'> & { readonly user: string };

export type ChallengeParams = Record<string, string>;

/** Each decision of the gate by itself; a fault changes one. */
export interface GatePolicy {
  /** Protected resource metadata; undefined: there is none. */
  metadata(document: JsonObject): JsonObject | undefined;
  /** Where it stands. @param path of the MCP endpoint */
  metadataPlaces(path: string): readonly string[];
  /** Whether the token is looked for in the query as well. */
  takesQueryToken(): boolean;
  /** Whether a scheme is the one for tokens. */
  isBearer(scheme: string): boolean;
  /** Whether anybody looks at a request at all. */
  guards(ask: Ask, hasSession: boolean): boolean;
  /** What a token is good for; undefined when it is nobody's. @param known by the authorization server */
  understand(token: string, known: Presented | undefined): Presented | undefined;
  isExpired(token: Presented, now: number): boolean;
  isForUs(token: Presented, resource: string): boolean;
  /** Scopes an operation takes. */
  scopeOf(
    message: JsonObject | undefined,
    usual: string,
    privileged: ReadonlyMap<string, string>,
  ): readonly string[];
  hasScope(token: Presented, needed: readonly string[]): boolean;
  /** Whether a session may be used by somebody. */
  maySession(owner: string, user: string): boolean;
  /** Parameters of the challenge; undefined: there is none. */
  challenge(params: ChallengeParams, why: Refusal): ChallengeParams | undefined;
  /** The header those parameters become. */
  write(params: ChallengeParams): string;
  status(why: Refusal): number;
  /** The refusal on its way out. */
  refuse(reply: HttpReply, why: Refusal, message: JsonObject | undefined): HttpReply;
}

const quoted = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`;

/** Identifiers that differ by a slash at the end or by the case of the host are the same (basic/authorization). */
const canonical = (uri: string): string => (parseUrl(uri)?.href ?? uri).replace(/\/$/, '');

export const lawfulGate: GatePolicy = {
  metadata: document => document,
  metadataPlaces: path => [
    `/.well-known/oauth-protected-resource${path}`,
    '/.well-known/oauth-protected-resource',
  ],
  takesQueryToken: () => false,
  isBearer: scheme => scheme.toLowerCase() === 'bearer',
  guards: () => true,
  understand: (_, known) => known,
  isExpired: (token, now) => token.expires <= now,
  isForUs: (token, resource) => token.audience.some(one => canonical(one) === canonical(resource)),
  scopeOf(message, usual, privileged) {
    const name =
      message?.method === 'tools/call' && isObject(message.params) ? message.params.name : undefined;
    const more = typeof name === 'string' ? privileged.get(name) : undefined;
    return more === undefined ? [usual] : [usual, more];
  },
  hasScope: (token, needed) => needed.every(scope => token.scope.includes(scope)),
  maySession: (owner, user) => owner === user,
  challenge: params => params,
  write: params =>
    `Bearer ${Object.entries(params)
      .map(([name, value]) => `${name}=${quoted(value)}`)
      .join(', ')}`,
  status: why => ({ 'no token': 401, malformed: 400, 'bad token': 401, scope: 403 })[why],
  refuse: reply => reply,
};

const errors: Readonly<Record<Refusal, string | undefined>> = {
  'no token': undefined,
  malformed: 'invalid_request',
  'bad token': 'invalid_token',
  scope: 'insufficient_scope',
};

export interface Gated {
  readonly policy: GatePolicy;
  /** The identifier of the server that is protected. */
  readonly resource: string;
  readonly metadataUrl: string;
  /** What it takes to get in. */
  readonly scope: string;
  /** Tools that take one scope more, with that scope. */
  readonly privileged: ReadonlyMap<string, string>;
  readonly lookUp: (token: string) => Presented | undefined;
  /** Who opened a session; undefined when nobody did. */
  readonly ownerOf: (sessionId: string) => string | undefined;
  readonly now: () => number;
}

/** Who a request comes from, or the answer it gets instead. */
export function admit(ask: Ask, gated: Gated): { user: string | undefined } | HttpReply {
  const { policy, now, resource } = gated;
  const message = parseObject(ask.body);
  const sessionId = ask.headers.get('mcp-session-id');
  const owner = sessionId === undefined ? undefined : gated.ownerOf(sessionId);
  if (!policy.guards(ask, owner !== undefined)) return { user: owner };
  const given = tokenIn(ask, policy);
  if ('why' in given) return refusal(given.why, gated, message);
  const token = policy.understand(given.token, gated.lookUp(given.token));
  if (!token || policy.isExpired(token, now()) || !policy.isForUs(token, resource))
    return refusal('bad token', gated, message);
  const needed = policy.scopeOf(message, gated.scope, gated.privileged);
  if (!policy.hasScope(token, needed)) return refusal('scope', gated, message, needed);
  if (owner !== undefined && !policy.maySession(owner, token.user))
    return json(404, { error: 'not_found', error_description: 'There is no such session.' });
  return { user: token.user };
}

function tokenIn({ headers, url }: Ask, policy: GatePolicy): { token: string } | { why: Refusal } {
  const query = url.searchParams.get('access_token') ?? url.searchParams.get('token');
  if (query !== null && policy.takesQueryToken()) return { token: query };
  const header = headers.get('authorization');
  if (header === undefined) return { why: 'no token' };
  const [scheme = '', ...rest] = header.trim().split(/ +/);
  if (!policy.isBearer(scheme)) return { why: 'bad token' };
  const [token] = rest;
  return rest.length === 1 && token && /^[\w.~+/-]+=*$/.test(token) ? { token } : { why: 'malformed' };
}

function refusal(
  why: Refusal,
  { policy, metadataUrl, scope }: Gated,
  message: JsonObject | undefined,
  needed: readonly string[] = [scope],
): HttpReply {
  const error = errors[why];
  const usual = {
    ...(error && { error, error_description: `The request is refused: ${why}.` }),
    scope: needed.join(' '),
    resource_metadata: metadataUrl,
  };
  const params = policy.challenge(usual, why);
  const headers: HttpReply['headers'] = params ? { 'WWW-Authenticate': policy.write(params) } : {};
  return policy.refuse(json(policy.status(why), { error: error ?? 'unauthorized' }, headers), why, message);
}
