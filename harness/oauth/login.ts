/** Access of the harness to a protected server: with a token from the user, or by the authorization flow. */

import { asText, type JsonObject } from '../../spec/json-rpc.js';
import type { Conversation } from '../record/conversation.js';
import { handshakeMethods } from '../record/handshake.js';
import type { History } from '../record/history.js';
import type { Web } from '../transports/http/side-request.js';
import { bearerOf, bearerParam, type Challenges, parseChallenges } from './challenge.js';
import { type Authorization, clientIn, OAuth, type OAuthClient, registrationOf } from './client.js';
import {
  endpointsFrom,
  isLoopback,
  isPublished,
  lookForMetadata,
  namesServer,
  type ServerMetadata,
  webAddress,
} from './discovery.js';
import { type BoundToken, newProofKey, type ProofKey, proofOf } from './dpop.js';
import { type Login, UserAgent } from './user-agent.js';

/** Kinds of tokens that scenarios need in addition to the token of all other requests. */
export type TokenKind = 'second' | 'expired' | 'foreign' | 'weak';

/** Credentials from the user. */
export interface Credentials {
  readonly tokens?: Partial<Record<TokenKind, string>>;
  readonly login?: Login;
  readonly client?: OAuthClient;
  /**
   * Whether a client may be registered at the authorization server; default: on this host, or where a login is given.
   */
  readonly mayRegister?: boolean;
}

/** Authentication state of the server. */
export interface AuthState {
  /**
   * Method that the server refused without a token: `initialize`, `tools/list`; undefined: the server
   * requires no authentication.
   */
  readonly challengedMethod: string | undefined;
  /** Authentication by a scheme outside MCP: allowed, not judged. */
  readonly nonStandardAuth: boolean;
  /** True if the harness has access to the server. */
  readonly authenticated: boolean;
  readonly tokens: Partial<Record<TokenKind, string>>;
  /** The token sent with all requests. */
  readonly token: string | undefined;
  /** A token that is bound to a key of the harness, or the reason why there is none. */
  readonly bound?: BoundToken | { readonly why: string };
  /** All requests have the bound token, because the server accepts no other tokens. */
  readonly boundOnly?: true;
  /** Endpoint that issues any token, when the server trusts the mock authorization server of the harness. */
  readonly mint: URL | undefined;
}

export const noAuth: AuthState = {
  challengedMethod: undefined,
  nonStandardAuth: false,
  authenticated: true,
  tokens: {},
  token: undefined,
  mint: undefined,
};

/** Method of the first request refused without a token. */
export function challengedMethodIn({ conversations }: History): string | undefined {
  for (const conversation of conversations.values())
    for (const exchange of conversation.http())
      if (exchange.status === 401) return exchange.sent[0]?.method ?? handshakeMethods.request;
  return undefined;
}

/** Challenges in the refusals of requests without a token. */
function challengesIn(conversations: Iterable<Conversation>): Challenges {
  for (const conversation of conversations)
    for (const exchange of conversation.http())
      if (exchange.status === 401 && exchange.requestHeader('authorization') === undefined) {
        const lines = (exchange.response?.headers ?? []).filter(([name]) => /^www-authenticate$/i.test(name));
        return parseChallenges(lines.map(([, value]) => value));
      }
  return { challenges: [], flaw: undefined };
}

/** Result of authorization discovery on a protected server. */
export interface Found {
  readonly metadata: ServerMetadata | undefined;
  readonly issuer: URL;
  readonly resource: string;
  readonly scope: string | undefined;
  readonly mint: URL | undefined;
  /**
   * True if a Bearer challenge or metadata shows that the server follows the MCP authorization specification.
   */
  readonly asDescribed: boolean;
}

/**
 * Follows the discovery path of a client: the metadata of the server, then the metadata of its authorization
 * server.
 */
