/** How our end gets into a server that asks for authorization: with a token of the user's, or by the flow itself. */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { Conversation } from '../record/conversation.js';
import type { History } from '../record/history.js';
import type { Web } from '../transports/http/side-request.js';
import { bearerOf, bearerParam, type Challenges, parseChallenges } from './challenge.js';
import { clientIn, OAuth, type OAuthClient, registrationOf } from './client.js';
import {
  endpointsFrom,
  isPublished,
  lookForMetadata,
  namesServer,
  type ServerMetadata,
} from './discovery.js';
import { type Login, UserAgent } from './user-agent.js';

/** Tokens that scenarios need besides the one everything is sent with. */
export type TokenKind = 'second' | 'expired' | 'foreign' | 'weak';

/** What the user gives to get in by. */
export interface Credentials {
  readonly tokens?: Partial<Record<TokenKind, string>>;
  readonly login?: Login;
  readonly client?: OAuthClient;
}

/** How things stand at the door. */
export interface AuthState {
  /** What was asked for when the door was closed, without a token: `initialize`, `tools/list`; undefined: it is open. */
  readonly challengedMethod: string | undefined;
  /** The door is closed by means of the server's own, which the specification allows and says nothing of. */
  readonly nonStandardAuth: boolean;
  /** Whether our end has a token. */
  readonly authenticated: boolean;
  readonly tokens: Partial<Record<TokenKind, string>>;
  /** The token everything is sent with. */
  readonly token: string | undefined;
  /** Where any token can be had, when the server trusts our mock authorization server. */
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

/** The first thing that was refused for want of a token, as its method. */
export function challengedMethodIn({ conversations }: History): string | undefined {
  for (const conversation of conversations.values())
    for (const exchange of conversation.http())
      if (exchange.status === 401) return exchange.sent[0]?.method ?? 'initialize';
  return undefined;
}

/** What the refusals without a token say. */
function challengesIn(conversations: Iterable<Conversation>): Challenges {
  for (const conversation of conversations)
    for (const exchange of conversation.http())
      if (exchange.status === 401 && exchange.requestHeader('authorization') === undefined) {
        const lines = (exchange.response?.headers ?? []).filter(([name]) => /^www-authenticate$/i.test(name));
        return parseChallenges(lines.map(([, value]) => value));
      }
  return { challenges: [], flaw: undefined };
}

/** What a protected server leads to. */
export interface Found {
  readonly metadata: ServerMetadata | undefined;
  readonly issuer: URL;
  readonly resource: string;
  readonly scope: string | undefined;
  readonly mint: URL | undefined;
  /** Something shows that authorization goes as the specification says: a Bearer challenge, or metadata. */
  readonly asDescribed: boolean;
}

/** Where a client would go from here: the metadata of the server, then that of its authorization server. */
export async function discoverAuthorization(server: URL, history: History, web: Web): Promise<Found> {
  const challenges = challengesIn(history.conversations.values());
  const named = bearerParam(challenges, 'resource_metadata');
  const path = server.pathname.replace(/\/$/, '');
  const places = [
    ...(named !== undefined && URL.canParse(named) ? [named] : []),
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
  const issuer = new URL(typeof listed === 'string' && URL.canParse(listed) ? listed : server.origin);
  const facts = { metadata: ['oauth', 'openid'], defaultPaths: !document } as const;
  const candidates = await lookForMetadata(web, issuer);
  const metadata = endpointsFrom(candidates, issuer, facts);
  const minting = metadata?.document.x_mcp_conform_mint_endpoint;
  const scopes = document?.scopes_supported;
  return {
    metadata,
    issuer,
    resource: namesServer(document?.resource, server) ? (document!.resource as string) : server.href,
    // more than what was refused is tried, so all there is for the usual work
    scope: [...new Set([bearerParam(challenges, 'scope') ?? [], scopes ?? []].flat())].join(' ') || undefined,
    asDescribed: bearerOf(challenges).length > 0 || document !== undefined || candidates.some(isPublished),
    mint: typeof minting === 'string' && URL.canParse(minting) ? new URL(minting) : undefined,
  };
}

/** Nobody listens there: the user agent stops before it would go there. */
const redirectUri = 'http://127.0.0.1:33418/callback';

/** Runs the flow without a screen. @returns a token, or why there is none */
export async function obtainToken(
  { metadata, resource, scope }: Found,
  { login = {}, client: given }: Credentials,
  web: Web,
): Promise<{ token: string } | { why: string }> {
  if (!metadata?.authorization || !metadata.token)
    return { why: 'it names no authorization server that can be found' };
  const oauth = new OAuth({ web, metadata, login, agent: new UserAgent(web, login), resource, scope });
  const registered = given ? undefined : await register(oauth);
  const client = given ?? registered?.client;
  if (!client) return { why: `its authorization server ${registered?.why}; give --client-id` };
  const granted = await oauth.authorize(client);
  if (granted.code === undefined)
    return { why: `the flow ended: ${granted.visit.stuck ?? `error=${granted.error}`}` };
  const answer = await oauth.redeem(granted);
  const token = answer.json?.access_token;
  return typeof token === 'string'
    ? { token }
    : { why: `the code was answered with ${answer.status ?? answer.failure}` };
}

async function register(oauth: OAuth): Promise<{ client?: OAuthClient; why: string }> {
  if (!oauth.metadata.registration) return { why: 'offers no registration' };
  const answer = await oauth.register(registrationOf('mcp-conform', redirectUri));
  const client =
    answer.status === 201 || answer.status === 200 ? clientIn(answer.json, redirectUri) : undefined;
  return {
    ...(client && { client }),
    why: `refused to register a client with ${answer.status ?? answer.failure}`,
  };
}
