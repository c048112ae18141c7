/**
 * An authorization server for clients under test: lenient in its responses, so that the rules find the
 * violations of a client instead of a failing flow; exact in its record.
 */

import { randomBytes } from 'node:crypto';
import { asText, isObject, type Json, type JsonObject, parseObject } from '../../spec/json-rpc.js';
import { metadataUrls } from '../oauth/discovery.js';
import { jwtBearer } from '../oauth/machine-client.js';
import type { OAuthEndpoint } from '../record/event.js';
import type { HttpExchange } from '../record/http-exchange.js';
import type { Secrets } from '../record/redaction.js';
import type { HttpAnswer, HttpCall, HttpIncoming } from '../transports/http/server/behaviour.js';
import { sameFor } from './browser.js';
import type {
  AuthorityScript,
  AuthorityState,
  ProtectedServerState,
  Protection,
  Served,
  Token,
} from './script.js';

interface Registration {
  /** The received body; undefined when it was not a JSON object. */
  readonly metadata: JsonObject | undefined;
  readonly answer: JsonObject | undefined;
  readonly exchange: HttpExchange;
}

export interface AuthorizationRequest {
  readonly params: URLSearchParams;
  readonly exchange: HttpExchange;
  /** The code in the response. */
  readonly code: string;
  /** The address, the same for all its spellings. */
  readonly address: string;
}

interface TokenRequest {
  readonly params: URLSearchParams;
  readonly exchange: HttpExchange;
  /** Client authentication of the request. */
  readonly method: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
  /** When the request arrived, in seconds since 1970. */
  readonly at: number;
  readonly clientId: string | undefined;
  readonly secret: string | undefined;
  /** The authorization request of its code. */
  readonly authorization: AuthorizationRequest | undefined;
  readonly granted: boolean;
}

/** Random values with a prefix that leak checks recognise, unique in every run. */
const unguessable = (prefix: string): string => `${prefix}${randomBytes(18).toString('base64url')}`;

interface Grant {
  readonly scope: readonly string[];
}

/**
 * The first path of each pair is published and cannot be guessed; the second is the default path of clients
 * that guess.
 */
const paths: Readonly<Record<'authorization' | 'token' | 'registration', readonly string[]>> = {
  authorization: ['/x7/az', '/authorize'],
  token: ['/x7/tk', '/token'],
  registration: ['/x7/rg', '/register'],
};

const noStore = { 'Cache-Control': 'no-store' };
const jsonAnswer = (status: number, body: JsonObject): HttpAnswer => ({
  status,
  headers: { 'Content-Type': 'application/json', ...noStore },
  body: JSON.stringify(body),
});
export const refusal = (status: number, error: string): HttpAnswer =>
  jsonAnswer(status, {
    error,
    error_description: `The mock authorization server refused the request: ${error}.`,
  });

/** Sends a document as JSON, a response unchanged. */
export const serving = (served: Served): HttpAnswer =>
  isObject(served.answer as Json) && typeof (served.answer as unknown as HttpAnswer).status === 'number'
    ? (served.answer as unknown as HttpAnswer)
    : jsonAnswer(200, served as JsonObject);

export class Authority implements AuthorityState {
  /** The origin of the server; known when its port is open. */
  origin = '';
  /** Number of connections to the server. */
  connections = 0;
  readonly registrations: Registration[] = [];
  readonly authorizations: AuthorizationRequest[] = [];
  readonly tokenRequests: TokenRequest[] = [];
  readonly tokens: Token[] = [];
  /** Responses to registrations, by client ID. */
  readonly clients = new Map<string, JsonObject>();
  private readonly codes = new Map<string, { asked: AuthorizationRequest; grant: Grant; used: boolean }>();
  private readonly refreshTokens = new Map<string, Grant>();

  constructor(
    readonly name: string,
    readonly script: AuthorityScript,
    private readonly secrets: Secrets,
    private readonly protectedServer: ProtectedServerState & {
      readonly protection: Protection;
      /** Addresses that the client printed and the user followed. */
      readonly followed: Set<string>;
    },
  ) {}

  get issuer(): string {
    return this.origin + (this.script.path ?? '');
  }

  at(name: 'authorization' | 'token' | 'registration'): string {
    return this.origin + paths[name][0];
  }

