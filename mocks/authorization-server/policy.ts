/**
 * The decisions of the mock authorization server, each separate: a fault, a quirk or a scenario's script
 * changes exactly one. The defaults follow OAuth 2.1 and MCP.
 */

import { createHash, type KeyObject } from 'node:crypto';
import { verifiesWith } from '../../harness/oauth/jwt.js';
import type { Json, JsonObject } from '../../spec/json-rpc.js';
import type { HttpReply } from '../server/http/reply.js';
import { lawfulProofs, type ProofPolicy } from './dpop.js';
import { type IdJagPolicy, lawfulIdJag } from './identity-assertion.js';
import { wellKnown } from './metadata.js';
import {
  type Client,
  type Code,
  type Grant,
  type RefreshToken,
  type UserSession,
  unguessable,
} from './records.js';
import { type Ask, isLoopback, parseUrl } from './request.js';

export type EndpointName =
  | 'metadata'
  | 'jwks'
  | 'registration'
  | 'authorization'
  | 'consent'
  | 'callback'
  | 'token'
  | 'mint';

interface AssertionFacts {
  readonly client: Client;
  readonly issuer: string;
  readonly endpoint: string;
  /** Seconds since 1970. */
  readonly now: number;
}

type AssertionCheck = (claims: JsonObject, facts: AssertionFacts) => boolean;

export interface Policy extends IdJagPolicy, ProofPolicy {
  /** A metadata document; undefined when no document exists under this well-known name. */
  metadata(document: JsonObject, kind: 'oauth' | 'openid'): JsonObject | undefined;
  /** The documents by path. @param path of the issuer */
  places(path: string): Readonly<Record<string, 'oauth' | 'openid'>>;
  /** Whether dynamic registration is open. */
  registers(): boolean;
  /** Whether a redirect URI is allowed in a registration or in a client's document. */
  registrable(redirectUri: string): boolean;
  /** Whether the rest of the client metadata is valid; otherwise the OAuth error code. */
  soundMetadata(metadata: JsonObject): string | undefined;
  registered(answer: JsonObject, client: Client): JsonObject;
  /** Whether a URL in a client ID may be fetched. */
  fetchable(documentUrl: URL): boolean;
  /** Whether the document is fetched at all. */
  readsDocuments(): boolean;
  /** Parses a document. @throws {SyntaxError} */
  readDocument(text: string): Json;
  /** The error in a client's document; undefined when the document is valid. */
  documentFlaw(document: JsonObject, documentUrl: string): string | undefined;
  /** Seconds a client's document is cached; 0: not cached. */
  keepsDocument(cacheControl: string | null, sound: boolean): number;
  redirectMatches(given: string, client: Client): boolean;
  /** Whether an error is sent to a redirect URI that does not match. */
  redirectsAnyway(): boolean;
  /** Whether a request without `code_challenge` is rejected. */
  needsChallenge(client: Client): boolean;
  challengeMethods(): readonly string[];
  /** Whether an unknown scope is an error; otherwise it is omitted. */
  refusesUnknownScopes(): boolean;
  /** Whether unknown parameters are an error. */
  refusesUnknownParameters(): boolean;
  /** Whether the consent page is shown before a code is issued. */
  asksUser(client: Client, session: UserSession): boolean;
  /** Whether errors are redirected immediately for a client that the user does not know. */
  redirectsErrorsAtOnce(): boolean;
  /** Whether a consent form without its token is rejected. */
  needsFormToken(): boolean;
  /** As a proxy: the key under which the user's consent is stored. */
  consentSubject(client: Client): string;
  /** As a proxy: the attributes of the consent cookie, without `Secure`. */
  consentAttributes(): string;
  /** As a proxy: whether the value of the consent cookie is valid. */
  consentHolds(given: string, right: string): boolean;
  /** As a proxy: a new state for the third party. */
  newState(): string;
  /** As a proxy: whether a returned state can be used again. */
  keepsStates(): boolean;
  /** As a proxy: the state assumed for a returning user. @param known the open states, oldest first */
  stateOf(given: string | null, known: readonly string[]): string | undefined;
  /**
   * As a proxy: whether the returning user is the one who left. @param session of the browser, if it has one
   */
  isTraveller(traveller: { readonly session: UserSession }, session: UserSession | undefined): boolean;
  /** The redirect to the client, with its parameters. */
  redirect(target: URL, ask: Ask): URL;
  /** HTTP status of the redirect to the client. */
  redirectStatus(afterForm: boolean): number;
  /** The granted part of the requested scopes. */
  grantedScope(asked: readonly string[], known: readonly string[]): readonly string[];
  /** Whether a code can still be redeemed. */
  codeUsable(code: Code): boolean;
  codeLifetime(): number;
  /** Whether the tokens from a code are revoked when the code is used again. */
  revokesOnReplay(): boolean;
  /** Whether a code or refresh token was issued to the client. */
  ownGrant(grant: Grant, client: Client): boolean;
  verifies(grant: Grant, verifier: string | null): boolean;
  /** Whether a refresh token is still valid. */
  refreshUsable(token: RefreshToken, now: number): boolean;
  /** Whether a new refresh token replaces the used one. */
  rotates(client: Client): boolean;
  issuesRefreshTokens(client: Client): boolean;
  accessLifetime(): number;
  /** The audience of a token. @param asked at the token endpoint */
  audience(grant: Grant, asked: readonly string[]): readonly string[];
  /** Whether a client may get tokens by its own credentials. */
  allowsMachine(client: Client): boolean;
  /** Whether a client needs to authenticate to get tokens by its own credentials. */
  needsMachineCredentials(): boolean;
  secretMatches(client: Client, secret: string): boolean;
  /** The client that an assertion names. */
  assertionClient(claims: JsonObject): unknown;
  /** Checks of the claims of an assertion, each one separate. */
  assertionChecks: Readonly<Record<'iss' | 'aud' | 'exp' | 'nbf', AssertionCheck>>;
  /** Whether the signature of an assertion is valid. @param key of the client */
  assertionVerifies(text: string, header: JsonObject, key: KeyObject): Promise<boolean>;
  /** Whether a client that is registered for bound tokens gets no other ones. */
  enforcesBoundOnly(): boolean;
  /** The error code of a refused proof. */
  proofError(): string;
  /** Claims that bind a token to a key. */
  confirmation(jkt: string): JsonObject;
  tokenType(bound: boolean): string;
  /** Whether a refresh token that is bound to a key may be used with another one, or without one. */
  refreshableWith(boundTo: string, jkt: string | undefined): boolean;
  tokens(answer: JsonObject, ask: Ask): JsonObject;
  /** Any response before it is sent. */
  reply(reply: HttpReply, endpoint: EndpointName, ask: Ask): HttpReply;
}

