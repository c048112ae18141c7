/** A small, complete authorization server for MCP, with optional faults. */

import type { HttpReply } from '../server/http/reply.js';
import { toResponse } from '../server/http/reply.js';
import { json, notFound } from './answers.js';
import { authorize, callback, consent } from './authorize.js';
import { ClientDocuments, type FetchDocument } from './documents.js';
import type { IdentityProvider } from './identity-assertion.js';
import { document } from './metadata.js';
import { mint } from './mint.js';
import { type EndpointName, type Policy, policyOf } from './policy.js';
import { ForwardingProxy, type ThirdParty } from './proxy.js';
import { type AccessToken, type Client, Records } from './records.js';
import { register } from './registration.js';
import { type Ask, takeApart } from './request.js';
import { type TokenSetting, token } from './token.js';
import { Signer } from './tokens.js';

export interface AuthorizationServerOptions {
  /** Path of the issuer, without a trailing slash; default none. */
  readonly path?: string;
  /** Deviations from the correct policy; later ones override earlier ones. */
  readonly policy?: readonly Partial<Policy>[];
  /** Clients that are registered from the start. */
  readonly clients?: readonly Client[];
  /** A trusted identity provider; default: none. */
  readonly identityProvider?: IdentityProvider;
  /** Tokens can be bound to keys; default false. */
  readonly dpop?: boolean;
  /** Supported scopes; default three. */
  readonly scopes?: readonly string[];
  /** Resources that tokens are issued for; default: any absolute URI. */
  readonly resources?: readonly string[];
  /** The audience of tokens when the client names no resource. */
  readonly defaultResource?: (origin: string) => string;
  /** Whether `/mint` issues arbitrary tokens, for tests of servers. */
  readonly mints?: boolean;
  /** The third-party authorization server, when this one is a proxy. */
  readonly thirdParty?: () => ThirdParty;
  /** Fetches clients' metadata documents; default: `fetch`. */
  readonly fetchDocument?: FetchDocument;
  /** Seconds since the epoch. */
  readonly now?: () => number;
}

export interface MockAuthorizationServer {
  /** Handles one request. */
  fetch(request: Request): Promise<Response>;
  /** The grant of a token; undefined when the token is unknown or revoked. The caller checks expiry. */
  look(token: string): AccessToken | undefined;
  readonly scopes: readonly string[];
  readonly now: () => number;
  /** The issuer for an origin of the server. */
  issuerAt(origin: string): string;
  readonly records: Records;
}

export const defaultScopes = ['mcp:read', 'mcp:write', 'mcp:admin'] as const;

const seconds = (): number => Math.floor(Date.now() / 1000);

