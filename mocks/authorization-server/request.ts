/** A parsed request to the mock authorization server. */

import type { Incoming } from '../server/http/reply.js';

export interface Ask extends Omit<Incoming, 'pieces'> {
  /** Scheme, host and port of the request; the issuer is derived from the origin. */
  readonly origin: string;
  /** Query of a GET request, form of a POST request. */
  readonly params: URLSearchParams;
  readonly cookies: ReadonlyMap<string, string>;
}

export async function takeApart(request: Request): Promise<Ask> {
  const headers = new Map<string, string>();
  request.headers.forEach((value, name) => {
    headers.set(name, value);
  });
  const url = new URL(request.url);
  const body = await request.text();
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers.get('content-type') ?? '');
  const cookies = (headers.get('cookie') ?? '').split(/; */).map(pair => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return {
    method: request.method,
    url,
    origin: url.origin,
    headers,
    body,
    params: request.method === 'POST' ? new URLSearchParams(isForm ? body : '') : url.searchParams,
    cookies: new Map(cookies),
  };
}

/** Whether a parameter is repeated, which OAuth forbids; `resource` may be repeated (RFC 8707 §2). */
export const repeated = (params: URLSearchParams): string | undefined =>
  [...params.keys()].find((name, at, all) => name !== 'resource' && all.indexOf(name) !== at);

/** Values separated by spaces, without duplicates. */
export const scopeSet = (scope: string | null | undefined): string[] => [
  ...new Set((scope ?? '').split(' ').filter(value => value !== '')),
];

const loopback = ['127.0.0.1', '[::1]', 'localhost'];

export const isLoopback = (url: URL): boolean => loopback.includes(url.hostname);

export const parseUrl = (text: unknown): URL | undefined =>
  typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