/** Loopback redirect URIs may have any port (OAuth 2.1 §8.4.2); all other parts are compared as strings. */
const withoutPort = (uri: string): string => {
  const url = parseUrl(uri);
  if (url?.protocol !== 'http:' || !isLoopback(url)) return uri;
  return uri.replace(/^(http:\/\/(?:\[[^\]]*\]|[^/:?#@]+)):\d+(?=[/?#]|$)/, '$1');
};

export const lawful: Policy = {
  metadata: document => document,
  places: wellKnown,
  registers: () => true,
  registrable(redirectUri) {
    const url = parseUrl(redirectUri);
    if (!url || redirectUri.includes('#')) return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
  },
  soundMetadata(metadata) {
    const { redirect_uris: uris, token_endpoint_auth_method: method } = metadata;
    if (!Array.isArray(uris) || uris.length === 0 || !uris.every(uri => typeof uri === 'string'))
      return 'invalid_redirect_uri';
    const texts = ['client_name', 'scope', 'client_uri'] as const;
    if (texts.some(name => metadata[name] !== undefined && typeof metadata[name] !== 'string'))
      return 'invalid_client_metadata';
    const lists = ['grant_types', 'response_types'] as const;
    if (lists.some(name => metadata[name] !== undefined && !Array.isArray(metadata[name])))
      return 'invalid_client_metadata';
    const methods = [undefined, 'none', 'client_secret_basic', 'client_secret_post'];
    return methods.includes(method as string | undefined) ? undefined : 'invalid_client_metadata';
  },
  registered: answer => answer,
  fetchable: url => url.protocol === 'https:' && !isLoopback(url) && !isPrivate(url.hostname),
  readsDocuments: () => true,
  readDocument: text => JSON.parse(text) as Json,
  documentFlaw(document, url) {
    if (document.client_id !== url) return 'client_id is not the URL of the document';
    const { client_name: name, redirect_uris: uris } = document;
    if (typeof name !== 'string') return 'client_name is missing';
    if (!Array.isArray(uris) || uris.length === 0 || !uris.every(uri => typeof uri === 'string'))
      return 'redirect_uris is missing';
    if ('client_secret' in document) return 'a public document must not have a secret';
    return undefined;
  },
  keepsDocument(cacheControl, sound) {
    if (!sound || /no-store|no-cache|private/i.test(cacheControl ?? '')) return 0;
    return Math.min(3_600, Number(/max-age=(\d+)/i.exec(cacheControl ?? '')?.[1] ?? 0));
  },
  redirectMatches: (given, client) =>
    client.redirectUris.some(uri => uri === given || withoutPort(uri) === withoutPort(given)),
  redirectsAnyway: () => false,
  needsChallenge: () => true,
  challengeMethods: () => ['S256'],
  refusesUnknownScopes: () => false,
  refusesUnknownParameters: () => false,
  asksUser: (client, session) => !session.approved.has(client.id),
  redirectsErrorsAtOnce: () => false,
  needsFormToken: () => true,
  consentSubject: client => client.id,
  consentAttributes: () => 'Path=/; HttpOnly; SameSite=Lax',
  consentHolds: (given, right) => given === right,
  newState: () => unguessable('ct_state_'),
  keepsStates: () => false,
  stateOf: given => given ?? undefined,
  isTraveller: (traveller, session) => traveller.session === session,
  redirect: target => target,
  redirectStatus: () => 303,
  grantedScope: (asked, known) => asked.filter(value => known.includes(value)),
  codeUsable: code => !code.spent,
  codeLifetime: () => 60,
  revokesOnReplay: () => true,
  ownGrant: (grant, client) => grant.client === client.id,
  verifies: ({ challenge }, verifier) =>
    challenge !== undefined && verifier !== null && sha256(verifier) === challenge,
  refreshUsable: token => !token.spent,
  rotates: client => client.authMethod === 'none',
  issuesRefreshTokens: client => client.grantTypes.includes('refresh_token'),
  accessLifetime: () => 3_600,
  audience: (grant, asked) => (asked.length > 0 ? asked : grant.resource),
  allowsMachine: client => client.grantTypes.includes('client_credentials'),
  needsMachineCredentials: () => true,
  secretMatches: (client, secret) => (client.secret ?? '') === secret,
  assertionClient: claims => claims.sub,
  assertionChecks: {
    iss: ({ iss }, { client }) => iss === client.id,
    aud: ({ aud = [] }, { issuer, endpoint }) => [aud].flat().some(one => one === issuer || one === endpoint),
    exp: ({ exp }, { now }) => typeof exp === 'number' && exp > now,
    nbf: ({ nbf }, { now }) => nbf === undefined || (typeof nbf === 'number' && nbf <= now),
  },
  ...lawfulIdJag,
  ...lawfulProofs,
  enforcesBoundOnly: () => true,
  proofError: () => 'invalid_dpop_proof',
  confirmation: jkt => ({ cnf: { jkt } }),
  tokenType: bound => (bound ? 'DPoP' : 'Bearer'),
  refreshableWith: (boundTo, jkt) => jkt === boundTo,
  assertionVerifies: async (text, header, key) => header.alg === 'ES256' && verifiesWith(text, key),
  tokens: answer => answer,
  reply: reply => reply,
};

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Non-public network addresses (RFC 1918 and similar), and host names for them. */
const isPrivate = (hostname: string): boolean =>
  /^(10|127|0)\.|^169\.254\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^\[(fc|fd|fe80|::)|\.(local|internal|localhost)$/i.test(
    hostname,
  );

/** Merges changes; later ones override earlier ones. */
export const policyOf = (changes: readonly Partial<Policy>[]): Policy =>
  Object.assign({}, lawful, ...changes) as Policy;