export function mockAuthorizationServer(options: AuthorizationServerOptions = {}): MockAuthorizationServer {
  const { path = '', scopes = defaultScopes, resources, now = seconds } = options;
  const policy = policyOf(options.policy ?? []);
  const records = new Records();
  for (const client of options.clients ?? []) records.clients.set(client.id, client);
  const documents = new ClientDocuments(
    options.fetchDocument ?? (url => fetch(url, { redirect: 'error' })),
    policy,
    now,
  );
  const signer = new Signer();
  const proxy = options.thirdParty && new ForwardingProxy(policy, options.thirdParty);
  const paths = {
    authorization: `${path}/authorize`,
    consent: `${path}/consent`,
    callback: `${path}/callback`,
    token: `${path}/token`,
    registration: `${path}/register`,
    jwks: `${path}/jwks`,
    mint: `${path}/mint`,
  };
  const kinds = policy.places(path);

  const setting = (origin: string): TokenSetting => ({
    policy,
    records,
    signer,
    dpop: options.dpop ?? false,
    identityProvider: options.identityProvider,
    scopes,
    now,
    issuer: origin + path,
    consentUrl: origin + paths.consent,
    callbackUrl: origin + paths.callback,
    proxy,
    ...(options.defaultResource && { defaultResource: options.defaultResource(origin) }),
    knowsResource: resource => (resources ? resources.includes(resource) : isResource(resource)),
    findClient: async id => (id === null ? undefined : (records.clients.get(id) ?? documents.find(id))),
  });

  const metadata = (ask: Ask): HttpReply => {
    const kind = kinds[ask.url.pathname]!;
    const at = (name: keyof typeof paths) => ask.origin + paths[name];
    const body = policy.metadata(
      document(kind, {
        issuer: ask.origin + path,
        endpoints: {
          authorization: at('authorization'),
          token: at('token'),
          registration: at('registration'),
          jwks: at('jwks'),
        },
        scopes,
        registration: policy.registers(),
        documents: true,
        dpop: options.dpop ?? false,
        enterprise: options.identityProvider !== undefined,
        machines: [...records.clients.values()].some(({ grantTypes }) =>
          grantTypes.includes('client_credentials'),
        ),
        challengeMethods: policy.challengeMethods(),
        ...(options.mints && { mint: at('mint') }),
      }),
      kind,
    );
    return body ? json(200, body, { 'Cache-Control': 'max-age=60' }) : notFound;
  };

  const endpoints: Record<EndpointName, (ask: Ask) => HttpReply | Promise<HttpReply>> = {
    metadata,
    jwks: async () => json(200, await signer.jwks(), { 'Cache-Control': 'max-age=60' }),
    registration: ask => register(ask.body, policy, records),
    authorization: ask => authorize(ask, setting(ask.origin)),
    consent: ask => consent(ask, setting(ask.origin)),
    callback: ask => callback(ask, setting(ask.origin)),
    token: ask => token(ask, setting(ask.origin)),
    mint: ask => (options.mints ? mint(ask, setting(ask.origin)) : notFound),
  };

  const nameOf = (pathname: string): EndpointName | undefined =>
    pathname in kinds
      ? 'metadata'
      : (Object.keys(paths) as (keyof typeof paths)[]).find(name => paths[name] === pathname);

  return {
    records,
    issuerAt: origin => origin + path,
    scopes,
    now,
    look(value) {
      const known = records.accessTokens.get(value);
      return known?.grant.family.revoked ? undefined : known;
    },
    async fetch(request) {
      const ask = await takeApart(request);
      const name = nameOf(ask.url.pathname);
      if (!name) return toResponse(notFound);
      return toResponse(policy.reply(await dispatch(name, ask), name, ask));
    },
  };

  async function dispatch(name: EndpointName, ask: Ask): Promise<HttpReply> {
    const allowed = methods[name];
    const open = crossOrigin.includes(name);
    const cors: HttpReply['headers'] = open ? { 'Access-Control-Allow-Origin': '*' } : {};
    if (ask.method === 'OPTIONS' && open)
      return {
        status: 204,
        headers: {
          ...cors,
          'Access-Control-Allow-Headers': '*',
          'Access-Control-Allow-Methods': allowed.join(', '),
        },
      };
    if (!allowed.includes(ask.method))
      return { status: 405, headers: { ...cors, Allow: allowed.join(', ') } };
    const reply = await endpoints[name](ask);
    return { ...reply, headers: { ...cors, ...reply.headers } };
  }
}

const methods: Record<EndpointName, readonly string[]> = {
  metadata: ['GET', 'HEAD'],
  jwks: ['GET', 'HEAD'],
  registration: ['POST'],
  authorization: ['GET', 'POST'],
  consent: ['POST'],
  callback: ['GET'],
  token: ['POST'],
  mint: ['POST'],
};

/** Endpoints open to scripts of other sites; never the authorization endpoint (OAuth 2.1 §3.1). */
const crossOrigin: readonly EndpointName[] = ['metadata', 'jwks', 'registration', 'token'];

/** An absolute URI without fragment (RFC 8707 §2). */
const isResource = (text: string): boolean => URL.canParse(text) && !text.includes('#');
