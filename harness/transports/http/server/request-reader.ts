/** A request of the client as it comes in: its head, and its body up to a limit. */

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
  /** How many bytes came when they were too many. */
  readonly overflow?: number;
  /** The client went away before the body was complete. */
  readonly broken: boolean;
  /** What the body says, when it is JSON. */
  readonly json: Json | undefined;
  header(name: string): string | undefined;
}

/** @param origin of our own, for a request target without one */
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

/** Whether a body asks to begin a session, alone or among others. */
export const asksToInitialize = (json: Json | undefined): boolean => asksFor('initialize', json);

/** Whether it asks what a client of a newer era asks first, before it falls back to `initialize`. */
export const asksToDiscover = (json: Json | undefined): boolean => asksFor('server/discover', json);

const asksFor = (method: string, json: Json | undefined): boolean =>
  (Array.isArray(json) ? json : [json]).some(
    item => isObject(item) && kindOf(item) === 'request' && item.method === method,
  );
