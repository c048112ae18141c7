/** The harness as an OAuth client: a conforming client, with changes where a scenario needs them. */

import { createHash, randomBytes } from 'node:crypto';
import type { JsonObject } from '../../spec/json-rpc.js';
import type { HttpExchange } from '../record/http-exchange.js';
import type { Web, WebAnswer } from '../transports/http/side-request.js';
import { CookieJar } from './cookies.js';
import type { ServerMetadata } from './discovery.js';
import { type Login, UserAgent, type Visit, type VisitOptions } from './user-agent.js';

/** A client known to the authorization server. */
export interface OAuthClient {
  readonly id: string;
  readonly secret?: string;
  /** Client authentication at the token endpoint. */
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  readonly redirectUri: string;
}

/** Changes to parameters: a value replaces or adds, null removes, a list repeats the parameter. */
type Changes = Readonly<Record<string, string | null | readonly string[]>>;

export interface Authorization {
  readonly visit: Visit;
  readonly client: OAuthClient;
  /** Parameters of the redirect; empty when there was none. */
  readonly answer: URLSearchParams;
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly verifier: string;
  readonly challenge: string;
  readonly state: string;
  readonly redirectUri: string;
  /** The first and the last exchange of the flow, as evidence. */
  readonly evidence: readonly HttpExchange[];
}

interface AuthorizeOptions extends Partial<VisitOptions> {
  readonly changes?: Changes;
  /** Default: the user agent of the run. */
  readonly agent?: UserAgent;
}

/** How a request to the token endpoint is sent. */
export interface HowToAsk {
  /** Client ID and secret for HTTP Basic. */
  readonly basic?: readonly [id: string, secret: string];
  /** The request is wrong on purpose. */
  readonly deliberate?: boolean;
}

interface OAuthOptions {
  readonly web: Web;
  readonly metadata: ServerMetadata;
  readonly login: Login;
  /** The user's browser, for the whole run. */
  readonly agent: UserAgent;
  /** Resource of the requested tokens; undefined: no resource parameter. */
  readonly resource: string | undefined;
  readonly scope: string | undefined;
  /** The header DPoP of requests to the token endpoint, and whether it is wrong on purpose. */
  readonly proof?: { readonly value: string; readonly deliberate: boolean };
}

export const pkce = (): { verifier: string; challenge: string } => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

export class OAuth {
  readonly web: Web;
  readonly metadata: ServerMetadata;
  readonly resource: string | undefined;
  readonly scope: string | undefined;

  constructor(private readonly options: OAuthOptions) {
    this.web = options.web;
    this.metadata = options.metadata;
    this.resource = options.resource;
    this.scope = options.scope;
  }

  /** The same client, whose requests to the token endpoint have this header DPoP. */
  withProof(value: string, deliberate = false): OAuth {
    return new OAuth({ ...this.options, proof: { value, deliberate } });
  }

  /** The browser of another user. @param cookies initial cookies; default none */
  newAgent(cookies = new CookieJar()): UserAgent {
    return new UserAgent(this.web, this.options.login, cookies);
  }

  /** The parameters of a conforming authorization request, with the secrets of the client. */
  request(client: OAuthClient, changes: Changes = {}) {
    const { scope, resource, metadata } = this.options;
    const { verifier, challenge } = pkce();
    const state = randomBytes(12).toString('base64url');
    const url = new URL(metadata.authorization ?? 'http://nowhere.invalid/');
    const polite = {
      response_type: 'code',
      client_id: client.id,
      redirect_uri: client.redirectUri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state,
      ...(scope && { scope }),
      // without `consent`, OpenID Connect issues no refresh token (Core §11)
      ...(scope?.split(' ').includes('offline_access') && { prompt: 'consent' }),
      ...(resource && { resource }),
    };
    apply(url.searchParams, { ...polite, ...changes });
    const given = changes.redirect_uri;
    return {
      url,
      verifier,
      challenge,
      state: typeof changes.state === 'string' ? changes.state : state,
      redirectUri: typeof given === 'string' ? given : client.redirectUri,
    };
  }