  /** Its metadata according to RFC 8414. */
  get metadata(): JsonObject {
    const plain: JsonObject = {
      issuer: this.issuer,
      authorization_endpoint: this.at('authorization'),
      token_endpoint: this.at('token'),
      registration_endpoint: this.at('registration'),
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: ['a:read', 'b:write', 'c:admin'],
      client_id_metadata_document_supported: false,
      ...(this.protectedServer.protection.strange && { x_unknown: { k: [1, null] } }),
    };
    const all = { ...plain, ...this.script.metadata?.(this, this.protectedServer) };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as JsonObject;
  }

  /** Its metadata according to OpenID Connect Discovery. */
  get openid(): JsonObject {
    return {
      ...this.metadata,
      jwks_uri: `${this.origin}/x7/jwks`,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  /** The paths of its metadata documents, in the order in which clients request them. */
  get places(): string[] {
    return metadataUrls(new URL(this.issuer)).map(({ url }) => url.pathname);
  }

  private get documents(): Readonly<Record<string, Served>> {
    return this.script.documents?.(this) ?? { [this.places[0]!]: this.metadata };
  }

  endpointOf({ url }: HttpCall): OAuthEndpoint | undefined {
    if (url.pathname.includes('/.well-known/')) return 'metadata';
    return this.nameOf(url.pathname);
  }

  private nameOf(pathname: string): 'authorization' | 'token' | 'registration' | undefined {
    return (['authorization', 'token', 'registration'] as const).find(name =>
      paths[name].some(path => pathname === path || pathname.startsWith(`${path}/`)),
    );
  }

  /** @returns undefined when there is no document at that path */
  answer(request: HttpIncoming): HttpAnswer | undefined {
    const { pathname } = request.url;
    const document = this.documents[pathname];
    if (document) return serving(document);
    const name = this.nameOf(pathname);
    if (name === 'registration') return this.register(request);
    if (name === 'authorization') return this.authorize(request);
    return name === 'token' ? this.token(request) : undefined;
  }

  private register({ body, exchange }: HttpIncoming): HttpAnswer {
    const metadata = parseObject(body);
    const id = unguessable('ct_client_');
    const plain: JsonObject = {
      ...metadata,
      client_id: id,
      client_id_issued_at: 1_700_000_000,
      token_endpoint_auth_method: 'none',
    };
    const served = this.script.register?.(plain, this) ?? plain;
    const answer = serving(served);
    const registered = answer.status < 300 ? parseObject(answer.body) : undefined;
    if (registered) {
      this.secrets.learn(registered.client_secret);
      this.clients.set(asText(registered.client_id), registered);
    }
    this.registrations.push({ metadata, answer: registered, exchange });
    return answer.status === 200 ? { ...answer, status: 201 } : answer;
  }

  private authorize({ method, url, body, exchange }: HttpIncoming): HttpAnswer {
    const params = method === 'POST' ? new URLSearchParams(body) : url.searchParams;
    const clientId = params.get('client_id');
    const known = clientId === null ? undefined : this.clients.get(clientId);
    const registered = Array.isArray(known?.redirect_uris) ? known.redirect_uris : [];
    const home = params.get('redirect_uri') ?? registered[0];
    const code = unguessable('ct_code_');
    this.secrets.learn(code);
    const address = sameFor(url.href);
    const asked: AuthorizationRequest = { params, exchange, code, address };
    // a client that prints an address and requests it itself has sent one request: the other one is the user's
    const visit = this.authorizations.findIndex(earlier => earlier.address === address);
    if (visit >= 0 && this.protectedServer.followed.delete(address)) this.authorizations[visit] = asked;
    else this.authorizations.push(asked);
    if (typeof home !== 'string' || !URL.canParse(home)) return refusal(400, 'invalid_request');
    if (this.script.strict && !known) return refusal(400, 'unauthorized_client');
    const scope = (params.get('scope') ?? '').split(' ').filter(value => value !== '');
    this.codes.set(code, { asked, grant: { scope }, used: false });
    const back = new URL(home);
    back.searchParams.set('code', code);
    const state = params.get('state');
    if (state !== null) back.searchParams.set('state', state);
    if (this.protectedServer.protection.strange) back.searchParams.set('x_unknown', 'y');
    const { href } = this.script.redirect?.(back, params, this) ?? back;
    return { status: 302, headers: { Location: href, ...noStore } };
  }

  private token(request: HttpIncoming): HttpAnswer {
    const params = paramsOf(request);
    const said = whoSays(request, params);
    const early = this.script.beforeToken?.(request, this);
    const { answer, authorization } = early
      ? { answer: early, authorization: undefined }
      : this.grant(params, said, request);
    this.tokenRequests.push({
      params,
      exchange: request.exchange,
      ...said,
      at: Date.now() / 1000,
      authorization,
      granted: answer.status < 300,
    });
    for (const name of ['code_verifier', 'client_secret']) this.secrets.learn(params.get(name));
    return answer;
  }

  private grant(
    params: URLSearchParams,
    { clientId }: Pick<TokenRequest, 'clientId'>,
    request: HttpCall,
  ): { answer: HttpAnswer; authorization?: AuthorizationRequest | undefined } {
    const refused = (error: string, authorization?: AuthorizationRequest) => ({
      answer: refusal(error === 'invalid_client' ? 401 : 400, error),
      authorization,
    });
    if (this.script.strict && !this.clients.has(clientId ?? '')) return refused('invalid_client');
    const own = this.script.grant?.(params, this, this.protectedServer);
    if (own) return { answer: serving(own) };
    switch (params.get('grant_type')) {
      case 'refresh_token': {
        const grant = this.refreshTokens.get(params.get('refresh_token') ?? '');
        if (!grant) return refused('invalid_grant');
        this.refreshTokens.delete(params.get('refresh_token')!);
        return { answer: this.issue(grant, params, request) };
      }
      case 'client_credentials':
      case jwtBearer: {
        const scope = (params.get('scope') ?? '').split(' ').filter(value => value !== '');
        return { answer: this.issue({ scope }, params, request, false) };
      }
      default: {
        const known = this.codes.get(params.get('code') ?? '');
        if (!known || known.used) return refused('invalid_grant', known?.asked);
        known.used = true;
        return { answer: this.issue(known.grant, params, request), authorization: known.asked };
      }
    }
  }

  private issue(grant: Grant, params: URLSearchParams, request: HttpCall, refreshable = true): HttpAnswer {
    const value = unguessable('ct_at_');
    const refresh = unguessable('ct_rt_');
    const plain: JsonObject = {
      access_token: value,
      token_type: 'Bearer',
      expires_in: 3600,
      ...(refreshable && { refresh_token: refresh }),
      ...(grant.scope.length > 0 && { scope: grant.scope.join(' ') }),
      ...(this.protectedServer.protection.strange && { x_unknown: { y: [true] } }),
    };
    const answer = serving(this.script.token?.(plain, params, this, request) ?? plain);
    for (const secret of [value, refresh]) this.secrets.learn(secret);
    if (answer.status >= 300) return answer;
    this.tokens.push({ value, by: this, scope: grant.scope, revoked: false });
    this.refreshTokens.set(refresh, grant);
    return answer;
  }
}

/**
 * Parameters of a token request, also from an invalid location, so that the flow continues and the violation
 * is visible.
 */
function paramsOf({ url, body }: HttpIncoming): URLSearchParams {
  const json = parseObject(body);
  if (!json) return new URLSearchParams(body === '' ? url.search : body);
  const texts = Object.entries(json).map(([name, value]): [string, string] => [name, asText(value)]);
  return new URLSearchParams(texts);
}

function whoSays(
  request: HttpCall,
  params: URLSearchParams,
): Pick<TokenRequest, 'method' | 'clientId' | 'secret'> {
  const [, basic] = /^basic +(\S+)$/i.exec(request.header('authorization') ?? '') ?? [];
  const secret = params.get('client_secret') ?? undefined;
  const clientId = params.get('client_id') ?? undefined;
  if (params.has('client_assertion') && !basic && secret === undefined)
    return { method: 'private_key_jwt', clientId, secret };
  if (!basic) return { method: secret === undefined ? 'none' : 'client_secret_post', clientId, secret };
  const pair = Buffer.from(basic, 'base64').toString('utf8');
  const at = pair.indexOf(':');
  return { method: 'client_secret_basic', clientId: pair.slice(0, at), secret: pair.slice(at + 1) };
}
