/** What stands around a protected server, as a scenario scripts it: the gate, its metadata, authorization servers. */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { HttpAnswer, HttpCall, HttpIncoming } from '../transports/http/server/behaviour.js';
import type { Authority } from './authority.js';
import type { ProtectedServer } from './server.js';

/** Why a request is turned away. */
export type Refusal =
  | { readonly why: 'no token' | 'bad token' }
  /** The token is good, but not for this. */
  | { readonly why: 'scope'; readonly needed: readonly string[] };

/** A request to the MCP endpoint. */
export interface Attempt {
  readonly call: HttpCall;
  /** The token it carries, wherever that stands, when it is one of ours. */
  readonly token: Token | undefined;
  /** The message in its body, when it is one. */
  readonly message: JsonObject | undefined;
}

/** An access token that was issued. */
export interface Token {
  readonly value: string;
  readonly by: Authority;
  readonly scope: readonly string[];
  /** It is good no longer. */
  revoked: boolean;
}

/** A document, or an answer in place of one. */
export type Served = JsonObject | { readonly answer: HttpAnswer };

export const answering = (answer: HttpAnswer): Served => ({ answer }) as unknown as Served;

/** How an authorization server deviates from a plain one; each member stands alone. */
export interface AuthorityScript {
  /** Path of its issuer, without a slash at the end; default none. */
  readonly path?: string;
  /** Changes to its metadata; `undefined` takes a member away. */
  readonly metadata?: (
    authority: Authority,
    protectedServer: ProtectedServer,
  ) => Readonly<Record<string, unknown>>;
  /** Its metadata documents, by path. Default: one, where RFC 8414 wants it. */
  readonly documents?: (authority: Authority) => Readonly<Record<string, Served>>;
  /** The answer to a registration, or changes to it. */
  readonly register?: (answer: JsonObject, authority: Authority) => Served;
  /** Where the user is sent back to. */
  readonly redirect?: (back: URL, asked: URLSearchParams, authority: Authority) => URL;
  /** The answer to a token request. */
  readonly token?: (answer: JsonObject, params: URLSearchParams, authority: Authority) => Served;
  /** It shows a certificate that nobody trusts. Default: it speaks HTTP in the clear. */
  readonly untrusted?: boolean;
  /** Clients it has not registered are refused. Default: it takes any. */
  readonly strict?: boolean;
}

export interface Protection {
  /** Path of the MCP endpoint; default `/mcp`. */
  readonly path?: string;
  /** The WWW-Authenticate lines of a refusal. Default: one with metadata URL, scope and error. */
  readonly challenge?: (protectedServer: ProtectedServer, refusal: Refusal) => readonly string[];
  /** Protected resource metadata, by path. Default: one document at the place with the path inserted. */
  readonly documents?: (protectedServer: ProtectedServer) => Readonly<Record<string, Served>>;
  /** Why a request is refused although its token is good. */
  readonly refuse?: (attempt: Attempt, protectedServer: ProtectedServer) => Refusal | undefined;
  /** An answer in place of that of the server, for a request with a good token. */
  readonly divert?: (attempt: Attempt, protectedServer: ProtectedServer) => HttpAnswer | undefined;
  /** `main` is the one that tokens are had from; further ones by name. */
  readonly authorities?: Readonly<Record<string, AuthorityScript>>;
  /** What clients are told that know the official suite. */
  readonly context?: (protectedServer: ProtectedServer) => JsonObject;
  /** Documents, answers and redirects have members nobody knows. Default: false. */
  readonly strange?: boolean;
  /** The plain flow, without which nothing else about authorization can be judged. */
  readonly plain?: true;
}

/** A request that was made of a host, in the order of all. */
export interface Seen {
  /** `mcp`, or the name of an authorization server. */
  readonly host: string;
  readonly request: HttpIncoming;
}