  /**
   * Sends the user to the authorization endpoint, and follows the flow until the redirect to the client or a
   * dead end.
   */
  async authorize(client: OAuthClient, options: AuthorizeOptions = {}): Promise<Authorization> {
    const { changes, agent = this.options.agent } = options;
    const { url, ...known } = this.request(client, changes);
    const visit = await agent.visit(url, {
      isCallback: isAt(known.redirectUri),
      deliberate: changes !== undefined,
      ...options,
    });
    const answer = visit.callback?.searchParams ?? new URLSearchParams();
    const hops = [visit.hops[0], visit.hops.length > 1 ? visit.hops.at(-1) : undefined];
    return {
      visit,
      client,
      answer,
      code: answer.get('code') ?? undefined,
      error: answer.get('error') ?? undefined,
      ...known,
      evidence: hops.flatMap(hop => (hop ? [hop.exchange] : [])),
    };
  }

  /** Sends a request to the token endpoint, with the client authentication. */
  async token(client: OAuthClient, params: Changes, deliberate = false): Promise<WebAnswer> {
    const form = new URLSearchParams();
    const { authMethod, id, secret = '' } = client;
    const isBasic = authMethod === 'client_secret_basic';
    if (!isBasic)
      apply(form, { client_id: id, ...(authMethod === 'client_secret_post' && { client_secret: secret }) });
    apply(form, params);
    return this.ask(form, { deliberate, ...(isBasic && { basic: [id, secret] }) });
  }

  /** Sends a form to the token endpoint. */
  ask(form: URLSearchParams, { basic, deliberate = false }: HowToAsk = {}): Promise<WebAnswer> {
    const pair = basic?.map(part => new URLSearchParams({ v: part }).toString().slice(2)).join(':');
    const { proof } = this.options;
    const headers = {
      Accept: 'application/json',
      ...(proof && { DPoP: proof.value }),
      ...(pair !== undefined && { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` }),
    };
    const url = this.metadata.token ?? 'http://nowhere.invalid/';
    const isWrong = deliberate || (proof?.deliberate ?? false);
    return this.web.ask({ endpoint: 'token', url, form, headers, ...(isWrong && { deliberate: true }) });
  }

  /** Exchanges a code for tokens. @param by another client than that of the code */
  redeem(
    granted: Authorization,
    changes: Changes = {},
    by: OAuthClient = granted.client,
  ): Promise<WebAnswer> {
    const { code = '', verifier, redirectUri } = granted;
    const polite = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...(this.resource && { resource: this.resource }),
    };
    const odd = Object.keys(changes).length > 0 || by !== granted.client;
    return this.token(by, { ...polite, ...changes }, odd);
  }

  refresh(client: OAuthClient, refreshToken: string, deliberate = false): Promise<WebAnswer> {
    const resource = this.resource ? { resource: this.resource } : {};
    return this.token(
      client,
      { grant_type: 'refresh_token', refresh_token: refreshToken, ...resource },
      deliberate,
    );
  }

  /** A registration request. */
  register(metadata: unknown, deliberate = false): Promise<WebAnswer> {
    const url = this.metadata.registration ?? 'http://nowhere.invalid/';
    return this.web.ask({ endpoint: 'registration', url, json: metadata, ...(deliberate && { deliberate }) });
  }
}

/** Registration metadata of a native command-line client. */
export const registrationOf = (name: string, redirectUri: string): JsonObject => ({
  client_name: name,
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  application_type: 'native',
});

/** The client in a registration response; undefined when the response contains none. */
export function clientIn(json: JsonObject | undefined, redirectUri: string): OAuthClient | undefined {
  if (typeof json?.client_id !== 'string') return undefined;
  const { client_secret: secret, token_endpoint_auth_method: method } = json;
  const hasSecret = typeof secret === 'string';
  const authMethod =
    method === 'client_secret_post'
      ? method
      : hasSecret && method !== 'none'
        ? 'client_secret_basic'
        : 'none';
  return { id: json.client_id, ...(hasSecret && { secret }), authMethod, redirectUri };
}

function apply(params: URLSearchParams, changes: Changes): void {
  for (const [name, value] of Object.entries(changes)) {
    params.delete(name);
    if (value === null) continue;
    for (const one of typeof value === 'string' ? [value] : value) params.append(name, one);
  }
}

/** Whether a URL is a redirect URI with response parameters. */
export function isAt(redirectUri: string): (url: URL) => boolean {
  if (!URL.canParse(redirectUri)) return () => false;
  const { protocol, host, pathname } = new URL(redirectUri);
  return url => url.protocol === protocol && url.host === host && url.pathname === pathname;
}
