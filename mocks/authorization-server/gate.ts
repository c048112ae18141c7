/**
 * The gate before a protected server: requests without a valid token are rejected (OAuth 2.1 §5, RFC 9728).
 */

import { isObject, type JsonObject, parseObject } from '../../spec/json-rpc.js';
import type { HttpReply } from '../server/http/reply.js';
import { json } from './answers.js';
import { lawfulProofs, type ProofPolicy, prove } from './dpop.js';
import type { AccessToken } from './records.js';
import { type Ask, parseUrl } from './request.js';

/** The reason for a rejection. */
export type Refusal = 'no token' | 'malformed' | 'bad token' | 'scope';

/** The data of a token, from any source. */
export type Presented = Pick<AccessToken, 'audience' | 'scope' | 'expires' | 'jkt'> & {
  readonly user: string;
};

type ChallengeParams = Record<string, string>;

/** The decisions of the gate, each separate; a fault changes one. */
export interface GatePolicy {
  /** Protected resource metadata; undefined when none is served. */
  metadata(document: JsonObject): JsonObject | undefined;
  /** The paths of the metadata. @param path of the MCP endpoint */
  metadataPlaces(path: string): readonly string[];
  /** Whether a token in the query is accepted as well. */
  takesQueryToken(): boolean;
  /** Whether a scheme is the Bearer scheme. */
  isBearer(scheme: string): boolean;
  /** Whether a request is checked at all. */
  guards(ask: Ask, hasSession: boolean): boolean;
  /** The data of a token; undefined when the token is invalid. @param known by the authorization server */
  understand(token: string, known: Presented | undefined): Presented | undefined;
  isExpired(token: Presented, now: number): boolean;
  isForUs(token: Presented, resource: string): boolean;
  /** Scopes required for an operation. */
  scopeOf(
    message: JsonObject | undefined,
    usual: string,
    privileged: ReadonlyMap<string, string>,
  ): readonly string[];
  hasScope(token: Presented, needed: readonly string[]): boolean;
  /** Whether a user may use a session. */
  maySession(owner: string, user: string, ask: Ask): boolean;
  /** Whether a user may have a task of the tasks extension that another one made. */
  mayTask(owner: string, user: string): boolean;
  /** Parameters of the challenge; undefined for no challenge. */
  challenge(params: ChallengeParams, why: Refusal): ChallengeParams | undefined;
  /** Checks of proofs, where tokens can be bound to keys. */
  proofs: ProofPolicy;
  /** Whether a bound token needs a proof. */
  needsProof(): boolean;
  /** Whether a bound token is accepted as a Bearer token. */
  takesBoundAsBearer(): boolean;
  /** The status of a refused proof. */
  proofStatus(): number;
  /** The challenge of a refused proof, from its parameters. */
  proofChallenge(params: ChallengeParams): string;
  /** The WWW-Authenticate header for those parameters. */
  write(params: ChallengeParams): string;
  status(why: Refusal): number;
  /** The response of the server before it is sent. @param user the user of the token */
  deliver(response: Response, user: string | undefined): Response | Promise<Response>;
  /** The error response before it is sent. */
  refuse(reply: HttpReply, why: Refusal, message: JsonObject | undefined): HttpReply;
}

