/** Requests of a client to an authorization server and to a protected server: their values, and their flaws. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { isLoopback } from '../../../harness/oauth/discovery.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { derived } from '../../../harness/record/conversation.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { fingerprint } from '../../../harness/record/redaction.js';
import { asText, isObject, type Json, type JsonObject, parseJson } from '../../../spec/json-rpc.js';
import { method, succeeded } from './http.js';
import { answered, objectIn, paramsOf } from './oauth.js';

/** Requests of the client to an endpoint, without the requests that redirects caused. */
export const asked = (conversation: Conversation, endpoint: 'authorization' | 'token' | 'registration') =>
  conversation.oauth().filter(e => e.request?.endpoint === endpoint);

/**
 * The parameters of a request, also when the body is JSON instead of a form; another row reports the JSON
 * body.
 */
export function sentBy(e: HttpExchange): URLSearchParams {
  const json = sentObject(e);
  if (!json) return paramsOf(e);
  return new URLSearchParams(
    Object.entries(json).map(([name, value]): [string, string] => [name, asText(value)]),
  );
}

/** The parameters of an authorization request. */
export const queryOf = ({ request }: HttpExchange): URLSearchParams =>
  request && URL.canParse(request.url) ? new URL(request.url).searchParams : new URLSearchParams();

export const grantOf = (e: HttpExchange): string | null => sentBy(e).get('grant_type');

/** Requests that redeem a code. */
export const redemptions = (conversation: Conversation): HttpExchange[] =>
  asked(conversation, 'token').filter(e => grantOf(e) === 'authorization_code');

/** The body of a request, when it is a JSON object. */
export const sentObject = (e: HttpExchange): JsonObject | undefined => {
  const json = parseJson(e.requestBody);
  return isObject(json) ? json : undefined;
};

export const repeatedIn = (params: URLSearchParams): string | undefined =>
  [...params.keys()].find((name, at, all) => name !== 'resource' && all.indexOf(name) !== at);

/** A redirect URI is on loopback or uses https. */
export function redirectFlaw(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !URL.canParse(uri))
    return `${JSON.stringify(uri)}, which is not an absolute URI`;
  const url = new URL(uri);
  if (uri.includes('#')) return `${uri}, with a fragment`;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)) ? undefined : uri;
}

/** On loopback the port is ignored. */
export function samePlace(one: string, other: string): boolean {
  if (one === other) return true;
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const [a, b] = [new URL(one), new URL(other)];
  return isLoopback(a) && a.hostname === b.hostname && a.pathname === b.pathname && a.search === b.search;
}

/** A redirect URI on loopback, or with a private-use scheme. */
export const isNative = (uri: string): boolean =>
  URL.canParse(uri) && (!/^https?:/i.test(uri) || isLoopback(new URL(uri)));

/** The client ID in the form of a token request. */
export const clientIdOf = (e: HttpExchange): string | undefined => sentBy(e).get('client_id') ?? undefined;

/** Whether any part of a request contains a value. */
export const sends = (e: HttpExchange, value: string): boolean =>
  carried(e) === value || astray(e, new Set([value])) !== undefined;

/** The flaw of a registration request (RFC 7591 §2 and §3.1). */
export function registrationFlaw(e: HttpExchange): string | undefined {
  if (method(e) !== 'POST') return method(e) ?? 'no method';
  if (!/^application\/json\b/i.test(e.requestHeader('content-type') ?? ''))
    return `Content-Type: ${e.requestHeader('content-type') ?? 'none'}`;
  const json = sentObject(e);
  if (!json) return 'a body that is not a JSON object';
  const { redirect_uris: uris, grant_types: grants, response_types: types } = json;
  for (const [name, value] of Object.entries({ grant_types: grants, response_types: types }))
    if (value !== undefined && !isTextList(value)) return `${name}: ${JSON.stringify(value)}`;
  const { token_endpoint_auth_method: how } = json;
  if (how !== undefined && typeof how !== 'string')
    return `token_endpoint_auth_method: ${JSON.stringify(how)}`;
  const codes = !Array.isArray(grants) || grants.includes('authorization_code');
  if (codes && !(isTextList(uris) && uris.length > 0))
    return `redirect_uris: ${JSON.stringify(uris) ?? 'none'}`;
  if (Array.isArray(grants) && codes && Array.isArray(types) && !types.includes('code'))
    return 'grant_types with authorization_code, response_types without code';
  return undefined;
}

export const isTextList = (value: Json | undefined): value is string[] =>
  Array.isArray(value) && value.every(one => typeof one === 'string');

/** The flaw of the request that redeems a code (OAuth 2.1 §3.2.2 and §4.1.3). */
export function redemptionFlaw(e: HttpExchange): string | undefined {
  if (method(e) !== 'POST') return method(e) ?? 'no method';
  if (!/^application\/x-www-form-urlencoded\b/i.test(e.requestHeader('content-type') ?? ''))
    return `Content-Type: ${e.requestHeader('content-type') ?? 'none'}`;
  const form = new URLSearchParams(e.requestBody ?? '');
  const missing = ['grant_type', 'code'].find(name => !form.get(name));
  if (missing) return `no ${missing} in the body`;
  // an assertion names its client (RFC 7521 §4.2)
  const known =
    form.get('client_id') !== null ||
    form.get('client_assertion') !== null ||
    e.requestHeader('authorization') !== undefined;
  return known ? undefined : 'neither client_id nor an Authorization header';
}

/** A token request with a refresh token, also when its parameters are in the URL. */
export const isRefresh = (e: HttpExchange): boolean =>
  [sentBy(e), queryOf(e)].some(params => params.get('grant_type') === 'refresh_token');

