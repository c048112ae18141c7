/** The recorded body of a client request: a frame where messages are expected, else a text. */

import { isUtf8 } from 'node:buffer';
import type { HttpStream } from '../../../record/event.js';
import type { Message } from '../../../record/message.js';
import type { Tap } from '../../../record/tap.js';
import { kept } from './reply.js';
import type { IncomingRequest } from './request-reader.js';

type Body = Pick<IncomingRequest, 'body' | 'broken'> & Partial<IncomingRequest>;

export function recordedBody(
  tap: Tap,
  exchange: number,
  stream: HttpStream | undefined,
  arrival: Body,
): Message[] {
  const { body, broken, overflow } = arrival;
  if (body.length === 0) return [];
  if (overflow) {
    const text = body.toString('utf8');
    tap({ kind: 'http-body', exchange, of: 'request', text, cutFrom: overflow.received });
    return [];
  }
  if (stream === 'post' && !broken)
    return tap({ kind: 'frame', by: 'client', ...frameText(arrival), exchange, stream });
  tap({ kind: 'http-body', exchange, of: 'request', ...kept(body) });
  return [];
}

/** only the beginning of a body that is not JSON is recorded */
function frameText({ body, json }: Body) {
  if (json === undefined) return kept(body);
  const text = body.toString('utf8');
  return { text, ...(text.includes('\uFFFD') && !isUtf8(body) && { invalidUtf8: true as const }) };
}
