/** Messages that a server sends on a resumed stream, and those of them that belong to another stream. */

import { type Conversation, derived } from '../../../harness/record/conversation.js';
import type { HttpExchange, SseEvent } from '../../../harness/record/http-exchange.js';
import { isReply, type Message } from '../../../harness/record/message.js';
import { accepted, askerOf, connectionsOf, lastEventId, method, originOf, tokenOf } from './http.js';

/**
 * Whether a message belongs to a request of another POST, or has a progress token that no request of this
 * session has.
 */
function isForeign(conversation: Conversation, m: Message, origin: HttpExchange | undefined): boolean {
  const asked = isReply(m) ? conversation.requestOf(m) : undefined;
  // a response with an incorrect id may belong to any stream
  const request = asked && asked.idKey === m.idKey ? asked : undefined;
  const home = request ? conversation.httpOf(request) : askerOf(conversation, m);
  const homeless = m.method === 'notifications/progress' && tokenOf(m) !== undefined && !home;
  // a GET with an unknown event id expects no responses and no progress
  if (!origin) return homeless || isReply(m);
  return (homeless || Boolean(home)) && home !== origin && method(origin) === 'POST';
}

/** A GET that resumes a stream, or tries to. */
interface Resumption {
  readonly get: HttpExchange;
  /** The exchange that opened the stream; undefined for a stream of another session. */
  readonly origin: HttpExchange | undefined;
  /** A message on this GET that belongs to another stream. */
  readonly foreign: Message | undefined;
}

export const resumptions = derived((conversation: Conversation): readonly Resumption[] =>
  accepted(conversation, 'GET').flatMap(get => {
    const origin = originOf(conversation, get);
    if (lastEventId(get) === undefined || origin === get) return [];
    return [{ get, origin, foreign: get.received.find(m => isForeign(conversation, m, origin)) }];
  }),
);

/**
 * Whether a message arrived together with a message of another stream, which
 * streamable-http.no-cross-stream-replay reports. The request and the recipient of such a message are
 * uncertain, so other rules do not judge it.
 */
export const isDisplaced = (conversation: Conversation, m: Message): boolean =>
  displaced(conversation).has(m);

const displaced = derived(
  (conversation: Conversation): ReadonlySet<Message> =>
    new Set(resumptions(conversation).flatMap(({ get, foreign }) => (foreign ? get.received : []))),
);

/** Whether an event has a message, as far as the record shows. */
export const carries = ({ data, unfinished }: SseEvent): boolean =>
  data !== undefined && data !== '' && !unfinished;

/** The events of a stream on its connections before a GET, in the order of sending; lost ones too. */
function sentBefore(conversation: Conversation, origin: HttpExchange, get: HttpExchange): SseEvent[] {
  const before = connectionsOf(conversation, origin).filter(e => e.number < get.number);
  const seen = new Set<string>();
  return before
    .flatMap(e => [...e.events, ...e.lost])
    .filter(e => !e.unfinished && e.id && !e.redelivered && !seen.has(e.id) && seen.add(e.id))
    .sort((a, b) => a.seq - b.seq);
}

/** The events with messages that the server sent after Last-Event-ID, before the stream was resumed. */
export function sentAfter(conversation: Conversation, origin: HttpExchange, get: HttpExchange): SseEvent[] {
  const events = sentBefore(conversation, origin, get).filter(e => e.seq < get.seq);
  const last = events.findIndex(e => e.id === lastEventId(get));
  return last === -1 ? [] : events.slice(last + 1).filter(carries);
}

/** The events with messages up to Last-Event-ID, by id. */
export function sentUpTo(
  conversation: Conversation,
  origin: HttpExchange,
  get: HttpExchange,
): ReadonlyMap<string, SseEvent> {
  const events = sentBefore(conversation, origin, get);
  const last = events.findIndex(e => e.id === lastEventId(get));
  return new Map(
    events
      .slice(0, last + 1)
      .filter(carries)
      .map(e => [e.id!, e]),
  );
}