/** The flaw of the request that uses a refresh token (OAuth 2.1 §3.2, 3.2.2 and 4.3.1). */
export function refreshFlaw(e: HttpExchange): string | undefined {
  if (method(e) !== 'POST') return method(e) ?? 'no method';
  if (!/^application\/x-www-form-urlencoded\b/i.test(e.requestHeader('content-type') ?? ''))
    return `Content-Type: ${e.requestHeader('content-type') ?? 'none'}`;
  const form = new URLSearchParams(e.requestBody ?? '');
  const missing = ['grant_type', 'refresh_token'].find(name => !form.get(name));
  return missing && `no ${missing} in the body`;
}

/** The values of a scope parameter. */
export const scopesIn = (scope: unknown): string[] =>
  typeof scope === 'string' ? scope.split(' ').filter(value => value !== '') : [];

export const shownUrl = (e: HttpExchange): string => {
  const { origin, pathname } = new URL(e.request?.url ?? 'http://nowhere.invalid/');
  return `${method(e)} ${origin}${pathname}`;
};

/** The exchange whose response redirected the client to the URL of another exchange. */
export const redirectTo = (conversation: Conversation, { request }: HttpExchange): HttpExchange | undefined =>
  conversation.http().findLast(e => e.header('location') === request?.url && e.seq < (request?.seq ?? 0));

/** Issued access tokens, in the form in which the record has them. */
export const accessTokens = derived(
  (conversation: Conversation): ReadonlySet<string> => issued(conversation, 'access_token'),
);

export const issued = (conversation: Conversation, member: 'access_token' | 'refresh_token'): Set<string> =>
  new Set(
    answered(conversation, 'token').flatMap(e => {
      // N_A: the value is no access token (RFC 8693 §2.2.1)
      const json = succeeded(e) ? objectIn(e) : undefined;
      const value = json?.token_type === 'N_A' ? undefined : json?.[member];
      return typeof value === 'string' ? [value.startsWith('~') ? value : fingerprint(value)] : [];
    }),
  );

export const origin = ({ request }: HttpExchange): string =>
  request && URL.canParse(request.url) ? new URL(request.url).origin : '';

/** Issued refresh tokens, with the origin of their issuer. */
export function refreshTokens(conversation: Conversation): Map<string, string> {
  const found = new Map<string, string>();
  for (const e of answered(conversation, 'token')) {
    const value = succeeded(e) ? objectIn(e)?.refresh_token : undefined;
    if (typeof value === 'string') found.set(value, origin(e));
  }
  return found;
}

/** Whether a token response binds its token to a key (RFC 9449 §5). */
export const bindsTokens = (conversation: Conversation): boolean =>
  answered(conversation, 'token').some(e => /^dpop$/i.test(asText(objectIn(e)?.token_type)));

/** The token in the Authorization header, in the form in which the record has it. */
export const carried = (e: HttpExchange): string | undefined =>
  /^(?:bearer|dpop) +(\S+)$/i.exec(e.requestHeader('authorization') ?? '')?.[1];

/** Whether a request authenticates by a scheme; its case is free. */
export const usesScheme = (e: HttpExchange, scheme: 'Basic' | 'DPoP'): boolean =>
  e.requestHeader('authorization')?.toLowerCase().startsWith(`${scheme.toLowerCase()} `) === true;

/** The place of one of these tokens in a request outside the Authorization header. */
export function astray(e: HttpExchange, tokens: ReadonlySet<string>): string | undefined {
  const { request, requestBody, sent } = e;
  for (const token of tokens) {
    if (request?.url.includes(token)) return 'the URL';
    const header = request?.headers.find(
      ([name, value]) => !/^authorization$/i.test(name) && value.includes(token),
    );
    if (header) return `the header ${header[0]}`;
    if (requestBody?.includes(token) || sent.some(m => m.frame.text.includes(token))) return 'the body';
  }
  return undefined;
}

export const home = (conversation: Conversation): string => conversation.opened?.url ?? '';

/**
 * The flaw of a resource identifier. It is an absolute URI without a fragment; scheme and host in upper case
 * and the default port are accepted.
 */
export function canonicalFlaw(uri: string): string | undefined {
  if (!URL.canParse(uri) || !/^[a-z][a-z0-9+.-]*:/i.test(uri)) return 'not an absolute URI';
  return uri.includes('#') ? 'a fragment' : undefined;
}

export const resourcesIn = (params: URLSearchParams): string[] =>
  params.getAll('resource').filter(uri => uri !== '');

/** Requests in which a resource can be named. */
export const naming = (conversation: Conversation): HttpExchange[] => [
  ...asked(conversation, 'authorization'),
  ...asked(conversation, 'token'),
];

/**
 * Resource identifiers whose path ends with a slash although neither the URL nor the metadata of the server
 * has this slash. For an origin URL without a path, libraries add the slash themselves.
 */
export function* slashesSent(conversation: Conversation) {
  const told = answered(conversation, 'resource-metadata').map(e => objectIn(e)?.resource);
  if ([home(conversation), ...told].some(one => asText(one).endsWith('/'))) return;
  for (const e of naming(conversation))
    for (const uri of resourcesIn(sentBy(e)))
      yield URL.canParse(uri) && /.\/$/.test(new URL(uri).pathname)
        ? fail('no slash at the end', [e], `resource ${uri}`)
        : pass([e]);
}

/** A client ID that is the URL of a document. */
export const isUrl = (id: string | null): id is string => id !== null && /^[a-z][a-z0-9+.-]*:\/\//i.test(id);
