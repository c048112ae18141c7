/**
 * Configuration of a protected server by a scenario: the authentication gate, the metadata, the authorization
 * servers.
 */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { HttpAnswer, HttpCall, HttpIncoming } from '../transports/http/server/behaviour.js';
import type { Authority } from './authority.js';
import type { ProtectedServer } from './server.js';

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
  readonly by: Authority;
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
    authority: Authority,
    protectedServer: ProtectedServer,
  ) => Readonly<Record<string, unknown>>;
  /** Its metadata documents, by path. Default: one, at the location of RFC 8414. */
  readonly documents?: (authority: Authority) => Readonly<Record<string, Served>>;
  /** The response to a registration, or changes to it. */
  readonly register?: (answer: JsonObject, authority: Authority) => Served;
  /** Target of the redirect to the client. */
  readonly redirect?: (back: URL, asked: URLSearchParams, authority: Authority) => URL;
  /** The response to a token request. */
  readonly token?: (answer: JsonObject, params: URLSearchParams, authority: Authority) => Served;
  /** True: the server uses TLS with an untrusted certificate. Default: plain HTTP. */
  readonly untrusted?: boolean;
  /** True: unregistered clients are refused. Default: all clients are accepted. */
  readonly strict?: boolean;
}

export interface Protection {
  /** Path of the MCP endpoint; default `/mcp`. */
  readonly path?: string;
  /** The WWW-Authenticate lines of a refusal. Default: one line with metadata URL, scope and error. */
  readonly challenge?: (protectedServer: ProtectedServer, refusal: Refusal) => readonly string[];
  /** Protected resource metadata, by path. Default: one document at the location with the path inserted. */
  readonly documents?: (protectedServer: ProtectedServer) => Readonly<Record<string, Served>>;
  /** The reason to refuse a request with a valid token. */
  readonly refuse?: (attempt: Attempt, protectedServer: ProtectedServer) => Refusal | undefined;
  /** A response that replaces that of the server, for a request with a valid token. */
  readonly divert?: (attempt: Attempt, protectedServer: ProtectedServer) => HttpAnswer | undefined;
  /** `main` is the one that issues the tokens; further ones by name. */
  readonly authorities?: Readonly<Record<string, AuthorityScript>>;
  /** Context for clients of the official suite. */
  readonly context?: (protectedServer: ProtectedServer) => JsonObject;
  /** True: documents, responses and redirects contain unknown members. Default: false. */
  readonly strange?: boolean;
  /** Marks the basic flow, without which no other requirement on authorization can be judged. */
  readonly plain?: true;
}

/** A request to a host, in the order of all requests. */
export interface Seen {
  /** `mcp`, or the name of an authorization server. */
  readonly host: string;
  readonly request: HttpIncoming;
}
