/** An incoming request of the client: its head, and its body up to a limit. */

import { isObject, type Json, kindOf, parseJson } from '../../../../spec/json-rpc.js';
import { ByteCollector } from '../../../framing/byte-collector.js';
import type { HeaderList, Overflow } from '../../../record/event.js';
import { handshakeMethods } from '../../../record/handshake.js';
import { headerOf } from '../../../record/http-exchange.js';
import { type Intake, intakeLimits } from '../../intake.js';
import { headersOf } from '../headers.js';
import { limits } from '../limits.js';
import type { ServerRequest } from './local-servers.js';

export interface IncomingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: HeaderList;
  readonly body: Buffer;
  /** The limit that the body exceeds; the body is not complete then. */
  readonly overflow?: Pick<Overflow, 'what' | 'amount'> & { readonly received: number };
  /** The client disconnected before the body was complete. */
  readonly broken: boolean;
  /** The parsed body; undefined when the body is not JSON. */
  readonly json: Json | undefined;
  header(name: string): string | undefined;
}

/**
 * @param origin origin of the harness, for a request target without an origin
 * @param intake counts the input of the run
 */
export async function readRequest(
  request: ServerRequest,
  origin: string,
  intake: Intake,
): Promise<IncomingRequest> {
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
    ...(await bodyOf(request, intake)),
  };
}

async function bodyOf(
  request: ServerRequest,
  intake: Intake,
): Promise<Pick<IncomingRequest, 'body' | 'overflow' | 'broken' | 'json'>> {
  const parts = new ByteCollector();
  try {
    for await (const part of request) {
      parts.add(part as Buffer);
      intake.hold((part as Buffer).length);
      if (parts.length > intake.messageBytes || intake.isFull) {
        return cut(
          parts,
          intake.isFull
            ? { what: 'bytes', amount: intake.totalBytes }
            : { what: 'line', amount: intake.messageBytes },
        );
      }
    }
  } catch {
    return { body: parts.peek(), broken: true, json: undefined };
  } finally {
    intake.hold(-parts.length);
  }
  const body = parts.peek();
  const text = body.toString('utf8');
  const excess = intake.keep(text);
  if (excess) return cut(parts, { what: excess, amount: intakeLimits[excess] });
  return { body, broken: !request.complete, json: parseJson(text) };
}

/** Keeps the beginning of a body that exceeds a limit. */
function cut(parts: ByteCollector, overflow: Pick<Overflow, 'what' | 'amount'>) {
  const body = Buffer.from(parts.peek(limits.kept));
  return { body, overflow: { ...overflow, received: parts.length }, broken: false, json: undefined };
}

/** Whether a body contains an `initialize` request, alone or in a batch. */
export const asksToInitialize = (json: Json | undefined): boolean => asksFor(handshakeMethods.request, json);

/**
 * Whether a body contains `server/discover`: a client of a newer era sends this request before a fallback to
 * `initialize`.
 */
export const asksToDiscover = (json: Json | undefined): boolean => asksFor('server/discover', json);

const asksFor = (method: string, json: Json | undefined): boolean =>
  (Array.isArray(json) ? json : [json]).some(
    item => isObject(item) && kindOf(item) === 'request' && item.method === method,
  );
