/**
 * Context of a scenario about a protected server. Its requests are recorded in the conversation of the
 * scenario.
 */

import type { JsonObject } from '../../spec/json-rpc.js';
import { type BoundToken, newProofKey, thumbprintOf } from '../oauth/dpop.js';
import type { AuthState, TokenKind } from '../oauth/login.js';
import { openings } from '../peer/eras/index.js';
import type { Web } from '../transports/http/side-request.js';

/** Claims of a token issued on request; `exp` in seconds from now. */
interface Claims extends JsonObject {}

export interface Access {
  /** Requests outside the MCP endpoint: metadata documents and OAuth endpoints. */
  readonly web: Web;
  /** Method that the server refuses without a token; undefined: the server requires no authentication. */
  readonly closedTo: string | undefined;
  /** The same method, for scenarios that run only where authentication is required. */
  readonly guarded: string;
  /** True if that method is the first request of a conversation. */
  readonly guardsOpening: boolean;
  /** True if authentication uses a scheme outside MCP. */
  readonly otherwise: boolean;
  /** Token of all other requests; undefined when the harness has none. */
  readonly token: string | undefined;
  /** A token of the given kind: provided by the user, or issued on request. */
  tokenOf(kind: TokenKind): Promise<string | undefined>;
  /** A token that is bound to a key of the harness, or the reason why there is none. */
  boundToken(): Promise<BoundToken | { readonly why: string }>;
  /** A bound token for an audience, issued on request; undefined when no authorization server issues one. */
  mintBound(audience: string): Promise<BoundToken | undefined>;
  /** A token issued on request; undefined when no authorization server issues one. */
  mint(claims: Claims): Promise<string | undefined>;
}

/** Claims for each kind of token issued on request; `second` names another user than the token in use. */
const made: Readonly<Record<TokenKind, (resource: string) => Claims>> = {
  second: aud => ({ aud, sub: 'bob', scope: 'mcp:read mcp:write' }),
  expired: aud => ({ aud, exp: -3_600, scope: 'mcp:read mcp:write' }),
  foreign: aud => ({ aud, iss: 'https://other.example', scope: 'mcp:read mcp:write' }),
  weak: aud => ({ aud, scope: 'mcp:read' }),
};

/** @param about the URL of the server, and the first request of its era */
export function accessOn(
  web: Web,
  { challengedMethod, nonStandardAuth, token, tokens, mint, bound, boundOnly }: AuthState,
  { resource, opening }: { readonly resource: string; readonly opening: string },
): Access {
  const make = async (claims: Claims): Promise<string | undefined> => {
    if (!mint) return undefined;
    const answer = await web.ask({ endpoint: 'token', url: mint, json: claims, deliberate: true });
    const made = answer.json?.access_token;
    return typeof made === 'string' ? made : undefined;
  };
  const mintBound = async (aud: string): Promise<BoundToken | undefined> => {
    const key = newProofKey();
    const cnf = { jkt: thumbprintOf(key.jwk) ?? '' };
    const value = await make({ aud, scope: 'mcp:read mcp:write', cnf });
    return value === undefined ? undefined : { value, key };
  };
  return {
    web,
    mintBound,
    async boundToken() {
      if (challengedMethod === undefined) return { why: 'the server requires no authorization' };
      if (bound && 'value' in bound) return bound;
      return (await mintBound(resource)) ?? bound ?? { why: 'the server shows no authorization server' };
    },
    closedTo: challengedMethod,
    guarded: challengedMethod ?? opening,
    guardsOpening: challengedMethod === undefined || openings.has(challengedMethod),
    otherwise: nonStandardAuth,
    token,
    // a server that accepts bound tokens only shows nothing about others
    mint: async claims => (boundOnly ? undefined : make(claims)),
    tokenOf: async kind => (boundOnly ? undefined : (tokens[kind] ?? make(made[kind](resource)))),
  };
}