export async function discoverAuthorization(server: URL, history: History, web: Web): Promise<Found> {
  const challenges = challengesIn(history.conversations.values());
  const named = bearerParam(challenges, 'resource_metadata');
  const path = server.pathname.replace(/\/$/, '');
  const places = [
    ...(webAddress(named) ? [named!] : []),
    ...[`/.well-known/oauth-protected-resource${path}`, '/.well-known/oauth-protected-resource'].map(
      place => new URL(place, server.origin).href,
    ),
  ];
  let document: JsonObject | undefined;
  for (const url of new Set(places)) {
    if (document) break;
    const answer = await web.ask({
      endpoint: 'resource-metadata',
      url,
      headers: { Accept: 'application/json' },
    });
    if (answer.status === 200) document = answer.json;
  }
  const [listed] = Array.isArray(document?.authorization_servers) ? document.authorization_servers : [];
  const issuer = webAddress(listed) ?? new URL(server.origin);
  const facts = { metadata: ['oauth', 'openid'], defaultPaths: !document } as const;
  const candidates = await lookForMetadata(web, issuer);
  const metadata = endpointsFrom(candidates, issuer, facts);
  const minting = metadata?.document.x_mcp_conform_mint_endpoint;
  const scopes = document?.scopes_supported;
  return {
    metadata,
    issuer,
    resource: namesServer(document?.resource, server) ? (document!.resource as string) : server.href,
    // the harness sends more than the refused request: all scopes of ordinary use are requested
    scope: [...new Set([bearerParam(challenges, 'scope') ?? [], scopes ?? []].flat())].join(' ') || undefined,
    asDescribed: bearerOf(challenges).length > 0 || document !== undefined || candidates.some(isPublished),
    mint: webAddress(minting),
  };
}

/** No process listens on this address: the user agent stops before the redirect. */
const redirectUri = 'http://127.0.0.1:33418/callback';

/** Gets a token that is bound to a new key. @returns the reason why there is none */
export async function obtainBoundToken(
  found: Found,
  credentials: Credentials,
  web: Web,
): Promise<BoundToken | { why: string }> {
  const key = newProofKey();
  const got = await obtainToken(found, credentials, web, key);
  return 'token' in got ? { value: got.token, key } : { why: `no bound token: ${got.why}` };
}

/** Exchanges a code, with a proof of a key; a nonce that is demanded is sent in a second request. */
async function redeem(oauth: OAuth, granted: Authorization, key: ProofKey | undefined) {
  if (!key) return oauth.redeem(granted);
  const about = { method: 'POST', url: `${oauth.metadata.token}` };
  const first = await oauth.withProof(proofOf(key, about)).redeem(granted);
  const nonce = first.header('dpop-nonce');
  if (first.json?.error !== 'use_dpop_nonce' || nonce === undefined) return first;
  return oauth.withProof(proofOf(key, { ...about, nonce })).redeem(granted);
}

/**
 * Runs the authorization flow without a browser window. @returns a token, or the reason why there is none
 * @param key to which the token has to be bound; default: none
 */
export async function obtainToken(
  { metadata, resource, scope }: Found,
  credentials: Credentials,
  web: Web,
  key?: ProofKey,
): Promise<{ token: string } | { why: string }> {
  if (!metadata?.authorization || !metadata.token)
    return { why: 'the server names no authorization server that was found' };
  const { login = {}, client: given } = credentials;
  const refusal = given ? undefined : whyUnregistered(credentials, metadata.registration);
  if (refusal !== undefined) return { why: refusal };
  const oauth = new OAuth({ web, metadata, login, agent: new UserAgent(web, login), resource, scope });
  const registered = given ? undefined : await register(oauth);
  const client = given ?? registered?.client;
  if (!client) return { why: `the authorization server ${registered?.why}; give --client-id` };
  const granted = await oauth.authorize(client);
  if (granted.code === undefined)
    return { why: `the flow ended: ${granted.visit.stuck ?? `error=${granted.error}`}` };
  const answer = await redeem(oauth, granted, key);
  const token = answer.json?.access_token;
  const type = asText(answer.json?.token_type);
  if (key && typeof token === 'string' && !/^dpop$/i.test(type))
    return { why: `the authorization server issues a token with token_type ${type}` };
  return typeof token === 'string'
    ? { token }
    : { why: `the response to the token request: ${answer.status ?? answer.failure}` };
}

/** Why no client is registered; a registration leaves something behind, so that another host needs the word of the user. */
function whyUnregistered({ mayRegister, login }: Credentials, endpoint: URL | undefined): string | undefined {
  const instead = 'give --bearer-token or --client-id';
  if (mayRegister === false) return `no client may be registered (--safe, --no-register); ${instead}`;
  const isAllowed = mayRegister || login !== undefined || !endpoint || isLoopback(endpoint);
  return isAllowed
    ? undefined
    : `a client is registered at ${endpoint.host} only with --register; or ${instead}`;
}

async function register(oauth: OAuth): Promise<{ client?: OAuthClient; why: string }> {
  if (!oauth.metadata.registration) return { why: 'offers no registration' };
  const answer = await oauth.register(registrationOf('mcp-conform', redirectUri));
  const client =
    answer.status === 201 || answer.status === 200 ? clientIn(answer.json, redirectUri) : undefined;
  return {
    ...(client && { client }),
    why: `did not register a client (response: ${answer.status ?? answer.failure})`,
  };
}
