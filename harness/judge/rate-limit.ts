/** Responses of a server that limits the rate of requests. */

import { isObject, type Json, parseJson } from '../../spec/json-rpc.js';
import type { Event, Frame } from '../record/event.js';

/** Status of a response to a client that sends too many requests (RFC 6585, section 4). */
const tooManyRequests = 429;

/** Reason of a finding that is not judged because a request of its case got this status, or such an error. */
export const rateLimited = 'the server limits the rate of requests (status 429, or an error that says so)';

const tooOften =
  /rate.?limit(ed| (has been |was |is )?(exceeded|reached|hit))|exceeded .*rate.?limit|too many requests/i;

/** Whether an error says that the client sends too many requests; no code is defined for this. */
export const isRateLimitError = (error: Json | undefined): boolean =>
  isObject(error) && typeof error.message === 'string' && tooOften.test(error.message);

/** An error that refuses a request is short. */
const mostCharacters = 4096;

function holdsRateLimitError({ text }: Frame): boolean {
  if (text.length > mostCharacters || !text.includes('"error"') || !tooOften.test(text)) return false;
  const json = parseJson(text);
  const replies = Array.isArray(json) ? json : [json];
  return replies.some(reply => isObject(reply) && isRateLimitError(reply.error));
}

/** Whether the server refused a request because of the rate of requests, whatever the content. */
export const isRateLimit = (event: Event): boolean =>
  event.kind === 'http-response'
    ? event.status === tooManyRequests
    : event.kind === 'frame' && event.by === 'server' && holdsRateLimitError(event);
