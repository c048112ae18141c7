/**
 * The decisions of the reference client about authorization (basic/authorization): each one is a separate
 * member, so that a fault changes exactly one.
 */

import { createHash, randomBytes } from 'node:crypto';
import { type Challenges, parseChallenges } from '../../harness/oauth/challenge.js';
import { metadataUrls, namesServer } from '../../harness/oauth/discovery.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import { latestRevision } from '../../spec/revisions.js';
import { assertionType, clientAssertion } from './client-assertion.js';
import { type DpopBehaviour, dpopBehaviour } from './dpop.js';
import type { HttpAsk, HttpSend } from './http-message.js';
import { type EnterpriseContext, grantsAssertions } from './identity-assertion.js';

/** A document, or undefined when it does not exist. */
export type Found = JsonObject | undefined;

/** The client's data about an authorization server. */
export interface AuthorityView {
  readonly issuer: string;
  readonly metadata: JsonObject;
}

/** The identity of a client at an authorization server. */
export interface Identity {
  readonly id: string;
  readonly secret?: string;
  readonly method: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
  /** For `private_key_jwt`: the private key as PEM, its algorithm, and the issuer of the authorization server. */
  readonly key?: string;
  readonly algorithm?: string;
  readonly audience?: string;
}

export interface TokenAsk {
  method: string;
  url: string;
  readonly headers: Record<string, string>;
  params: URLSearchParams;
  /** Sent instead of the form parameters. */
  body?: string;
}

/** A client ID and secret that were configured beforehand. */
export interface Arranged extends EnterpriseContext {
  readonly client_id?: unknown;
  readonly client_secret?: unknown;
  /** A private key for assertions, as PEM, and its algorithm. */
  readonly private_key_pem?: unknown;
  readonly signing_algorithm?: unknown;
}

