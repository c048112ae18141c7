/**
 * Helpers of the rules about OAuth for recorded exchanges. Secrets in a record are hashes, so that they can
 * be compared.
 */

import type { Conversation } from '../../../harness/record/conversation.js';
import type { OAuthEndpoint } from '../../../harness/record/event.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { type JsonObject, parseObject } from '../../../spec/json-rpc.js';

/** Exchanges with an endpoint that got a response. */
export const answered = (conversation: Conversation, ...endpoints: OAuthEndpoint[]): HttpExchange[] =>
  conversation.oauth().filter(e => endpoints.includes(e.request!.endpoint!) && e.status !== undefined);

/** The body of a response, when it is a JSON object. */
export const objectIn = ({ body }: HttpExchange): JsonObject | undefined => parseObject(body);

/** The parameters of a request, from its form or its query. */
export function paramsOf({ request, requestBody }: HttpExchange): URLSearchParams {
  if (requestBody !== undefined) return new URLSearchParams(requestBody);
  return request && URL.canParse(request.url) ? new URL(request.url).searchParams : new URLSearchParams();
}

/** The target of a redirect. */
export function redirectOf(exchange: HttpExchange): URL | undefined {
  const { status = 0, request } = exchange;
  const location = exchange.header('location');
  if (status < 300 || status > 399 || location === undefined || !request) return undefined;
  return URL.canParse(location, request.url) ? new URL(location, request.url) : undefined;
}

/** Redirects back to the client, each with its authorization request. */
export function callbacks(
  conversation: Conversation,
): { asked: HttpExchange; back: HttpExchange; url: URL }[] {
  let asked: HttpExchange | undefined;
  return answered(conversation, 'authorization', 'page').flatMap(exchange => {
    if (exchange.request?.endpoint === 'authorization') asked = exchange;
    const url = redirectOf(exchange);
    const home = asked && paramsOf(asked).get('redirect_uri');
    if (!url || !asked || !home || !URL.canParse(home)) return [];
    const { origin, pathname } = new URL(home);
    const isBack = url.origin === origin && url.pathname === pathname;
    return isBack ? [{ asked, back: exchange, url }] : [];
  });
}

export const isJson = ({ contentType }: HttpExchange): boolean =>
  contentType === 'application/json' || /^application\/[\w.-]+\+json$/.test(contentType ?? '');
