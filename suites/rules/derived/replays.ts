/** What servers tell those who come back for a stream, and what of it belongs elsewhere. */

import { type Conversation, derived } from '../../../harness/record/conversation.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { isReply, type Message } from '../../../harness/record/message.js';
import { accepted, askerOf, lastEventId, method, originOf, tokenOf } from './http.js';

/** It belongs to a request of another POST, or tells of the progress of one that nobody made in this session. */
function isForeign(conversation: Conversation, m: Message, origin: HttpExchange | undefined): boolean {
  const asked = isReply(m) ? conversation.requestOf(m) : undefined;
  // an answer under a wrong id may belong anywhere
  const request = asked && asked.idKey === m.idKey ? asked : undefined;
  const home = request ? conversation.httpOf(request) : askerOf(conversation, m);
  const homeless = m.method === 'notifications/progress' && tokenOf(m) !== undefined && !home;
  // who names an event that was never seen here has nothing to expect
  if (!origin) return homeless || isReply(m);
  return (homeless || Boolean(home)) && home !== origin && method(origin) === 'POST';
}

/** A GET that goes on with a stream, or would. */
interface Resumption {
  readonly get: HttpExchange;
  /** The exchange that opened the stream; undefined for one of another session. */
  readonly origin: HttpExchange | undefined;
  /** Something that was told and belongs to another stream. */
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
 * It came with things of another stream, by streamable-http.no-cross-stream-replay: neither what it answers nor whom it
 * was meant for is certain, and nothing else is to be said of it.
 */
export const isDisplaced = (conversation: Conversation, m: Message): boolean =>
  displaced(conversation).has(m);

const displaced = derived(
  (conversation: Conversation): ReadonlySet<Message> =>
    new Set(resumptions(conversation).flatMap(({ get, foreign }) => (foreign ? get.received : []))),
);