export interface AuthorizationBehaviour {
  /** The client requests a token after a rejection. */
  reacts: boolean;
  /** A request follows any redirect, with its token. */
  followsRedirects: boolean;
  /** The maximum number of authorizations for one request. */
  mostTries: number;
  /** Authorization that was never sufficient for an operation is not requested again. */
  remembersFailures: boolean;
  /** The challenges in a rejection. */
  reads: (lines: readonly string[]) => Challenges;
  /** The URLs of the metadata of a server, in the order of the requests. @param named in the challenge */
  resourceMetadataUrls: (server: URL, named: string | undefined) => readonly string[];
  /** Headers of requests for metadata. */
  documentHeaders: Readonly<Record<string, string>>;
  /** A parsed metadata document of either kind. @throws {Error} when the client rejects the document */
  understands: (document: JsonObject) => JsonObject;
  /** Whether the metadata belongs to this server. */
  acceptsResource: (document: JsonObject, server: URL) => boolean;
  /** The selected authorization server. */
  issuerIn: (document: JsonObject) => string;
  /** The client fetches the metadata of the server again after another rejection. */
  asksAgain: boolean;
  /** The URLs of the metadata of an authorization server, in the order of the requests. */
  metadataUrls: (issuer: URL) => readonly URL[];
  /** Whether the next URL is tried after a response with this status. */
  goesOnAfter: (status: number) => boolean;
  acceptsMetadata: (document: JsonObject, issuer: string) => boolean;
  /** The authorization server of a server without metadata. */
  ownIssuer: (server: URL) => string;
  /** Without metadata the client uses the default paths. */
  takesDefaults: boolean;
  /** Whether the PKCE support of an authorization server is sufficient. */
  acceptsPkce: (metadata: JsonObject) => boolean;
  endpoint: (
    metadata: JsonObject,
    name: 'authorization_endpoint' | 'token_endpoint' | 'registration_endpoint',
  ) => string;
  /** Whether a URL may be opened for the user. */
  opens: (address: URL) => boolean;
  /** Opens a URL. @param open opens the URL in the browser */
  opener: (address: string, open: (address: string) => void) => void;
  /** The client also opens invalid URLs. */
  opensUnparsed: boolean;
  /** Sends HTTP requests. */
  fetch: HttpSend;
  /** The URL of the client's own metadata document. */
  documentUrl: string;
  /** The content of that document; undefined when it does not exist. */
  document: (url: string, redirectUri: string) => JsonObject | undefined;
  /** Publishes the document at its URL. */
  publish: (url: string, document: JsonObject | undefined) => void;
  usesDocument: (metadata: JsonObject) => boolean;
  usesArranged: boolean;
  redirectUri: string;
  registers: (metadata: JsonObject) => boolean;
  registration: (redirectUri: string) => JsonObject;
  registrationAsk: (ask: TokenAsk) => TokenAsk;
  /** The maximum number of registration requests when the server refuses them. */
  mostRegistrations: number;
  /** The identity of the client after a refused registration; undefined: authorization ends. */
  identityWithout: Identity | undefined;
  /** The client ID of the authorization request and the token request. */
  presents: (identity: Identity) => Identity;
  /** The key under which the client stores the data of an authorization server. */
  keepsUnder: (issuer: string) => string;
  /**
   * The requested scope. @param challenged in the rejection @param supported in the metadata of the server
   */
  scope: (
    challenged: string | undefined,
    supported: readonly string[] | undefined,
    authority: JsonObject,
  ) => string | undefined;
  /** The requested scope after a 403 response. @param before the scope of the token @param wanted in addition */
  scopeAgain: (before: string, wanted: string | undefined) => string | undefined;
  /** The resource identifier of the server in token requests. */
  resource: (server: URL, document: Found) => string;
  pkce: () => { verifier: string; challenge: string };
  /** The authorization request before it is sent. */
  authorizationRequest: (url: URL) => URL;
  /** Whether an authorization response comes from the authorization server. @param issuer of its metadata */
  acceptsIssuer: (answer: URLSearchParams, issuer: string, metadata: JsonObject) => boolean;
  /** Whether an authorization response belongs to the authorization request. */
  acceptsAnswer: (answer: URLSearchParams, asked: URLSearchParams) => boolean;
  /** Whether the client gets its token by an ID token of the enterprise. */
  usesIdentityAssertion: (metadata: JsonObject, arranged: Arranged) => boolean;
  /** The request for an ID-JAG before it is sent. */
  exchangeRequest: (ask: TokenAsk) => TokenAsk;
  /** Whether the client gets its token by its own credentials, without a user. */
  usesOwnCredentials: (metadata: JsonObject, arranged: Arranged) => boolean;
  /** The assertion by which the client authenticates. */
  assertion: (identity: Identity) => string;
  /** Authenticates the client at the token endpoint. */
  authenticates: (ask: TokenAsk, identity: Identity) => void;
  /** A token request before it is sent. */
  tokenRequest: (ask: TokenAsk) => TokenAsk;
  /** The client uses refresh tokens. */
  refreshes: boolean;
  /** The refresh token for the next refresh. */
  nextRefreshToken: (used: string, given: unknown) => string | undefined;
  /** Tokens that are bound to a key. */
  dpop: DpopBehaviour;
  /** Adds the token to a request. @param first the first token of the client */
  carries: (ask: HttpAsk, token: string, first: string) => HttpAsk;
  /** Whether the client requests more scopes after a rejection for insufficient scope. */
  stepsUp: boolean;
  /** The client prints a message and has an exit code other than 0 when authorization fails. */
  reportsFailures: boolean;
}

const loopback = ['127.0.0.1', 'localhost', '[::1]'];

/** A confidential value that is too long to be guessed. */
export const random = (bytes: number): string => randomBytes(bytes).toString('base64url');

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

