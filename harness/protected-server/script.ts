/**
 * Configuration of a protected server by a scenario: the authentication gate, the metadata, the authorization
 * servers.
 */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { HttpAnswer, HttpCall, HttpIncoming } from '../transports/http/server/behaviour.js';

/** An authorization server, as a script reads it. */
export interface AuthorityState {
  readonly origin: string;
  readonly issuer: string;
  /** Its metadata according to RFC 8414. */
  readonly metadata: JsonObject;
  /** Its metadata according to OpenID Connect Discovery. */
  readonly openid: JsonObject;
  /** The paths of its metadata documents, in the order in which clients request them. */
  readonly places: readonly string[];
  readonly tokens: readonly Token[];
  at(name: 'authorization' | 'token' | 'registration'): string;
}

/** The protected server, as a script reads it. */
export interface ProtectedServerState {
  /** URL of the MCP server. */
  readonly url: URL;
  /** A file that exists only if a client executed an address as a shell command. */
  readonly marker: string;
  /** Counters for the scenario. */
  readonly notes: Map<string, number>;
  /** URL of the protected resource metadata. */
  readonly metadataUrl: string;
  /** The protected resource metadata. */
  readonly metadata: JsonObject;
  readonly tokens: readonly Token[];
  /** An authorization server, by name; default: `main`. */
  authority(name?: string): AuthorityState;
}

/** The reason for a refusal. */
export type Refusal =
  | { readonly why: 'no token' | 'bad token' }
  /** The token is valid, but lacks a scope. */
  | { readonly why: 'scope'; readonly needed: readonly string[] };

/** A request to the MCP endpoint. */
export interface Attempt {
  readonly call: HttpCall;
  /** The issued token in the request, in any location; undefined when there is none. */
  readonly token: Token | undefined;
  /** The message in the body, if there is one. */
  readonly message: JsonObject | undefined;
}

/** An issued access token. */
export interface Token {
  readonly value: string;
  readonly by: AuthorityState;
  readonly scope: readonly string[];
  /** True if the token is no longer valid. */
  revoked: boolean;
}

/** A document, or a complete response. */
export type Served = JsonObject | { readonly answer: HttpAnswer };

/** Deviations of an authorization server from the default; all members are independent. */
export interface AuthorityScript {
  /** Path of its issuer, without a final slash; default none. */
  readonly path?: string;
  /** Changes to its metadata; `undefined` removes a member. */
  readonly metadata?: (
    authority: AuthorityState,
    protectedServer: ProtectedServerState,
  ) => Readonly<Record<string, unknown>>;
  /** Its metadata documents, by path. Default: one, at the location of RFC 8414. */
  readonly documents?: (authority: AuthorityState) => Readonly<Record<string, Served>>;
  /** The response to a registration, or changes to it. */
  readonly register?: (answer: JsonObject, authority: AuthorityState) => Served;
  /** Target of the redirect to the client. */
  readonly redirect?: (back: URL, asked: URLSearchParams, authority: AuthorityState) => URL;
  /** The response to a token request. */
  readonly token?: (
    answer: JsonObject,
    params: URLSearchParams,
    authority: AuthorityState,
    request: HttpCall,
  ) => Served;
  /** A response to a token request before it is processed; undefined: the request is processed. */
  readonly beforeToken?: (request: HttpCall, authority: AuthorityState) => HttpAnswer | undefined;
  /** A token request that is answered in a way of its own; undefined: in the usual one. */
  readonly grant?: (
    params: URLSearchParams,
    authority: AuthorityState,
    protectedServer: ProtectedServerState,
  ) => Served | undefined;
  /** True: the server uses TLS with an untrusted certificate. Default: plain HTTP. */
  readonly untrusted?: boolean;
  /** True: unregistered clients are refused. Default: all clients are accepted. */
  readonly strict?: boolean;
}

export interface Protection {
  /** Path of the MCP endpoint; default `/mcp`. */
  readonly path?: string;
  /** The WWW-Authenticate lines of a refusal. Default: one line with metadata URL, scope and error. */
  readonly challenge?: (protectedServer: ProtectedServerState, refusal: Refusal) => readonly string[];
  /** Protected resource metadata, by path. Default: one document at the location with the path inserted. */
  readonly documents?: (protectedServer: ProtectedServerState) => Readonly<Record<string, Served>>;
  /** The reason to refuse a request with a valid token. */
  readonly refuse?: (attempt: Attempt, protectedServer: ProtectedServerState) => Refusal | undefined;
  /** A response that replaces that of the server, for a request with a valid token. */
  readonly divert?: (attempt: Attempt, protectedServer: ProtectedServerState) => HttpAnswer | undefined;
  /** `main` is the one that issues the tokens; further ones by name. */
  readonly authorities?: Readonly<Record<string, AuthorityScript>>;
  /** Context for clients of the official suite. */
  readonly context?: (protectedServer: ProtectedServerState) => JsonObject;
  /** True: documents, responses and redirects contain unknown members. Default: false. */
  readonly strange?: boolean;
  /** True: the client gets its token in another way than by the basic flow, so this is judged without that flow. */
  readonly ownGrant?: true;
  /** Marks the basic flow, without which no other requirement on authorization can be judged. */
  readonly plain?: true;
}

/** A request to a host, in the order of all requests. */
export interface Seen {
  /** `mcp`, or the name of an authorization server. */
  readonly host: string;
  readonly request: HttpIncoming;
}
