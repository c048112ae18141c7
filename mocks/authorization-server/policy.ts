/**
 * What the mock authorization server decides, each decision by itself: a fault, a quirk or a scenario's script changes exactly
 * one. Here they are as OAuth 2.1 and MCP want them.
 */

import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../spec/json-rpc.js';
import type { HttpReply } from '../server/http/reply.js';
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

export interface Policy {
  /** A metadata document; undefined: there is none under this well-known name. */
  metadata(document: JsonObject, kind: 'oauth' | 'openid'): JsonObject | undefined;
  /** Where the documents stand, by path. @param path of the issuer */
  places(path: string): Readonly<Record<string, 'oauth' | 'openid'>>;
  /** Whether anybody may register. */
  registers(): boolean;
  /** Whether a redirect URI can be registered, or stand in a client's document. */
  registrable(redirectUri: string): boolean;
  /** Whether client metadata is sound apart from that; the OAuth error code when it is not. */
  soundMetadata(metadata: JsonObject): string | undefined;
  registered(answer: JsonObject, client: Client): JsonObject;
  /** Whether a client ID that is a URL may be fetched at all. */
  fetchable(documentUrl: URL): boolean;
  /** Whether the document is asked for at all. */
  readsDocuments(): boolean;
  /** What a document says. @throws {SyntaxError} */
  readDocument(text: string): Json;
  /** What is wrong with a client's document; undefined when nothing is. */
  documentFlaw(document: JsonObject, documentUrl: string): string | undefined;
  /** Seconds a client's document is kept; 0: not at all. */
  keepsDocument(cacheControl: string | null, sound: boolean): number;
  redirectMatches(given: string, client: Client): boolean;
  /** Whether the user agent is sent to a redirect URI that does not match, with the error. */
  redirectsAnyway(): boolean;
  /** Whether a request without `code_challenge` is refused. */
  needsChallenge(client: Client): boolean;
  challengeMethods(): readonly string[];
  /** Whether a scope nobody knows is an error; else it is left out. */
  refusesUnknownScopes(): boolean;
  /** Whether unknown parameters are an error. */
  refusesUnknownParameters(): boolean;
  /** Whether the user is asked before a code is handed out. */
  asksUser(client: Client, session: UserSession): boolean;
  /** Whether errors of a client the user does not know go to its redirect URI at once. */
  redirectsErrorsAtOnce(): boolean;
  /** Whether a consent form is good without the token that was put into it. */
  needsFormToken(): boolean;
  /** As a proxy: whom the user's consent is remembered for. */
  consentSubject(client: Client): string;
  /** As a proxy: the attributes of the cookie that remembers it, but for `Secure`. */
  consentAttributes(): string;
  /** As a proxy: whether the value of that cookie is right. */
  consentHolds(given: string, right: string): boolean;
  /** As a proxy: a state towards the third party. */
  newState(): string;
  /** As a proxy: whether a state that has come back works again. */
  keepsStates(): boolean;
  /** As a proxy: which state somebody is taken to come back with. @param known those that are out, oldest first */
  stateOf(given: string | null, known: readonly string[]): string | undefined;
  /** As a proxy: whether who comes back is who went. @param session that of the browser, when it has one */
  isTraveller(traveller: { readonly session: UserSession }, session: UserSession | undefined): boolean;
  /** The redirect to the client, with its parameters. */
  redirect(target: URL, ask: Ask): URL;
  /** Status of that redirect. */
  redirectStatus(afterForm: boolean): number;
  /** The scopes a client gets of those it asked for. */
  grantedScope(asked: readonly string[], known: readonly string[]): readonly string[];
  /** Whether a code can still be redeemed. */
  codeUsable(code: Code): boolean;
  codeLifetime(): number;
  /** Whether what came from a code dies when it is used again. */
  revokesOnReplay(): boolean;
  /** Whether a code or refresh token is the client's own. */
  ownGrant(grant: Grant, client: Client): boolean;
  verifies(grant: Grant, verifier: string | null): boolean;
  /** Whether a refresh token can still be used. */
  refreshUsable(token: RefreshToken, now: number): boolean;
  /** Whether a new refresh token takes the place of the one that was used. */
  rotates(client: Client): boolean;
  issuesRefreshTokens(client: Client): boolean;
  accessLifetime(): number;
  /** What a token is good for. @param asked at the token endpoint */
  audience(grant: Grant, asked: readonly string[]): readonly string[];
  tokens(answer: JsonObject, ask: Ask): JsonObject;
  /** Any answer, on its way out. */
  reply(reply: HttpReply, endpoint: EndpointName, ask: Ask): HttpReply;
}

/** Loopback redirect URIs may have any port (OAuth 2.1 §8.4.2); everything else in them counts, as it is written. */
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
    if ('client_secret' in document) return 'a public document has no secret';
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
  tokens: answer => answer,
  reply: reply => reply,
};

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Addresses of networks that are not the internet (RFC 1918 and its like), and names that stand for them. */
const isPrivate = (hostname: string): boolean =>
  /^(10|127|0)\.|^169\.254\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^\[(fc|fd|fe80|::)|\.(local|internal|localhost)$/i.test(
    hostname,
  );

/** Changes laid over each other; the last one has the last word. */
export const policyOf = (changes: readonly Partial<Policy>[]): Policy =>
  Object.assign({}, lawful, ...changes) as Policy;