export const authorizationBehaviour = (): AuthorizationBehaviour => ({
  reacts: true,
  followsRedirects: false,
  mostTries: 2,
  remembersFailures: true,
  reads: parseChallenges,
  resourceMetadataUrls(server, named) {
    if (named !== undefined) return [named];
    const path = server.pathname.replace(/\/$/, '');
    const root = `${server.origin}/.well-known/oauth-protected-resource`;
    return path === '' ? [root] : [root + path, root];
  },
  documentHeaders: { accept: 'application/json', 'mcp-protocol-version': latestRevision.id },
  understands: document => document,
  acceptsResource: ({ resource }, server) => namesServer(resource, server),
  issuerIn: ({ authorization_servers: servers }) => String(Array.isArray(servers) ? servers[0] : ''),
  asksAgain: true,
  metadataUrls: issuer => metadataUrls(issuer).map(({ url }) => url),
  goesOnAfter: () => true,
  acceptsMetadata: (document, issuer) => document.issuer === issuer,
  ownIssuer: server => server.origin,
  takesDefaults: true,
  acceptsPkce: ({ code_challenge_methods_supported: methods }) =>
    Array.isArray(methods) && methods.includes('S256'),
  endpoint: (metadata, name) => String(metadata[name]),
  opens: ({ protocol, hostname }) =>
    protocol === 'https:' || (protocol === 'http:' && loopback.includes(hostname)),
  opener: (address, open) => open(address),
  opensUnparsed: false,
  fetch: (...given) => fetch(...given),
  documentUrl: 'https://mcp-conform.example/client.json',
  document: (url, redirectUri) => ({
    client_id: url,
    client_name: 'mcp-conform-mock-client',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
  }),
  // no server serves the default URL
  publish: () => {},
  usesDocument: metadata => metadata.client_id_metadata_document_supported === true,
  usesArranged: true,
  redirectUri: 'http://127.0.0.1:3000/callback',
  registers: metadata => typeof metadata.registration_endpoint === 'string',
  registration: redirectUri => ({
    client_name: 'mcp-conform-mock-client',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  }),
  registrationAsk: ask => ask,
  mostRegistrations: 1,
  identityWithout: undefined,
  presents: identity => identity,
  keepsUnder: issuer => issuer,
  scope: (challenged, supported) => challenged ?? supported?.join(' '),
  scopeAgain: union,
  resource: (server, document) => (typeof document?.resource === 'string' ? document.resource : server.href),
  pkce() {
    const verifier = random(32);
    return { verifier, challenge: sha256(verifier) };
  },
  authorizationRequest: url => url,
  acceptsIssuer(answer, issuer, metadata) {
    const iss = answer.get('iss');
    if (iss !== null) return iss === issuer;
    return metadata.authorization_response_iss_parameter_supported !== true;
  },
  acceptsAnswer: (answer, asked) => answer.get('state') === asked.get('state'),
  usesIdentityAssertion: (metadata, { idp_id_token: token }) =>
    typeof token === 'string' && grantsAssertions(metadata),
  exchangeRequest: ask => ask,
  usesOwnCredentials: ({ grant_types_supported: grants }, { client_id: id }) =>
    typeof id === 'string' &&
    Array.isArray(grants) &&
    grants.includes('client_credentials') &&
    !grants.includes('authorization_code'),
  assertion: identity => clientAssertion(identity),
  authenticates(ask, identity) {
    const { params, headers } = ask;
    const { id, secret = '', method } = identity;
    if (method === 'private_key_jwt') {
      params.set('client_assertion_type', assertionType);
      params.set('client_assertion', this.assertion(identity));
      return;
    }
    if (method !== 'client_secret_basic') params.set('client_id', id);
    if (method === 'client_secret_post') params.set('client_secret', secret);
    if (method !== 'client_secret_basic') return;
    const form = (text: string) => new URLSearchParams({ v: text }).toString().slice(2);
    headers.authorization = `Basic ${Buffer.from(`${form(id)}:${form(secret)}`).toString('base64')}`;
  },
  tokenRequest: ask => ask,
  refreshes: true,
  nextRefreshToken: (used, given) => (typeof given === 'string' ? given : used),
  dpop: dpopBehaviour(),
  carries: (ask, token) => ({ ...ask, headers: { ...ask.headers, authorization: `Bearer ${token}` } }),
  stepsUp: true,
  reportsFailures: true,
});

const union = (before: string, more: string | undefined): string =>
  [...new Set([...before.split(' '), ...(more ?? '').split(' ')].filter(value => value !== ''))].join(' ');
