/** An incoming request of the client: its head, and its body up to a limit. */

import type { IncomingMessage } from 'node:http';
import { isObject, type Json, kindOf, parseJson } from '../../../../spec/json-rpc.js';
import type { HeaderList } from '../../../record/event.js';
import { headerOf } from '../../../record/http-exchange.js';
import { headersOf } from '../headers.js';
import { limits } from '../limits.js';

export interface IncomingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: HeaderList;
  readonly body: Buffer;
  /** Number of bytes received, when the body exceeds the limit. */
  readonly overflow?: number;
  /** The client disconnected before the body was complete. */
  readonly broken: boolean;
  /** The parsed body; undefined when the body is not JSON. */
  readonly json: Json | undefined;
  header(name: string): string | undefined;
}

/** @param origin origin of the harness, for a request target without an origin */
export async function readRequest(request: IncomingMessage, origin: string): Promise<IncomingRequest> {
  const { method = 'GET', url = '/' } = request;
  const headers = headersOf(request);
  const host = headerOf(headers, 'host');
  const own = `${new URL(origin).protocol}//${host}`;
  const base = host !== undefined && URL.canParse(own) ? own : origin;
  return {
    method,
    url: URL.canParse(url, base) ? new URL(url, base) : new URL(base),
    headers,
    header: name => headerOf(headers, name),
    ...(await bodyOf(request)),
  };
}

async function bodyOf(
  request: IncomingMessage,
): Promise<Pick<IncomingRequest, 'body' | 'overflow' | 'broken' | 'json'>> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request) {
      parts.push(part as Buffer);
      size += (part as Buffer).length;
      if (size > limits.body)
        return { body: Buffer.concat(parts, size), overflow: size, broken: false, json: undefined };
    }
  } catch {
    return { body: Buffer.concat(parts, size), broken: true, json: undefined };
  }
  const body = Buffer.concat(parts, size);
  return { body, broken: !request.complete, json: parseJson(body.toString('utf8')) };
}

/** Whether a body contains an `initialize` request, alone or in a batch. */
export const asksToInitialize = (json: Json | undefined): boolean => asksFor('initialize', json);

/**
 * Whether a body contains `server/discover`: a client of a newer era sends this request before a fallback to
 * `initialize`.
 */
export const asksToDiscover = (json: Json | undefined): boolean => asksFor('server/discover', json);

const asksFor = (method: string, json: Json | undefined): boolean =>
  (Array.isArray(json) ? json : [json]).some(
    item => isObject(item) && kindOf(item) === 'request' && item.method === method,
  );
