/** Requests whose content the server under test never looked at. */

import type { Party } from '../../spec/json-rpc.js';
import { isRateLimit, rateLimited } from '../judge/rate-limit.js';
import type { Event } from '../record/event.js';
import { notAllowed } from '../transports/http/allowed-hosts.js';

/** Why an event shows such a request; undefined for another event. */
export function whyUnread(event: Event, party: Party): string | undefined {
  if (event.kind === 'http-end' && event.code === notAllowed) return event.reason ?? '';
  return party === 'server' && isRateLimit(event) ? rateLimited : undefined;
}