const quoted = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`;

/**
 * Identifiers that differ only in a trailing slash or in the case of the host are equal
 * (basic/authorization).
 */
const canonical = (uri: string): string => (parseUrl(uri)?.href ?? uri).replace(/\/$/, '');

export const written = (scheme: string, params: ChallengeParams): string =>
  `${scheme} ${Object.entries(params)
    .map(([name, value]) => `${name}=${quoted(value)}`)
    .join(', ')}`;

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
  mayTask: (owner, user) => owner === user,
  challenge: params => params,
  proofs: lawfulProofs,
  needsProof: () => true,
  takesBoundAsBearer: () => false,
  proofStatus: () => 401,
  proofChallenge: params => written('DPoP', params),
  write: params => written('Bearer', params),
  status: why => ({ 'no token': 401, malformed: 400, 'bad token': 401, scope: 403 })[why],
  deliver: response => response,
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
  /** Tokens can be bound to keys. */
  readonly dpop: boolean;
  /** The identifier of the protected server. */
  readonly resource: string;
  readonly metadataUrl: string;
  /** The requirements for access. */
  readonly scope: string;
  /** Tools that need one more scope, with that scope. */
  readonly privileged: ReadonlyMap<string, string>;
  readonly lookUp: (token: string) => Presented | undefined;
  /** The user who opened a session; undefined when the session is unknown. */
  readonly ownerOf: (sessionId: string) => string | undefined;
  readonly now: () => number;
}

/** The user of a request, or the error response. */
export async function admit(ask: Ask, gated: Gated): Promise<{ user: string | undefined } | HttpReply> {
  const { policy, now, resource } = gated;
  const message = parseObject(ask.body);
  const sessionId = ask.headers.get('mcp-session-id');
  const owner = sessionId === undefined ? undefined : gated.ownerOf(sessionId);
  if (!policy.guards(ask, owner !== undefined)) return { user: owner };
  const given = tokenIn(ask, gated);
  if ('why' in given) return refusal(given.why, gated, message);
  const token = policy.understand(given.token, gated.lookUp(given.token));
  if (!token || policy.isExpired(token, now()) || !policy.isForUs(token, resource))
    return refusal('bad token', gated, message);
  const unproven = gated.dpop ? await proofRefusal(ask, given, token, gated) : undefined;
  if (unproven) return unproven;
  const needed = policy.scopeOf(message, gated.scope, gated.privileged);
  if (!policy.hasScope(token, needed)) return refusal('scope', gated, message, needed);
  if (owner !== undefined && !policy.maySession(owner, token.user, ask))
    return json(404, { error: 'not_found', error_description: 'The session does not exist.' });
  return { user: token.user };
}

/** The response to a bound token without a correct proof (RFC 9449 §7). */
async function proofRefusal(
  ask: Ask,
  { token, scheme }: { readonly token: string; readonly scheme: string },
  { jkt }: Presented,
  gated: Gated,
): Promise<HttpReply | undefined> {
  const { policy, resource, now } = gated;
  const refuse = (error: string, why: string, headers = {}): HttpReply => {
    const params = {
      ...{ error, error_description: `The request is refused: ${why}.`, algs: 'ES256 EdDSA RS256' },
      ...{ scope: gated.scope, resource_metadata: gated.metadataUrl },
    };
    const challenge = { 'WWW-Authenticate': policy.proofChallenge(params) };
    return json(policy.proofStatus(), { error }, { ...challenge, ...headers });
  };
  const isBearer = policy.isBearer(scheme);
  if (jkt === undefined && isBearer) return undefined;
  if (jkt === undefined) return refuse('invalid_token', 'the token is bound to no key');
  if (isBearer)
    return policy.takesBoundAsBearer() ? undefined : refuse('invalid_token', 'the token is bound');
  const header = ask.headers.get('dpop');
  if (header === undefined)
    return policy.needsProof() ? refuse('invalid_dpop_proof', 'the proof is missing') : undefined;
  const facts = { method: ask.method, url: resource, now: now(), token, boundTo: jkt };
  const proven = await prove(header, facts, policy.proofs);
  if ('jkt' in proven) return undefined;
  if ('flaw' in proven) return refuse('invalid_dpop_proof', proven.flaw);
  return refuse('use_dpop_nonce', 'a nonce is required', policy.proofs.nonceHeaders(proven.nonce));
}

function tokenIn(
  { headers, url }: Ask,
  { policy, dpop }: Gated,
): { token: string; scheme: string } | { why: Refusal } {
  const query = url.searchParams.get('access_token') ?? url.searchParams.get('token');
  if (query !== null && policy.takesQueryToken()) return { token: query, scheme: 'Bearer' };
  const header = headers.get('authorization');
  if (header === undefined) return { why: 'no token' };
  const [scheme = '', ...rest] = header.trim().split(/ +/);
  if (!policy.isBearer(scheme) && !(dpop && scheme.toLowerCase() === 'dpop')) return { why: 'bad token' };
  const [token] = rest;
  return rest.length === 1 && token && /^[\w.~+/-]+=*$/.test(token)
    ? { token, scheme }
    : { why: 'malformed' };
}

function refusal(
  why: Refusal,
  { policy, metadataUrl, scope, dpop }: Gated,
  message: JsonObject | undefined,
  needed: readonly string[] = [scope],
): HttpReply {
  const error = errors[why];
  const usual = {
    ...(error && { error, error_description: `The request is rejected: ${why}.` }),
    scope: needed.join(' '),
    resource_metadata: metadataUrl,
  };
  const params = policy.challenge(usual, why);
  const also = dpop ? `, ${written('DPoP', { algs: 'ES256 EdDSA RS256' })}` : '';
  const headers: HttpReply['headers'] = params ? { 'WWW-Authenticate': policy.write(params) + also } : {};
  return policy.refuse(json(policy.status(why), { error: error ?? 'unauthorized' }, headers), why, message);
}
