/** What a scenario about a protected server works with, on the record of its own conversation. */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { AuthState, TokenKind } from '../oauth/login.js';
import type { Web } from '../transports/http/side-request.js';

/** Claims of a token that is made to order; `exp` in seconds from now. */
export interface Claims extends JsonObject {}

export interface Access {
  /** Requests beside the endpoint: metadata, endpoints of OAuth. */
  readonly web: Web;
  /** What the door was closed to without a token; undefined: it is open. */
  readonly closedTo: string | undefined;
  /** The same, for scenarios that run only where it is closed. */
  readonly guarded: string;
  /** It is closed by means of the server's own. */
  readonly otherwise: boolean;
  /** The token everything else is sent with; undefined when there is none. */
  readonly token: string | undefined;
  /** A token of a kind: given by the user, or made to order. */
  tokenOf(kind: TokenKind): Promise<string | undefined>;
  /** A token made to order; undefined when nobody makes any. */
  mint(claims: Claims): Promise<string | undefined>;
}

/** Another user than the one of the token in use, and so on: what the kinds are when they are made to order. */
const made: Readonly<Record<TokenKind, (resource: string) => Claims>> = {
  second: aud => ({ aud, sub: 'bob', scope: 'mcp:read mcp:write' }),
  expired: aud => ({ aud, exp: -3_600, scope: 'mcp:read mcp:write' }),
  foreign: aud => ({ aud, iss: 'https://other.example', scope: 'mcp:read mcp:write' }),
  weak: aud => ({ aud, scope: 'mcp:read' }),
};

export function accessOn(
  web: Web,
  { challengedMethod, nonStandardAuth, token, tokens, mint }: AuthState,
  resource: string,
): Access {
  const make = async (claims: Claims): Promise<string | undefined> => {
    if (!mint) return undefined;
    const answer = await web.ask({ endpoint: 'token', url: mint, json: claims, deliberate: true });
    const made = answer.json?.access_token;
    return typeof made === 'string' ? made : undefined;
  };
  return {
    web,
    closedTo: challengedMethod,
    guarded: challengedMethod ?? 'initialize',
    otherwise: nonStandardAuth,
    token,
    mint: make,
    tokenOf: async kind => tokens[kind] ?? make(made[kind](resource)),
  };
}
